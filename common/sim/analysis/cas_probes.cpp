// Reads of a table before a compare-and-swap. See cas_probes.h.
#include "common/sim/analysis/cas_probes.h"

#include <string_view>
#include <vector>

#include "common/sim/analysis/cas_reads.h"
#include "common/sim/analysis/value_uses.h"
#include "common/sim/ptx/modifiers.h"

namespace lab::sim {

std::set<const ptx::Instruction*> probes_of_a_cas(const ptx::Function& function,
                                                  const RootsOfOperands& roots) {
  std::vector<const ptx::Instruction*> swaps;
  for (const ptx::Instruction& in : function.body)
    if (compares_and_swaps(in)) swaps.push_back(&in);
  if (swaps.empty()) return {};
  const ValueUses flow(function);
  const auto same_buffers = [&](const ptx::Instruction& load, const ptx::Instruction& swap) {
    const auto a = roots.find(address_operand(load)), b = roots.find(address_operand(swap));
    return a != roots.end() && b != roots.end() && a->second.known() && b->second.known() &&
           a->second.parameters == b->second.parameters && a->second.variables == b->second.variables;
  };
  std::set<const ptx::Instruction*> looks;  // of the same buffers as a swap, and only compared
  std::set<std::string_view> probed;        // registers that hold what was found in the loop of a swap
  for (const ptx::Instruction& in : function.body) {
    if (!in.row->loads() || in.operands.size() != 2 || in.operands[0].kind != ptx::OperandKind::Register ||
        flow.leaves(in))
      continue;
    for (const ptx::Instruction* swap : swaps) {
      if (!same_buffers(in, *swap)) continue;
      looks.insert(&in);
      if (flow.in_one_loop(in, *swap)) probed.insert(in.operands[0].name);
    }
  }
  // The first look stands before the loop, and has the same register.
  std::erase_if(looks,
                [&](const ptx::Instruction* look) { return !probed.contains(look->operands[0].name); });
  return looks;
}

}  // namespace lab::sim
