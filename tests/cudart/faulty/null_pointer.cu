// A null pointer from an allocation that failed and was not checked.
#include <cstdio>

__global__ void zero(double *p) {
  p[blockIdx.x * blockDim.x + threadIdx.x] = 0;  // FAULT out-of-bounds
}

int main() {
  double *p = nullptr;
  cudaMalloc(&p, (size_t)1 << 52);
  zero<<<4, 64>>>(p);
  cudaError_t e = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(e));
  return 0;
}
