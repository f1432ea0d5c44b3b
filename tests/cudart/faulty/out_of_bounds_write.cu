// The guard is missing: the last block writes past the end of the array.
// golden: none
// exit: 1
#include <cstdio>

__global__ void square(int *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = i * i;  // FAULT out-of-bounds
}

int main() {
  int *d, n = 1000;
  cudaMalloc(&d, n * sizeof(int));
  square<<<(n + 255) / 256, 256>>>(d);
  cudaDeviceSynchronize();
  printf("end of main\n");
  return 0;
}
