// A buffer from malloc in a kernel, freed twice: by the thread that made it, and by its neighbour.
// golden: none
#include <cstdio>

__global__ void twice(int *sum) {
  __shared__ int *shared;
  if (threadIdx.x == 0) {
    shared = (int *)malloc(64 * sizeof(int));
    for (int k = 0; k < 64; ++k) shared[k] = k;
  }
  __syncthreads();
  atomicAdd(sum, shared[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x < 2) free(shared);  // FAULT out-of-bounds
}

int main() {
  int *sum;
  cudaMalloc(&sum, sizeof(int));
  cudaMemset(sum, 0, sizeof(int));
  twice<<<1, 64>>>(sum);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
