// Kernels: what they need, what they may have, how many fit.
//
// Enters: host addresses of kernels. Leaves: attributes and occupancy, from the PTX text and the GPU's
// limits. Registers are the assembler's business; what is said of them is what is alive at once in the text.
#include <algorithm>

#include "common/gpu/model/occupancy.h"
#include "common/run/cudart/launch.h"
#include "common/sim/program/program_data.h"

using namespace lab::cudart;

namespace {

constexpr int kAttributeMaxDynamicShared = 8, kAttributeCarveout = 9, kAttributeNonPortableCluster = 14;

Function& find(const void* host) { return kernel_at(host); }

// A call that takes back the last error of the thread when it goes well (measured on an H200: two of this file do).
Error cleared(Error result) {
  if (result == Error::Success) remember(Error::Success);
  return result;
}

std::size_t bytes_in(const std::vector<lab::sim::ptx::Variable>& variables, lab::sim::Space space) {
  std::size_t bytes = 0;
  for (const lab::sim::ptx::Variable& v : variables) bytes += v.space == space ? v.size_bytes : 0;
  return bytes;
}

void check_clusters_exist(const Context& c) {
  if (c.gpu.gpc_multiprocessors.empty())
    throw ApiError{Error::NotSupported, msg("a {} has no clusters; run with --gpu h200.", c.gpu.name)};
}

}  // namespace

LAB_API Error cudaFuncGetAttributes(FunctionAttributes* attributes, const void* host) {
  return enter(Asks::HostFirst, [&](Context& c) {
    if (attributes == nullptr) throw ApiError{Error::InvalidValue};
    Function& function = find(host);
    c.reach_gpu();
    const lab::sim::Program& program = Modules::program(c, function);
    *attributes = {};
    attributes->shared_bytes = program.static_shared_bytes();
    const lab::sim::ProgramData& data = program.data();
    attributes->const_bytes = bytes_in(data.module->variables, lab::sim::Space::Const);
    attributes->local_bytes = bytes_in(data.function_texts[0]->variables, lab::sim::Space::Local);
    attributes->max_threads_per_block = lab::model::most_threads(program);
    attributes->registers = static_cast<int>(lab::model::occupancy(c.gpu, program, 1, 0).registers);
    attributes->ptx_version = function.binary->architecture;
    attributes->binary_version = c.gpu.architecture();
    attributes->max_dynamic_shared_bytes =
        function.here().max_dynamic_shared >= 0
            ? function.here().max_dynamic_shared
            : static_cast<int>(c.gpu.limits().max_static_shared_bytes - program.static_shared_bytes());
    attributes->preferred_carveout = function.here().carveout;
  });
}

LAB_API Error cudaFuncSetAttribute(const void* host, int attribute, int value) {
  return cleared(enter(Asks::HostFirst, [&](Context& c) {
    if (attribute < kAttributeMaxDynamicShared || attribute > kAttributeNonPortableCluster)
      throw ApiError{Error::InvalidValue};
    c.reach_gpu();
    Function& function = find(host);
    if (attribute == kAttributeMaxDynamicShared) {
      const lab::sim::Program& program = Modules::program(c, function);
      const auto most = static_cast<int>(c.gpu.shared_bytes_per_block - program.static_shared_bytes());
      if (value < 0 || value > most) {
        throw ApiError{
            Error::InvalidValue,
            msg("`{}` can have up to {} bytes of dynamic shared memory on a {}; the program asks for {}.",
                function.brief, most, c.gpu.name, value)};
      }
      function.here().max_dynamic_shared = value;
    } else if (attribute == kAttributeCarveout) {
      if (value < -1 || value > 100) throw ApiError{Error::InvalidValue};
      function.here().carveout = value;
    } else if (attribute == kAttributeNonPortableCluster) {
      function.here().non_portable_cluster = value;
    } else {
      throw ApiError{Error::InvalidValue};
    }
  }));
}

LAB_API Error cudaKernelSetAttributeForDevice(Function* kernel, int attribute, int value, int device) {
  const Error known = enter([&](Context& c) { check_device(c, device); });
  if (known != Error::Success) return known;
  const OfThread of_thread(device);
  return cudaFuncSetAttribute(kernel, attribute, value);
}

LAB_API Error cudaFuncSetCacheConfig(const void* host, int config) {
  return enter(Asks::HostFirst, [&](Context& c) {
    (void)find(host);
    c.reach_gpu();
    if (config < 0 || config > 3) throw ApiError{Error::InvalidValue};
  });
}
LAB_ALIAS(cudaFuncSetCacheConfig, cudaFuncSetSharedMemConfig)

LAB_API Error cudaFuncGetName(const char** name, const void* host) {
  return enter([&](Context&) { given(name) = find(host).name.c_str(); });
}

LAB_API Error cudaFuncGetParamInfo(const void* host, std::size_t index, std::size_t* offset,
                                   std::size_t* size_bytes) {
  return cleared(enter([&](Context& c) {
    need(offset);
    const auto& parameters = Modules::program(c, find(host)).parameters();
    if (index >= parameters.size()) throw ApiError{Error::InvalidValue};
    *offset = parameters[index].offset_bytes;
    if (size_bytes != nullptr) *size_bytes = parameters[index].size_bytes;
  }));
}

LAB_API Error cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* host,
                                                                     int threads,
                                                                     std::size_t dynamic_shared_bytes,
                                                                     unsigned flags) {
  return enter("cudaOccupancyMaxActiveBlocksPerMultiprocessor", Asks::HostFirst, [&](Context& c) {
    if (host == nullptr) (void)find(host);
    c.reach_gpu();
    if (flags > 1) throw ApiError{Error::InvalidValue};
    Function& function = find(host);
    if (blocks == nullptr || threads <= 0) throw ApiError{Error::InvalidValue};
    *blocks = lab::model::blocks_per_multiprocessor(
        c.gpu, Modules::program(c, function), static_cast<std::uint64_t>(threads), dynamic_shared_bytes);
  });
}

LAB_API Error cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* host, int threads,
                                                            std::size_t dynamic_shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, host, threads, dynamic_shared_bytes,
                                                                0);
}

LAB_API Error cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* host, int blocks,
                                                        int threads) {
  return enter(Asks::HostFirst, [&](Context& c) {
    if (host == nullptr) (void)find(host);
    c.reach_gpu();
    const std::int64_t most_threads = c.gpu.threads_per_multiprocessor;
    if (bytes == nullptr || blocks <= 0) throw ApiError{Error::InvalidValue};
    Function& function = find(host);
    if (std::int64_t{blocks} * threads > most_threads) throw ApiError{Error::InvalidValue};
    const std::size_t own = Modules::program(c, function).static_shared_bytes();
    const std::size_t taken = own + c.gpu.shared_bytes_reserved;
    const std::size_t share = c.gpu.shared_bytes / static_cast<std::size_t>(blocks);
    const int opted = function.here().max_dynamic_shared;  // what a launch may ask for
    const std::size_t most =
        opted >= 0 ? static_cast<std::size_t>(opted) : c.gpu.limits().max_static_shared_bytes - own;
    *bytes = std::min(share > taken ? share - taken : 0, most);
  });
}

LAB_API Error cudaOccupancyMaxActiveClusters(int* clusters, const void* host, const LaunchRequest* request) {
  return enter([&](Context& c) {
    if (clusters == nullptr || request == nullptr) throw ApiError{Error::InvalidValue};
    check_clusters_exist(c);
    Function& function = find(host);
    const lab::sim::Program& program = Modules::program(c, function);
    const LaunchShape shape = launch_shape_of(*request);
    if (!shape.cluster && compiled_cluster(program).count() == 0) {
      *clusters = 0;  // as measured on an H200
      return;
    }
    const Dim3 cluster = check_cluster(c, function, program, shape);
    const int blocks = lab::model::blocks_per_multiprocessor(c.gpu, program, shape.block.count(),
                                                             shape.dynamic_shared_bytes);
    *clusters = lab::model::active_clusters(c.gpu, static_cast<std::uint64_t>(blocks), cluster.count());
  });
}

LAB_API Error cudaOccupancyMaxPotentialClusterSize(int* blocks, const void* host,
                                                   const LaunchRequest* request) {
  return enter([&](Context& c) {
    if (blocks == nullptr || request == nullptr) throw ApiError{Error::InvalidValue};
    check_clusters_exist(c);
    Function& function = find(host);
    const LaunchShape shape = launch_shape_of(*request);
    if (shape.cluster) check_cluster(c, function, Modules::program(c, function), shape);
    *blocks = static_cast<int>(limits_of(c, function).max_cluster);  // also of a kernel compiled for fewer
  });
}
