// Three warps at a named barrier for two: the third waits for ever.
// finding: deadlock in .*barrier 1 .* waits for threads that never come: its count is 64, and 32 have arrived
#include <cstdio>
__global__ void k(int *o) {
  int t = threadIdx.x;
  if (t < 96) { asm volatile("bar.sync 1, 64;" ::: "memory"); o[t] = 1; }
}
int main() { int *o; cudaMalloc(&o, 1024); k<<<1, 128>>>(o); printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize())); cudaFree(o); return 0; }
