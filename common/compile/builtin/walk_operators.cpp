// + - * / % & | ^ << >> and comparisons, of numbers and of pointers; products by powers of two as shifts. See
// walk.h.
#include <bit>

#include "common/compile/builtin/operators.h"
#include "common/compile/builtin/walk.h"

namespace lab::cucc {
namespace {

template <class Real>
Real of_reals(char sign, Real a, Real b) {
  return sign == '+' ? a + b : sign == '-' ? a - b : sign == '*' ? a * b : a / b;
}

std::string instruction(const Operator& o, const Type* t) {
  if (is_float(t)) return std::string(o.floats) + "." + register_suffix(t);
  const bool of_bits = o.group == Operator::Group::Bits || o.sign == std::string("<<");
  return std::string(o.integers) + "." + (of_bits ? bits_suffix(t) : register_suffix(t));
}

}  // namespace

Value Walk::binary(const std::string& sign, Value a, Value b, Position at) {
  const Operator& o = *operator_of(sign);
  if (is_pointer(a.type) || is_pointer(b.type))
    return o.compares() ? pointers_compared(sign, std::move(a), std::move(b), at)
                        : pointer_arithmetic(sign, std::move(a), std::move(b), at);
  if (a.type->kind == TypeKind::Enum && b.type == a.type && o.compares()) {
    a = converted(a, a.type->of, at, true);
    b = converted(b, b.type->of, at, true);
  }
  if (!is_numeric(a.type) || !is_numeric(b.type))
    fail(at, "'{}' does not take a {} and a {}", sign, a.type, b.type);
  const bool shifts = o.group == Operator::Group::Shift;
  const Type* t = shifts ? types_.promoted(a.type) : types_.common(a.type, b.type);
  if (o.floats == nullptr && (is_float(t) || is_float(b.type)))
    fail(at, "'{}' takes integers, and here are a {} and a {}", sign, a.type, b.type);
  a = converted(a, t, at);
  b = converted(b, shifts ? types_.promoted(b.type) : t, at);
  if (const auto known = folded(sign, a, b, t)) return *known;
  if (shifts) b = converted(b, u32(), at);
  if (!shifts && !is_float(t)) {
    if (const auto same = by_identity(sign, a, b, t)) return *same;
    if (o.group == Operator::Group::Product)
      if (const auto shifted = by_power_of_two(sign, a, b, t)) return *shifted;
  }
  return computed(o.compares() ? scalar(TypeKind::Bool) : t, instruction(o, t), {operand(a), operand(b)});
}

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

// The result of two constants, as the GPU would have it; none where it leaves that open.
std::optional<Value> Walk::folded(const std::string& sign, const Value& a, const Value& b, const Type* t) {
  if (!a.known() || !b.known()) return std::nullopt;
  const Operator& o = *operator_of(sign);
  const Leaf &x = a.leaves[0], &y = b.leaves[0];
  if (is_float(t)) {
    if (o.compares()) return constant(scalar(TypeKind::Bool), compared(sign, x.d, y.d) ? 1 : 0);
    if (t->kind == TypeKind::Double) return real(t, of_reals(sign[0], x.d, y.d));
    return real(t, of_reals(sign[0], static_cast<float>(x.d), static_cast<float>(y.d)));
  }
  if (o.group == Operator::Group::Shift && y.i >= 8 * size_of(t)) return std::nullopt;
  const std::optional<std::int64_t> i = applied(o, is_signed(t), x.i, y.i);
  if (!i) return std::nullopt;
  return constant(o.compares() ? scalar(TypeKind::Bool) : t, *i);
}

Value Walk::pointers_compared(const std::string& sign, Value a, Value b, Position at) {
  if (!is_pointer(a.type) && !a.is_null())
    fail(at, "'{}' does not compare a {} with a pointer", sign, a.type);
  if (!is_pointer(b.type) && !b.is_null())
    fail(at, "'{}' does not compare a pointer with a {}", sign, b.type);
  const bool two = a.type->kind == TypeKind::Pointer && b.type->kind == TypeKind::Pointer;
  if (two && types_.plain(a.type->of) != types_.plain(b.type->of) && a.type->of->kind != TypeKind::Void &&
      b.type->of->kind != TypeKind::Void)
    fail(at, "'{}' does not compare a {} with a {}", sign, a.type, b.type);
  if (a.space != b.space || a.variable != nullptr || b.variable != nullptr || a.is_null() || b.is_null())
    a = generic(a), b = generic(b);
  a.type = b.type = u64();
  return binary(sign, a, b, at);
}

Value Walk::pointer_arithmetic(const std::string& sign, Value a, Value b, Position at) {
  if (sign == "+" && is_pointer(b.type)) std::swap(a, b);
  if ((sign == "+" || sign == "-") && a.type->kind == TypeKind::Pointer && is_integer(b.type)) {
    if (a.type->of->kind == TypeKind::Void) fail(at, "a 'void*' cannot be moved: cast it to a 'char*' first");
    const Type* wide = scalar(TypeKind::Long);
    if (sign == "-")
      b = b.known() ? constant(wide, -b.leaves[0].i)
                    : computed(wide, "neg.s64", {operand(converted(b, wide, at))});
    Value p = pointer_at(moved(at_pointer(a, at), b, size_of(a.type->of)), a.type->of, at);
    p.type = types_.plain(a.type);
    return p;
  }
  const bool two = a.type->kind == TypeKind::Pointer && b.type->kind == TypeKind::Pointer;
  if (sign != "-" || !two || types_.plain(a.type->of) != types_.plain(b.type->of))
    fail(at, "'{}' does not take a {} and a {}", sign, a.type, b.type);
  if (a.space != b.space || a.variable != nullptr || b.variable != nullptr) a = generic(a), b = generic(b);
  const Type* wide = scalar(TypeKind::Long);
  const Value bytes = computed(wide, "sub.s64", {operand(a), operand(b)});
  return computed(wide, "div.s64", {operand(bytes), std::to_string(size_of(a.type->of))});
}

}  // namespace lab::cucc
