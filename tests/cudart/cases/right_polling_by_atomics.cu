// A barrier of the grid that polls by atomicAdd(c, 0) while a block works for long: it costs what it polls, no more.
// clean
#include <cstdio>
#include <cstdlib>
__global__ void k(unsigned* c, int* out, int work) {
  int x = blockIdx.x; volatile int* vo = out; if (blockIdx.x == 3) for (int i = 0; i < work; i++) x = x * 5 + vo[i & 3];
  __syncthreads();
  if (threadIdx.x == 0) { if (x == 77) out[0] = x; __threadfence(); atomicAdd(c, 1u); while (atomicAdd(c, 0u) < gridDim.x) {} __threadfence(); }
  __syncthreads(); if (threadIdx.x == 0) out[4 + blockIdx.x] = x;
}
int main(int n, char** v) { unsigned* c; int* o; cudaMalloc(&c, 4); cudaMalloc(&o, 64); cudaMemset(c, 0, 4); cudaMemset(o, 0, 64); k<<<4, 32>>>(c, o, n > 1 ? atoi(v[1]) : 320000); printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize())); cudaFree(c); cudaFree(o); }
