// The host reads through a pointer of the device.
// golden: none
// exit: 139
// reports: device pointer on the host
// reports: cudaMemcpy
#include <cstdio>

int main() {
  int *d;
  cudaMalloc(&d, 64 * sizeof(int));
  cudaMemset(d, 0, 64 * sizeof(int));
  printf("before\n");
  fflush(stdout);
  printf("d[3] = %d\n", d[3]);
  return 0;
}
