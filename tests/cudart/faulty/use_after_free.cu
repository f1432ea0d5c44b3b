// The buffer is freed before the second launch.
#include <cstdio>

__global__ void fill(int *p, int value) {
  p[threadIdx.x] = value;  // FAULT out-of-bounds
}

int main() {
  int *p;
  cudaMalloc(&p, 32 << 20);
  fill<<<1, 32>>>(p, 1);
  printf("first: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(p);
  fill<<<1, 32>>>(p, 2);
  printf("second: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
