// A barrier of the grid of one's own that polls by atomicAdd(c, 0); a block never comes.
// finding: deadlock|budget-exceeded
#include <cstdio>
__global__ void k(unsigned* c, int* out) {
  if (blockIdx.x == gridDim.x - 1) return;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(c, 1u);
    while (atomicAdd(c, 0u) < gridDim.x) {}
    __threadfence();
  }
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = 1;
}
int main() {
  unsigned* c; int* o; cudaMalloc(&c, 4); cudaMalloc(&o, 16); cudaMemset(c, 0, 4);
  k<<<4, 32>>>(c, o); printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize())); cudaFree(c); cudaFree(o);
}
