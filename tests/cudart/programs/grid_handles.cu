// A grid-wide barrier by the device runtime's own calls, as numba's kernels have it: no code of it is in the program.
// golden: none
// nvcc: -rdc=true -lcudadevrt
#include <cuda_runtime.h>

#include <cstdio>

constexpr int kThreads = 128, kBlocks = 5, kCount = kThreads * kBlocks;

__global__ void mirror(int* from, int* to) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const auto grid = cudaCGGetIntrinsicHandle(cudaCGScopeGrid);
  for (int round = 0; round < 3; ++round) {
    from[i] = i + round;
    cudaCGSynchronize(grid, 0);
    to[i] = from[kCount - 1 - i];
    cudaCGSynchronize(grid, 0);
  }
}

int main() {
  int *from, *to, wrong = 0;
  cudaMallocManaged(&from, kCount * sizeof(int));
  cudaMallocManaged(&to, kCount * sizeof(int));
  void* arguments[] = {&from, &to};
  cudaLaunchCooperativeKernel(reinterpret_cast<void*>(mirror), dim3(kBlocks), dim3(kThreads), arguments);
  const cudaError_t code = cudaDeviceSynchronize();
  for (int i = 0; i < kCount; ++i) wrong += to[i] != kCount - 1 - i + 2;
  std::printf("%s, %d wrong\n", cudaGetErrorString(code), wrong);
  cudaFree(from);
  cudaFree(to);
  return wrong != 0 || code != cudaSuccess;
}
