// The occupancy calculator: potential block size, active blocks, with dynamic shared memory that depends on the block.
// reports: invalid-launch
#include <iostream>

__global__ void square(int *array, int arrayCount) {
  extern __shared__ int dynamicSmem[];
  int idx = threadIdx.x + blockIdx.x * blockDim.x;
  if (idx < arrayCount) array[idx] *= array[idx];
}

__global__ void __launch_bounds__(256, 2) bounded(float *a) {
  __shared__ float s[4096];
  s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

struct IntPerThread {
  __host__ __device__ size_t operator()(int blockSize) const { return blockSize * sizeof(int); }
};

static double reportPotentialOccupancy(void *kernel, int blockSize, size_t dynamicSMem) {
  int device, numBlocks;
  cudaDeviceProp prop;
  cudaGetDevice(&device);
  cudaGetDeviceProperties(&prop, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&numBlocks, kernel, blockSize, dynamicSMem);
  int activeWarps = numBlocks * blockSize / prop.warpSize;
  int maxWarps = prop.maxThreadsPerMultiProcessor / prop.warpSize;
  return (double)activeWarps / maxWarps;
}

int main() {
  const int count = 10000;
  int *array, *dArray, bad = 0;
  array = new int[count];
  for (int i = 0; i < count; i += 1) array[i] = i;
  cudaMalloc(&dArray, count * sizeof(int));
  cudaMemcpy(dArray, array, count * sizeof(int), cudaMemcpyHostToDevice);
  int minGridSize, blockSize;
  cudaError_t status = cudaOccupancyMaxPotentialBlockSize(&minGridSize, &blockSize, (void *)square, 0, count);
  if (status != cudaSuccess) { std::cerr << cudaGetErrorString(status) << std::endl; return 1; }
  int gridSize = (count + blockSize - 1) / blockSize;
  square<<<gridSize, blockSize, 0>>>(dArray, count);
  cudaMemcpy(array, dArray, count * sizeof(int), cudaMemcpyDeviceToHost);
  for (int i = 0; i < count; i += 1) bad += array[i] != i * i;
  std::cout << "Suggested block size is a multiple of a warp: " << (blockSize % 32 == 0 && blockSize <= 1024 ? "yes" : "no") << std::endl;
  std::cout << "It fills at least half of a multiprocessor: " << (reportPotentialOccupancy((void *)square, blockSize, 0) >= 0.5 ? "yes" : "no") << std::endl;
  std::cout << "48 KiB a block leave fewer blocks: "
            << (reportPotentialOccupancy((void *)square, 64, 48 << 10) < reportPotentialOccupancy((void *)square, 64, 0) ? "yes" : "no") << std::endl;
  int blocks = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 256, 0);
  cudaFuncAttributes attr;
  cudaFuncGetAttributes(&attr, bounded);
  std::cout << "bounded: " << attr.maxThreadsPerBlock << " threads at most, " << attr.sharedSizeBytes << " bytes of shared memory, "
            << (blocks >= 2 ? "two blocks fit" : "two blocks do not fit") << std::endl;
  bounded<<<1, 512>>>((float *)dArray);
  std::cout << "more threads than its bounds: " << cudaGetErrorName(cudaGetLastError()) << std::endl;
  status = cudaOccupancyMaxPotentialBlockSizeVariableSMem(&minGridSize, &blockSize, square, IntPerThread());
  std::cout << "with shared memory by block size: " << cudaGetErrorName(status) << std::endl;
  std::cout << (bad ? "Test FAILED" : "Test PASSED") << std::endl;
  cudaFree(dArray);
  delete[] array;
  return bad != 0;
}
