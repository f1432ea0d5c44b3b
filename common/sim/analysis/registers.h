// How many registers a thread of a kernel needs: what is alive at once in its text.
//
// Enters: a function of a PTX module. Leaves: 32-bit registers. The assembler gives out registers and does
// not run here; docs/limits.md says how far off this is.
#pragma once

#include <cstdint>

#include "common/sim/ptx/ptx_module.h"

namespace lab::sim {

// The most that hold a value which some later instruction reads; of 64 bits two each, predicates none.
[[nodiscard]] std::uint32_t registers_alive(const ptx::Function& text);

}  // namespace lab::sim
