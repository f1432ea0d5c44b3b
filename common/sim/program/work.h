// Units of work: what an instruction costs the host that simulates it, measured once and the same everywhere.
//
// Enters: an instruction of the text, or one access of a warp. Leaves: units beyond the one that every
// instruction counts. A unit is about the time of one addition of 32 lanes. Budgets are counted in units, so
// that a kernel that prints, copies or divides without end is stopped as soon as one that only loops, at the
// same instruction on every machine; clocks and times have no say.
#pragma once

#include <algorithm>
#include <cstdint>

#include "common/sim/ptx/ptx_module.h"

namespace lab::sim {

// One access to memory, all observers included. Lanes that form no ramp are looked at one by one.
inline std::uint64_t work_of_access(int lanes, std::uint32_t lane_bytes, bool ramp) {
  constexpr std::uint64_t kPerAccess = 8;
  const std::uint64_t words = std::max<std::uint32_t>(1, lane_bytes / 8);
  return kPerAccess + static_cast<std::uint64_t>(lanes) * words * (ramp ? 1 : 3);
}

[[nodiscard]] std::uint32_t extra_work_of(const ptx::Instruction& instruction);

}  // namespace lab::sim
