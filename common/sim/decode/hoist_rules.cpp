// What a hoisted instruction does, from what its opcode computes and the types behind it. See hoist_rules.h.
#include "common/sim/decode/hoist_rules.h"

#include <cstddef>
#include <map>
#include <vector>

namespace lab::sim {
namespace {

std::vector<std::string_view> words_behind(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t dot = text.find('.'); dot != text.npos; dot = text.find('.')) {
    text.remove_prefix(dot + 1);
    words.push_back(text.substr(0, text.find('.')));
  }
  return words;
}

// Bytes of a whole number of 32 or 64 bits; 0: another type.
std::uint8_t whole_bytes(std::string_view type) {
  const bool whole = type.size() == 3 && (type[0] == 'b' || type[0] == 's' || type[0] == 'u');
  return !whole ? 0 : type.ends_with("32") ? 4 : type.ends_with("64") ? 8 : 0;
}

}  // namespace

std::optional<HoistRule> hoist_rule(const ptx::OpcodeRow& row, std::string_view text) {
  using enum HoistedAct;
  using ptx::Computes;
  const std::vector<std::string_view> words = words_behind(text);
  if (words.empty()) return std::nullopt;
  const std::uint8_t bytes = whole_bytes(words.back());
  const auto plain = [&](HoistedAct act) {
    return words.size() == 1 && bytes != 0 ? std::optional<HoistRule>({act, bytes, bytes}) : std::nullopt;
  };
  const auto product = [&](HoistedAct act) -> std::optional<HoistRule> {
    using enum HoistedOp::Widens;
    if (words.size() != 2 || bytes == 0) return std::nullopt;
    if (words[0] == "lo") return HoistRule{act, bytes, bytes};
    if (words[0] != "wide" || bytes != 4) return std::nullopt;
    return HoistRule{act, 4, 8, words[1][0] == 's' ? Signed : Unsigned};
  };
  const auto logic = [&](HoistedAct act) {
    return words[0] == "pred" ? std::optional<HoistRule>({act, 0, 0}) : std::nullopt;
  };
  switch (row.computes) {
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
    case Computes::And:
      return logic(And);
    case Computes::Or:
      return logic(Or);
    case Computes::Convert: {
      const std::uint8_t to = whole_bytes(words[0]);
      if (words.size() != 2 || bytes == 0 || to == 0 || bytes == to) return std::nullopt;
      if (bytes == 8) return HoistRule{Copy, 8, 4};
      return HoistRule{words[1][0] == 's' ? ExtendSigned : ExtendUnsigned, 4, 8};
    }
    default:
      return std::nullopt;
  }
}

bool read_comparison(const ptx::OpcodeRow& row, std::string_view text, HoistedOp& op) {
  struct Holds {
    bool below, equal, above;
  };
  static const std::map<std::string_view, Holds> kComparisons = {
      {"lt", {true, false, false}}, {"le", {true, true, false}},  {"gt", {false, false, true}},
      {"ge", {false, true, true}},  {"eq", {false, true, false}}, {"ne", {true, false, true}},
      {"lo", {true, false, false}}, {"ls", {true, true, false}},  {"hi", {false, false, true}},
      {"hs", {false, true, true}}};
  if (row.computes != ptx::Computes::Compare) return false;
  const std::vector<std::string_view> words = words_behind(text);
  if (words.size() != 2 || whole_bytes(words[1]) != 4) return false;
  const auto found = kComparisons.find(words[0]);
  if (found == kComparisons.end()) return false;
  op.holds_below = found->second.below;
  op.holds_equal = found->second.equal;
  op.holds_above = found->second.above;
  op.is_signed = words[1][0] == 's';
  return true;
}

}  // namespace lab::sim
