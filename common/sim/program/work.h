// Units of work: what an instruction costs the host that simulates it, measured once and the same everywhere.
//
// Enters: an instruction of the text, or one access of a warp. Leaves: units beyond the one that every
// instruction counts. A unit stands for 10 ns of a 2 GHz Xeon, and charges follow what the host pays for
// each thing there (tests/bench/bench_work.py measures them all). Budgets are counted in units, so that a
// kernel that prints, copies or divides without end is stopped as soon as one that only loops, at the same
// instruction on every machine; clocks and times have no say.
#pragma once

#include <algorithm>
#include <cstdint>

#include "common/sim/ptx/ptx_module.h"

namespace lab::sim {

// Lanes times words of 4 bytes, of one access.
inline std::uint64_t words_of_access(int lanes, std::uint32_t lane_bytes) {
  return static_cast<std::uint64_t>(lanes) * std::max<std::uint32_t>(1, lane_bytes / 4);
}
// One access to memory, observers included. Lanes that form no ramp are handled one by one.
inline std::uint64_t work_of_access(int lanes, std::uint32_t lane_bytes, bool ramp) {
  constexpr std::uint64_t kPerAccess = 8;
  return kPerAccess + words_of_access(lanes, lane_bytes) * (ramp ? 3 : 8) / 8;
}
// The same, of global memory in which races are watched: what comes on top.
inline std::uint64_t work_of_watching(int lanes, std::uint32_t lane_bytes, bool ramp) {
  return words_of_access(lanes, lane_bytes) * (ramp ? 4 : 12);
}

[[nodiscard]] std::uint32_t extra_work_of(const ptx::Instruction& instruction);

}  // namespace lab::sim
