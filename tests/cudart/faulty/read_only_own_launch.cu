// golden: none
// A barrier stands between store and load, and does not help: the load asks the read-only path.
#include <cstdio>

__global__ void turn(float* a, float* out) {
  a[threadIdx.x] = 2.0f * threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = __ldg(&a[blockDim.x - 1 - threadIdx.x]);  // FAULT global-race
}

int main() {
  float *a, *out;
  cudaMalloc(&a, 256 * sizeof(float));
  cudaMalloc(&out, 256 * sizeof(float));
  turn<<<1, 256>>>(a, out);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
