// Written for an older CUDA: names that version 13 and compute capability 7.0 have removed.
// golden: none
// reports: names that CUDA has removed
#include <thrust/functional.h>
#include <cstdio>
#include <cub/block/block_reduce.cuh>

struct Half : thrust::unary_function<int, int> {
  __host__ __device__ int operator()(int x) const { return x / 2; }
};

__global__ void work(int n, int* data, int* found) {
  typedef cub::BlockReduce<int, 128> Reduce;
  __shared__ typename Reduce::TempStorage scratch;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = i < n ? Half()(data[i]) : 0;
  const int most = Reduce(scratch).Reduce(value, cub::Max());
  if (threadIdx.x == 0) atomicMax(found, most);
  for (int step = 16; step > 0; step /= 2) value += __shfl_down(value, step);
  if (threadIdx.x % 32 == 0) atomicAdd(found + 1, value);
}

int main() {
  int device = 0;
  cudaGetDevice(&device);
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, device);
  const double peak = 2.0 * properties.memoryClockRate * (properties.memoryBusWidth / 8) / 1e6;
  if (properties.clockRate <= 0 || peak < 100) return std::printf("no clocks: %g GB/s\n", peak), 1;
  const int n = 1000;
  int *data, *found;
  cudaMallocManaged(&data, n * sizeof(int));
  cudaMallocManaged(&found, 2 * sizeof(int));
  for (int k = 0; k < n; ++k) data[k] = k;
  for (int k = 0; k < 2; ++k) found[k] = 0;
  cudaMemAdvise(data, n * sizeof(int), cudaMemAdviseSetReadMostly, device);
  cudaMemPrefetchAsync(data, n * sizeof(int), device, NULL);
  work<<<(n + 127) / 128, 128>>>(n, data, found);
  cudaMemPrefetchAsync(found, 2 * sizeof(int), cudaCpuDeviceId);
  cudaThreadSynchronize();
  int sum = 0;
  for (int k = 0; k < n; ++k) sum += k / 2;
  std::printf("%d %d\n", found[0], found[1]);
  return found[0] != 499 || found[1] != sum;
}
