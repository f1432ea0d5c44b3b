// An assert that fails in a few threads, as in many a debugging session.
#include <cassert>
#include <cstdio>

__global__ void check(const int *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) assert(values[i] < 60);  // FAULT trap
}

int main() {
  int h[64], *d;
  for (int i = 0; i < 64; ++i) h[i] = i;
  cudaMalloc(&d, sizeof h);
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  check<<<2, 32>>>(d, 64);
  cudaError_t e = cudaDeviceSynchronize();
  printf("%s: %s\n", cudaGetErrorName(e), cudaGetErrorString(e));
  return e == cudaErrorAssert ? 0 : 1;
}
