// Handlers of wgmma.
#pragma once

#include "common/sim/execute/exec.h"
#include "common/sim/program/warpgroup_product.h"

namespace lab::sim {

// D = A × B + D; Inst::extra indexes ProgramData::warpgroup_products. a and b are rows of descriptors, c says
// whether D is added.
void exec_warpgroup_product(WarpContext& w, const Inst& inst);
void exec_commit_products(WarpContext& w, const Inst& inst);
void exec_wait_products(WarpContext& w,
                        const Inst& inst);  // immediate: how many groups may be open behind it
void exec_whole_warpgroup(WarpContext& w, const Inst& inst);  // wgmma.fence: all lanes act

}  // namespace lab::sim
