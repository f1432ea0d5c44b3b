// The driver: what kernels need, launching them, how many fit.
//
// Enters: kernels of loaded modules, shapes, arguments one by one or packed. Leaves: launches as the
// runtime's.
#include <algorithm>
#include <cstring>
#include <iterator>

#include "common/run/cudart/driver.h"
#include "common/run/cudart/launch.h"
#include "common/sim/memory/memory.h"

using namespace lab::cudart;

namespace {

constexpr unsigned kMostParameterBytes = 32764;  // from compute capability 7.0 on

Error launch_handle(Context& c, Function* handle, const LaunchShape& shape, StreamHandle stream,
                    void** arguments, void** extra) {
  Function* const function = modules().function(handle);
  if (function == nullptr)
    throw ApiError{Error::InvalidResourceHandle, "this is no kernel of a loaded module."};
  std::vector<void*> listed = arguments_of(c, *function, arguments, extra);
  return submit_launch(c, stream, *function, shape, listed.data(), handle);
}

int launch(const char* call, Function* handle, const LaunchShape& shape, StreamHandle stream,
           void** arguments, void** extra) {
  return enter_driver(call,
                      [&](Context& c) { return launch_handle(c, handle, shape, stream, arguments, extra); });
}

}  // namespace

std::vector<void*> lab::cudart::arguments_of(Context& c, Function& function, void** arguments, void** extra) {
  const sim::Program& program = Modules::program(c, function);
  const std::size_t count = program.parameters().size();
  if (arguments != nullptr) return std::vector<void*>(arguments, arguments + count);  // braces would hold two
  if (extra == nullptr) {
    if (count == 0) return {};
    throw ApiError{Error::InvalidValue, msg("`{}` has parameters, and none were given.", function.brief)};
  }
  std::byte* buffer = nullptr;
  std::size_t size_bytes = 0;
  for (; *extra != nullptr; extra += 2) {
    if (reinterpret_cast<std::uintptr_t>(*extra) == 1) buffer = static_cast<std::byte*>(extra[1]);
    if (reinterpret_cast<std::uintptr_t>(*extra) == 2)
      size_bytes = given(static_cast<std::size_t*>(extra[1]));
  }
  if (size_bytes != program.parameter_bytes()) {
    throw ApiError{
        Error::LaunchOutOfResources,  // as measured on an H200, driver 580: padding at the end is too much
        msg("`{}`: the parameter buffer has {} bytes, and its parameters are {}.", function.brief,
            big(size_bytes), big(program.parameter_bytes()))};
  }
  if (size_bytes != 0) need(buffer);
  std::vector<void*> listed;
  for (const auto& p : program.parameters()) listed.push_back(buffer + p.offset_bytes);
  return listed;
}

LAB_ENTRY int cuFuncGetAttribute(int* value, int attribute, Function* function) {
  if (function == nullptr) return static_cast<int>(Error::InvalidResourceHandle);
  FunctionAttributes a{};
  const int code = as_driver(Needs::Initialised, [&] { return cudaFuncGetAttributes(&a, function); });
  const int numbers[] = {a.max_threads_per_block,
                         static_cast<int>(a.shared_bytes),
                         static_cast<int>(a.const_bytes),
                         static_cast<int>(a.local_bytes),
                         a.registers,
                         a.ptx_version,
                         a.binary_version,
                         a.cache_mode_ca,
                         a.max_dynamic_shared_bytes,
                         a.preferred_carveout,
                         a.cluster_dim_must_be_set,
                         a.cluster_width,
                         a.cluster_height,
                         a.cluster_depth,
                         a.non_portable_cluster_size,
                         a.cluster_scheduling_policy};
  if (value == nullptr || attribute < 0 || attribute >= static_cast<int>(std::size(numbers)))
    return static_cast<int>(Error::InvalidValue);
  *value = numbers[attribute];
  return code;
}
LAB_ENTRY int cuFuncSetAttribute(Function* function, int attribute, int value) {
  if (function == nullptr) return static_cast<int>(Error::InvalidResourceHandle);
  return as_driver(Needs::Initialised, [&] { return cudaFuncSetAttribute(function, attribute, value); });
}
LAB_ENTRY int cuKernelGetAttribute(int* value, int attribute, Function* kernel, int /*device*/) {
  return cuFuncGetAttribute(value, attribute, kernel);
}
LAB_ENTRY int cuKernelSetAttribute(int attribute, int value, Function* kernel, int /*device*/) {
  return cuFuncSetAttribute(kernel, attribute, value);
}
LAB_ENTRY int cuFuncSetCacheConfig(Function* function, int config) {
  constexpr int kPreferEqual = 3;
  if (function == nullptr) return static_cast<int>(Error::InvalidResourceHandle);
  return enter_driver(Needs::Initialised, [&](Context&) {
    return config < 0 || config > kPreferEqual ? Error::InvalidValue : Error::Success;
  });
}
LAB_ENTRY int cuKernelSetCacheConfig(Function* kernel, int config, int /*device*/) {
  return cuFuncSetCacheConfig(kernel, config);
}
LAB_ENTRY int cuFuncSetSharedMemConfig(Function* function, int config) {
  return cuFuncSetCacheConfig(function, config);
}
LAB_ENTRY int cuFuncGetModule(Binary** module, Function* function) {
  return enter_driver([&](Context&) {
    need(module);
    if (modules().function(function) == nullptr) throw ApiError{Error::InvalidResourceHandle};
    *module = function->binary;
  });
}
LAB_ENTRY int cuKernelGetLibrary(Binary** library, Function* kernel) {
  return cuFuncGetModule(library, kernel);
}
LAB_SAME_EARLY(cuFuncGetName, cudaFuncGetName);
LAB_SAME(cuKernelGetName, cudaFuncGetName);
LAB_SAME_EARLY(cuFuncGetParamInfo, cudaFuncGetParamInfo);

LAB_SAME(cuKernelGetParamInfo, cudaFuncGetParamInfo);
LAB_ENTRY int cuLaunchKernel(Function* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                             unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                             StreamHandle stream, void** arguments, void** extra) {
  const LaunchShape shape{{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, false, {}};
  return launch("cuLaunchKernel", function, shape, stream, arguments, extra);
}
LAB_ENTRY int cuLaunchCooperativeKernel(Function* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                        unsigned block_x, unsigned block_y, unsigned block_z,
                                        unsigned shared_bytes, StreamHandle stream, void** arguments) {
  const LaunchShape shape{{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, true, {}};
  return launch("cuLaunchCooperativeKernel", function, shape, stream, arguments, nullptr);
}

// --- the older calls: a kernel keeps its block, shared memory and parameters from one call to the next ---

namespace {

int prepare(const char* call, Function* handle, lab::base::FunctionView<void(Function::Prepared&)> set) {
  return enter_driver(call, [&](Context&) {
    Function* const function = modules().function(handle);
    if (function == nullptr) throw ApiError{Error::InvalidResourceHandle};
    set(function->prepared);
  });
}

int set_parameter(const char* call, Function* handle, int offset, const void* value, std::size_t bytes) {
  if (offset < 0 || value == nullptr) return kInvalidValue;
  return prepare(call, handle, [&](Function::Prepared& kept) {
    const std::size_t at = static_cast<std::size_t>(offset);
    if (at > kMostParameterBytes || bytes > kMostParameterBytes - at)
      throw ApiError{Error::InvalidValue,
                     msg("a kernel has at most {} bytes of parameters.", kMostParameterBytes)};
    kept.parameters.resize(std::max(kept.parameters.size(), at + bytes));
    std::memcpy(kept.parameters.data() + at, value, bytes);
  });
}

int launch_prepared(const char* call, Function* handle, int width, int height, StreamHandle stream) {
  if (width < 1 || height < 1) return kInvalidValue;
  return enter_driver(call, [&](Context& c) {
    Function* const function = modules().function(handle);
    if (function == nullptr) return Error::InvalidResourceHandle;
    Function::Prepared& kept = function->prepared;
    std::size_t bytes = kept.parameters.size();
    void* extra[] = {reinterpret_cast<void*>(1), kept.parameters.data(), reinterpret_cast<void*>(2), &bytes,
                     nullptr};
    const LaunchShape shape{{static_cast<unsigned>(width), static_cast<unsigned>(height), 1},
                            kept.block,
                            kept.shared_bytes,
                            false,
                            {}};
    return launch_handle(c, handle, shape, stream, nullptr, extra);
  });
}

}  // namespace

LAB_ENTRY int cuFuncSetBlockShape(Function* function, int x, int y, int z) {
  if (x < 1 || y < 1 || z < 1) return kInvalidValue;
  return prepare("cuFuncSetBlockShape", function, [&](Function::Prepared& kept) {
    kept.block = {static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(z)};
  });
}
LAB_ENTRY int cuFuncSetSharedSize(Function* function, unsigned bytes) {
  return prepare("cuFuncSetSharedSize", function,
                 [&](Function::Prepared& kept) { kept.shared_bytes = bytes; });
}
LAB_ENTRY int cuParamSetSize(Function* function, unsigned bytes) {
  if (bytes > kMostParameterBytes) return kInvalidValue;
  return prepare("cuParamSetSize", function,
                 [&](Function::Prepared& kept) { kept.parameters.resize(bytes); });
}
LAB_ENTRY int cuParamSeti(Function* function, int offset, unsigned value) {
  return set_parameter("cuParamSeti", function, offset, &value, sizeof value);
}
LAB_ENTRY int cuParamSetf(Function* function, int offset, float value) {
  return set_parameter("cuParamSetf", function, offset, &value, sizeof value);
}
LAB_ENTRY int cuParamSetv(Function* function, int offset, const void* value, unsigned bytes) {
  return set_parameter("cuParamSetv", function, offset, value, bytes);
}
LAB_ENTRY int cuLaunch(Function* function) { return launch_prepared("cuLaunch", function, 1, 1, nullptr); }
LAB_ENTRY int cuLaunchGrid(Function* function, int width, int height) {
  return launch_prepared("cuLaunchGrid", function, width, height, nullptr);
}
LAB_ENTRY int cuLaunchGridAsync(Function* function, int width, int height, StreamHandle stream) {
  return launch_prepared("cuLaunchGridAsync", function, width, height, stream);
}

// CUlaunchConfig.
struct DriverLaunchRequest {
  Dim3 grid, block;
  unsigned dynamic_shared_bytes;
  StreamHandle stream;
  LaunchAttribute* attributes;
  unsigned attribute_count;
  [[nodiscard]] LaunchRequest of_runtime() const {
    return {grid, block, dynamic_shared_bytes, stream, attributes, attribute_count};
  }
};
LAB_ENTRY int cuLaunchKernelEx(const DriverLaunchRequest* request, Function* function, void** arguments,
                               void** extra) {
  return enter_driver([&](Context& c) {
    const LaunchShape shape = launch_shape_of(given(request).of_runtime());
    return launch_handle(c, function, shape, request->stream, arguments, extra);
  });
}

LAB_SAME(cuOccupancyMaxActiveBlocksPerMultiprocessor, cudaOccupancyMaxActiveBlocksPerMultiprocessor);
LAB_SAME(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, cudaOccupancyMaxActiveBlocksPerMultiprocessor,
         unsigned);
LAB_ENTRY int cuOccupancyMaxPotentialBlockSize(int* grid, int* block, Function* function,
                                               std::size_t (*shared_for)(int), std::size_t shared_bytes,
                                               int limit) {
  if (grid == nullptr || block == nullptr || function == nullptr) return kInvalidValue;
  int most = 0;
  *grid = *block = 0;
  for (int threads = limit > 0 ? std::min(limit, 1024) : 1024; threads >= 32; threads -= 32) {
    int blocks = 0;
    const std::size_t bytes = shared_for == nullptr ? shared_bytes : shared_for(threads);
    const int code = lab_same_cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, threads, bytes);
    if (code != 0) return code;
    if (blocks * threads <= most) continue;
    most = blocks * threads;
    *block = threads;
    *grid = blocks * static_cast<int>(context().gpu.multiprocessors);
  }
  return 0;
}
LAB_ENTRY int cuOccupancyMaxActiveClusters(int* clusters, Function* function,
                                           const DriverLaunchRequest* request) {
  if (request == nullptr) return static_cast<int>(Error::InvalidValue);
  const LaunchRequest same = request->of_runtime();
  return as_driver([&] { return cudaOccupancyMaxActiveClusters(clusters, function, &same); });
}
LAB_ENTRY int cuOccupancyMaxPotentialClusterSize(int* blocks, Function* function,
                                                 const DriverLaunchRequest* request) {
  if (request == nullptr) return static_cast<int>(Error::InvalidValue);
  const LaunchRequest same = request->of_runtime();
  return as_driver([&] { return cudaOccupancyMaxPotentialClusterSize(blocks, function, &same); });
}
