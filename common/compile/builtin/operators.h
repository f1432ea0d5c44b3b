// The binary operators, in one table: how tightly they bind, what PTX calls them, and what they make of two
// constants. #if, the parser and the walk read it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace lab::cucc {

struct Operator {
  enum class Group { Logical, Bits, Equality, Order, Shift, Sum, Product };
  const char* sign;
  Group group;
  int level;             // the higher one binds the tighter
  const char* integers;  // "mul.lo": of PTX, without the type
  const char* floats;    // "mul.rn"; null: integers alone
  [[nodiscard]] bool compares() const { return group == Group::Equality || group == Group::Order; }
};

// null: `sign` is no binary operator.
[[nodiscard]] const Operator* operator_of(const std::string& sign);

// The operator's value for integers of 64 bits; none where C++ or the GPU leaves it open.
[[nodiscard]] std::optional<std::int64_t> applied(const Operator& o, bool is_signed, std::int64_t a,
                                                  std::int64_t b);

template <class Number>
[[nodiscard]] bool compared(const std::string& sign, Number a, Number b) {
  if (sign == "<") return a < b;
  if (sign == ">") return a > b;
  if (sign == "<=") return a <= b;
  if (sign == ">=") return a >= b;
  return (sign == "==") == (a == b);
}

}  // namespace lab::cucc
