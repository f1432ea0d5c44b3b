// A float4 load from an address that is a multiple of four bytes only.
#include <cstdio>

__global__ void load4(const float *in, float *out, int shift) {
  float4 v = *reinterpret_cast<const float4 *>(in + 4 * threadIdx.x + shift);  // FAULT misaligned
  out[threadIdx.x] = v.x + v.y + v.z + v.w;
}

int main() {
  float *in, *out;
  cudaMalloc(&in, 1024);
  cudaMalloc(&out, 1024);
  cudaMemset(in, 0, 1024);
  load4<<<1, 32>>>(in, out, 0);
  printf("shift 0: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  load4<<<1, 32>>>(in, out, 1);
  cudaError_t e = cudaDeviceSynchronize();
  printf("shift 1: %s: %s\n", cudaGetErrorName(e), cudaGetErrorString(e));
  return 0;
}
