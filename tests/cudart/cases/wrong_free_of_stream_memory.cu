// cudaFree of memory from cudaMallocAsync waits for no kernel.
// finding: stream-race: cudaFree frees
#include <cstdio>
__global__ void k(float* p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = i; }
int main() {
  cudaStream_t s; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking); float* p;
  cudaMallocAsync(&p, 4096, s);
  k<<<4, 256, 0, s>>>(p, 1024);
  cudaFree(p);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize())); cudaStreamDestroy(s);
}
