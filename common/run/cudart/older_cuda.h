// Names that older CUDA versions had, for programs that were written for them.
//
// Enters: a file that does not compile because CUDA 13, or compute capability 7.0, has removed a name; `lab
// run` then compiles it again with this header first, and says so. Leaves: the same names with what took
// their place.
#pragma once

#include <cuda_runtime.h>

#ifdef __cplusplus

#if CUDART_VERSION >= 13000

// Members of cudaDeviceProp that became attributes.
struct LabOlderDeviceProp : cudaDeviceProp {
  int clockRate, memoryClockRate, deviceOverlap, kernelExecTimeoutEnabled, computeMode;
  int singleToDoublePrecisionPerfRatio, cooperativeMultiDeviceLaunch, maxTexture1DLinear;
};

static inline cudaError_t cudaGetDeviceProperties(LabOlderDeviceProp* properties, int device) {
  cudaDeviceProp* now = properties;
  const cudaError_t error = cudaGetDeviceProperties(now, device);
  if (error != cudaSuccess) return error;
  cudaDeviceGetAttribute(&properties->clockRate, cudaDevAttrClockRate, device);
  cudaDeviceGetAttribute(&properties->memoryClockRate, cudaDevAttrMemoryClockRate, device);
  cudaDeviceGetAttribute(&properties->deviceOverlap, cudaDevAttrGpuOverlap, device);
  cudaDeviceGetAttribute(&properties->kernelExecTimeoutEnabled, cudaDevAttrKernelExecTimeout, device);
  cudaDeviceGetAttribute(&properties->computeMode, cudaDevAttrComputeMode, device);
  cudaDeviceGetAttribute(&properties->singleToDoublePrecisionPerfRatio,
                         cudaDevAttrSingleToDoublePrecisionPerfRatio, device);
  cudaDeviceGetAttribute(&properties->maxTexture1DLinear, cudaDevAttrMaxTexture1DLinearWidth, device);
  properties->cooperativeMultiDeviceLaunch = 0;
  return error;
}
#define cudaDeviceProp LabOlderDeviceProp

// Places in memory were the number of a device, or cudaCpuDeviceId.
static inline cudaMemLocation lab_older_location(int device) {
  cudaMemLocation place{};
  place.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  place.id = device == cudaCpuDeviceId ? 0 : device;
  return place;
}
static inline cudaError_t cudaMemPrefetchAsync(const void* at, size_t bytes, int device,
                                               cudaStream_t stream = 0) {
  return cudaMemPrefetchAsync(at, bytes, lab_older_location(device), 0, stream);
}
static inline cudaError_t cudaMemAdvise(const void* at, size_t bytes, cudaMemoryAdvise advice, int device) {
  return cudaMemAdvise(at, bytes, advice, lab_older_location(device));
}

static inline cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
static inline cudaError_t cudaThreadExit() { return cudaDeviceReset(); }

// Operators that CUB and base classes that Thrust had of their own.
namespace cub {
struct Sum {
  template <class A, class B>
  __host__ __device__ constexpr auto operator()(const A& a, const B& b) const {
    return a + b;
  }
};
struct Max {
  template <class T>
  __host__ __device__ constexpr T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};
struct Min {
  template <class T>
  __host__ __device__ constexpr T operator()(const T& a, const T& b) const {
    return b < a ? b : a;
  }
};
}  // namespace cub
namespace thrust {
template <class Argument, class Result>
struct unary_function {
  using argument_type = Argument;
  using result_type = Result;
};
template <class First, class Second, class Result>
struct binary_function {
  using first_argument_type = First;
  using second_argument_type = Second;
  using result_type = Result;
};
}  // namespace thrust

#endif  // CUDA 13

// Shuffles without a mask were for the lanes that happened to run together.
#if defined(__CUDACC__)
template <class T>
__device__ inline T __shfl(T value, int lane, int width = 32) {
  return __shfl_sync(__activemask(), value, lane, width);
}
template <class T>
__device__ inline T __shfl_up(T value, unsigned delta, int width = 32) {
  return __shfl_up_sync(__activemask(), value, delta, width);
}
template <class T>
__device__ inline T __shfl_down(T value, unsigned delta, int width = 32) {
  return __shfl_down_sync(__activemask(), value, delta, width);
}
template <class T>
__device__ inline T __shfl_xor(T value, int lanes, int width = 32) {
  return __shfl_xor_sync(__activemask(), value, lanes, width);
}
#endif

#endif  // C++
