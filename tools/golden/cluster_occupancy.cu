// How many clusters a GPU holds at once: what cudaOccupancyMaxActiveClusters says, for blocks of many sizes.
//
// Leaves, on standard output, a row each: the GPU, threads and dynamic shared bytes of a block, blocks of a multiprocessor, and how
// many clusters of 1 to 16 blocks the GPU holds. nvcc -arch=sm_90 -o cluster_occupancy tools/golden/cluster_occupancy.cu && ./cluster_occupancy
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

__global__ void kernel(int* out) { out[threadIdx.x] = 1; }

static void check(cudaError_t code) {
  if (code == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(code));
  std::exit(1);
}

int main() {
  cudaDeviceProp gpu;
  check(cudaGetDeviceProperties(&gpu, 0));
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, gpu.sharedMemPerBlockOptin));
  std::printf("gpu,threads,dynamic_shared_bytes,blocks_per_multiprocessor");
  for (unsigned cluster = 1; cluster <= 16; ++cluster) std::printf(",clusters_of_%u", cluster);
  std::puts("");
  for (const unsigned threads : {64, 96, 128, 192, 256, 512, 1024}) {
    for (const std::size_t bytes : {0, 40 * 1024, 100 * 1024, 200 * 1024}) {
      int blocks = 0;
      check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, bytes));
      std::printf("%s,%u,%zu,%d", gpu.name, threads, bytes, blocks);
      for (unsigned cluster = 1; cluster <= 16; ++cluster) {
        cudaLaunchAttribute attribute{};
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim = {cluster, 1, 1};
        cudaLaunchConfig_t config{};
        config.gridDim = dim3(cluster * 1024), config.blockDim = dim3(threads), config.dynamicSmemBytes = bytes;
        config.attrs = &attribute, config.numAttrs = 1;
        int clusters = 0;
        check(cudaOccupancyMaxActiveClusters(&clusters, kernel, &config));
        std::printf(",%d", clusters);
      }
      std::puts("");
    }
  }
}
