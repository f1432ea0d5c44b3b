// Shared bins counted with ++ where an atomic is needed.
#include <cstdio>

__global__ void histogram(const unsigned char *data, unsigned *bins) {
  __shared__ unsigned local[16];
  if (threadIdx.x < 16) local[threadIdx.x] = 0;
  __syncthreads();
  local[data[threadIdx.x] % 16]++;  // FAULT shared-race|missing-syncwarp
  __syncthreads();
  if (threadIdx.x < 16) bins[threadIdx.x] = local[threadIdx.x];
}

int main() {
  unsigned char *data;
  unsigned *bins;
  cudaMalloc(&data, 256);
  cudaMemset(data, 3, 256);
  cudaMalloc(&bins, 16 * sizeof(unsigned));
  histogram<<<1, 256>>>(data, bins);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
