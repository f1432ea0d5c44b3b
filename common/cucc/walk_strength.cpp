// Products, quotients and remainders by powers of two, as shifts and masks. NVRTC does the same, and checks
// of the course count instructions. See walk.h.
#include <bit>

#include "common/cucc/operators.h"
#include "common/cucc/walk.h"

namespace lab::cucc {

// What needs no instruction: a + 0, a * 1, a == a; none where one is needed.
std::optional<Value> Walk::by_identity(const std::string& sign, const Value& a, const Value& b,
                                       const Type* t) {
  const auto is = [](const Value& v, std::int64_t i) { return v.known() && v.leaves[0].i == i; };
  const bool adds = sign == "+" || sign == "|" || sign == "^";
  if (is(b, 0) && (adds || sign == "-")) return a;
  if (is(a, 0) && adds) return b;
  if (is(b, 1) && (sign == "*" || sign == "/")) return a;
  if (is(a, 1) && sign == "*") return b;
  if (is(b, 1) && sign == "%") return constant(t, 0);
  if ((is(a, 0) || is(b, 0)) && (sign == "*" || sign == "&")) return constant(t, 0);
  if (a.known() || b.known() || a.leaves[0].reg != b.leaves[0].reg) return std::nullopt;
  if (sign == "-" || sign == "^") return constant(t, 0);
  if (!operator_of(sign)->compares()) return std::nullopt;
  return constant(scalar(TypeKind::Bool), compared(sign, 0, 0) ? 1 : 0);
}

// a * 2^k, a / 2^k and a % 2^k without the instruction for it; none where there is no such way.
std::optional<Value> Walk::by_power_of_two(const std::string& sign, const Value& a, const Value& b,
                                           const Type* t) {
  if (sign == "*" && a.known() && !b.known()) return by_power_of_two(sign, b, a, t);
  if (a.known() || !b.known() || b.leaves[0].i <= 0 ||
      !std::has_single_bit(static_cast<std::uint64_t>(b.leaves[0].i)))
    return std::nullopt;
  const std::int64_t divisor = b.leaves[0].i;
  const int shift = std::countr_zero(static_cast<std::uint64_t>(divisor)),
            bits = static_cast<int>(8 * size_of(t));
  const auto made = [&](const std::string& op, const Value& v, std::int64_t by) {
    return computed(t, op + std::to_string(bits), {operand(v), std::to_string(by)});
  };
  if (sign == "*") return shift == 0 ? a : made("shl.b", a, shift);
  if (shift == 0) return std::nullopt;  // by_identity() knows
  if (!is_signed(t)) return sign == "/" ? made("shr.u", a, shift) : made("and.b", a, divisor - 1);
  // Negative ones round towards 0, so what is missing to the next multiple is added first.
  const Value missing = made("shr.u", made("shr.s", a, bits - 1), bits - shift);
  const std::string width = std::to_string(bits);
  const Value moved = computed(t, "add.s" + width, {operand(a), operand(missing)});
  if (sign == "/") return made("shr.s", moved, shift);
  return computed(t, "sub.s" + width, {operand(a), operand(made("and.b", moved, -divisor))});
}

}  // namespace lab::cucc
