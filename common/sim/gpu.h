// The simulated GPU as its users see it: memory, and launches.
//
// Enters: a decoded program, a launch shape, packed parameters. Leaves: changed memory, counters, faults.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "common/sim/base/fault.h"
#include "common/sim/base/launch_config.h"
#include "common/sim/base/observer.h"
#include "common/sim/memory/memory.h"
#include "common/sim/observe/counters.h"
#include "common/sim/program/program.h"

namespace lab::sim {

struct LaunchResult {
  std::vector<Fault> faults;    // empty: the launch did what it says
  std::vector<Fault> findings;  // of checks that do not stop; one an instruction
  std::vector<Fault> notes;     // no mistakes, good to know; of some only the message is set
  Counters counters;
  std::vector<LineCounters> lines;  // by file, line, key of the path
  std::uint64_t warp_instructions = 0;
  std::uint64_t lane_instructions = 0;
  std::uint64_t work = 0;  // what it cost the host, in units (program/work.h); after a fault, up to it
  double seconds = 0;
  std::string output;                  // of device printf, in block order
  std::vector<DeviceLaunch> launched;  // by the kernel, in the order in which it asked (kernels_launch)
  [[nodiscard]] bool ok() const { return faults.empty(); }
};

// Runs one kernel to its end or first fault. `parameters` is the packed parameter block of the entry.
// Counters never depend on host_threads nor on the checks. Throws nothing: what goes wrong is in `faults`.
[[nodiscard]] LaunchResult launch(Memory& memory, const Program& program, const LaunchConfig& config,
                                  std::span<const std::byte> parameters, const LaunchOptions& options = {},
                                  const DeviceLimits& limits = {});

}  // namespace lab::sim
