// cudaMemcpy from pageable memory may return before the data has arrived: a stream that nothing orders reads too early.
// finding: stream-race: the kernel `use.*cudaMemcpy from pageable memory
#include <cstdio>
__global__ void use(int* o, const int* p) { o[threadIdx.x] = p[threadIdx.x]; }
int main() {
  static int h[1024];
  int *p, *o;
  cudaMalloc(&p, sizeof h);
  cudaMalloc(&o, sizeof h);
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice);
  use<<<1, 1024, 0, s>>>(o, p);
  printf("%d\n", cudaDeviceSynchronize());
  cudaFree(p);
  cudaFree(o);
  cudaStreamDestroy(s);
}
