// A launch with its warps and blocks in other orders: N orders with `lab run --schedules N`, else a few for
// small launches that depend on the order (atomics' results, flags).
//
// Enters: how a launch is run, before the run that counts. Leaves: what is found in further runs. Each is a
// process of its own with a copy of all memory.
#pragma once

#include <functional>
#include <vector>

#include "common/sim/gpu.h"

namespace lab::cudart {

using LaunchOnce = std::function<sim::LaunchResult(const sim::LaunchOptions&)>;
struct Elsewhere {
  std::vector<sim::Fault> findings, notes;
};
// What LAB_RUN_SCHEDULES further runs find, or as many as half a minute allows. Where that is not set, short runs
// of the first launches whose `turns_decide`.
[[nodiscard]] Elsewhere other_schedules(const sim::LaunchOptions& options, bool turns_decide,
                                        const LaunchOnce& launch);
// Whether LAB_RUN_SCHEDULES asks for any.
[[nodiscard]] bool wants_schedules();
// Whether this thread forks for that just now: it holds the library's lock, and takes none.
[[nodiscard]] bool& forks_for_schedules();
// Adds those that the run itself did not show, one a place.
void add_unseen(sim::LaunchResult& result, Elsewhere elsewhere);

}  // namespace lab::cudart
