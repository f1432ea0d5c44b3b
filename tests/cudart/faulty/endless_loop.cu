// A kernel that never ends.
// golden: none
#include <cstdio>

__global__ void wait_for_nobody(volatile int *flag) {
  while (*flag == 0) {}  // FAULT deadlock|budget-exceeded
}

int main() {
  int *flag;
  cudaMalloc(&flag, sizeof(int));
  cudaMemset(flag, 0, sizeof(int));
  wait_for_nobody<<<1, 32>>>(flag);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
