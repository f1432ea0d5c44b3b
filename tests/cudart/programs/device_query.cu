// What device is there: the questions that every installation guide begins with.
// mask: "[^"]*"
// mask: [0-9.]+ (MBytes|GHz|multiprocessors|per multiprocessor|bits)
#include <cuda_runtime.h>
#include <stdio.h>

int main(int argc, char **argv) {
  int deviceCount = 0;
  cudaError_t error_id = cudaGetDeviceCount(&deviceCount);
  if (error_id != cudaSuccess) {
    printf("cudaGetDeviceCount returned %d\n-> %s\nResult = FAIL\n", (int)error_id, cudaGetErrorString(error_id));
    return 1;
  }
  if (deviceCount == 0) printf("There are no available device(s) that support CUDA\n");
  for (int dev = 0; dev < deviceCount && dev < 1; ++dev) {
    int driverVersion = 0, runtimeVersion = 0;
    cudaSetDevice(dev);
    cudaDeviceProp p;
    if (cudaGetDeviceProperties(&p, dev) != cudaSuccess) return 1;
    cudaDriverGetVersion(&driverVersion);
    cudaRuntimeGetVersion(&runtimeVersion);
    printf("\nDevice %d: \"%s\"\n", dev, p.name);
    printf("  driver is new enough for the runtime: %s, runtime %d\n", driverVersion >= runtimeVersion ? "yes" : "no", runtimeVersion / 1000);
    printf("  CUDA Capability Major/Minor version number:    %d.%d\n", p.major, p.minor);
    printf("  Total amount of global memory:                 %.0f MBytes\n", p.totalGlobalMem / 1048576.0f);
    printf("  (%d) multiprocessors\n", p.multiProcessorCount);
    int clock = 0, width = 0, l2 = 0;
    cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, dev);
    cudaDeviceGetAttribute(&width, cudaDevAttrGlobalMemoryBusWidth, dev);
    cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, dev);
    printf("  GPU Max Clock rate:                            %.2f GHz\n", clock * 1e-6f);
    printf("  Memory Bus Width:                              %d bits\n", width);
    printf("  there is an L2 cache: %s\n", l2 > 0 && p.l2CacheSize == l2 ? "yes" : "no");
    printf("  Total amount of constant memory:               %zu bytes\n", p.totalConstMem);
    printf("  Total amount of shared memory per block:       %zu bytes\n", p.sharedMemPerBlock);
    printf("  Total number of registers available per block: %d\n", p.regsPerBlock);
    printf("  Warp size:                                     %d\n", p.warpSize);
    printf("  Maximum number of threads per multiprocessor:  %d per multiprocessor\n", p.maxThreadsPerMultiProcessor);
    printf("  Maximum number of threads per block:           %d\n", p.maxThreadsPerBlock);
    printf("  Max dimension size of a thread block (x,y,z): (%d, %d, %d)\n", p.maxThreadsDim[0], p.maxThreadsDim[1], p.maxThreadsDim[2]);
    printf("  Max dimension size of a grid size    (x,y,z): (%d, %d, %d)\n", p.maxGridSize[0], p.maxGridSize[1], p.maxGridSize[2]);
    printf("  Unified Addressing: %s, Managed Memory: %s\n", p.unifiedAddressing ? "Yes" : "No", p.managedMemory ? "Yes" : "No");
    size_t free_bytes = 0, total_bytes = 0;
    cudaMemGetInfo(&free_bytes, &total_bytes);
    printf("  free memory is part of the whole: %s\n", free_bytes > 0 && free_bytes <= total_bytes ? "yes" : "no");
  }
  printf("Result = PASS\n");
  return 0;
}
