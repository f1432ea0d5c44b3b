// The CUDA driver's library, opened while the program runs.
//
// Enters: nothing, or the path of a library. Leaves: the driver's functions by their names without `cu`, or a
// sentence why there is none. The prototypes here are the few that the lab uses, written out, so that it
// builds on a machine without CUDA.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace lab::device::cuda {

using Result = int;  // 0: success
using Ordinal = int;
using Pointer = std::uint64_t;  // in the GPU's memory
using Handle = void*;           // a context, module, function, stream or event

// CUlaunchAttribute and CUlaunchConfig.
struct LaunchAttribute {
  int id = 0, unused = 0;
  unsigned x = 1, y = 1, z = 1;
  unsigned char rest[52] = {};
};
inline constexpr int kAttributeCluster = 4;
struct LaunchConfig {
  unsigned grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  unsigned dynamic_shared_bytes = 0;
  Handle stream = nullptr;
  LaunchAttribute* attributes = nullptr;
  unsigned attribute_count = 0;
};
static_assert(sizeof(LaunchAttribute) == 72 && sizeof(LaunchConfig) == 56);

// One line a function: our name, the driver's symbol, its parameters.
#define LAB_CUDA_FUNCTIONS(F)                                                                               \
  F(init, cuInit, (unsigned))                                                                               \
  F(driver_version, cuDriverGetVersion, (int*))                                                             \
  F(error_name, cuGetErrorName, (Result, const char**))                                                     \
  F(device_count, cuDeviceGetCount, (int*))                                                                 \
  F(device_name, cuDeviceGetName, (char*, int, Ordinal))                                                    \
  F(device_attribute, cuDeviceGetAttribute, (int*, int, Ordinal))                                           \
  F(device_memory, cuDeviceTotalMem_v2, (std::size_t*, Ordinal))                                            \
  F(retain_context, cuDevicePrimaryCtxRetain, (Handle*, Ordinal))                                           \
  F(set_context, cuCtxSetCurrent, (Handle))                                                                 \
  F(can_access_peer, cuDeviceCanAccessPeer, (int*, Ordinal, Ordinal))                                       \
  F(enable_peer_access, cuCtxEnablePeerAccess, (Handle, unsigned))                                          \
  F(synchronize, cuCtxSynchronize, ())                                                                      \
  F(allocate, cuMemAlloc_v2, (Pointer*, std::size_t))                                                       \
  F(release, cuMemFree_v2, (Pointer))                                                                       \
  F(copy_in, cuMemcpyHtoD_v2, (Pointer, const void*, std::size_t))                                          \
  F(copy_out, cuMemcpyDtoH_v2, (void*, Pointer, std::size_t))                                               \
  F(copy_inside, cuMemcpyDtoDAsync_v2, (Pointer, Pointer, std::size_t, Handle))                             \
  F(fill, cuMemsetD8_v2, (Pointer, unsigned char, std::size_t))                                             \
  F(load_module, cuModuleLoadDataEx, (Handle*, const void*, unsigned, int*, void**))                        \
  F(unload_module, cuModuleUnload, (Handle))                                                                \
  F(module_function, cuModuleGetFunction, (Handle*, Handle, const char*))                                   \
  F(module_global, cuModuleGetGlobal_v2, (Pointer*, std::size_t*, Handle, const char*))                     \
  F(function_attribute, cuFuncGetAttribute, (int*, int, Handle))                                            \
  F(set_function_attribute, cuFuncSetAttribute, (Handle, int, int))                                         \
  F(launch, cuLaunchKernel,                                                                                 \
    (Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle, void**, void**)) \
  F(create_event, cuEventCreate, (Handle*, unsigned))                                                       \
  F(create_stream, cuStreamCreate, (Handle*, unsigned))                                                     \
  F(record_event, cuEventRecord, (Handle, Handle))                                                          \
  F(wait_for_event, cuEventSynchronize, (Handle))                                                           \
  F(let_stream_wait, cuStreamWaitEvent, (Handle, Handle, unsigned))                                         \
  F(elapsed, cuEventElapsedTime, (float*, Handle, Handle))

// Drivers from CUDA 12 on have these: null in older ones, which know no GPU with clusters and tensor copies.
#define LAB_CUDA_12_FUNCTIONS(F)                                                                           \
  F(launch_config, cuLaunchKernelEx, (const LaunchConfig*, Handle, void**, void**))                        \
  F(encode_tensor_map, cuTensorMapEncodeTiled,                                                             \
    (void*, int, std::uint32_t, Pointer, const std::uint64_t*, const std::uint64_t*, const std::uint32_t*, \
     const std::uint32_t*, int, int, int, int))

// The numbers of the driver's header that the lab passes on.
inline constexpr int kAttributeL2Bytes = 38, kAttributeMultiprocessors = 16, kAttributeMajor = 75,
                     kAttributeMinor = 76;
inline constexpr int kFunctionSharedBytes = 1, kFunctionDynamicSharedLimit = 8;
inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr int kJitErrorLog = 5, kJitErrorLogBytes = 6;

struct Driver {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a name and a list
#define LAB_CUDA_MEMBER(member, symbol, parameters) Result(*member) parameters = nullptr;
  LAB_CUDA_FUNCTIONS(LAB_CUDA_MEMBER)
  LAB_CUDA_12_FUNCTIONS(LAB_CUDA_MEMBER)
#undef LAB_CUDA_MEMBER

  std::string missing;  // not "": why there is no driver, as the loader says it
  bool found = false;   // a library was there, though perhaps of no use
  [[nodiscard]] bool is_there() const { return found && missing.empty(); }
  // "CUDA_ERROR_ILLEGAL_ADDRESS"; "CUDA error 4711" when the driver does not know it.
  [[nodiscard]] std::string name_of(Result code) const;
};

// LAB_CUDA_DRIVER names a library; else libcuda.so.1, and where Windows puts it for its Linux.
// It is never closed: a driver that has run cannot be taken out of a process.
[[nodiscard]] Driver open_driver();

// A call that failed.
struct Error {
  Result code = 0;
  const char* call = "";
};

}  // namespace lab::device::cuda
