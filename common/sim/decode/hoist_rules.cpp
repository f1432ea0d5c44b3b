// What a hoisted instruction does, from what its opcode computes and the types behind it. See hoist_rules.h.
#include "common/sim/decode/hoist_rules.h"

#include <map>
#include <vector>

namespace lab::sim {
namespace {

// Bytes of a whole number of 32 or 64 bits; 0: another type.
std::uint8_t whole_bytes(ptx::Type type) {
  const int bytes = ptx::size_bytes(type);
  return is_float(type) || bytes < 4 || bytes > 8 ? 0 : static_cast<std::uint8_t>(bytes);
}

}  // namespace

std::optional<HoistRule> hoist_rule(const ptx::Instruction& in) {
  using enum HoistedAct;
  using ptx::Computes;
  const std::vector<std::string>& words = in.modifiers;
  if (words.empty()) return std::nullopt;
  const ptx::Type type = ptx::type_named(words.back());
  const std::uint8_t bytes = whole_bytes(type);
  const auto plain = [&](HoistedAct act) {
    return words.size() == 1 && bytes != 0 ? std::optional<HoistRule>({act, bytes, bytes}) : std::nullopt;
  };
  const auto product = [&](HoistedAct act) -> std::optional<HoistRule> {
    using enum HoistedOp::Widens;
    if (words.size() != 2 || bytes == 0) return std::nullopt;
    if (words[0] == "lo") return HoistRule{act, bytes, bytes};
    if (words[0] != "wide" || bytes != 4) return std::nullopt;
    return HoistRule{act, 4, 8, is_signed(type) ? Signed : Unsigned};
  };
  switch (in.row->computes) {
    case Computes::Copy:
      return plain(Copy);
    case Computes::Add:
      return plain(Add);
    case Computes::Subtract:
      return plain(Subtract);
    case Computes::ShiftLeft:
      return plain(ShiftLeft);
    case Computes::Multiply:
      return product(Multiply);
    case Computes::MultiplyAdd:
      return product(MultiplyAdd);
    case Computes::Convert: {
      const std::uint8_t to = whole_bytes(ptx::type_named(words[0]));
      if (words.size() != 2 || bytes == 0 || to == 0 || bytes == to) return std::nullopt;
      if (bytes == 8) return HoistRule{Copy, 8, 4};
      return HoistRule{is_signed(type) ? ExtendSigned : ExtendUnsigned, 4, 8};
    }
    default:
      return std::nullopt;
  }
}

bool read_comparison(const ptx::Instruction& in, HoistedOp& op) {
  struct Holds {
    bool below, equal, above;
  };
  static const std::map<std::string_view, Holds> kComparisons = {
      {"lt", {true, false, false}}, {"le", {true, true, false}},  {"gt", {false, false, true}},
      {"ge", {false, true, true}},  {"eq", {false, true, false}}, {"ne", {true, false, true}},
      {"lo", {true, false, false}}, {"ls", {true, true, false}},  {"hi", {false, false, true}},
      {"hs", {false, true, true}}};
  if (in.row->computes != ptx::Computes::Compare || in.modifiers.size() != 2) return false;
  const ptx::Type type = ptx::type_named(in.modifiers[1]);
  const auto found = kComparisons.find(in.modifiers[0]);
  if (whole_bytes(type) != 4) return false;
  if (found == kComparisons.end()) return false;
  op.holds_below = found->second.below;
  op.holds_equal = found->second.equal;
  op.holds_above = found->second.above;
  op.is_signed = is_signed(type);
  return true;
}

}  // namespace lab::sim
