// What a profiler would show of a run: its counters by the profiler's names.
//
// Enters: a counted run. Leaves: two rows a path that moved something, its requests and its sectors or
// wavefronts, with the ideal and the active lanes of a request beside them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/course/judge/run.h"

namespace lab::explore {

struct ProfilerRow {
  std::string metric;
  std::uint64_t counted = 0, ideal = 0;
  double lanes = 0;  // of a request, on average
};

[[nodiscard]] std::vector<ProfilerRow> profiler_table(const judge::Run& run);

}  // namespace lab::explore
