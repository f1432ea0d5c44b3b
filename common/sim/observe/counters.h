// The ledger of a launch: what moved on each path, in total and per source line, named as a profiler names
// it.
//
// Enters: accesses, through the observer. Leaves: sums that do not depend on order. The paths are rows of
// base/path.h, the rules are in access_analysis.h and copy_cost.h; `docs/model.md` gives their source.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/sim/base/path.h"

namespace lab::sim {

struct GlobalCounters {
  std::uint64_t requests = 0;
  std::uint64_t sectors = 0;
  std::uint64_t ideal_sectors = 0;  // what the same bytes would take side by side
  std::uint64_t active_lanes = 0;   // sum over requests
  std::uint64_t bytes = 0;          // that lanes asked for
  bool operator==(const GlobalCounters&) const = default;
  GlobalCounters& operator+=(const GlobalCounters& other);
};

struct SharedCounters {
  std::uint64_t requests = 0;
  std::uint64_t wavefronts = 0;
  std::uint64_t ideal_wavefronts = 0;  // with no two words in one bank; wavefronts - ideal: bank conflicts
  std::uint64_t active_lanes = 0;
  std::uint64_t bytes = 0;
  bool operator==(const SharedCounters&) const = default;
  SharedCounters& operator+=(const SharedCounters& other);
};

// Memory that weighs nothing: constants and kernel parameters.
struct FreeCounters {
  std::uint64_t requests = 0, active_lanes = 0, bytes = 0;
  bool operator==(const FreeCounters&) const = default;
  FreeCounters& operator+=(const FreeCounters& other);
};

struct Counters {
  GlobalCounters global_load, global_store, global_atomic, local_load, local_store;
  SharedCounters shared_load, shared_store, shared_atomic;
  GlobalCounters global_async;  // part of global_load
  SharedCounters shared_async;  // part of shared_store
  GlobalCounters global_bulk_load, global_bulk_store;
  SharedCounters shared_bulk_load, shared_bulk_store;
  GlobalCounters global_bulk_reduce;
  SharedCounters shared_matrix_load, shared_matrix_store;  // parts of shared_load and shared_store
  SharedCounters shared_product_load;
  SharedCounters cluster_load, cluster_store, cluster_atomic, cluster_bulk_store;
  FreeCounters constant_load, parameter_load;
  // What of all these went to another GPU's memory: counted above too, and in no total.
  GlobalCounters link_load, link_store, link_atomic;
  bool operator==(const Counters&) const = default;
  Counters& operator+=(const Counters& other);

  // Everything that moved in a space, each byte once: over all paths that weigh there, local memory among
  // global.
  [[nodiscard]] GlobalCounters global_total() const;
  [[nodiscard]] SharedCounters shared_total() const;
};

// The counters of one path, whatever its space: for tables. `cost` in sectors or wavefronts.
struct PathCounters {
  std::uint64_t requests = 0, cost = 0, ideal = 0, active_lanes = 0, bytes = 0;
  bool operator==(const PathCounters&) const = default;
  PathCounters& operator+=(const PathCounters& other);
};
[[nodiscard]] PathCounters counters_of(const Counters& counters, Path path);
void add(Counters& counters, Path path, const PathCounters& more);  // to this path alone

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
