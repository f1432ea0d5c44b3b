// A launch with too many threads; no call asks whether it ran, and the result is all zeros.
// exit: 1
// reports: invalid-launch
#include <cstdio>

__global__ void ones(int *p) { p[threadIdx.x] = 1; }

int main() {
  int *d, h[2048];
  cudaMalloc(&d, sizeof h);
  cudaMemset(d, 0, sizeof h);
  ones<<<1, 2048>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  int sum = 0;
  for (int v : h) sum += v;
  printf("sum %d\n", sum);
  return 0;
}
