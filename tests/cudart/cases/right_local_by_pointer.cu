// Local arrays reached through pointers, by their own threads: in shared memory, as arguments, and printed.
// clean
#include <cstdio>
__device__ __noinline__ int sum(const int* from, int count) {
  int all = 0;
  for (int k = 0; k < count; k++) all += from[k];
  return all;
}
__global__ void k(int* o, const int* p) {
  __shared__ int* where[64];
  int mine[4], *at = threadIdx.x % 2 ? mine : o + threadIdx.x;
  char name[8] = {'k', char('0' + threadIdx.x % 8), 0};
  for (int i = 0; i < 4; i++) mine[i] = threadIdx.x * 10 + i + p[0];
  where[threadIdx.x] = mine;
  *at = 3;
  __syncthreads();
  atomicAdd(at, 1);
  o[threadIdx.x] = where[threadIdx.x][threadIdx.x % 4] + sum(mine + 1, 3);
  if (threadIdx.x == 5) printf("%s\n", name);
}
int main() {
  int *o, *p;
  cudaMalloc(&o, 256);
  cudaMalloc(&p, 4);
  cudaMemset(p, 0, 4);
  k<<<1, 64>>>(o, p);
  cudaDeviceSynchronize();
  cudaFree(o);
  cudaFree(p);
  return cudaGetLastError();
}
