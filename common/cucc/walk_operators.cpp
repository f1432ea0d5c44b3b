// + - * / % & | ^ << >> and comparisons, of numbers and of pointers. See walk.h.
#include <map>

#include "common/cucc/walk.h"

namespace lab::cucc {
namespace {

const std::map<std::string, std::string> kComparisons = {{"<", "lt"},  {">", "gt"},  {"<=", "le"},
                                                         {">=", "ge"}, {"==", "eq"}, {"!=", "ne"}};

bool compared(const std::string& sign, auto a, auto b) {
  if (sign == "<") return a < b;
  if (sign == ">") return a > b;
  if (sign == "<=") return a <= b;
  if (sign == ">=") return a >= b;
  return (sign == "==") == (a == b);
}

template <class Real>
Real applied(const std::string& sign, Real a, Real b) {
  return sign == "+" ? a + b : sign == "-" ? a - b : sign == "*" ? a * b : a / b;
}

std::uint64_t applied_to_bits(const std::string& sign, std::uint64_t a, std::uint64_t b) {
  switch (sign[0]) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '&':
      return a & b;
    case '|':
      return a | b;
    default:
      return a ^ b;
  }
}

std::string instruction(const std::string& sign, const Type* t) {
  const std::string suffix = "." + register_suffix(t), rounding = is_float(t) ? ".rn" : "";
  switch (sign[0]) {
    case '+':
      return "add" + rounding + suffix;
    case '-':
      return "sub" + rounding + suffix;
    case '*':
      return (is_float(t) ? "mul.rn" : "mul.lo") + suffix;
    case '/':
      return "div" + rounding + suffix;
    case '%':
      return "rem" + suffix;
    case '&':
      return "and." + bits_suffix(t);
    case '|':
      return "or." + bits_suffix(t);
    default:
      return "xor." + bits_suffix(t);
  }
}

}  // namespace

Value Walk::binary(const std::string& sign, Value a, Value b, Position at) {
  const bool compares = kComparisons.contains(sign);
  if (is_pointer(a.type) || is_pointer(b.type))
    return compares ? pointers_compared(sign, std::move(a), std::move(b), at)
                    : pointer_arithmetic(sign, std::move(a), std::move(b), at);
  if (a.type->kind == TypeKind::Enum && b.type == a.type && compares) {
    a = converted(a, a.type->of, at, true);
    b = converted(b, b.type->of, at, true);
  }
  if (!is_numeric(a.type) || !is_numeric(b.type))
    fail(at, "'" + sign + "' does not take a " + shown(a.type) + " and a " + shown(b.type));
  const Type* t = sign == "<<" || sign == ">>" ? types_.promoted(a.type) : types_.common(a.type, b.type);
  const bool takes_integers =
      sign == "<<" || sign == ">>" || sign == "%" || sign == "&" || sign == "|" || sign == "^";
  if (takes_integers && (is_float(t) || is_float(b.type)))
    fail(at, "'" + sign + "' takes integers, and here are a " + shown(a.type) + " and a " + shown(b.type));
  if (sign == "<<" || sign == ">>") return shifted(sign, std::move(a), std::move(b), at);
  a = converted(a, t, at);
  b = converted(b, t, at);
  Value folded;
  if (folds(sign, a, b, t, folded)) return folded;
  if (Value result; !is_float(t) && by_identity(sign, a, b, t, result)) return result;
  const bool scales = sign == "*" || sign == "/" || sign == "%";
  if (Value result; scales && !is_float(t) && by_power_of_two(sign, a, b, t, result)) return result;
  std::vector<std::string> operands = {operand(a), operand(b)};
  if (!compares) return computed(t, instruction(sign, t), std::move(operands));
  const bool unordered = sign == "!=" && is_float(t);
  return computed(scalar(TypeKind::Bool),
                  "setp." + kComparisons.at(sign) + (unordered ? "u." : ".") + register_suffix(t),
                  std::move(operands));
}

Value Walk::shifted(const std::string& sign, Value a, Value b, Position at) {
  const Type* t = types_.promoted(a.type);
  a = converted(a, t, at);
  b = converted(b, types_.promoted(b.type), at);
  Value folded;
  if (folds(sign, a, b, t, folded)) return folded;
  b = converted(b, u32(), at);
  return computed(t, sign == "<<" ? "shl." + bits_suffix(t) : "shr." + register_suffix(t),
                  {operand(a), operand(b)});
}

// Of two constants the result, as the GPU would have it; false where it leaves that open.
bool Walk::folds(const std::string& sign, const Value& a, const Value& b, const Type* t, Value& folded) {
  if (!a.known() || !b.known()) return false;
  const Leaf &x = a.leaves[0], &y = b.leaves[0];
  const bool compares = kComparisons.contains(sign), is_shift = sign == "<<" || sign == ">>";
  const Type* boolean = scalar(TypeKind::Bool);
  if (is_float(t)) {
    if (compares)
      folded = constant(boolean, compared(sign, x.d, y.d) ? 1 : 0);
    else if (t->kind == TypeKind::Float)
      folded = real(t, applied(sign, static_cast<float>(x.d), static_cast<float>(y.d)));
    else
      folded = real(t, applied(sign, x.d, y.d));
    return true;
  }
  const auto u = static_cast<std::uint64_t>(x.i), w = static_cast<std::uint64_t>(y.i);
  const bool with_sign = is_signed(t);
  if (compares) {
    folded = constant(boolean, (with_sign ? compared(sign, x.i, y.i) : compared(sign, u, w)) ? 1 : 0);
  } else if (is_shift) {
    if (y.i < 0 || y.i >= 8 * size_of(t)) return false;
    const std::uint64_t right = with_sign ? static_cast<std::uint64_t>(x.i >> y.i) : u >> w;
    folded = constant(t, static_cast<std::int64_t>(sign == "<<" ? u << w : right));
  } else if (sign == "/" || sign == "%") {
    if (y.i == 0 || (with_sign && y.i == -1)) return false;
    const bool divides = sign == "/";
    folded = constant(t, with_sign ? (divides ? x.i / y.i : x.i % y.i)
                                   : static_cast<std::int64_t>(divides ? u / w : u % w));
  } else {
    folded = constant(t, static_cast<std::int64_t>(applied_to_bits(sign, u, w)));
  }
  return true;
}

Value Walk::pointers_compared(const std::string& sign, Value a, Value b, Position at) {
  if (!is_pointer(a.type) && !a.is_null())
    fail(at, "'" + sign + "' does not compare a " + shown(a.type) + " with a pointer");
  if (!is_pointer(b.type) && !b.is_null())
    fail(at, "'" + sign + "' does not compare a pointer with a " + shown(b.type));
  const bool two = a.type->kind == TypeKind::Pointer && b.type->kind == TypeKind::Pointer;
  if (two && types_.plain(a.type->of) != types_.plain(b.type->of) && a.type->of->kind != TypeKind::Void &&
      b.type->of->kind != TypeKind::Void)
    fail(at, "'" + sign + "' does not compare a " + shown(a.type) + " with a " + shown(b.type));
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
    fail(at, "'" + sign + "' does not take a " + shown(a.type) + " and a " + shown(b.type));
  if (a.space != b.space || a.variable != nullptr || b.variable != nullptr) a = generic(a), b = generic(b);
  const Type* wide = scalar(TypeKind::Long);
  const Value bytes = computed(wide, "sub.s64", {operand(a), operand(b)});
  return computed(wide, "div.s64", {operand(bytes), std::to_string(size_of(a.type->of))});
}

}  // namespace lab::cucc
