// How many clusters fit, and how large one may be: both APIs, sizes that do not fit, and kernels compiled for a cluster.
// nvcc: -lcuda
// golden: none
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>

__global__ void plain(int* out) { out[threadIdx.x] = 1; }
__global__ void __cluster_dims__(4, 1, 1) of_four(int* out) { out[threadIdx.x] = 1; }

static int wrong = 0;

struct Answer {
  int value;
  cudaError_t code;
};

// `cluster` 0 asks for none.
template <class Ask>
static Answer ask(const Ask& call, unsigned cluster, unsigned block, unsigned shared_bytes, unsigned grid) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = cluster, attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(grid), config.blockDim = dim3(block), config.dynamicSmemBytes = shared_bytes;
  config.attrs = &attribute, config.numAttrs = cluster != 0;
  Answer answer{-1, cudaSuccess};
  answer.code = call(&answer.value, &config);
  if (cudaGetLastError() != answer.code) answer.code = cudaErrorUnknown;
  return answer;
}

static void expect(const char* what, Answer got, int value, cudaError_t code = cudaSuccess) {
  const bool right = got.code == code && (code != cudaSuccess || got.value == value);
  if (!right) std::printf("%s: %d, %s; expected %d, %s\n", what, got.value, cudaGetErrorName(got.code), value, cudaGetErrorName(code));
  wrong += !right;
}

template <class Kernel>
static Answer active(Kernel* kernel, unsigned cluster, unsigned block, unsigned shared_bytes = 0, unsigned grid = 5040) {
  return ask([&](int* n, cudaLaunchConfig_t* config) { return cudaOccupancyMaxActiveClusters(n, kernel, config); }, cluster, block,
             shared_bytes, grid);
}
template <class Kernel>
static Answer potential(Kernel* kernel, unsigned cluster = 0) {
  return ask([&](int* n, cudaLaunchConfig_t* config) { return cudaOccupancyMaxPotentialClusterSize(n, kernel, config); }, cluster, 256, 0,
             5040);
}

int main() {
  // 256 threads: 8 blocks per multiprocessor; 160 KiB of shared memory: one.
  const int eight[][2] = {{1, 1056}, {2, 528}, {3, 327}, {4, 248}, {5, 193}, {6, 163}, {7, 139}, {8, 124}};
  const int one[][2] = {{1, 132}, {2, 66}, {3, 39}, {4, 30}, {5, 22}, {6, 17}, {7, 15}, {8, 15}};
  cudaFuncSetAttribute(plain, cudaFuncAttributeMaxDynamicSharedMemorySize, 160 << 10);
  for (const auto& [cluster, clusters] : eight) expect("eight blocks", active(plain, cluster, 256), clusters);
  for (const auto& [cluster, clusters] : one) expect("one block", active(plain, cluster, 256, 160 << 10), clusters);

  expect("no attribute", active(plain, 0, 256), 0);
  expect("compiled for four", active(of_four, 0, 256), 248);
  expect("four, as compiled", active(of_four, 4, 256), 248);
  expect("two, not as compiled", active(of_four, 2, 256), 0, cudaErrorInvalidClusterSize);
  expect("the grid is no multiple", active(plain, 4, 256, 0, 5042), 0, cudaErrorInvalidClusterSize);
  expect("sixteen are too many", active(plain, 16, 256), 0, cudaErrorInvalidClusterSize);
  expect("no kernel", active(static_cast<void (*)(int*)>(nullptr), 4, 256), 0, cudaErrorInvalidDeviceFunction);

  expect("potential", potential(plain), 8);
  expect("potential of four", potential(of_four), 8);
  cudaFuncSetAttribute(plain, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  expect("potential, not portable", potential(plain, 8), 16);
  expect("sixteen allowed", active(plain, 16, 256), 58);
  expect("sixteen of one block", active(plain, 16, 256, 160 << 10), 7);

  cudaFunction_t function{};
  cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(plain));
  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute.value.clusterDim.x = 8, attribute.value.clusterDim.y = attribute.value.clusterDim.z = 1;
  CUlaunchConfig config{};
  config.gridDimX = 64, config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = 256, config.blockDimY = config.blockDimZ = 1;
  config.attrs = &attribute, config.numAttrs = 1;
  int clusters = 0, size = 0;
  wrong += cuOccupancyMaxActiveClusters(&clusters, function, &config) != CUDA_SUCCESS || clusters != 124;
  wrong += cuOccupancyMaxPotentialClusterSize(&size, function, &config) != CUDA_SUCCESS || size != 16;
  config.gridDimX = 63;
  wrong += cuOccupancyMaxActiveClusters(&clusters, function, &config) != CUDA_ERROR_INVALID_CLUSTER_SIZE;
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
