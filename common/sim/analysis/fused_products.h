// Which sums the assembler makes one instruction with a product: `mul` and `add` or `sub` without a rounding.
//
// Enters: a function of a PTX module. Leaves: for each such sum, the product that it computes itself, rounded once.
// `ptxas` does so where all that a product is read by are sums of its own block; tools/golden/fused_sums.py asks it.
#pragma once

#include <unordered_map>

#include "common/sim/ptx/ptx_module.h"

namespace lab::sim {

struct FusedProduct {
  const ptx::Instruction* product = nullptr;
  bool is_second = false;   // the second operand of the sum
  bool is_negated = false;  // by a `neg` between them
};

using FusedProducts = std::unordered_map<const ptx::Instruction*, FusedProduct>;
[[nodiscard]] FusedProducts fused_products(const ptx::Function& function);

}  // namespace lab::sim
