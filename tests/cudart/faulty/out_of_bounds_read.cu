// A stencil that reads the element before the first.
// golden: none
#include <cstdio>
#include <vector>

__global__ void difference(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] - in[i - 1];  // FAULT out-of-bounds
}

int main() {
  const int n = 512;
  std::vector<float> h(n, 1.0f);
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  difference<<<2, 256>>>(in, out, n);
  cudaError_t e = cudaMemcpy(h.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%s\n", cudaGetErrorName(e));
  return 0;
}
