// Kernels that read the clock: it grows, more work takes longer, and so does the same work with bank conflicts.
#include <stdio.h>

__global__ void walk(int stride, int steps, long long *elapsed, int *sink) {
  __shared__ volatile int s[1024];
  for (int i = threadIdx.x; i < 1024; i += 32) s[i] = i;
  __syncwarp();
  long long start = clock64();
  int sum = 0;
  for (int i = 0; i < steps; i++) sum += s[(threadIdx.x * stride + i) % 1024];
  long long stop = clock64();
  sink[threadIdx.x] = sum;
  if (threadIdx.x == 0) *elapsed = stop - start;
}

__global__ void wait_some(long long ticks, int *out) {
  long long start = clock64();
  while (clock64() - start < ticks) {
  }
  *out = 1;
}

int main() {
  long long *d, t[4];
  int *sink, done = 0;
  cudaMalloc(&d, sizeof(long long));
  cudaMalloc(&sink, 32 * sizeof(int));
  const int cases[4][2] = {{1, 64}, {1, 256}, {2, 64}, {32, 64}};
  for (int k = 0; k < 4; k++) {
    walk<<<1, 32>>>(cases[k][0], cases[k][1], d, sink);
    cudaMemcpy(&t[k], d, sizeof t[k], cudaMemcpyDeviceToHost);
  }
  wait_some<<<1, 1>>>(100000, sink);
  cudaMemcpy(&done, sink, sizeof done, cudaMemcpyDeviceToHost);
  printf("some time: %d, more steps: %d, 2 ways: %d, 32 ways: %d, waited: %d\n", t[0] > 0, t[1] > t[0], t[2] > t[0],
         t[3] > t[2], done);
  return t[0] > 0 && t[1] > t[0] && t[2] > t[0] && t[3] > t[2] && done ? 0 : 1;
}
