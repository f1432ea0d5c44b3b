// In the place of CUDA's header: the fast transpose as plain C++, which plans on any machine and launches nothing.
//
// Enters: the kernels and the host code of common/fast. Leaves: the same as functions; those of kernels are there for their names
// alone and never called. A launch appends to what `planned` points to, by the kernel's address.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __shared__
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)
#define __grid_constant__

struct uint2 {
  unsigned x, y;
};
struct uint4 {
  unsigned x, y, z, w;
};
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned across = 1, unsigned down = 1, unsigned deep = 1) : x(across), y(down), z(deep) {}
};

enum cudaError_t { cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorInvalidPitchValue = 12 };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };
enum cudaLaunchAttributeID { cudaLaunchAttributeProgrammaticStreamSerialization };
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  struct {
    int programmaticStreamSerializationAllowed;
  } val;
};
using cudaStream_t = struct CUstream_st*;
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute* attrs;
  unsigned numAttrs;
};

// What a kernel's launch takes.
struct PlannedLaunch {
  const void* kernel;
  unsigned blocks, threads, shared_bytes;
  std::vector<unsigned char> parameters;
};
inline thread_local std::vector<PlannedLaunch>* planned = nullptr;

template <typename Kernel, typename Parameters>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* launch, Kernel kernel,
                               const Parameters& parameters) {
  const auto* const bytes = reinterpret_cast<const unsigned char*>(&parameters);
  planned->push_back({reinterpret_cast<const void*>(kernel),
                      launch->gridDim.x,
                      launch->blockDim.x,
                      unsigned(launch->dynamicSmemBytes),
                      {bytes, bytes + sizeof parameters}});
  return cudaSuccess;
}
template <typename Kernel>
cudaError_t cudaFuncSetAttribute(Kernel, cudaFuncAttribute, int) {
  return cudaSuccess;
}

// What kernels call, so that they can be parsed.
// NOLINTBEGIN(bugprone-reserved-identifier)
constexpr dim3 threadIdx{0, 0, 0}, blockIdx{0, 0, 0};
inline void __syncthreads() {}
inline void __syncwarp() {}
inline int __syncthreads_and(int all) { return all; }
template <typename T>
T __shfl_xor_sync(unsigned, T value, int) {
  return value;
}
template <typename T>
T __shfl_down_sync(unsigned, T value, int) {
  return value;
}
inline unsigned __byte_perm(unsigned low, unsigned, unsigned) { return low; }
inline unsigned __funnelshift_r(unsigned low, unsigned, unsigned) { return low; }
inline size_t __cvta_generic_to_shared(const void* at) { return reinterpret_cast<size_t>(at); }
inline void* __cvta_shared_to_generic(size_t at) { return reinterpret_cast<void*>(at); }
// NOLINTEND(bugprone-reserved-identifier)
