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
  std::int32_t exponent = 0;     // of a zero: below all others
  bool infinite = false, nan = false, negative = false;
};

// A line of A, or of B's transpose. Significands and exponents stand side by side, for loops over them.
inline constexpr int kMostFactors = 64;
struct FactorLine {
  std::int32_t significand[kMostFactors], exponent[kMostFactors];
  Factor factor[kMostFactors];
  int fractions = 0;     // bits of the format
  bool special = false;  // infinities or NaN are among them
  // `bits` of F16, BF16, TF32, F32, E4M3 or E5M2; all of a line are of one type.
  void set(int at, Element type, std::uint32_t bits);
};

// summand + a[first]·b[first] + … as one group of `count`. The summand and the result are bits of f32, or of
// f16 (`halves`).
[[nodiscard]] std::uint32_t sum_group(const FactorLine& a, const FactorLine& b, int first, int count,
                                      std::uint32_t summand, bool halves);

// The same for wgmma, whose K is one group of `count` products of two numbers like `factors`. Of 8-bit floats
// the cut is at 2^-13, and of the sum 13 bits of fraction are kept; no zero is negative (wgmma_h100.txt.gz).
[[nodiscard]] std::uint32_t warpgroup_sum(const FactorLine& a, const FactorLine& b, int count,
                                          Element factors, std::uint32_t summand, bool halves);

}  // namespace lab::sim
