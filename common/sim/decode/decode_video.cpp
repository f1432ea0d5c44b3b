// Reads what stands behind the registers and before the sources of video instructions: parts of words, and signs.
//
// Enters: an instruction whose form is decoded. Leaves: its parts (forms_video.h) in the instruction, or a fault.
#include <algorithm>
#include <bit>
#include <functional>
#include <string_view>

#include "common/sim/decode/decoder.h"
#include "common/sim/instructions/forms_video.h"

namespace lab::sim {
namespace {

// `b2` or `h1`: of one word.
struct OnePart {
  std::uint8_t bits = 0, number = 0;
  explicit OnePart(std::string_view text)
      : bits(text.empty()     ? 0
             : text[0] == 'b' ? 8
                              : 16),
        number(text.empty() ? 0 : static_cast<std::uint8_t>(text.back() - '0')) {}
  [[nodiscard]] bool exists() const { return bits == 0 || number < 32 / bits; }
};

// `b310`, the parts that are written: the others of so many.
std::uint8_t others(std::string_view digits, unsigned parts) {
  unsigned named = 0;
  for (const char digit : digits) named |= 1u << (digit - '0');
  return static_cast<std::uint8_t>(~named & ((1u << parts) - 1));
}

// `b7531`, the parts that are read, the last of them first: how they differ from `usual` and those behind it.
std::uint16_t differences(std::string_view digits, unsigned usual) {
  unsigned packed = 0, part = 0;
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, ++part)
    packed |= (static_cast<unsigned>(*digit - '0') ^ (usual + part)) << (4 * part);
  return static_cast<std::uint16_t>(packed);
}

bool falls(std::string_view digits) {
  return std::adjacent_find(digits.begin(), digits.end(), std::less_equal<>()) == digits.end();
}

}  // namespace

void Decoder::decode_video_parts(const ptx::Instruction& in, const Form& form) {
  const unsigned count = form.parts;
  const ptx::Operand &d = in.operands[0], &a = in.operands[1], &b = in.operands[2];
  const auto fits = [&](const ptx::Operand& operand) {
    const std::string_view text = operand.part;
    const auto below = [&](unsigned end) {
      return std::count_if(text.begin() + 1, text.end(),
                           [&](char digit) { return static_cast<unsigned>(digit - '0') < end; }) +
                 1 ==
             static_cast<std::ptrdiff_t>(text.size());
    };
    if (text.empty()) return true;
    if (count == 1) return text.size() == 2 && OnePart(text).exists();
    if (text[0] != (count == 2 ? 'h' : 'b')) return false;
    return &operand == &d ? below(count) && falls(text.substr(1))
                          : text.size() == count + 1 && below(2 * count);
  };
  for (const ptx::Operand& operand : in.operands) {
    const bool has_parts = count > 1 || &operand <= &b;
    if (operand.name.find('.') != std::string::npos)
      fail(in, FaultKind::BadPtx, msg("`{}` must be moved to a register first", operand.name));
    if (&operand <= &b && fits(operand)) take(&operand.part);
    if ((count > 1 && operand.kind != ptx::OperandKind::Register) || (has_parts && ptx::is_sum(operand)))
      fail(in, FaultKind::BadPtx, "numbers must stand in registers here");
  }

  VideoParts parts;
  if (count > 1) {
    if (!d.part.empty()) parts.d = others(std::string_view(d.part).substr(1), count);
    if (!a.part.empty()) parts.a = differences(std::string_view(a.part).substr(1), 0);
    if (!b.part.empty()) parts.b = differences(std::string_view(b.part).substr(1), count);
  } else {
    const OnePart to(d.part), from_a(a.part), from_b(b.part);
    parts.d = to.number, parts.d_bits = to.bits;
    parts.a = from_a.number, parts.a_bits = from_a.bits;
    parts.b = from_b.number, parts.b_bits = from_b.bits;
    if (to.bits != 0 && (form.signs || !form.last_may_lack || in.operands.size() < 4))
      fail(in, FaultKind::BadPtx, "a part of a register is written into a third source alone");
  }
  if (form.signs) {
    for (const ptx::Operand* operand : {&a, &b, &in.operands[3]}) take(&operand->negated);
    parts.minus_product = a.negated != b.negated;
    parts.minus_c = in.operands[3].negated;
    const int count_of_ones = parts.minus_product + parts.minus_c + (ptx::has(in, "po") ? 1 : 0);
    if (count_of_ones > 1) fail(in, FaultKind::BadPtx, "these signs together");
  }
  data_->code.back().immediate = std::bit_cast<std::int64_t>(parts);
}

}  // namespace lab::sim
