// Half of the threads wait at a barrier, the others for what comes behind it.
// golden: none
#include <cstdio>

__global__ void halves(int *out) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  if (threadIdx.x % 2) {
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x ^ 1];
  } else {
    while (((volatile int *)out)[0] == 0) {}  // FAULT deadlock|barrier-divergence
  }
}

int main() {
  int *out;
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMemset(out, 0, 64 * sizeof(int));
  halves<<<1, 64>>>(out);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
