// The rules by opcode. See hoist_rules.h.
#include "common/sim/decode/hoist_rules.h"

#include <cstddef>
#include <map>

namespace lab::sim {

const HoistRule* hoist_rule(std::string_view opcode) {
  using enum HoistedAct;
  constexpr auto kSigned = HoistedOp::Widens::Signed, kUnsigned = HoistedOp::Widens::Unsigned;
  static const std::map<std::string_view, HoistRule> kRules = {
      {"mov.b32", {Copy, 4, 4}},
      {"mov.u32", {Copy, 4, 4}},
      {"mov.s32", {Copy, 4, 4}},
      {"mov.b64", {Copy, 8, 8}},
      {"mov.u64", {Copy, 8, 8}},
      {"mov.s64", {Copy, 8, 8}},
      {"add.s32", {Add, 4, 4}},
      {"add.u32", {Add, 4, 4}},
      {"add.s64", {Add, 8, 8}},
      {"add.u64", {Add, 8, 8}},
      {"sub.s32", {Subtract, 4, 4}},
      {"sub.u32", {Subtract, 4, 4}},
      {"sub.s64", {Subtract, 8, 8}},
      {"sub.u64", {Subtract, 8, 8}},
      {"mul.lo.s32", {Multiply, 4, 4}},
      {"mul.lo.u32", {Multiply, 4, 4}},
      {"mul.lo.s64", {Multiply, 8, 8}},
      {"mul.lo.u64", {Multiply, 8, 8}},
      {"mul.wide.s32", {Multiply, 4, 8, kSigned}},
      {"mul.wide.u32", {Multiply, 4, 8, kUnsigned}},
      {"mad.lo.s32", {MultiplyAdd, 4, 4}},
      {"mad.lo.u32", {MultiplyAdd, 4, 4}},
      {"mad.lo.s64", {MultiplyAdd, 8, 8}},
      {"mad.lo.u64", {MultiplyAdd, 8, 8}},
      {"mad.wide.s32", {MultiplyAdd, 4, 8, kSigned}},
      {"mad.wide.u32", {MultiplyAdd, 4, 8, kUnsigned}},
      {"and.pred", {And, 0, 0}},
      {"or.pred", {Or, 0, 0}},
      {"shl.b32", {ShiftLeft, 4, 4}},
      {"shl.b64", {ShiftLeft, 8, 8}},
      {"cvt.s64.s32", {ExtendSigned, 4, 8}},
      {"cvt.u64.s32", {ExtendSigned, 4, 8}},
      {"cvt.s64.u32", {ExtendUnsigned, 4, 8}},
      {"cvt.u64.u32", {ExtendUnsigned, 4, 8}},
      {"cvt.s32.s64", {Copy, 8, 4}},
      {"cvt.s32.u64", {Copy, 8, 4}},
      {"cvt.u32.s64", {Copy, 8, 4}},
      {"cvt.u32.u64", {Copy, 8, 4}}};
  const auto found = kRules.find(opcode);
  return found == kRules.end() ? nullptr : &found->second;
}

bool read_comparison(std::string_view opcode, HoistedOp& op) {
  struct Holds {
    bool below, equal, above;
  };
  static const std::map<std::string_view, Holds> kComparisons = {
      {"lt", {true, false, false}}, {"le", {true, true, false}},  {"gt", {false, false, true}},
      {"ge", {false, true, true}},  {"eq", {false, true, false}}, {"ne", {true, false, true}},
      {"lo", {true, false, false}}, {"ls", {true, true, false}},  {"hi", {false, false, true}},
      {"hs", {false, true, true}}};
  constexpr std::size_t kNameAt = 5, kTypeAt = 8;  // setp.lt.s32
  if (!opcode.starts_with("setp.") || opcode.size() != kTypeAt + 3 || opcode[kTypeAt - 1] != '.')
    return false;
  const auto found = kComparisons.find(opcode.substr(kNameAt, 2));
  const std::string_view type = opcode.substr(kTypeAt);
  if (found == kComparisons.end() || (type != "s32" && type != "u32" && type != "b32")) return false;
  op.holds_below = found->second.below;
  op.holds_equal = found->second.equal;
  op.holds_above = found->second.above;
  op.is_signed = type == "s32";
  return true;
}

}  // namespace lab::sim
