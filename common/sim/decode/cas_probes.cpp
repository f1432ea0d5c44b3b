// Reads of a table before a compare-and-swap. See cas_probes.h.
#include "common/sim/decode/cas_probes.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "common/sim/execute/cas_reads.h"
#include "common/sim/execute/value_uses.h"

namespace lab::sim {

std::set<const ptx::Instruction*> probes_of_a_cas(
    const ptx::Function& function, const std::map<const ptx::Instruction*, PointerRoots>& roots) {
  std::vector<const ptx::Instruction*> swaps;
  for (const ptx::Instruction& in : function.body)
    if (compares_and_swaps(in)) swaps.push_back(&in);
  std::set<const ptx::Instruction*> probes;
  if (swaps.empty()) return probes;
  const ValueUses flow(function);
  const auto same_buffers = [&](const ptx::Instruction& load, const ptx::Instruction& swap) {
    const auto a = roots.find(&load), b = roots.find(&swap);
    return a != roots.end() && b != roots.end() && a->second.known() && b->second.known() &&
           a->second.parameters == b->second.parameters && a->second.variables == b->second.variables;
  };
  std::set<std::string_view> found_in;  // registers: the first probe stands before the loop, and has the same
  const auto probe = [&](const ptx::Instruction& in, const auto& near) {
    return in.opcode == "ld" && in.operands.size() == 2 &&
           in.operands[0].kind == ptx::OperandKind::Register && near(in) && !flow.leaves(in);
  };
  for (const ptx::Instruction& in : function.body) {
    if (!probe(in, [&](const ptx::Instruction& load) {
          return std::any_of(swaps.begin(), swaps.end(), [&](const ptx::Instruction* swap) {
            return same_buffers(load, *swap) && flow.in_one_loop(load, *swap);
          });
        }))
      continue;
    probes.insert(&in);
    found_in.insert(in.operands[0].name);
  }
  for (const ptx::Instruction& in : function.body) {
    if (probe(in, [&](const ptx::Instruction& load) { return found_in.contains(load.operands[0].name); }) &&
        std::any_of(swaps.begin(), swaps.end(),
                    [&](const ptx::Instruction* swap) { return same_buffers(in, *swap); }))
      probes.insert(&in);
  }
  return probes;
}

}  // namespace lab::sim
