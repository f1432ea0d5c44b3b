// A sum over shared memory of which only half was written.
#include <cstdio>

__global__ void sum(int *out) {
  __shared__ int s[64];
  if (threadIdx.x < 32) s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  int v = s[threadIdx.x];  // FAULT uninitialised-shared
  atomicAdd(out, v);
}

int main() {
  int *out;
  cudaMalloc(&out, sizeof(int));
  cudaMemset(out, 0, sizeof(int));
  sum<<<1, 64>>>(out);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
