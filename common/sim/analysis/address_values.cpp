// Values of addresses. See address_values.h; each rule has its experiment in docs/hardware.md.
#include "common/sim/analysis/address_values.h"
#include "common/sim/ptx/modifiers.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace lab::sim {
namespace {

using ptx::Computes;
using ptx::Instruction;
using ptx::Operand;
using ptx::OperandKind;

constexpr int kAllZero = 64;

int zeros_of_number(std::int64_t value) {
  return value == 0 ? kAllZero : std::countr_zero(static_cast<std::uint64_t>(value));
}

std::int64_t number_of(const Operand& operand) { return static_cast<std::int64_t>(operand.bits); }
bool is_number(const Operand& operand) { return operand.kind == OperandKind::Immediate; }

// What depends on its operands alone.
bool is_pure(const Instruction& in) { return in.row->is_pure() && !has(in, "cc") && in.guard.empty(); }

bool is_wide(const Instruction& in) { return has(in, "wide") || has(in, "hi"); }

bool is_float(const Instruction& in) {
  return std::any_of(in.modifiers.begin(), in.modifiers.end(),
                     [](const std::string& m) { return ptx::is_float(ptx::type_named(m)); });
}

}  // namespace

AddressValues::AddressValues(const ptx::Function& function, std::function<int(std::string_view)> symbol_zeros)
    : function_(function), symbol_zeros_(std::move(symbol_zeros)) {
  (void)number("", kAllZero);  // number 0: nothing but a constant
  for (const Instruction& in : function_.body) {
    const Operand* const written = written_operand(in);
    if (written == nullptr) continue;
    const auto write = [&](const std::string& name) { ++registers_[name].writes; };
    if (is_register(*written)) write(written->name);
    for (const Operand& e : written->elements)
      if (is_register(e)) write(e.name);
  }
  for (auto& [name, r] : registers_)
    if (r.writes > 1) r.in_state = state_size_++;
}

int AddressValues::zeros_of(const Instruction& in, const Zeros& of) {
  const auto& o = in.operands;
  if (!in.row->is_pure() || is_float(in) || o.size() < 2) return 0;
  const auto both = [&](std::size_t k) { return k < o.size() ? of(o[k]) : 0; };
  const int a = of(o[1]), b = both(2);
  switch (in.row->computes) {
    case Computes::Copy:
    case Computes::Convert:
    case Computes::Address:
    case Computes::Negate:
      return a;
    case Computes::Add:
    case Computes::Or:
    case Computes::Xor:
    case Computes::Select:
    case Computes::Remainder:
      return std::min(a, b);
    case Computes::Subtract:
      return o.size() > 2 && is_number(o[2]) ? std::min(a, b) : 0;
    case Computes::And:
      return o.size() > 2 ? std::max(a, b) : 0;
    case Computes::ShiftLeft:
      return o.size() > 2 && is_number(o[2])
                 ? std::min<int>(kAllZero, a + static_cast<int>(number_of(o[2]) & 63))
                 : a;
    case Computes::Multiply:
    case Computes::Multiply24:
      return has(in, "hi") ? 0 : std::min(kAllZero, a + b);
    case Computes::MultiplyAdd:
    case Computes::MultiplyAdd24:
      return has(in, "hi") ? 0 : std::min({kAllZero, a + b, both(3)});
    default:
      return 0;
  }
}

std::uint32_t AddressValues::number(const std::string& expression, int zeros) {
  const auto [at, is_new] = numbers_.emplace(expression, static_cast<std::uint32_t>(zeros_.size()));
  if (is_new) {
    zeros_.push_back(zeros);
    is_variable_.push_back(expression.starts_with('@'));
  }
  if (zeros < zeros_[at->second]) {
    zeros_[at->second] = zeros;
    learned_ = true;
  }
  return at->second;
}

AddressValue AddressValues::fresh(const std::string& expression, int zeros) {
  const std::uint32_t n = number(expression, zeros);
  return {n, n, 0, 0};
}

int AddressValues::zeros(const AddressValue& value) const {
  return std::min(zeros_[value.base], zeros_of_number(value.base_offset));
}

AddressValues::State AddressValues::entry_state() {
  State state(state_size_);
  for (auto& [name, r] : registers_)
    if (r.writes > 1) state[r.in_state] = fresh("entry " + name, 0);
  return state;
}

AddressValue AddressValues::unknown(std::uint32_t block, std::size_t of_state, int known) {
  return fresh("meet " + std::to_string(block) + " " + std::to_string(of_state), known);
}

AddressValue AddressValues::of(const State& state, const Operand& operand) {
  if (is_number(operand)) return {0, 0, number_of(operand), number_of(operand)};
  if (operand.kind == OperandKind::Symbol) {
    AddressValue value = fresh("@" + operand.name, symbol_zeros_(operand.name));
    value.offset = value.base_offset = operand.offset;
    return value;
  }
  const auto found = registers_.find(operand.name);
  if (found == registers_.end()) return fresh("special " + operand.name, 0);
  return found->second.writes > 1 ? state[found->second.in_state] : found->second.value;
}

AddressValue AddressValues::address(const State& state, const Operand& operand) {
  Operand plain;
  plain.name = operand.name;
  plain.kind = operand.base_is_register ? OperandKind::Register : OperandKind::Symbol;
  AddressValue value = operand.name.empty() ? AddressValue{} : of(state, plain);
  value.offset += operand.offset;
  value.base_offset += operand.offset;
  return value;
}

void AddressValues::step(State& state, std::size_t at) {
  const Instruction& in = function_.body[at];
  const Operand* const written = written_operand(in);
  if (written == nullptr) return;
  const auto give = [&](const std::string& name, const AddressValue& value) {
    const auto found = registers_.find(name);
    if (found == registers_.end()) return;
    (found->second.writes > 1 ? state[found->second.in_state] : found->second.value) = value;
  };
  if (is_register(*written)) give(written->name, is_pure(in) ? evaluate(state, at) : fresh(here(at), 0));
  for (const Operand& e : written->elements) give(e.name, fresh(here(at) + " " + e.name, 0));
}

std::string AddressValues::text_of(const State& state, const Operand& operand) {
  const AddressValue value = of(state, operand);
  return std::to_string(value.root) + "+" + std::to_string(value.offset);
}

AddressValue AddressValues::evaluate(const State& state, std::size_t at) {
  const Instruction& in = function_.body[at];
  const auto& o = in.operands;
  const int known = zeros_of(in, [&](const Operand& operand) { return zeros(of(state, operand)); });
  const bool integer = !is_float(in) && !is_wide(in) && !has(in, "sat");
  const Computes does = in.row->computes;
  if (does == Computes::Copy && o.size() == 2 && o[1].elements.empty()) return of(state, o[1]);
  if (integer && o.size() == 3) {
    if (does == Computes::Add || does == Computes::Subtract || does == Computes::Or)
      return sum(state, at, known);
    if (does == Computes::ShiftLeft && is_number(o[2]) && number_of(o[2]) < 32)
      return product(of(state, o[1]), std::int64_t{1} << number_of(o[2]), at, known);
    if (does == Computes::Multiply && is_number(o[2]))
      return product(of(state, o[1]), number_of(o[2]), at, known);
  }
  if (integer && does == Computes::MultiplyAdd && o.size() == 4) return multiply_add(state, at, known);
  std::string text = in.full_opcode();
  std::vector<std::string> parts;
  for (std::size_t k = 1; k < o.size(); ++k) {
    if (!o[k].elements.empty()) return fresh(here(at), known);
    parts.push_back(text_of(state, o[k]));
  }
  if (does == Computes::Multiply || does == Computes::And || does == Computes::Xor)
    std::sort(parts.begin(), parts.end());
  for (const std::string& part : parts) text += " " + part;
  return {number(text, known), number(here(at), known), 0, 0};
}

// A constant is taken apart from what it is added to. The address of a variable counts as one, when what it
// is added to is the same; two sums of registers are the same only as they stand.
AddressValue AddressValues::sum(const State& state, std::size_t at, int known) {
  const Instruction& in = function_.body[at];
  const bool subtracts = in.row->computes == Computes::Subtract;
  AddressValue a = of(state, in.operands[1]), b = of(state, in.operands[2]);
  if (a.root == 0 && !subtracts) std::swap(a, b);
  const bool constant = b.root == 0;
  const bool apart = b.offset >= 0 && b.offset < (std::int64_t{1} << std::min(zeros(a), 62));
  if (constant && (in.row->computes != Computes::Or || apart)) {
    const std::int64_t more = subtracts ? -b.offset : b.offset;
    a.offset += more;
    a.base_offset += more;
    return a;
  }
  const std::uint32_t own = number(here(at), known);
  if (in.row->computes != Computes::Add) {
    return {number(in.opcode + " " + text_of(state, in.operands[1]) + " " + text_of(state, in.operands[2]),
                   known),
            own, 0, 0};
  }
  if (is_variable_[b.root]) std::swap(a, b);
  std::string first = std::to_string(a.root), second = std::to_string(b.root);
  std::int64_t offset = 0;
  if (is_variable_[a.root]) {
    offset = a.offset + b.offset;
    first += "+0", second += "+0";
  } else {
    first += "+" + std::to_string(a.offset), second += "+" + std::to_string(b.offset);
  }
  if (second < first) std::swap(first, second);
  return {number("add " + first + " " + second, known), own, offset, 0};
}

// A product with a constant, of a product with a constant too. What was added before is multiplied too, when
// it fills zero bits only.
AddressValue AddressValues::product(const AddressValue& factor, std::int64_t by, std::size_t at, int known) {
  if (factor.root == 0) return {0, 0, factor.offset * by, factor.offset * by};
  const std::uint32_t own = number(here(at), known);
  const int low = std::min(zeros_[factor.root], 62);
  const bool fills = factor.offset >= 0 && factor.offset < (std::int64_t{1} << low);
  const auto inner = products_.find(factor.root);
  const bool nested = inner != products_.end() && factor.offset == 0;
  const std::uint32_t root = nested ? inner->second.first : factor.root;
  const std::int64_t times = nested ? inner->second.second * by : by;
  const std::string of =
      fills ? std::to_string(root) : std::to_string(root) + "+" + std::to_string(factor.offset);
  const std::uint32_t made = number("times " + std::to_string(times) + " " + of, known);
  if (fills && factor.offset == 0) products_[made] = {root, times};
  return {made, own, fills ? factor.offset * by : 0, 0};
}

AddressValue AddressValues::multiply_add(const State& state, std::size_t at, int known) {
  const auto& o = function_.body[at].operands;
  const std::uint32_t own = number(here(at), known);
  AddressValue factor;
  if (is_number(o[2])) {
    factor = product(of(state, o[1]), number_of(o[2]), at, known);
  } else {
    std::string a = text_of(state, o[1]), b = text_of(state, o[2]);
    if (b < a) std::swap(a, b);
    factor = {number("mul.lo.s32 " + a + " " + b, known), own, 0, 0};
  }
  const AddressValue more = of(state, o[3]);
  if (more.root == 0) return {factor.root, own, factor.offset + more.offset, 0};
  std::string first = std::to_string(factor.root) + "+" + std::to_string(factor.offset);
  std::string second = std::to_string(more.root) + "+0";
  if (second < first) std::swap(first, second);
  return {number("add " + first + " " + second, known), own, more.offset, 0};
}

}  // namespace lab::sim
