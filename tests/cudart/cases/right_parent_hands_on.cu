// What one launch wrote is read by the next on its stream, and by the tail; the kernel goes on with memory of its own.
// flags: -rdc=true
// clean
#include <cstdio>
__global__ void child(int* p) { p[threadIdx.x] = threadIdx.x + 1; }
__global__ void add(int* o, const int* p) { o[threadIdx.x] += p[threadIdx.x]; }
__global__ void parent(int* p, int* o, int* own) {
  o[threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x == 0) {
    child<<<1, 64>>>(p);
    own[0] = 5;
    add<<<1, 64>>>(o, p);
    add<<<1, 1, 0, cudaStreamTailLaunch>>>(own, own);
  }
  own[threadIdx.x + 1] = threadIdx.x;
}
int main() {
  int *p, *o, *own;
  cudaMalloc(&p, 256);
  cudaMalloc(&o, 256);
  cudaMalloc(&own, 512);
  parent<<<1, 64>>>(p, o, own);
  cudaDeviceSynchronize();
  cudaFree(p);
  cudaFree(o);
  cudaFree(own);
  return cudaGetLastError();
}
