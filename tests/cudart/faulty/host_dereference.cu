// The host reads through a pointer of the device.
// golden: none
#include <cstdio>

int main() {
  int *d;
  cudaMalloc(&d, 64 * sizeof(int));
  cudaMemset(d, 0, 64 * sizeof(int));
  printf("before\n");
  fflush(stdout);
  printf("d[3] = %d\n", d[3]);  // FAULT host-access
  return 0;
}
