// What a driver refuses before a kernel starts. See launch_limits.h.
#include "common/sim/execute/launch_limits.h"

#include "common/sim/program/program_data.h"

namespace lab::sim {
namespace {

std::string text(Dim3 d) {
  return "(" + std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z) + ")";
}

}  // namespace

Fault launch_fault(const Program& program, FaultKind kind, const std::string& message) {
  Fault f;
  f.kind = kind;
  f.message = "`" + program.name() + "`: " + message;
  return f;
}

std::optional<Fault> check_limits(const Program& program, const LaunchConfig& c, std::size_t parameter_bytes,
                                  const DeviceLimits& limits) {
  const ProgramData& data = program.data();
  const auto refuse = [&](const std::string& message) {
    return launch_fault(program, FaultKind::InvalidLaunch, message);
  };
  const auto outside = [](Dim3 d, Dim3 most) {
    return d.x == 0 || d.y == 0 || d.z == 0 || d.x > most.x || d.y > most.y || d.z > most.z;
  };
  if (outside(c.block, limits.max_block) || c.block.count() > limits.max_threads_per_block) {
    return refuse("a block of " + text(c.block) +
                  " threads; each side must be at least 1 and a block has at most " +
                  std::to_string(limits.max_threads_per_block) + " threads.");
  }
  if (outside(c.grid, limits.max_grid)) {
    return refuse("a grid of " + text(c.grid) + " blocks; each side must be at least 1, and at most " +
                  text(limits.max_grid) + ".");
  }
  if (data.max_threads != 0 && c.block.count() > data.max_threads) {
    return refuse("a block of " + std::to_string(c.block.count()) +
                  " threads, but its __launch_bounds__ promise at most " + std::to_string(data.max_threads) +
                  ".");
  }
  const Dim3 required{data.required_threads[0], data.required_threads[1], data.required_threads[2]};
  if (required.x != 0 && !(required == c.block)) {
    return refuse("a block of " + text(c.block) + " threads, but the kernel was compiled for " +
                  text(required) + ".");
  }
  if (parameter_bytes != program.parameter_bytes()) {
    return refuse("it takes " + std::to_string(program.parameter_bytes()) +
                  " bytes of parameters and was given " + std::to_string(parameter_bytes) + ".");
  }
  const std::uint64_t shared = std::uint64_t{data.static_shared_bytes} + c.dynamic_shared_bytes;
  const std::uint64_t most = c.allow_large_shared ? limits.max_shared_bytes : limits.max_static_shared_bytes;
  if (data.static_shared_bytes > limits.max_static_shared_bytes) {
    return launch_fault(program, FaultKind::TooMuchShared,
                        std::to_string(data.static_shared_bytes) +
                            " bytes of __shared__ arrays a block; these can have " +
                            std::to_string(limits.max_static_shared_bytes) + ". Make the tile smaller.");
  }
  if (shared > most) {
    return launch_fault(program, FaultKind::TooMuchShared,
                        std::to_string(shared) + " bytes of shared memory a block (" +
                            std::to_string(data.static_shared_bytes) + " static, " +
                            std::to_string(c.dynamic_shared_bytes) + " dynamic); a block can have " +
                            std::to_string(most) + ". Make the tile smaller.");
  }
  return std::nullopt;
}

}  // namespace lab::sim
