// A graph replays a copy from a local variable of a caller, which still runs.
// clean
#include <cstdio>
#include <vector>
__global__ void k(int* o, const int* p) { o[threadIdx.x] = p[threadIdx.x]; }
__attribute__((noinline)) static void record(cudaStream_t s, int* d, int* o, int* lengths) {
  for (int i = 0; i < 32; i++) lengths[i] = i + 1;
  cudaMemcpyAsync(d, lengths, 128, cudaMemcpyHostToDevice, s);
  k<<<1, 32, 0, s>>>(o, d);
}
int main() {
  cudaStream_t s;
  cudaStreamCreate(&s);
  int *d, *o, h[32];
  cudaMalloc(&d, 128);
  cudaMalloc(&o, 128);
  cudaGraph_t g;
  cudaGraphExec_t x;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  int lengths[32];
  record(s, d, o, lengths);
  cudaStreamEndCapture(s, &g);
  cudaGraphInstantiate(&x, g, 0);
  std::vector<int> other(32, -7);
  cudaGraphLaunch(x, s);
  cudaStreamSynchronize(s);
  cudaMemcpy(h, o, 128, cudaMemcpyDeviceToHost);
  printf("%d %d\n", h[0], other[1]);
  cudaGraphExecDestroy(x);
  cudaGraphDestroy(g);
  cudaFree(d);
  cudaFree(o);
  cudaStreamDestroy(s);
}
