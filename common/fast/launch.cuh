// How every kernel of the library is launched: with as much shared memory as it asks for, and ready before
// its turn where the program is built for GPUs that can (docs/fast.md).
//
// Enters: a kernel, its parameters, blocks, threads, bytes of shared memory. Leaves: a launch, or the error.
#pragma once

#include <cuda_runtime.h>
#include <stdint.h>

namespace lab::fast {

constexpr int64_t kMostBlocks = (int64_t(1) << 31) - 1;

// Whether the program's kernels wait for the kernel before themselves: made for nothing before compute
// capability 9.0.
constexpr bool kernels_wait() {
#ifdef __CUDA_ARCH_LIST__
  for (const int made_for : {__CUDA_ARCH_LIST__})
    if (made_for < 900) return false;
  return true;
#else
  return false;
#endif
}

// Without asking, a block has 48 KB, its kernel's own shared variables included: some 100 bytes.
template <typename Kernel>
cudaError_t let_use(Kernel kernel, int shared_bytes) {
  if (shared_bytes <= 47 * 1024) return cudaSuccess;
  return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
}

template <typename Kernel, typename JobOfKernel>
cudaError_t launch(Kernel kernel, unsigned blocks, int threads, int shared_bytes, const JobOfKernel& job,
                   cudaStream_t stream) {
  if (const cudaError_t error = let_use(kernel, shared_bytes)) return error;
  cudaLaunchAttribute overlap{};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks), config.blockDim = dim3(unsigned(threads));
  config.dynamicSmemBytes = size_t(shared_bytes), config.stream = stream;
  config.attrs = &overlap, config.numAttrs = kernels_wait() ? 1 : 0;
  return cudaLaunchKernelEx(&config, kernel, job);
}

}  // namespace lab::fast
