// What a driver refuses before a kernel starts. See launch_limits.h.
#include "common/sim/execute/launch_limits.h"

#include "common/sim/base/kernel_name.h"
#include "common/sim/memory/memory.h"
#include "common/sim/program/program_data.h"

namespace lab::sim {
namespace {

std::string text(Dim3 d) {
  return "(" + std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z) + ")";
}

std::optional<Message> wrong_cluster(const ProgramData& data, const LaunchConfig& c,
                                     const DeviceLimits& limits) {
  const Dim3 compiled{data.required_cluster[0], data.required_cluster[1], data.required_cluster[2]};
  if (c.cluster.count() != 0 && compiled.x != 0 && !(c.cluster == compiled)) {
    return msg("a cluster of {} blocks, but the kernel was compiled for {}.", text(c.cluster),
               text(compiled));
  }
  const Dim3 cluster = cluster_of(data, c);
  if (cluster.count() > limits.max_cluster) {
    return msg("a cluster of {} blocks; it has at most {}.", cluster.count(), limits.max_cluster);
  }
  if (c.grid.x % cluster.x != 0 || c.grid.y % cluster.y != 0 || c.grid.z % cluster.z != 0) {
    return msg(
        "a grid of {} blocks, which clusters of {} do not fill: each side of the grid must be a multiple of "
        "the cluster's.",
        text(c.grid), text(cluster));
  }
  return std::nullopt;
}

}  // namespace

Dim3 cluster_of(const ProgramData& data, const LaunchConfig& config) {
  if (config.cluster.count() != 0) return config.cluster;
  if (data.required_cluster[0] == 0) return {1, 1, 1};
  return {data.required_cluster[0], data.required_cluster[1], data.required_cluster[2]};
}

Fault launch_fault(const Program& program, FaultKind kind, const Message& message) {
  Fault f;
  f.kind = kind;
  f.message = msg("`{}`: {}", kernel_name_for_message(demangled(program.name())), message);
  return f;
}

std::optional<Fault> check_limits(const Program& program, const LaunchConfig& c, std::size_t parameter_bytes,
                                  const DeviceLimits& limits) {
  const ProgramData& data = program.data();
  const auto refuse = [&](const Message& message) {
    return launch_fault(program, FaultKind::InvalidLaunch, message);
  };
  const auto outside = [](Dim3 d, Dim3 most) {
    return d.x == 0 || d.y == 0 || d.z == 0 || d.x > most.x || d.y > most.y || d.z > most.z;
  };
  if (outside(c.block, limits.max_block) || c.block.count() > limits.max_threads_per_block) {
    return refuse(
        msg("a block of {} threads; each side must be at least 1 and a block has at most {} threads.",
            text(c.block), limits.max_threads_per_block));
  }
  if (outside(c.grid, limits.max_grid)) {
    return refuse(msg("a grid of {} blocks; each side must be at least 1, and at most {}.", text(c.grid),
                      text(limits.max_grid)));
  }
  if (data.max_threads != 0 && c.block.count() > data.max_threads) {
    return refuse(msg("a block of {} threads, but its __launch_bounds__ promise at most {}.", c.block.count(),
                      data.max_threads));
  }
  const Dim3 required{data.required_threads[0], data.required_threads[1], data.required_threads[2]};
  if (required.x != 0 && !(required == c.block)) {
    return refuse(
        msg("a block of {} threads, but the kernel was compiled for {}.", text(c.block), text(required)));
  }
  if (auto wrong = wrong_cluster(data, c, limits)) return refuse(*wrong);
  if (parameter_bytes != program.parameter_bytes()) {
    return refuse(msg("it takes {} bytes of parameters and was given {}.", big(program.parameter_bytes()),
                      big(parameter_bytes)));
  }
  const std::uint64_t shared = std::uint64_t{data.static_shared_bytes} + c.dynamic_shared_bytes;
  const std::uint64_t most = c.allow_large_shared ? limits.max_shared_bytes : limits.max_static_shared_bytes;
  if (data.static_shared_bytes > limits.max_static_shared_bytes) {
    return launch_fault(
        program, FaultKind::TooMuchShared,
        msg("{} bytes of __shared__ arrays a block; these can have {}. Make the tile smaller.",
            big(data.static_shared_bytes), big(limits.max_static_shared_bytes)));
  }
  if (shared > most) {
    return launch_fault(program, FaultKind::TooMuchShared,
                        msg("{} bytes of shared memory a block ({} static, {} dynamic); a block can have {}. "
                            "Make the tile smaller.",
                            shared, big(data.static_shared_bytes), big(c.dynamic_shared_bytes), most));
  }
  return std::nullopt;
}

}  // namespace lab::sim
