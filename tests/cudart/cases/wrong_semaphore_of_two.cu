// A semaphore that lets two blocks in is no lock: both may hold it and add to one word.
// finding: global-race
#include <cstdio>

__device__ int places = 2;

__global__ void add(int* total) {
  if (threadIdx.x != 0) return;
  while (atomicAdd(&places, -1) <= 0) atomicAdd(&places, 1);
  __threadfence();
  *total = *total + 1;
  __threadfence();
  atomicAdd(&places, 1);
}

int main() {
  int* total;
  cudaMalloc(&total, sizeof *total);
  cudaMemset(total, 0, sizeof *total);
  add<<<8, 32>>>(total);
  int sum = 0;
  cudaMemcpy(&sum, total, sizeof sum, cudaMemcpyDeviceToHost);
  cudaFree(total);
  std::printf("%d\n", sum);
}
