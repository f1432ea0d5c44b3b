// The adder of a tensor core. See the header for its rule.
#include "common/sim/execute/tensor_sum.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "common/sim/base/float_bits.h"
#include "common/sim/execute/exec.h"

namespace lab::sim {
namespace {

struct Adder {
  int lowest;         // last place of the sum, from the largest exponent
  int fraction_bits;  // of a result in f32
};
constexpr Adder kAdder{-25, 23}, kAdderOfBytes{-13, 13};
constexpr std::int32_t kNoExponent = -100000;  // of a zero
constexpr std::uint32_t kInfinityF32 = 0x7f800000u;

struct Format {
  int exponent_bits, fraction_bits;
};

Format format_of(Element type) {
  switch (type) {
    case Element::F16:
      return {5, 10};
    case Element::BF16:
      return {8, 7};
    case Element::TF32:
      return {8, 10};
    case Element::E4M3:
      return {4, 3};
    case Element::E5M2:
      return {5, 2};
    default:
      return {8, 23};
  }
}

// magnitude × 2^shift, cut towards zero.
std::uint64_t cut_by(std::uint64_t magnitude, int shift) {
  if (shift >= 0) return magnitude << shift;
  return shift <= -64 ? 0 : magnitude >> -shift;
}

// |sum| × 2^unit as an f32 with so many bits of fraction, cut towards zero.
std::uint32_t cut_to_f32(std::uint64_t magnitude, int unit, int fraction_bits) {
  const int top = static_cast<int>(std::bit_width(magnitude)) - 1 + unit;
  if (top > 127) return kInfinityF32;
  const int last = std::max(top - 23, -149), place = std::max(top - fraction_bits, -149);
  const auto significand = static_cast<std::uint32_t>(cut_by(magnitude, unit - place)) << (place - last);
  // A subnormal number has no leading one, and its exponent field is 0: the fields add up.
  return top < -126 ? significand : (static_cast<std::uint32_t>(top + 126) << 23) + significand;
}

std::uint32_t round_to_f16(std::uint64_t magnitude, int unit) {
  return nearest<F16>(static_cast<double>(magnitude) * power_of_two(unit)).bits;
}

Factor factor_of(Element type, std::uint32_t bits) {
  if (type == Element::TF32) bits >>= 13;  // what lies below is ignored
  const Format format = format_of(type);
  const std::uint32_t fraction = bits & ((1u << format.fraction_bits) - 1);
  const int top = (1 << format.exponent_bits) - 1;
  const int field = static_cast<int>(bits >> format.fraction_bits) & top;
  Factor f;
  f.negative = ((bits >> (format.fraction_bits + format.exponent_bits)) & 1) != 0;
  if (type == Element::E4M3) {
    f.nan = field == top && fraction == 7;  // it has no infinity
  } else if (field == top) {
    f.nan = fraction != 0;
    f.infinite = fraction == 0;
  }
  const auto magnitude =
      static_cast<std::int32_t>(field == 0 ? fraction : fraction | 1u << format.fraction_bits);
  f.significand = f.negative ? -magnitude : magnitude;
  f.exponent = magnitude == 0 ? kNoExponent : std::max(field, 1) - top / 2;
  return f;
}

// What infinities and NaN make of a sum; false: there are none.
bool special_sum(const Factor* a, const Factor* b, int count, const Factor& c, bool halves,
                 std::uint32_t& bits) {
  bool plus = c.infinite && !c.negative, minus = c.infinite && c.negative, nan = c.nan;
  for (int k = 0; k < count; ++k) {
    nan |= a[k].nan || b[k].nan;
    if (!a[k].infinite && !b[k].infinite) continue;
    nan |= a[k].significand == 0 || b[k].significand == 0;
    (a[k].negative != b[k].negative ? minus : plus) = true;
  }
  if (!plus && !minus && !nan) return false;
  const bool is_nan = nan || (plus && minus);
  if (halves) {
    bits = is_nan ? kNan16 : minus ? 0xfc00u : 0x7c00u;
  } else {
    bits = is_nan ? kNanF32 : minus ? kInfinityF32 | 0x80000000u : kInfinityF32;
  }
  return true;
}

std::int64_t aligned(std::int64_t significand, int shift) {
  const auto value =
      static_cast<std::int64_t>(cut_by(static_cast<std::uint64_t>(std::abs(significand)), shift));
  return significand < 0 ? -value : value;
}

// The same for products of narrow numbers, whose significands leave room for all bits that are kept: 22 bits
// of f16, 27 above the last place.
std::int64_t narrow_sum(const std::int32_t* a, const std::int32_t* b, const std::int32_t* exponents,
                        int count, int widen, int largest) {
  std::int64_t sum = 0;
  LAB_LANES
  for (int k = 0; k < count; ++k) {
    const std::int32_t product = a[k] * b[k];
    const std::uint32_t magnitude = static_cast<std::uint32_t>(product < 0 ? -product : product) << widen;
    const int below = std::min(largest - exponents[k], 31);
    const auto value = static_cast<std::int32_t>(magnitude >> below);
    sum += product < 0 ? -value : value;
  }
  return sum;
}

std::uint32_t sum_in(const Adder& adder, const FactorLine& a, const FactorLine& b, int first, int count,
                     std::uint32_t summand, bool halves) {
  const Element type = halves ? Element::F16 : Element::F32;
  const Factor c = factor_of(type, summand);
  std::uint32_t bits = 0;
  if ((a.special || b.special || c.infinite || c.nan) &&
      special_sum(a.factor + first, b.factor + first, count, c, halves, bits))
    return bits;
  std::int32_t exponents[kMostFactors];
  std::int32_t largest = c.exponent;
  LAB_LANES
  for (int k = 0; k < count; ++k) exponents[k] = a.exponent[first + k] + b.exponent[first + k];
  for (int k = 0; k < count; ++k) largest = std::max(largest, exponents[k]);
  if (largest < kNoExponent / 2) return 0;  // zeros
  const int fractions = a.fractions + b.fractions, widen = -adder.lowest - fractions;
  std::int64_t sum =
      aligned(c.significand, c.exponent - format_of(type).fraction_bits - largest - adder.lowest);
  if (widen >= 0) {
    sum += narrow_sum(a.significand + first, b.significand + first, exponents, count, widen, largest);
  } else {
    for (int k = 0; k < count; ++k)
      sum += aligned(std::int64_t{a.significand[first + k]} * b.significand[first + k],
                     exponents[k] - largest + widen);
  }
  if (sum == 0) return 0;
  const auto magnitude = static_cast<std::uint64_t>(sum < 0 ? -sum : sum);
  const int unit = largest + adder.lowest;
  if (halves) return round_to_f16(magnitude, unit) | (sum < 0 ? 0x8000u : 0);
  return cut_to_f32(magnitude, unit, adder.fraction_bits) | (sum < 0 ? 0x80000000u : 0);
}

}  // namespace

void FactorLine::set(int at, Element type, std::uint32_t bits) {
  const Factor f = factor_of(type, bits);
  factor[at] = f;
  significand[at] = f.significand;
  exponent[at] = f.exponent;
  fractions = format_of(type).fraction_bits;
  special = special || f.infinite || f.nan;
}

std::uint32_t sum_group(const FactorLine& a, const FactorLine& b, int first, int count, std::uint32_t summand,
                        bool halves) {
  return sum_in(kAdder, a, b, first, count, summand, halves);
}

std::uint32_t warpgroup_sum(const FactorLine& a, const FactorLine& b, int count, Element factors,
                            std::uint32_t summand, bool halves) {
  const Adder& adder = bits_of(factors) == 8 ? kAdderOfBytes : kAdder;
  const std::uint32_t bits = sum_in(adder, a, b, 0, count, summand, halves);
  return bits == (halves ? 0x8000u : 0x80000000u) ? 0 : bits;
}

}  // namespace lab::sim
