// Sums of products as tensor cores of an H200 make them, to the bit.
//
// Enters: two lines of numbers and a summand. Leaves: bits. The rule (measured:
// tests/golden/tensor_h200.txt.gz, units.txt.gz): products are exact; in each group all of them and the
// summand are cut, towards zero, at 2^-25 of the largest exponent among them (of a product: the sum of its
// factors' exponents); the cut numbers are added exactly; the sum is cut to f32, or rounded to the nearest
// f16.
#pragma once

#include <cstdint>

#include "common/sim/program/tensor_product.h"

namespace lab::sim {

// A number as the adder sees it: significand × 2^(exponent - fraction bits of its format).
struct Factor {
  std::int32_t significand = 0;  // with its sign; 0: a zero
  std::int16_t exponent = 0;
  bool infinite = false, nan = false, negative = false;
};

// `bits` of F16, BF16, TF32, F32, E4M3 or E5M2.
[[nodiscard]] Factor factor_of(Element type, std::uint32_t bits);
[[nodiscard]] int fraction_bits(Element type);

// summand + a[0]·b[0] + … + a[count-1]·b[count-1] as one group. `fractions`: of a and b together. The summand
// and the result are bits of f32, or of f16 (`halves`).
[[nodiscard]] std::uint32_t sum_group(const Factor* a, const Factor* b, int count, int fractions,
                                      std::uint32_t summand, bool halves);

}  // namespace lab::sim
