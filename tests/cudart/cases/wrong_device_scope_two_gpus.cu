// Two GPUs add to one word at once, by atomics of the scope of one GPU.
// finding: stream-race: .* by atomics of the scope of one GPU
// flags: --gpus 2
#include <cstdio>
__global__ void k(int *c) { atomicAdd(c, 1); }
int main() {
  int *c; cudaSetDevice(0); cudaMalloc(&c, 4); cudaMemset(c, 0, 4); cudaDeviceSynchronize();
  cudaSetDevice(1); cudaDeviceEnablePeerAccess(0, 0);
  cudaSetDevice(0); k<<<4, 64>>>(c); cudaSetDevice(1); k<<<4, 64>>>(c);
  for (int d = 0; d < 2; ++d) { cudaSetDevice(d); cudaDeviceSynchronize(); }
  int h; cudaMemcpy(&h, c, 4, cudaMemcpyDefault); printf("%d %s\n", h, cudaGetErrorName(cudaGetLastError()));
  cudaSetDevice(0); cudaFree(c); return 0;
}
