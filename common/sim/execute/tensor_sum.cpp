// The adder of a tensor core. See the header for its rule.
#include "common/sim/execute/tensor_sum.h"

#include <algorithm>
#include <bit>

#include "common/sim/base/float_bits.h"

namespace lab::sim {
namespace {

constexpr int kExtraBits = 2;                  // that the adder keeps below those of an f32
constexpr int kLowest = -23 - kExtraBits;      // last place of the sum, from the largest exponent
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

// |sum| × 2^unit as an f32, cut towards zero.
std::uint32_t cut_to_f32(std::uint64_t magnitude, int unit) {
  const int top = std::bit_width(magnitude) - 1 + unit;
  if (top > 127) return kInfinityF32;
  const int place = std::max(top - 23, -149);  // of the last bit
  const auto significand = static_cast<std::uint32_t>(cut_by(magnitude, unit - place));
  // A subnormal number has no leading one, and its exponent field is 0: the fields add up.
  return top < -126 ? significand : (static_cast<std::uint32_t>(top + 126) << 23) + significand;
}

std::uint32_t round_to_f16(std::uint64_t magnitude, int unit) {
  return nearest<F16>(static_cast<double>(magnitude) * power_of_two(unit)).bits;
}

}  // namespace

int fraction_bits(Element type) { return format_of(type).fraction_bits; }

Factor factor_of(Element type, std::uint32_t bits) {
  if (type == Element::TF32) bits >>= 13;  // what lies below is not looked at
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
  f.exponent = static_cast<std::int16_t>(std::max(field, 1) - top / 2);
  return f;
}

namespace {

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

}  // namespace

std::uint32_t sum_group(const Factor* a, const Factor* b, int count, int fractions, std::uint32_t summand,
                        bool halves) {
  const Element type = halves ? Element::F16 : Element::F32;
  const Factor c = factor_of(type, summand);
  std::uint32_t bits = 0;
  bool special = c.infinite || c.nan;
  std::int32_t largest = c.significand == 0 ? kNoExponent : c.exponent;
  for (int k = 0; k < count; ++k) {
    special |= a[k].infinite || a[k].nan || b[k].infinite || b[k].nan;
    const bool zero = a[k].significand == 0 || b[k].significand == 0;
    largest = std::max(largest, zero ? kNoExponent : a[k].exponent + b[k].exponent);
  }
  if (special && special_sum(a, b, count, c, halves, bits)) return bits;
  const auto aligned = [&](std::int64_t significand, int exponent, int fraction) {
    const auto magnitude = static_cast<std::uint64_t>(significand < 0 ? -significand : significand);
    const auto value = static_cast<std::int64_t>(cut_by(magnitude, exponent - fraction - largest - kLowest));
    return significand < 0 ? -value : value;
  };
  std::int64_t sum = c.significand == 0 ? 0 : aligned(c.significand, c.exponent, fraction_bits(type));
  for (int k = 0; k < count; ++k) {
    const std::int64_t product = std::int64_t{a[k].significand} * b[k].significand;
    if (product != 0) sum += aligned(product, a[k].exponent + b[k].exponent, fractions);
  }
  if (sum == 0) return 0;
  const auto magnitude = static_cast<std::uint64_t>(sum < 0 ? -sum : sum);
  const int unit = largest + kLowest;
  if (halves) return round_to_f16(magnitude, unit) | (sum < 0 ? 0x8000u : 0);
  return cut_to_f32(magnitude, unit) | (sum < 0 ? 0x80000000u : 0);
}

}  // namespace lab::sim
