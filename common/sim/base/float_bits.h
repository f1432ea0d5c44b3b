// Floating point formats down to the bit: 16-bit numbers, NaN as a GPU writes it, denormals flushed to zero.
//
// Enters: bits. Leaves: bits. The instructions in forms_float, forms_half, forms_compare and forms_convert
// are written with it. All of it is free of branches so that loops over lanes become vector code.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace lab::sim {

struct F16 {
  std::uint16_t bits;
};
struct BF16 {
  std::uint16_t bits;
};
template <class H>
struct Pair {  // .f16x2, .bf16x2
  H low, high;
};

// Where a GPU returns a NaN in these formats it always returns this one.
inline constexpr std::uint32_t kNanF32 = 0x7fffffffu;
inline constexpr std::uint16_t kNan16 = 0x7fffu;

inline float canonical(float x) { return x != x ? std::bit_cast<float>(kNanF32) : x; }
inline double canonical(double x) { return x; }

// .ftz: a denormal number becomes a zero of its sign.
template <bool ftz>
float flush(float x) {
  if constexpr (!ftz) return x;
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return std::bit_cast<float>((bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits);
}
template <bool ftz>
double flush(double x) {
  static_assert(!ftz, "f64 has no .ftz");
  return x;
}

// .sat: into [0, 1]; NaN and -0 become +0.
template <bool sat, class T>
T saturate(T x) {
  if constexpr (!sat) return x;
  const T low = x > T(0) ? x : T(0);
  return low < T(1) ? low : T(1);
}

// The least or largest of two: a number wins over NaN, +0 is larger than -0.
template <class T>
using WordOf = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <bool want_max, class T>
T extreme(T a, T b) {
  using Word = WordOf<T>;
  const Word x = std::bit_cast<Word>(a), y = std::bit_cast<Word>(b);
  const T equal = std::bit_cast<T>(want_max ? x & y : x | y);  // differ only as +0 and -0
  const T ordered = (want_max ? a > b : a < b) ? a : b;
  const T number = a == b ? equal : ordered;
  return std::isnan(a) ? b : std::isnan(b) ? a : number;
}

// 2^exponent, exponent in the range of normal doubles.
inline double power_of_two(std::int64_t exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

// Rounds x to `precision` significant bits, with no exponent below `least_exponent` (that of the smallest
// normal number), in the direction of `round_to_integer`. The result is exact as a double.
template <int precision, int least_exponent, class RoundToInteger>
double quantize(double x, RoundToInteger round_to_integer) {
  const auto biased = static_cast<std::int64_t>((std::bit_cast<std::uint64_t>(x) >> 52) & 0x7ff);
  const std::int64_t least = least_exponent + 1023;
  const std::int64_t exponent = (biased < least ? least : biased) - 1023;
  const double steps = round_to_integer(x * power_of_two(precision - 1 - exponent));
  return steps * power_of_two(exponent - precision + 1);
}

// a + b with the last bit set when the sum is not exact ("round to odd"): rounding it once more, to far fewer
// bits, gives what one rounding of the exact sum gives.
template <class T>
T add_to_odd(T a, T b) {
  using Bits = std::conditional_t<std::is_same_v<T, float>, std::uint32_t, std::uint64_t>;
  const T sum = a + b;
  const T b_part = sum - a;
  const T error = (a - (sum - b_part)) + (b - b_part);
  auto bits = std::bit_cast<Bits>(sum);
  // Not exact and even: the odd neighbour on the side of the error.
  const bool nudge = std::abs(error) > 0 && (bits & 1) == 0;
  const auto towards_zero =
      static_cast<std::make_signed_t<Bits>>(std::bit_cast<Bits>(error) ^ bits) >> (8 * sizeof(T) - 1);
  bits += nudge ? static_cast<Bits>(towards_zero | 1) : 0;
  return std::bit_cast<T>(bits);
}

inline float to_float(F16 h) {
  // The exponent's bias grows from 15 to 127 by an exact multiplication, which also handles denormals.
  const std::int32_t wide = static_cast<std::int16_t>(h.bits);
  const float scaled = std::bit_cast<float>(static_cast<std::uint32_t>(wide) << 13 & 0x8fffe000u) * 0x1p112f;
  const auto bits = std::bit_cast<std::uint32_t>(scaled);
  constexpr std::uint32_t kBeyond = 143u << 23;  // 65536: infinities and NaN
  return std::bit_cast<float>(bits | ((bits & 0x7fffffffu) >= kBeyond ? 0x7f800000u : 0));
}
inline float to_float(BF16 h) { return std::bit_cast<float>(static_cast<std::uint32_t>(h.bits) << 16); }

// The 16-bit formats by number: bits of precision, exponent of the smallest normal and the largest number.
template <class H>
struct FormatOf;
template <>
struct FormatOf<F16> {
  static constexpr int precision = 11, least_exponent = -14;
  static constexpr double largest = 65504.0;
  // `value` is a number of the format, or too large, or infinite, or NaN.
  static F16 encode(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    const std::uint32_t normal = (magnitude - (112u << 23)) >> 13;
    const auto denormal = static_cast<std::uint32_t>(
        static_cast<std::int32_t>(std::bit_cast<float>(magnitude < (113u << 23) ? magnitude : 0u) * 0x1p24f));
    std::uint32_t result = magnitude < (113u << 23) ? denormal : normal;
    result = magnitude >= (143u << 23) ? 0x7c00u : result;
    result |= (bits >> 16) & 0x8000u;
    return F16{static_cast<std::uint16_t>(magnitude > 0x7f800000u ? kNan16 : result)};
  }
};
template <>
struct FormatOf<BF16> {
  static constexpr int precision = 8, least_exponent = -126;
  static constexpr double largest = 0x1.fep127;
  static BF16 encode(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return BF16{static_cast<std::uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? kNan16 : bits >> 16)};
  }
};

// One rounding, to nearest even, from a number (exact or rounded to odd) to the format.
template <class H>
H nearest(double value) {
  using Format = FormatOf<H>;
  const double rounded = quantize<Format::precision, Format::least_exponent>(
      value, [](double x) { return __builtin_nearbyint(x); });
  return Format::encode(static_cast<float>(rounded));
}
// The same, for the loops over rows of f16.
inline F16 nearest_f16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  const std::uint32_t normal = (magnitude - (112u << 23) + 0xfffu + (magnitude >> 13 & 1)) >> 13;
  // The last bit of 0.5 weighs as much as the smallest denormal.
  const std::uint32_t denormal = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) -
                                 std::bit_cast<std::uint32_t>(0.5f);
  std::uint32_t result = magnitude < (113u << 23) ? denormal : normal;
  result = magnitude >= (143u << 23) ? 0x7c00u : result;
  result = magnitude > 0x7f800000u ? kNan16 : result | (bits >> 16 & 0x8000u);
  return F16{static_cast<std::uint16_t>(result)};
}

// .ftz: a denormal becomes a zero of its sign.
template <bool ftz, class H>
H flush16(H h) {
  if constexpr (!ftz) return h;
  constexpr std::uint16_t exponent = std::is_same_v<H, F16> ? 0x7c00 : 0x7f80;
  return H{static_cast<std::uint16_t>((h.bits & exponent) == 0 ? h.bits & 0x8000u : h.bits)};
}

}  // namespace lab::sim
