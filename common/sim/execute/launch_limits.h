// What a driver refuses before a kernel starts.
#pragma once

#include <cstddef>
#include <optional>

#include "common/sim/base/launch_config.h"
#include "common/sim/program/program.h"

namespace lab::sim {

struct ProgramData;
// The shape of a cluster: what the launch asks for, else what the kernel was compiled for, else one block.
[[nodiscard]] Dim3 cluster_of(const ProgramData& data, const LaunchConfig& config);

// A fault of the launch itself, with no place in the kernel.
[[nodiscard]] Fault launch_fault(const Program& program, FaultKind kind, const Message& message);

// Shape, parameters and shared memory against the limits of the device and of the kernel. Empty: it may
// start.
[[nodiscard]] std::optional<Fault> check_limits(const Program& program, const LaunchConfig& config,
                                                std::size_t parameter_bytes, const DeviceLimits& limits);

}  // namespace lab::sim
