// The conversions behind cvt: between integers and floating point numbers of every size, in every rounding.
//
// Enters: a row of 32 lanes and a Conversion. Leaves: the converted row. Three steps: load as 64-bit integers
// or as doubles, both of which hold every source exactly; round, clamp; store in the type and register width
// of the destination. So eight hundred forms need few loops.
#include "common/sim/instructions/convert.h"

#include <cfenv>
#include <limits>
#include <utility>

namespace lab::sim {
namespace {

using Integers = std::int64_t[kWarpLanes];  // .u64 as its bits
using Doubles = double[kWarpLanes];

struct Row {  // a register row, perhaps wider than the type in it
  std::byte* data;
  int lane_bytes;
};
Row row_of(const WarpContext& w, const RowRef& ref) { return {w.row<std::byte>(ref), ref.lane_bytes}; }

// Calls body(word*) with the row as unsigned words of its width.
template <class Body>
void with_words(Row row, Body&& body) {
  switch (row.lane_bytes) {
    case 2:
      return body(reinterpret_cast<std::uint16_t*>(row.data));
    case 4:
      return body(reinterpret_cast<std::uint32_t*>(row.data));
    default:
      return body(reinterpret_cast<std::uint64_t*>(row.data));
  }
}

void load(Row row, Type t, Integers& out) {
  with_integer(t, [&]<class T>(T) {
    with_words(row, [&](auto* words) {
      LAB_LANES
      for (int k = 0; k < kWarpLanes; ++k) out[k] = static_cast<std::int64_t>(static_cast<T>(words[k]));
    });
  });
}
void store(Row row, Type t, const Integers& in) {
  with_integer(t, [&]<class T>(T) {
    with_words(row, [&]<class Word>(Word* words) {
      LAB_LANES
      for (int k = 0; k < kWarpLanes; ++k)
        words[k] = static_cast<Word>(static_cast<std::int64_t>(static_cast<T>(in[k])));
    });
  });
}

// The low bits of a register are the number; above it a store leaves zeros.
template <class T, class Decode>
void load_as(Row row, Doubles& out, Decode decode) {
  with_words(row, [&](const auto* words) {
    LAB_LANES
    for (int k = 0; k < kWarpLanes; ++k) out[k] = decode(std::bit_cast<T>(static_cast<BitsOf<T>>(words[k])));
  });
}
template <class Encode>  // of a lane's number, by the lane
void store_as(Row row, Encode encode) {
  with_words(row, [&]<class Word>(Word* words) {
    LAB_LANES
    for (int k = 0; k < kWarpLanes; ++k) {
      const auto value = encode(k);
      words[k] = static_cast<Word>(std::bit_cast<BitsOf<decltype(value)>>(value));
    }
  });
}
void load(Row row, Type t, bool ftz, Doubles& out) {
  const auto widen = [](auto x) { return static_cast<double>(to_float(x)); };
  const auto flushed = [](float x) { return static_cast<double>(canonical(flush<true>(x))); };
  const auto same = [](auto x) { return static_cast<double>(x); };
  switch (t) {
    case Type::F16:
      return load_as<F16>(row, out, widen);
    case Type::BF16:
      return load_as<BF16>(row, out, widen);
    case Type::F32:
      return ftz ? load_as<float>(row, out, flushed) : load_as<float>(row, out, same);
    default:
      return load_as<double>(row, out, same);
  }
}

// 64-bit integers as doubles, to be rounded again: below the 53rd bit only "something was there" is kept, in
// the last bit, so that the second rounding is the only one that counts.
std::uint64_t sticky(std::uint64_t magnitude) {
  const std::uint64_t rest = magnitude & 0x7ff;
  return magnitude < (std::uint64_t{1} << 53) ? magnitude
                                              : (magnitude & ~std::uint64_t{0x7ff}) | (rest != 0 ? 0x800 : 0);
}
// Rounds in the processor's current mode where `last` says that no further rounding follows.
[[gnu::noinline]] void to_doubles(const Integers& in, Type t, bool last, Doubles& out) {
  const bool wide = t == Type::U64 || t == Type::S64;
  const std::uint32_t middle = t == Type::U32 ? 1u << 31 : 0;  // what has 32 bits is a double, exactly
  for (int k = 0; k < kWarpLanes && !wide; ++k)
    out[k] =
        static_cast<std::int32_t>(static_cast<std::uint32_t>(in[k]) - middle) + static_cast<double>(middle);
  for (int k = 0; k < kWarpLanes && wide; ++k) {
    const bool negative = t != Type::U64 && in[k] < 0;
    const auto bits = static_cast<std::uint64_t>(in[k]);
    if (last) {
      out[k] = t == Type::U64 ? static_cast<double>(bits) : static_cast<double>(in[k]);
    } else {
      const auto magnitude = static_cast<double>(sticky(negative ? 0 - bits : bits));
      out[k] = negative ? -magnitude : magnitude;
    }
  }
  // The sum of two halves of a number is -0 for 0 where the processor rounds down; compilers add such ones, too.
  for (int k = 0; k < kWarpLanes; ++k) out[k] = out[k] == 0 ? 0.0 : out[k];
}

void round_to_integers(Round round, Doubles& x) {
  const auto each = [&](auto f) {
    for (int k = 0; k < kWarpLanes; ++k) x[k] = x[k] != x[k] ? x[k] + x[k] : f(x[k]);  // a NaN leaves quiet
  };
  switch (round) {
    case Round::Nearest:
      return each([](double v) { return __builtin_nearbyint(v); });
    case Round::Zero:
      return each([](double v) { return __builtin_trunc(v); });
    case Round::Down:
      return each([](double v) { return __builtin_floor(v); });
    case Round::Up:
      return each([](double v) { return __builtin_ceil(v); });
  }
}

// Whole numbers to the integer type: out of range gives its end. NaN gives zero, but the pattern 100…0 where
// one of the types has 64 bits.
void to_integers(const Doubles& x, Type src, Type dst, Integers& out) {
  with_integer(dst, [&]<class T>(T) {
    constexpr T least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
    constexpr double end =
        2.0 * static_cast<double>(std::uint64_t{1} << (std::numeric_limits<T>::digits - 1));
    const bool wide = src == Type::F64 || sizeof(T) == 8;
    const auto nan = static_cast<std::int64_t>(wide ? std::uint64_t{1} << (8 * sizeof(T) - 1) : 0);
    for (int k = 0; k < kWarpLanes; ++k) {
      if (x[k] != x[k])
        out[k] = nan;
      else if (x[k] >= end)
        out[k] = static_cast<std::int64_t>(most);
      else if (x[k] < static_cast<double>(least))
        out[k] = static_cast<std::int64_t>(least);
      else
        out[k] = static_cast<std::int64_t>(static_cast<T>(x[k]));
    }
  });
}

void clamp_integers(Type src, Type dst, Integers& x) {
  with_integer(dst, [&]<class D>(D) {
    with_integer(src, [&]<class S>(S) {
      for (int k = 0; k < kWarpLanes; ++k) {
        const S value = static_cast<S>(x[k]);
        const D clamped = std::cmp_less(value, std::numeric_limits<D>::min()) ? std::numeric_limits<D>::min()
                          : std::cmp_greater(value, std::numeric_limits<D>::max())
                              ? std::numeric_limits<D>::max()
                              : static_cast<D>(value);
        x[k] = static_cast<std::int64_t>(clamped);
      }
    });
  });
}

// To a format narrower than f32, rounding in the processor's current mode. What is too large becomes infinity
// or the largest number, as the direction says.
template <int precision, int least_exponent>
double narrow(double x, double largest, const Conversion& v) {
  const double rounded =
      quantize<precision, least_exponent>(x, [](double y) { return __builtin_nearbyint(y); });
  if (!(__builtin_fabs(rounded) > largest)) return rounded;
  if (v.finite) return __builtin_copysign(largest, x);
  if (__builtin_isinf(x)) return rounded;
  const bool outwards = v.round == Round::Nearest || v.round == (x > 0 ? Round::Up : Round::Down);
  return __builtin_copysign(outwards ? __builtin_inf() : largest, x);
}
// The NaN of an f64 keeps its sign and the top of its payload; any other source gives the one NaN of the
// format.
template <class H>
H shortened_nan(double x) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(x));
  if constexpr (std::is_same_v<H, BF16>)
    return H{static_cast<std::uint16_t>(bits >> 16)};
  else
    return H{static_cast<std::uint16_t>((bits >> 16 & 0x8000) | 0x7e00 | (bits >> 13 & 0x1ff))};
}
template <class H>
void store_half(Row row, const Doubles& x, const Conversion& v) {
  using Format = FormatOf<H>;
  if (std::is_same_v<H, F16> && is_float(v.src) && v.src != Type::F64 && v.round == Round::Nearest &&
      !v.finite)
    return store_as(row, [&](int k) { return nearest_f16(static_cast<float>(x[k])); });
  store_as(row, [&](int k) {
    if (v.src == Type::F64 && x[k] != x[k]) return shortened_nan<H>(x[k]);
    const double rounded = narrow<Format::precision, Format::least_exponent>(x[k], Format::largest, v);
    return Format::encode(static_cast<float>(rounded));
  });
}
[[gnu::noinline]] void store_floats(Row row, Doubles& x, const Conversion& v) {
  if (v.sat) {
    for (int k = 0; k < kWarpLanes; ++k) x[k] = saturate<true>(x[k]);
  }
  if (v.relu) {
    for (int k = 0; k < kWarpLanes; ++k) x[k] = x[k] <= 0 ? 0.0 : x[k];
  }
  const double nan = std::bit_cast<float>(kNanF32);
  switch (v.dst) {
    case Type::F16:
      return store_half<F16>(row, x, v);
    case Type::BF16:
      return store_half<BF16>(row, x, v);
    case Type::F32:
      for (int k = 0; k < kWarpLanes && v.src != Type::F64; ++k) x[k] = x[k] == x[k] ? x[k] : nan;
      if (v.ftz) return store_as(row, [&](int k) { return flush<true>(static_cast<float>(x[k])); });
      return store_as(row, [&](int k) { return static_cast<float>(x[k]); });
    case Type::B32:  // .tf32: f32 with 10 bits of fraction
      return store_as(row, [&](int k) {
        const float value = canonical(static_cast<float>(narrow<11, -126>(x[k], 0x1.ffcp127, v)));
        return std::bit_cast<std::uint32_t>(value) & kTf32Bits;
      });
    default:
      std::memcpy(row.data, x, sizeof x);
  }
}

// Sets the processor's rounding mode, for the functions above that are not inlined.
class RoundingScope {
 public:
  explicit RoundingScope(Round round) : changed_(round != Round::Nearest) {
    constexpr int kDirection[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    if (changed_) std::fesetround(kDirection[static_cast<int>(round)]);
  }
  ~RoundingScope() {
    if (changed_) std::fesetround(FE_TONEAREST);
  }
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;

 private:
  bool changed_;
};

void convert_integers(Row d, Row a, const Conversion& v) {
  Integers x;
  load(a, v.src, x);
  if (is_float(v.dst)) {
    Doubles y;
    RoundingScope scope(v.round);
    to_doubles(x, v.src, v.dst == Type::F64, y);
    return store_floats(d, y, v);
  }
  if (v.sat) clamp_integers(v.src, v.dst, x);
  store(d, v.dst, x);
}
void convert_floats(Row d, Row a, const Conversion& v) {
  Doubles x;
  load(a, v.src, v.ftz && v.dst != Type::F16, x);  // to f16, .ftz does not reach the source
  if (v.to_integer) round_to_integers(v.round, x);
  if (is_float(v.dst) || v.dst == Type::B32) {
    RoundingScope scope(v.to_integer ? Round::Nearest : v.round);
    return store_floats(d, x, v);
  }
  Integers y;
  to_integers(x, v.src, v.dst, y);
  store(d, v.dst, y);
}

}  // namespace

void cvt(WarpContext& w, const Inst& i) {
  const auto v = std::bit_cast<Conversion>(i.extra);
  const Row d = row_of(w, i.dst), a = row_of(w, i.a);
  is_float(v.src) ? convert_floats(d, a, v) : convert_integers(d, a, v);
}

void cvt_pair(WarpContext& w, const Inst& i) {
  const auto v = std::bit_cast<Conversion>(i.extra);
  std::uint16_t high[kWarpLanes], low[kWarpLanes];
  convert_floats({reinterpret_cast<std::byte*>(high), 2}, row_of(w, i.a), v);
  convert_floats({reinterpret_cast<std::byte*>(low), 2}, row_of(w, i.b), v);
  store_as(row_of(w, i.dst), [&](int k) { return std::uint32_t{high[k]} << 16 | low[k]; });
}

}  // namespace lab::sim
