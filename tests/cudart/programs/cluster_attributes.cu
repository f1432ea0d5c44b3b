// Clusters of kernels that carry one of their own, and attributes that say another: how large one may be, how many fit, and
// what a launch says.
// refused: 17
#include <cooperative_groups.h>
#include <cstdio>

__device__ void count(int* blocks) { *blocks = cooperative_groups::this_cluster().num_blocks(); }
__global__ void __cluster_dims__(2, 1, 1) of_two(int* blocks) { count(blocks); }
__global__ void __cluster_dims__(4, 1, 1) of_four(int* blocks) { count(blocks); }
__global__ void of_none(int* blocks) { count(blocks); }

template <class Kernel>
void ask(const char* name, Kernel kernel, unsigned cluster) {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = cluster, attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(64), config.blockDim = dim3(128);
  config.attrs = &attribute, config.numAttrs = cluster != 0;
  int potential = -1, active = -1, blocks = 0, *counted = nullptr;
  const cudaError_t first = cudaOccupancyMaxPotentialClusterSize(&potential, kernel, &config);
  const cudaError_t second = cudaOccupancyMaxActiveClusters(&active, kernel, &config);
  cudaMalloc(&counted, sizeof blocks);
  cudaMemset(counted, 0, sizeof blocks);
  const cudaError_t third = cudaLaunchKernelEx(&config, kernel, counted);
  cudaMemcpy(&blocks, counted, sizeof blocks, cudaMemcpyDeviceToHost);
  cudaFree(counted);
  cudaGetLastError();
  std::printf("%s, %u: %s %d, %s %d, %s %d\n", name, cluster, cudaGetErrorName(first), potential, cudaGetErrorName(second), active,
              cudaGetErrorName(third), blocks);
}

int main() {
  for (const bool large : {false, true}) {
    for (const unsigned cluster : {0u, 1u, 2u, 4u, 8u, 16u}) {
      ask("of two", of_two, cluster);
      ask("of four", of_four, cluster);
      ask("of none", of_none, cluster);
    }
    if (large) break;
    for (auto kernel : {of_two, of_four, of_none}) cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    std::printf("\n");
  }
}
