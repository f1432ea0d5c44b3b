// A grid on host threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/sim/execute/block.h"

namespace lab::sim {

struct GridOutcome {
  std::uint64_t warp_instructions = 0, lane_instructions = 0;
  PathCounters parameters;
  std::uint64_t work = 0;       // of the blocks that finished, in the order of the grid
  std::string output;           // of device printf, in block order
  std::optional<Fault> fault;   // of the lowest block that had one
  std::vector<Fault> findings;  // what is forbidden and GPUs run
  std::vector<Fault> notes;     // what is allowed and good to know
};

// What observers learn of the launch (launch_info.cpp). It goes through the whole code: once a launch is
// enough.
[[nodiscard]] LaunchInfo info_of(const LaunchContext& context);

// Runs every block. Each host thread works with clones of the observers, which are merged at the end; the
// first thread with the first `fresh` of them, which serve this launch alone and have been notified of it.
[[nodiscard]] GridOutcome run_grid(const LaunchContext& context, const LaunchInfo& info,
                                   const std::vector<Observer*>& observers, std::size_t fresh,
                                   unsigned host_threads);

}  // namespace lab::sim
