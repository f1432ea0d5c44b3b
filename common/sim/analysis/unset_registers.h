// Registers that a function may read before any instruction has written them.
//
// Enters: a function of a PTX module. Leaves: their names. Compilers leave such a register where a variable
// has no value on some way through the source; whether a launch takes that way shows when it runs
// (execute/undefined.h).
#pragma once

#include <string>
#include <vector>

#include "common/sim/ptx/ptx_module.h"

namespace lab::sim {

[[nodiscard]] std::vector<std::string> unset_registers(const ptx::Function& text);
// Whether the instruction reads or writes one of them.
[[nodiscard]] bool names_any(const ptx::Instruction& in, const std::vector<std::string>& registers);

}  // namespace lab::sim
