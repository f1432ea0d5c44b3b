// All lanes store, one of them arrives at the mbarrier, and no __syncwarp() stands between.
// finding: (shared-race|missing-syncwarp)
#include "tma.h"
__global__ void k(float* out, const float* in) {
  __shared__ float w[64];
  __shared__ alignas(8) uint64_t full;
  int t = threadIdx.x;
  if (t == 0) { mb_init(&full, 1); mb_fence_init(); }
  __syncthreads();
  if (t < 32) {
    for (int i = t; i < 64; i += 32) w[i] = in[i];
    if (t == 0) mb_arrive(&full);
  } else {
    mb_wait(&full, 0);
    out[t - 32] = w[95 - t];
  }
}
int main() {
  float *a, *b; cudaMalloc(&a, 256); cudaMalloc(&b, 256); cudaMemset(a, 0, 256);
  k<<<1, 96>>>(b, a);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize())); cudaFree(a); cudaFree(b);
}
