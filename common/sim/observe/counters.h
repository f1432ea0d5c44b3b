// The counters of a launch, in total and per source line, named as a profiler names them.
//
// Enters: accesses, through the observer. Leaves: sums that do not depend on order. The rules are in
// access_analysis.h; `docs/model.md` gives their source and the Nsight Compute name of each counter.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lab::sim {

struct GlobalCounters {
  std::uint64_t requests = 0;       // l1tex__t_requests_pipe_lsu_mem_global_op_{ld,st}
  std::uint64_t sectors = 0;        // l1tex__t_sectors_pipe_lsu_mem_global_op_{ld,st}
  std::uint64_t ideal_sectors = 0;  // what the same bytes would take side by side
  std::uint64_t active_lanes = 0;   // sum over requests
  bool operator==(const GlobalCounters&) const = default;
  GlobalCounters& operator+=(const GlobalCounters& other);
};

struct SharedCounters {
  std::uint64_t requests = 0;
  std::uint64_t wavefronts = 0;        // l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{ld,st}
  std::uint64_t ideal_wavefronts = 0;  // with no two words in one bank; wavefronts - ideal: bank conflicts
  std::uint64_t active_lanes = 0;
  bool operator==(const SharedCounters&) const = default;
  SharedCounters& operator+=(const SharedCounters& other);
};

struct Counters {
  GlobalCounters global_load, global_store, global_atomic, local_load, local_store;
  SharedCounters shared_load, shared_store, shared_atomic;
  bool operator==(const Counters&) const = default;
  Counters& operator+=(const Counters& other);
};

// Counters of one source line and one kind of access: op is "global_load", "shared_store", ….
struct LineCounters {
  std::string file;
  int line = 0;
  std::string op;
  Counters counters;  // only the member that `op` names is not zero
};

}  // namespace lab::sim
