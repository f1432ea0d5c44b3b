// Follows values through registers. See value_uses.h.
//
// Enters: a parsed function. Leaves: answers about its loads. What goes through memory of the thread's own (a
// variable of a build without optimisation, an argument) is not followed.
#include "common/sim/analysis/value_uses.h"

#include <algorithm>
#include <set>

#include "common/sim/ptx/modifiers.h"

namespace lab::sim {
namespace {

using Names = std::vector<std::string_view>;

void names_of(const ptx::Operand& operand, Names& names) {
  const bool named = operand.kind == ptx::OperandKind::Register ||
                     (operand.kind == ptx::OperandKind::Address && operand.base_is_register);
  if (named) names.push_back(operand.name);
  if (!operand.predicate_or.empty()) names.push_back(operand.predicate_or);
  for (const ptx::Operand& element : operand.elements) names_of(element, names);
}

bool to_own_memory(const ptx::Instruction& in) {
  return in.row->next == ptx::Next::Call || in.row->next == ptx::Next::Return ||
         (in.row->stores() && names_own_memory(in));
}

// What it writes is made of what it reads, and of nothing that stands in memory.
bool follows_operands(const ptx::Instruction& in) {
  return written_operand(in) != nullptr && in.row->sees != ptx::Sees::Memory;
}

}  // namespace

ValueUses::ValueUses(const ptx::Function& function) : function_(function) {
  for (std::size_t k = 0; k < function.body.size(); ++k) {
    const ptx::Instruction& in = function.body[k];
    Names names;
    if (!in.guard.empty()) names.push_back(in.guard);
    // An address stands in the first operand of stores alone; a result that is read too adds nothing new.
    for (const ptx::Operand& operand : in.operands)
      if (&operand != written_operand(in)) names_of(operand, names);
    for (const std::string_view name : names) readers_.emplace(name, k);
    if (in.row->next != ptx::Next::Jump || in.operands.empty()) continue;
    const auto target = function.labels.find(in.operands[0].name);
    if (target != function.labels.end() && target->second <= k) loops_.emplace_back(target->second, k);
  }
}

template <class Act>
void ValueUses::follow(const ptx::Instruction& load, bool through_comparisons, const Act& act) const {
  Names names;
  names_of(load.operands[0], names);
  std::set<std::string_view> seen(names.begin(), names.end());
  std::set<std::size_t> visited;
  for (std::size_t k = 0; k < names.size(); ++k) {  // grows while it is walked
    const auto [first, last] = readers_.equal_range(names[k]);
    for (auto it = first; it != last; ++it) {
      const ptx::Instruction& in = function_.body[it->second];
      if (!visited.insert(it->second).second) continue;
      act(in, it->second);
      if (!follows_operands(in)) continue;
      if (in.row->computes == ptx::Computes::Compare && !through_comparisons) continue;
      Names results;
      names_of(in.operands[0], results);
      for (const std::string_view name : results)
        if (seen.insert(name).second) names.push_back(name);
    }
  }
}

bool ValueUses::leaves(const ptx::Instruction& load) const {
  bool found = false;
  follow(load, false, [&](const ptx::Instruction& in, std::size_t) {
    found = found || (in.row->moves_bytes() && !to_own_memory(in));
  });
  return found;
}

bool ValueUses::reaches(const ptx::Instruction& load, const ptx::Instruction& other) const {
  bool found = false;
  follow(load, true, [&](const ptx::Instruction& in, std::size_t) { found = found || &in == &other; });
  return found;
}

bool ValueUses::decides_its_loop(const ptx::Instruction& load) const {
  const std::size_t at = index_of(load);
  bool found = false;
  follow(load, true, [&](const ptx::Instruction& in, std::size_t where) {
    found = found || to_own_memory(in) || (in.row->next == ptx::Next::Jump && in_one_loop(at, where));
  });
  return found;
}

bool ValueUses::in_one_loop(std::size_t a, std::size_t b) const {
  return std::any_of(loops_.begin(), loops_.end(), [&](const auto& loop) {
    return loop.first <= std::min(a, b) && std::max(a, b) <= loop.second;
  });
}

}  // namespace lab::sim
