// Products, quotients and remainders by powers of two, as shifts and masks. NVRTC does the same, and checks
// of the course count instructions. See walk.h.
#include <bit>

#include "common/cucc/walk.h"

namespace lab::cucc {

// What needs no instruction: a + 0, a * 1, a == a; false where one is needed.
bool Walk::by_identity(const std::string& sign, const Value& a, const Value& b, const Type* t,
                       Value& result) {
  const auto is = [](const Value& v, std::int64_t i) { return v.known() && v.leaves[0].i == i; };
  const bool adds = sign == "+" || sign == "|" || sign == "^";
  if (is(b, 0) && (adds || sign == "-")) return result = a, true;
  if (is(a, 0) && adds) return result = b, true;
  if (is(b, 1) && (sign == "*" || sign == "/")) return result = a, true;
  if (is(a, 1) && sign == "*") return result = b, true;
  if (is(b, 1) && sign == "%") return result = constant(t, 0), true;
  if ((is(a, 0) || is(b, 0)) && (sign == "*" || sign == "&")) return result = constant(t, 0), true;
  if (a.known() || b.known() || a.leaves[0].reg != b.leaves[0].reg) return false;
  if (sign == "-" || sign == "^") return result = constant(t, 0), true;
  const bool holds = sign == "==" || sign == "<=" || sign == ">=";
  if (!holds && sign != "!=" && sign != "<" && sign != ">") return false;
  return result = constant(scalar(TypeKind::Bool), holds ? 1 : 0), true;
}

// a * 2^k, a / 2^k and a % 2^k without the instruction for it; false where there is no such way.
bool Walk::by_power_of_two(const std::string& sign, const Value& a, const Value& b, const Type* t,
                           Value& result) {
  if (sign == "*" && a.known() && !b.known()) return by_power_of_two(sign, b, a, t, result);
  if (!b.known() || b.leaves[0].i <= 0 || !std::has_single_bit(static_cast<std::uint64_t>(b.leaves[0].i)) ||
      a.known())
    return false;
  const std::int64_t divisor = b.leaves[0].i;
  const int shift = std::countr_zero(static_cast<std::uint64_t>(divisor)),
            bits = static_cast<int>(8 * size_of(t));
  const std::string width = std::to_string(bits), x = operand(a);
  const auto made = [&](const std::string& op, std::vector<std::string> from) {
    return computed(t, op, std::move(from));
  };
  if (sign == "*") {
    result = shift == 0 ? a : made("shl.b" + width, {x, std::to_string(shift)});
    return true;
  }
  if (!is_signed(t)) {
    if (shift == 0)
      result = sign == "/" ? a : constant(t, 0);
    else
      result = sign == "/" ? made("shr.u" + width, {x, std::to_string(shift)})
                           : made("and.b" + width, {x, std::to_string(divisor - 1)});
    return true;
  }
  if (shift == 0) return false;
  // Negative ones round towards 0, so what is missing to the next multiple is added first.
  const Value all_ones = made("shr.s" + width, {x, std::to_string(bits - 1)});
  const Value missing = made("shr.u" + width, {operand(all_ones), std::to_string(bits - shift)});
  const Value moved = made("add.s" + width, {x, operand(missing)});
  if (sign == "/") {
    result = made("shr.s" + width, {operand(moved), std::to_string(shift)});
  } else {
    const Value whole = made("and.b" + width, {operand(moved), std::to_string(-divisor)});
    result = made("sub.s" + width, {x, operand(whole)});
  }
  return true;
}

}  // namespace lab::cucc
