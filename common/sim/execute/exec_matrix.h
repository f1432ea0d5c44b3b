// Handlers of ldmatrix, stmatrix and movmatrix (exec_matrix.cpp). Inst::extra names the registers, one a
// matrix; sign_extend says that the matrices are turned (.trans).
#pragma once

#include "common/sim/execute/exec.h"

namespace lab::sim {

void exec_load_matrix(WarpContext& w, const Inst& inst);
void exec_store_matrix(WarpContext& w, const Inst& inst);
// A fault unless all 32 lanes act.
void all_lanes_or_fault(WarpContext& w, const Inst& inst);
void exec_move_matrix(WarpContext& w, const Inst& inst);

}  // namespace lab::sim
