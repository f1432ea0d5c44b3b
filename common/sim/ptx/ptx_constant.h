// Numbers and constant expressions of PTX.
//
// Between lexer and parser: enters a Lexer that stands on a number, a sign or a parenthesis; leaves the value
// with the lexer behind it.
#pragma once

#include <cstdint>

#include "common/sim/ptx/ptx_lexer.h"

namespace lab::sim::ptx {

struct Constant {
  std::uint64_t bits = 0;    // integers: two's complement; floats: their own bits
  Type literal = Type::S64;  // S64, U64, F32 or F64

  bool is_float() const { return literal == Type::F32 || literal == Type::F64; }
};

// One Number token.
Constant parse_number(Lexer& lexer);
double as_double(const Constant& value);
// `4`, `-1`, `(2+3)*8`, `~0`, `WARP_SZ`, `(.s64)x < 2 ? 3 : 4`: whole numbers of 64 bits; of floating-point
// ones sums, products and quotients.
Constant parse_constant(Lexer& lexer);
// The same where a count is meant: a whole number from 0 to `most`; `what` names it in messages.
std::uint64_t parse_count(Lexer& lexer, std::uint64_t most, const Message& what);

// True when a constant can start here.
bool at_constant(const Lexer& lexer);

}  // namespace lab::sim::ptx
