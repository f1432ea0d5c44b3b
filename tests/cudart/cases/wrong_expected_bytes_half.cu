// A barrier expects the bytes of one of two copies: its phase may end before the other has landed.
// finding: async-early
#include <cstdio>
#include "mb.h"
__global__ void k(const int *in, int *out) {
  __shared__ alignas(128) int s[512];
  __shared__ uint64_t bar;
  int t = threadIdx.x;
  if (t == 0) { mb_init(&bar, 1); mb_fence(); }
  __syncthreads();
  if (t == 0) { mb_expect(&bar, 1024); bulk(s, in, 1024, &bar); bulk(s + 256, in + 256, 1024, &bar); }
  mb_wait(&bar, 0);
  out[t] = s[t] + s[t + 256];
}
int main() { int *in, *out; cudaMalloc(&in, 4096); cudaMemset(in, 1, 4096); cudaMalloc(&out, 1024); k<<<1, 256>>>(in, out);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize())); cudaFree(in); cudaFree(out); return 0; }
