// Functions that the device runtime provides: printf, assert, malloc and free.
#pragma once

#include "common/sim/execute/block.h"

namespace lab::sim {

// Runs a call without a body of its own for the lanes of w.mask.
void run_builtin(BlockRun& block, WarpContext& w, const CallSite& site, const Inst& inst);

}  // namespace lab::sim
