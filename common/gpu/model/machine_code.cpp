// Instructions of the machine. See machine_code.h.
#include "common/gpu/model/machine_code.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <unordered_map>

#include "common/sim/program/program_data.h"
#include "common/sim/ptx/modifiers.h"
#include "common/sim/ptx/special_registers.h"

namespace lab::model {
namespace {

using sim::ptx::Computes;
using sim::ptx::Function;
using sim::ptx::has;
using sim::ptx::Instruction;
using sim::ptx::last_type;
using sim::ptx::MachineCost;
using sim::ptx::Operand;
using sim::ptx::OperandKind;
using sim::ptx::Pipe;
using sim::ptx::Type;

bool is_whole(Type type) { return !sim::ptx::is_float(type); }
bool is_wide(Type type) { return sim::ptx::size_bytes(type) == 8; }
bool is_wide_whole(Type type) { return is_wide(type) && is_whole(type); }

// Special registers that a kernel has in its constants.
bool is_constant(std::string_view name) {
  const sim::ptx::SpecialRegister* special = sim::ptx::special_register(name);
  return special != nullptr && special->in_constant_bank;
}

const MachineCost* special(const Instruction& in) {
  const std::span<const MachineCost> costs = in.row->machine.costs;
  const auto found = std::find_if(costs.begin(), costs.end(), [&](const MachineCost& one) {
    return last_type(in) == one.type && (one.rounding.empty() || has(in, one.rounding));
  });
  return found == costs.end() ? nullptr : &*found;
}

class Text {
 public:
  explicit Text(const Function& text) : text_(text), counts_(text.body.size()) {
    for (std::size_t at = 0; at < text.body.size(); ++at) note(at);
    for (std::size_t at = 0; at < text.body.size(); ++at) counts_[at] = by_pipe(at);
  }
  std::vector<MachineCount> counts() && { return std::move(counts_); }

 private:
  struct Value {
    std::size_t made_at = 0;
    std::uint32_t made = 0, read = 0;
  };
  void read(const Operand& operand) {
    if (!operand.name.empty()) ++values_[operand.name].read;
    for (const Operand& element : operand.elements) read(element);
  }
  void made(const Operand& operand, std::size_t at) {
    Value& value = values_[operand.name];
    value.made_at = at;
    ++value.made;
  }
  void note(std::size_t at) {
    const Instruction& in = text_.body[at];
    const Operand* const written = sim::ptx::written_operand(in);
    for (const Operand& operand : in.operands)
      if (&operand == written) {
        made(operand, at);
      } else {
        read(operand);
      }
  }
  // The instruction that makes an operand which nothing else reads, and no other makes.
  [[nodiscard]] const Instruction* only_maker(const Operand& operand, std::size_t* where = nullptr) const {
    const auto found = values_.find(operand.name);
    if (operand.kind != OperandKind::Register || found == values_.end()) return nullptr;
    const Value& value = found->second;
    if (value.made != 1 || value.read != 1) return nullptr;
    if (where != nullptr) *where = value.made_at;
    return &text_.body[value.made_at];
  }
  template <class Does>
  [[nodiscard]] bool takes_in(const Instruction& in, const Does& does) const {
    return std::any_of(in.operands.begin() + 1, in.operands.end(), [&](const Operand& operand) {
      std::size_t at = 0;
      const Instruction* const maker = only_maker(operand, &at);
      return maker != nullptr && does(*maker, at);
    });
  }

  // A sum whose product, shifted or not, is made in the same instruction; or a sum of three.
  [[nodiscard]] bool joins_sum(const Instruction& in, Type type) const {
    return takes_in(in, [&](const Instruction& maker, std::size_t at) {
      const bool product = maker.row->computes == Computes::Multiply && is_whole(last_type(maker)) &&
                           (is_wide(type) ? has(maker, "wide") : has(maker, "lo"));
      const bool shifted = maker.row->computes == Computes::ShiftLeft && maker.operands.size() > 2 &&
                           maker.operands[2].kind == OperandKind::Immediate;
      const bool sum = !is_wide(type) && maker.row->computes == Computes::Add && is_whole(last_type(maker)) &&
                       counts_[at][0] != 0;
      return product || shifted || sum;
    });
  }
  // Two operations on bits of three values; and the two shifts of a rotation.
  [[nodiscard]] bool joins_bits(const Instruction& in) const {
    return takes_in(in, [&](const Instruction& maker, std::size_t at) {
      const Computes does = maker.row->computes;
      return (does == Computes::And || does == Computes::Or || does == Computes::Xor) && counts_[at][0] != 0;
    });
  }

  // What no instruction makes is a special register.
  [[nodiscard]] std::uint32_t copies(const Instruction& in) const {
    const Operand& from = in.operands.back();
    const auto found = values_.find(from.name);
    return from.kind == OperandKind::Register && found != values_.end() && found->second.made == 0 &&
                   !is_constant(from.name)
               ? 1
               : 0;
  }
  [[nodiscard]] std::uint32_t converts(const Instruction& in) const {
    const Type to = made_type(in);
    const Type from = last_type(in);
    if (!is_whole(to) || !is_whole(from)) return 1;
    const bool narrow = sim::ptx::size_bytes(from) == 1;
    const bool signed_up = is_wide(to) && from == Type::S32;
    return narrow || signed_up ? 1 : 0;
  }
  [[nodiscard]] static std::uint32_t multiplies(const Instruction& in, Type type) {
    if (type == Type::F64) return 1;
    if (has(in, "hi")) return is_wide(type) ? 7 : 2;
    return is_wide_whole(type) && has(in, "lo") ? 4 : 1;
  }
  [[nodiscard]] std::uint32_t computes(const Instruction& in) const {
    const Type type = last_type(in);
    const std::uint32_t words = is_wide_whole(type) ? 2 : 1;
    if (in.row->machine.free_sign && !is_whole(type)) return 0;
    switch (in.row->computes) {
      case Computes::Copy:
        return copies(in);
      case Computes::Convert:
        return converts(in);
      case Computes::Address:
        return 0;
      case Computes::Add:
      case Computes::Subtract:
        return is_whole(type) && joins_sum(in, type) ? 0 : words;
      case Computes::Multiply:
      case Computes::MultiplyAdd:
        return multiplies(in, type);
      case Computes::And:
      case Computes::Or:
      case Computes::Xor:
        return type == Type::Pred || joins_bits(in) ? 0 : words;
      default:
        return words;
    }
  }
  [[nodiscard]] std::uint32_t count(std::size_t at) const {
    constexpr std::uint32_t kBegin = 2;  // a kernel sets up its stack and what it reads arguments by
    const Instruction& in = text_.body[at];
    const std::uint32_t begin = at == 0 && text_.is_entry ? kBegin : 0;
    if (in.row->moves_bytes()) return begin + (has(in, "param") ? 0 : 1);
    if (const MachineCost* const one = special(in); one != nullptr)
      return begin + (has(in, "ftz") ? one->ftz : one->whole);
    if (in.row->computes == Computes::Nothing) return begin + 1;
    return begin + computes(in);
  }

  [[nodiscard]] static Pipe pipe_of(const Instruction& in) {
    const Pipe pipe = in.row->machine.pipe;
    if (pipe == Pipe::None || pipe == Pipe::Functions) return pipe;
    const Type type = last_type(in);
    const bool of_doubles = std::any_of(in.modifiers.begin(), in.modifiers.end(), [](const auto& modifier) {
      return sim::ptx::type_named(modifier) == Type::F64;
    });
    const Computes does = in.row->computes;
    if (of_doubles)
      return does == Computes::Convert ? Pipe::Functions
             : does == Computes::Copy  ? Pipe::Sums
                                       : Pipe::Doubles;
    if (!is_whole(type) && (does == Computes::Add || does == Computes::Subtract)) return Pipe::Floats;
    if (!is_whole(type) && pipe == Pipe::Divides) return Pipe::Floats;
    return type == Type::Pred && pipe == Pipe::Whole ? Pipe::None : pipe;
  }
  [[nodiscard]] MachineCount by_pipe(std::size_t at) const {
    const Instruction& in = text_.body[at];
    const Pipe pipe = pipe_of(in);
    const std::uint32_t all = count(at);
    MachineCount found{all};
    if (pipe == Pipe::None || all == 0) return found;
    const MachineCost* const one = special(in);
    const std::uint32_t functions = one == nullptr ? 0 : one->functions;
    of(found, Pipe::Functions) += functions;
    const std::uint32_t rest = all - std::min(all, functions);
    if (pipe == Pipe::Divides) {
      of(found, Pipe::Whole) = of(found, Pipe::Floats) = rest / 2;
    } else if (pipe != Pipe::Functions || functions == 0) {
      of(found, pipe) += pipe == Pipe::Floats && is_whole(last_type(in)) ? 2 * rest : rest;
    }
    return found;
  }

  const Function& text_;
  std::unordered_map<std::string_view, Value> values_;
  std::vector<MachineCount> counts_;
};

}  // namespace

bool may_call(const Instruction& in) {
  const MachineCost* const one = special(in);
  return one != nullptr && one->calls;
}

std::uint32_t more_issues(const Instruction& in) {
  constexpr std::uint32_t kOfFunction = 8, kClock = 4, kProxyFence = 32, kPrefetch = 32, kDevice = 256;
  if (has(in, "mmio")) return kDevice - 1;
  const bool of_proxies = std::any_of(in.modifiers.begin(), in.modifiers.end(),
                                      [](const std::string& m) { return m.starts_with("proxy"); });
  if (of_proxies) return kProxyFence - 1;
  if (in.row->is(sim::ptx::Unit::Hint, sim::Direction::Read)) return kPrefetch - 1;
  if (in.row->computes == Computes::Copy && !in.operands.empty()) {
    const sim::ptx::SpecialRegister* const asked = sim::ptx::special_register(in.operands.back().name);
    return asked != nullptr && asked->follows == sim::ptx::Follows::Time ? kClock - 1 : 0;
  }
  const MachineCost* const cost = special(in);
  if (cost == nullptr || cost->functions == 0) return 0;
  const bool whole_of_32 =
      is_whole(cost->type) && !is_wide(cost->type);  // its functions hide behind the rest
  const std::uint32_t all = has(in, "ftz") ? cost->ftz : cost->whole;
  return all - 1 + (whole_of_32 ? 0 : cost->functions * (kOfFunction - 1));
}

std::vector<MachineCount> machine_counts(const Function& text) { return Text(text).counts(); }

std::vector<MachineCount> machine_sums(const sim::ProgramData& program) {
  std::unordered_map<const Instruction*, MachineCount> counts;
  for (const Function* text : program.function_texts) {
    const std::vector<MachineCount> of_text = machine_counts(*text);
    for (std::size_t at = 0; at < of_text.size(); ++at) counts[&text->body[at]] = of_text[at];
  }
  std::vector<MachineCount> sums(program.code.size() + 1, MachineCount{});
  for (std::size_t pc = 0; pc < program.code.size(); ++pc) {
    sums[pc + 1] = sums[pc];
    if (program.continues(pc)) continue;
    const MachineCount& more = counts[&program.text(pc)];
    for (std::size_t k = 0; k < more.size(); ++k) sums[pc + 1][k] += more[k];
  }
  return sums;
}

}  // namespace lab::model
