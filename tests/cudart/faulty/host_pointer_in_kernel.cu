// A kernel gets a pointer from malloc.
// golden: none
#include <cstdio>
#include <cstdlib>

__global__ void increment(int *p) {
  p[threadIdx.x]++;  // FAULT out-of-bounds
}

int main() {
  int *h = (int *)calloc(32, sizeof(int));
  increment<<<1, 32>>>(h);
  cudaError_t e = cudaDeviceSynchronize();
  printf("%s, h[0] = %d\n", cudaGetErrorName(e), h[0]);
  free(h);
  return 0;
}
