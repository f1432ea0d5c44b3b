// Finds the first read of a compare-and-swap loop.
//
// Enters: a parsed function. Leaves: its loads that may be stale without harm. The race check takes them for
// atomic: the loop is how the CUDA guide makes an atomic operation of any other, and the read races in letter
// only. A load counts whose destination flows into the comparand of an atom.cas through nothing but moves. A
// plain load of the very word that an atomic behind it changes is harmless too, when its value is only
// compared: a test that spares atomics. A slot number that is read so is not: the atomic would have returned
// it.
#include "common/sim/analysis/cas_reads.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "common/sim/analysis/text_flow.h"
#include "common/sim/analysis/value_uses.h"
#include "common/sim/ptx/modifiers.h"

namespace lab::sim {
namespace {

// From one register, or what stands for a number, to another.
bool copies(const ptx::Instruction& in) {
  return in.row->computes == ptx::Computes::Copy && in.operands.size() == 2;
}

// Threads wait for one another there.
bool waits_for_others(const ptx::Instruction& in) {
  const ptx::Orders orders = in.row->orders;
  return orders == ptx::Orders::Barrier || orders == ptx::Orders::Arrive || orders == ptx::Orders::Wait;
}

using Place = std::pair<std::string_view, std::int64_t>;

std::int64_t wrapped_sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

// A variable is named by loads and stores, and by a register that a move gave its address by atomics; a member of
// a struct by the struct's address, and by a register that was made of it and a number.
class Places {
 public:
  explicit Places(const ptx::Function& function) {
    std::map<std::string_view, int> writes;
    for (const ptx::Instruction& in : function.body) {
      if (const ptx::Operand* to = written_operand(in)) {
        ++writes[to->name];
        for (const ptx::Operand& element : to->elements) ++writes[element.name];
      }
    }
    for (const ptx::Instruction& in : function.body) {
      if (copies(in) && in.operands[1].kind == ptx::OperandKind::Symbol)
        variables_[in.operands[0].name] = &in.operands[1];
      if (adds_a_number(in) && writes[in.operands[0].name] == 1 && writes[in.operands[1].name] == 1)
        sums_[in.operands[0].name] = {in.operands[1].name, static_cast<std::int64_t>(in.operands[2].bits)};
    }
  }
  [[nodiscard]] Place of(const ptx::Operand& at) const {
    Place place{at.name, at.offset};
    // No more steps than there are sums: a text may go round in circles.
    auto sum = sums_.find(place.first);
    for (std::size_t k = 0; k < sums_.size() && sum != sums_.end(); ++k) {
      place = {sum->second.first, wrapped_sum(place.second, sum->second.second)};
      sum = sums_.find(place.first);
    }
    const auto variable = variables_.find(place.first);
    if (variable == variables_.end()) return place;
    return {variable->second->name, wrapped_sum(variable->second->offset, place.second)};
  }

 private:
  static bool adds_a_number(const ptx::Instruction& in) {
    return in.row->computes == ptx::Computes::Add && in.operands.size() == 3 && is_register(in.operands[0]) &&
           is_register(in.operands[1]) && in.operands[2].kind == ptx::OperandKind::Immediate;
  }

  std::map<std::string_view, const ptx::Operand*> variables_;
  std::map<std::string_view, Place> sums_;
};

}  // namespace

bool compares_and_swaps(const ptx::Instruction& in) {
  return in.row->fetches() && in.operands.size() >= 4 && is_register(in.operands[2]) && has(in, "cas");
}

std::set<const ptx::Instruction*> reads_that_a_cas_checks(const ptx::Function& function) {
  std::vector<std::string_view> compared;  // grows while it is walked
  for (const ptx::Instruction& in : function.body) {
    if (compares_and_swaps(in)) compared.push_back(in.operands[2].name);
  }
  std::set<const ptx::Instruction*> reads;
  if (compared.empty()) return reads;
  std::multimap<std::string_view, const ptx::Instruction*> writers;  // loads and moves by destination
  for (const ptx::Instruction& in : function.body) {
    const bool wanted = (in.row->loads() && in.operands.size() == 2) || copies(in);
    if (wanted && is_register(in.operands[0])) writers.emplace(in.operands[0].name, &in);
  }
  std::set<std::string_view> seen(compared.begin(), compared.end());
  for (std::size_t k = 0; k < compared.size(); ++k) {
    const auto [first, last] = writers.equal_range(compared[k]);
    for (auto it = first; it != last; ++it) {
      const ptx::Instruction& in = *it->second;
      if (in.row->loads()) {
        reads.insert(&in);
      } else if (is_register(in.operands[1]) && seen.insert(in.operands[1].name).second) {
        compared.push_back(in.operands[1].name);
      }
    }
  }
  return reads;
}

ReadsBeforeAtomics reads_before_atomics(const ptx::Function& function) {
  ReadsBeforeAtomics reads;
  const Places places(function);
  std::set<std::size_t> labels;
  for (const auto& [name, index] : function.labels) labels.insert(index);
  std::map<Place, std::vector<std::size_t>> changed;  // walking backwards: by these atomics further down
  std::map<Place, const ptx::Instruction*> in_a_row;  // and nothing but plain instructions up to them
  std::vector<std::pair<const ptx::Instruction*, const ptx::Instruction*>> advanced;
  std::vector<std::pair<std::size_t, Place>> before;  // loads of what an atomic further down changes
  for (std::size_t k = function.body.size(); k-- > 0;) {
    const ptx::Instruction& in = function.body[k];
    if (in.row->next != ptx::Next::Through || waits_for_others(in)) in_a_row.clear();
    if (const ptx::Operand* at = address_operand(in)) {
      const Place place = places.of(*at);
      if (in.row->is_atomic()) {
        changed[place].push_back(k);
        if (in.guard.empty()) in_a_row[place] = &in;
      }
      if (in.row->loads() && changed.contains(place)) before.emplace_back(k, place);
      const auto atomic = in_a_row.find(place);
      if (in.row->loads() && atomic != in_a_row.end()) advanced.emplace_back(&in, atomic->second);
    }
    if (labels.contains(k)) in_a_row.clear();
  }
  if (before.empty()) return reads;
  // An atomic in the other branch is not behind a load.
  const TextFlow ways = text_flow(function);
  for (const auto& [load, place] : before) {
    const std::vector<std::size_t>& atomics = changed.at(place);
    if (std::any_of(atomics.begin(), atomics.end(),
                    [&, at = load](std::size_t atomic) { return atomic > at && ways.leads(at, atomic); }))
      reads.tests.insert(&function.body[load]);
  }
  const ValueUses flow(function);
  std::erase_if(reads.tests, [&](const ptx::Instruction* load) { return flow.leaves(*load); });
  for (const auto& [load, atomic] : advanced)
    if (flow.leaves(*load) && !flow.reaches(*load, *atomic)) reads.numbers.insert(load);
  return reads;
}

std::set<const ptx::Instruction*> plain_updates(const ptx::Function& function) {
  const Places places(function);
  std::multimap<Place, const ptx::Instruction*> loads;
  std::set<Place> counted;  // by atomics: a plain store begins anew, and is no change of what was read
  for (const ptx::Instruction& in : function.body)
    if (const ptx::Operand* at = in.row->is_atomic() ? address_operand(in) : nullptr)
      counted.insert(places.of(*at));
  std::vector<std::pair<const ptx::Instruction*, const ptx::Instruction*>> pairs;
  for (const ptx::Instruction& in : function.body) {
    const ptx::Operand* const at = in.row->loads() || in.row->stores() ? address_operand(in) : nullptr;
    if (at == nullptr) continue;
    const Place place = places.of(*at);
    if (in.row->loads()) loads.emplace(place, &in);
    if (!in.row->stores()) continue;
    const auto [first, last] = loads.equal_range(place);
    for (auto load = first; load != last; ++load) pairs.emplace_back(load->second, &in);
  }
  std::set<const ptx::Instruction*> updates;
  if (pairs.empty()) return updates;
  const ValueUses flow(function);
  const TextFlow ways = text_flow(function);
  const auto at = [&](const ptx::Instruction* in) {
    return static_cast<std::size_t>(in - function.body.data());
  };
  for (const auto& [load, store] : pairs) {
    // A load in the other branch may share its register with what is stored.
    const bool tested =
        load < store && !flow.leaves(*load) && !counted.contains(places.of(*address_operand(*store)));
    const bool update = tested || flow.reaches(*load, *store);
    if (update && ways.leads(at(load), at(store))) updates.insert({load, store});
  }
  return updates;
}

std::set<const ptx::Instruction*> loads_that_take_data(const ptx::Function& function) {
  std::set<const ptx::Instruction*> loads;
  for (const ptx::Instruction& in : function.body) {
    const bool strong = std::any_of(in.modifiers.begin(), in.modifiers.end(), [](const std::string& m) {
      return m == "volatile" || m == "relaxed" || m == "acquire";
    });
    if (in.row->loads() && strong && !in.operands.empty()) loads.insert(&in);
  }
  if (loads.empty()) return loads;
  const ValueUses flow(function);
  std::erase_if(loads, [&](const ptx::Instruction* load) { return flow.decides_its_loop(*load); });
  return loads;
}

std::set<const ptx::Instruction*> unread_atomics(const ptx::Function& function) {
  std::map<std::string_view, int> mentions;  // of registers, the atomics' own results among them
  const auto count = [&](const auto& self, const ptx::Operand& operand) -> void {
    ++mentions[operand.name];
    ++mentions[operand.predicate_or];
    for (const ptx::Operand& element : operand.elements) self(self, element);
  };
  for (const ptx::Instruction& in : function.body) {
    ++mentions[in.guard];
    for (const ptx::Operand& operand : in.operands) count(count, operand);
  }
  std::set<const ptx::Instruction*> unread;
  for (const ptx::Instruction& in : function.body) {
    if (!in.row->fetches() || in.operands.empty()) continue;
    const ptx::Operand& result = in.operands.front();
    const bool dropped = result.kind == ptx::OperandKind::Sink;
    if (dropped || (is_register(result) && mentions[result.name] == 1)) unread.insert(&in);
  }
  return unread;
}

}  // namespace lab::sim
