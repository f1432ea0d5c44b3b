// A kernel reads what a kernel that it launched writes; nothing orders the two.
// flags: -rdc=true
// finding: stream-race: in parent.*wrong_parent_reads_child.cu:9: the kernel reads .*child.* writes that it has launched
#include <cstdio>
__global__ void child(int* p) { p[threadIdx.x] = threadIdx.x + 1; }
__global__ void parent(int* p, int* o) {
  if (threadIdx.x == 0) child<<<1, 32>>>(p);
  __syncthreads();
  o[threadIdx.x] = p[threadIdx.x];
}
int main() {
  int *p, *o;
  cudaMalloc(&p, 128);
  cudaMalloc(&o, 128);
  cudaMemset(p, 0, 128);
  parent<<<1, 32>>>(p, o);
  cudaDeviceSynchronize();
  cudaFree(p);
  cudaFree(o);
  return cudaGetLastError();
}
