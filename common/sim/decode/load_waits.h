// Where a warp of a GPU waits for memory, so that other warps go on: an instruction that needs what a load
// from global memory returns. Where launches ask for it (LaunchOptions::turn_at_loads), warps take turns
// there.
//
// Enters: decoded code and the lists of registers in it. Leaves: Inst::needs_load, and Inst::jumps_over. Code
// is read in the order in which it stands: what a load at the end of a loop returns for the next round is not
// seen. Only the order of warps depends on it.
#pragma once

#include <cstdint>
#include <vector>

#include "common/sim/decode/share_rows.h"

namespace lab::sim {

// Marks the loads of the function whose code begins at `first`.
void mark_load_waits(ProgramData& data, std::uint32_t first, const std::vector<ListedRows>& lists);

}  // namespace lab::sim
