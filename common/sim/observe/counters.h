// The ledger of a launch: what moved on each path, in total and per source line, named as a profiler names
// it.
//
// Enters: accesses, through the observer. Leaves: sums that do not depend on order. The paths are rows of
// base/path.h, the rules are in access_analysis.h and copy_cost.h; `docs/model.md` gives their source.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "common/sim/base/path.h"

namespace lab::sim {

// What moved on one path, or on several together.
struct PathCounters {
  std::uint64_t requests = 0;
  std::uint64_t cost = 0;   // sectors, or wavefronts in shared memory (PathInfo::rule); 0: it weighs nothing
  std::uint64_t ideal = 0;  // what the same bytes would cost side by side, with no two words in one bank
  std::uint64_t active_lanes = 0;  // sum over requests
  std::uint64_t bytes = 0;         // that lanes asked for
  bool operator==(const PathCounters&) const = default;
  PathCounters& operator+=(const PathCounters& other) {
    requests += other.requests;
    cost += other.cost;
    ideal += other.ideal;
    active_lanes += other.active_lanes;
    bytes += other.bytes;
    return *this;
  }
};
// All of them, in the order of the records of `lab run`.
template <class OfPath>
[[nodiscard]] auto numbers_of(OfPath& c) {
  return std::array{&c.requests, &c.cost, &c.ideal, &c.active_lanes, &c.bytes};
}

struct Counters {
  std::array<PathCounters, kPaths> paths{};
  [[nodiscard]] const PathCounters& operator[](Path path) const {
    return paths[static_cast<std::size_t>(path)];
  }
  [[nodiscard]] PathCounters& operator[](Path path) { return paths[static_cast<std::size_t>(path)]; }
  bool operator==(const Counters&) const = default;
  Counters& operator+=(const Counters& other);

  // Everything that moved in a space, each byte once: over all paths that weigh there, local memory among
  // global.
  [[nodiscard]] PathCounters global_total() const;
  [[nodiscard]] PathCounters shared_total() const;
};

// What the profiler's counter of this path (PathInfo::metric) shows. Its `op_st` and `op_ld` of shared memory
// leave out what has a counter of its own (asynchronous copies, matrices); `op_ld` of global memory does not.
[[nodiscard]] std::uint64_t profiler_value(const Counters& counters, Path path);

// Counters of one source line and one path.
struct LineCounters {
  std::string file;
  int line = 0;
  Path path = Path::GlobalLoad;
  Counters counters;  // those of `path`, and of paths that are part of it
};

}  // namespace lab::sim
