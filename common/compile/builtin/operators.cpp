// See operators.h.
#include "common/compile/builtin/operators.h"

#include <algorithm>
#include <iterator>

namespace lab::cucc {
namespace {

using Group = Operator::Group;
constexpr Operator kOperators[] = {{"||", Group::Logical, 1, "or", nullptr},
                                   {"&&", Group::Logical, 2, "and", nullptr},
                                   {"|", Group::Bits, 3, "or", nullptr},
                                   {"^", Group::Bits, 4, "xor", nullptr},
                                   {"&", Group::Bits, 5, "and", nullptr},
                                   {"==", Group::Equality, 6, "setp.eq", "setp.eq"},
                                   {"!=", Group::Equality, 6, "setp.ne", "setp.neu"},
                                   {"<", Group::Order, 7, "setp.lt", "setp.lt"},
                                   {">", Group::Order, 7, "setp.gt", "setp.gt"},
                                   {"<=", Group::Order, 7, "setp.le", "setp.le"},
                                   {">=", Group::Order, 7, "setp.ge", "setp.ge"},
                                   {"<<", Group::Shift, 8, "shl", nullptr},
                                   {">>", Group::Shift, 8, "shr", nullptr},
                                   {"+", Group::Sum, 9, "add", "add.rn"},
                                   {"-", Group::Sum, 9, "sub", "sub.rn"},
                                   {"*", Group::Product, 10, "mul.lo", "mul.rn"},
                                   {"/", Group::Product, 10, "div", "div.rn"},
                                   {"%", Group::Product, 10, "rem", nullptr}};

// What is the same for integers with a sign and without.
std::uint64_t of_bits(char sign, std::uint64_t a, std::uint64_t b) {
  if (sign == '+') return a + b;
  if (sign == '-') return a - b;
  if (sign == '*') return a * b;
  if (sign == '&') return a & b;
  return sign == '|' ? a | b : a ^ b;
}

}  // namespace

const Operator* operator_of(const std::string& sign) {
  const auto found = std::find_if(std::begin(kOperators), std::end(kOperators),
                                  [&](const Operator& o) { return sign == o.sign; });
  return found == std::end(kOperators) ? nullptr : found;
}

std::optional<std::int64_t> applied(const Operator& o, bool is_signed, std::int64_t a, std::int64_t b) {
  const auto u = static_cast<std::uint64_t>(a), w = static_cast<std::uint64_t>(b);
  const bool is_first = o.sign[0] == '<' || o.sign[0] == '/' || o.sign[0] == '|';  // of <<, / and ||
  if (o.compares()) return (is_signed ? compared(o.sign, a, b) : compared(o.sign, u, w)) ? 1 : 0;
  if (o.group == Group::Logical) return (is_first ? a != 0 || b != 0 : a != 0 && b != 0) ? 1 : 0;
  if (o.group == Group::Shift) {
    if (b < 0 || b >= 64) return std::nullopt;
    return is_first    ? static_cast<std::int64_t>(u << w)
           : is_signed ? a >> b
                       : static_cast<std::int64_t>(u >> w);
  }
  if (o.sign[0] != '/' && o.sign[0] != '%') return static_cast<std::int64_t>(of_bits(o.sign[0], u, w));
  if (b == 0) return std::nullopt;
  if (is_signed && b == -1) return is_first ? static_cast<std::int64_t>(0 - u) : 0;
  if (is_signed) return is_first ? a / b : a % b;
  return static_cast<std::int64_t>(is_first ? u / w : u % w);
}

}  // namespace lab::cucc
