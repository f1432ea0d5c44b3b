// The same with a stream that the default stream orders.
// clean
#include <cstdio>
__global__ void use(int* o, const int* p) { o[threadIdx.x] = p[threadIdx.x]; }
int main() {
  static int h[1024];
  int *p, *o;
  cudaMalloc(&p, sizeof h);
  cudaMalloc(&o, sizeof h);
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamDefault);
  cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice);
  use<<<1, 1024, 0, s>>>(o, p);
  printf("%d\n", cudaDeviceSynchronize());
  cudaFree(p);
  cudaFree(o);
  cudaStreamDestroy(s);
}
