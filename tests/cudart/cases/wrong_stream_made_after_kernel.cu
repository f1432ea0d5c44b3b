// A kernel on the default stream, and a non-blocking stream, made behind it, that reads its result.
// finding: stream-race: the kernel `use
#include <cstdio>
__global__ void init(float* p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = i; }
__global__ void use(float* o, const float* p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) o[i] = p[i]; }
int main() {
  float *p, *o; cudaMalloc(&p, 4096); cudaMalloc(&o, 4096);
  init<<<4, 256>>>(p, 1024);
  cudaStream_t s; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  use<<<4, 256, 0, s>>>(o, p, 1024);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize())); cudaFree(p); cudaFree(o); cudaStreamDestroy(s);
}
