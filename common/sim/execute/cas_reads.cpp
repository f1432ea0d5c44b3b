// Finds the first read of a compare-and-swap loop.
//
// Enters: a parsed function. Leaves: its loads that may be stale without harm. The race check takes them for
// atomic: the loop is how the CUDA guide makes an atomic operation of any other, and the read races in letter
// only. A load counts whose destination flows into the comparand of an atom.cas through nothing but moves. A
// plain load of the very word that an atomic behind it changes is harmless too, when its value is only
// compared: a test that spares atomics. A slot number or a sum that is read so is not.
#include "common/sim/execute/cas_reads.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "common/sim/execute/value_uses.h"

namespace lab::sim {
namespace {

bool is_register(const ptx::Operand& operand) { return operand.kind == ptx::OperandKind::Register; }

bool compares_and_swaps(const ptx::Instruction& in) {
  const auto& m = in.modifiers;
  return in.opcode == "atom" && in.operands.size() >= 4 && is_register(in.operands[2]) &&
         std::find(m.begin(), m.end(), "cas") != m.end();
}

// The address operand of a load or an atomic; null when it has none.
const ptx::Operand* address_of(const ptx::Instruction& in) {
  for (const ptx::Operand& operand : in.operands) {
    if (operand.kind == ptx::OperandKind::Address) return &operand;
  }
  return nullptr;
}

}  // namespace

std::set<const ptx::Instruction*> reads_that_a_cas_checks(const ptx::Function& function) {
  std::vector<std::string_view> compared;  // grows while it is walked
  for (const ptx::Instruction& in : function.body) {
    if (compares_and_swaps(in)) compared.push_back(in.operands[2].name);
  }
  std::set<const ptx::Instruction*> reads;
  if (compared.empty()) return reads;
  std::multimap<std::string_view, const ptx::Instruction*> writers;  // loads and moves by destination
  for (const ptx::Instruction& in : function.body) {
    const bool wanted = (in.opcode == "ld" || in.opcode == "mov") && in.operands.size() == 2;
    if (wanted && is_register(in.operands[0])) writers.emplace(in.operands[0].name, &in);
  }
  std::set<std::string_view> seen(compared.begin(), compared.end());
  for (std::size_t k = 0; k < compared.size(); ++k) {
    const auto [first, last] = writers.equal_range(compared[k]);
    for (auto it = first; it != last; ++it) {
      const ptx::Instruction& in = *it->second;
      if (in.opcode == "ld") {
        reads.insert(&in);
      } else if (is_register(in.operands[1]) && seen.insert(in.operands[1].name).second) {
        compared.push_back(in.operands[1].name);
      }
    }
  }
  return reads;
}

std::set<const ptx::Instruction*> tests_before_atomics(const ptx::Function& function) {
  std::set<const ptx::Instruction*> reads;
  // A variable is named by loads, and by a register that a move gave its address by atomics.
  std::map<std::string_view, const ptx::Operand*> variables;
  for (const ptx::Instruction& in : function.body) {
    if (in.opcode == "mov" && in.operands.size() == 2 && in.operands[1].kind == ptx::OperandKind::Symbol)
      variables[in.operands[0].name] = &in.operands[1];
  }
  const auto place_of = [&](const ptx::Operand& at) -> std::pair<std::string_view, std::int64_t> {
    const auto variable = variables.find(at.name);
    if (variable == variables.end()) return {at.name, at.offset};
    return {variable->second->name, variable->second->offset + at.offset};
  };
  std::set<std::pair<std::string_view, std::int64_t>> changed;  // walking backwards: by atomics behind
  for (auto in = function.body.rbegin(); in != function.body.rend(); ++in) {
    const ptx::Operand* at = address_of(*in);
    if (at == nullptr) continue;
    if (in->opcode == "atom" || in->opcode == "red") changed.insert(place_of(*at));
    if (in->opcode == "ld" && changed.contains(place_of(*at))) reads.insert(&*in);
  }
  if (reads.empty()) return reads;
  const ValueUses flow(function);
  std::erase_if(reads, [&](const ptx::Instruction* load) { return flow.leaves(*load); });
  return reads;
}

std::set<const ptx::Instruction*> loads_that_take_data(const ptx::Function& function) {
  std::set<const ptx::Instruction*> loads;
  for (const ptx::Instruction& in : function.body) {
    const bool strong = std::any_of(in.modifiers.begin(), in.modifiers.end(), [](const std::string& m) {
      return m == "volatile" || m == "relaxed" || m == "acquire";
    });
    if (in.opcode == "ld" && strong && !in.operands.empty()) loads.insert(&in);
  }
  if (loads.empty()) return loads;
  const ValueUses flow(function);
  std::erase_if(loads, [&](const ptx::Instruction* load) { return flow.decides_its_loop(*load); });
  return loads;
}

std::set<const ptx::Instruction*> exchanges_that_only_store(const ptx::Function& function) {
  std::map<std::string_view, int> mentions;  // of registers, the exchanges' own results among them
  const auto count = [&](const auto& self, const ptx::Operand& operand) -> void {
    ++mentions[operand.name];
    ++mentions[operand.predicate_or];
    for (const ptx::Operand& element : operand.elements) self(self, element);
  };
  for (const ptx::Instruction& in : function.body) {
    ++mentions[in.guard];
    for (const ptx::Operand& operand : in.operands) count(count, operand);
  }
  std::set<const ptx::Instruction*> stores;
  for (const ptx::Instruction& in : function.body) {
    const auto& m = in.modifiers;
    if (in.opcode != "atom" || std::find(m.begin(), m.end(), "exch") == m.end() || in.operands.empty())
      continue;
    const ptx::Operand& result = in.operands.front();
    const bool dropped = result.kind == ptx::OperandKind::Sink;
    if (dropped || (is_register(result) && mentions[result.name] == 1)) stores.insert(&in);
  }
  return stores;
}

}  // namespace lab::sim
