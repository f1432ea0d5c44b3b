// The launch is behind a barrier, so the kernel sees what all warps wrote.
// flags: -rdc=true
// clean
#include <cstdio>
__global__ void child(int* o, const int* p) { o[threadIdx.x] = p[threadIdx.x]; }
__global__ void parent(int* p, int* o) {
  p[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) child<<<1, 128>>>(o, p);
}
int main() {
  int *p, *o;
  cudaMalloc(&p, 512);
  cudaMalloc(&o, 512);
  parent<<<1, 128>>>(p, o);
  cudaDeviceSynchronize();
  cudaFree(p);
  cudaFree(o);
  return cudaGetLastError();
}
