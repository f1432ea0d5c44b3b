// Arithmetic on 16-bit floating point numbers, alone and in pairs: f16, f16x2, bf16, bf16x2.
//
// A family of the table of forms (forms.h). Sums and products are computed in a wider format, where they are
// exact or rounded to odd, and rounded once to their own: those of f16 in float, whose range holds every
// product, the rest in double. A row of pairs is a row of 64 numbers.
#include <cmath>

#if defined(__F16C__)
#include <immintrin.h>

#include "common/sim/base/vec.h"
#endif

#include "common/sim/instructions/forms_build.h"

namespace lab::sim {
namespace of_half {  // names that other families have too
namespace {

// `once`: rounded once to T, in vectors too.
struct Add {
  template <class T>
  static T once(T a, T b) {
    return a + b;
  }
  template <class T>
  static T apply(T a, T b) {
    return add_to_odd(a, b);
  }
};
struct Sub {
  template <class T>
  static T once(T a, T b) {
    return a - b;
  }
  template <class T>
  static T apply(T a, T b) {
    return add_to_odd(a, -b);
  }
};
struct Mul {
  template <class T>
  static T once(T a, T b) {
    return a * b;
  }
  template <class T>
  static T apply(T a, T b) {
    return a * b;
  }
};
struct Fma {  // the product is exact
  template <class T>
  static T once(T a, T b, T c) {
    return a * b + c;
  }
  template <class T>
  static T apply(T a, T b, T c) {
    return add_to_odd(a * b, c);
  }
};
struct Exp2 {
  static double apply(double a) { return std::exp2(a); }
};
struct Tanh {
  static double apply(double a) { return std::tanh(a); }
};
template <class Op, class H>
using Wide =
    std::conditional_t<std::is_same_v<H, F16> && !std::is_same_v<Op, Exp2> && !std::is_same_v<Op, Tanh>,
                       float, double>;

template <class H>
H rounded(double x) {
  return nearest<H>(x);
}
template <class H>
F16 rounded(float x) {
  return nearest_f16(x);
}

// What .sat and .relu do to the exact result.
enum class Limit { None, Sat, Relu };
template <Limit limit, class T>
T limited(T x) {
  if constexpr (limit == Limit::Sat)
    return saturate<true>(x);
  else if constexpr (limit == Limit::Relu)
    return x <= 0 ? T(0) : x;
  else
    return x;
}
template <class Op, bool ftz, Limit limit>
struct Arithmetic {
  template <class H, class... S>
  static H apply(H a, S... s) {
    using T = Wide<Op, H>;
    const T exact = Op::apply(T(to_float(flush16<ftz>(a))), T(to_float(flush16<ftz>(s)))...);
    return flush16<ftz>(rounded<H>(limited<limit>(exact)));
  }
};

// .oob: where a factor is the NaN that stands outside of a tensor, as an H200 knows it, +0.
template <Limit limit>
struct FmaInside {
  template <class H>
  static H apply(H a, H b, H c) {
    const auto is_outside = [](H h) { return (h.bits & 0x7fff) == 0x7ff7; };
    return is_outside(a) || is_outside(b) ? H{} : Arithmetic<Fma, false, limit>::apply(a, b, c);
  }
};

// A row of f16 sums and products. Where the processor converts eight f16 at once, results are rounded to
// float and then to f16. That is one rounding too many only where the float lies in the middle between two
// f16, or among denormals: then the whole row is computed by way of the exact results.
template <int per_lane, class Op, bool ftz, Limit limit, class... S>
struct F16Row {
  static constexpr int count = kWarpLanes * per_lane;
  static void full(WarpContext& w, const Inst& i) {
    [&]<std::size_t... n>(std::index_sequence<n...>) {
      F16* const to = w.row<F16>(i.dst);
#if defined(__F16C__)
      if (rounded_twice(to, static_cast<const F16*>(w.row<S>(source<n>(i)))...)) return;
#endif
      apply_lanes<Arithmetic<Op, ftz, limit>, count>(to, static_cast<const S*>(w.row<S>(source<n>(i)))...);
    }
    (std::index_sequence_for<S...>{});
  }

#if defined(__F16C__)
 private:
  using Floats = float __attribute__((vector_size(32)));
  using Halves = std::int16_t __attribute__((vector_size(16)));

  static Floats floats(const F16* from) {
    Halves h;
    std::memcpy(&h, from, sizeof h);
    if constexpr (ftz) h &= std::int16_t{-0x8000} | ((h & 0x7c00) != 0);
    return _mm256_cvtph_ps((__m128i)h);
  }
  // Leaves the row as it was when a result is in doubt: the row may be a source, too.
  static bool rounded_twice(F16* to, const S*... from) {
    alignas(32) F16 results[count];
    Vec doubtful{};
    for (int k = 0; k < count; k += 8) {
      const Floats x = limited(Op::once(floats(from + k)...));
      // Neither zero nor at least the smallest normal f16; the middle of two f16.
      const Vec magnitude = (Vec)x & 0x7fffffff;
      doubtful |= (Vec)(magnitude - 1 < (113u << 23) - 1) | (Vec)((magnitude & 0x1fff) == 0x1000);
      // NOLINTNEXTLINE(misc-redundant-expression): NaN is not itself
      const Floats canonical = x == x ? x : Floats{} + std::bit_cast<float>(kNanF32);
      const __m128i halves = _mm256_cvtps_ph(canonical, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
      std::memcpy(results + k, &halves, sizeof halves);
    }
    if (any(doubtful)) return false;
    std::memcpy(to, results, sizeof results);
    return true;
  }
  static Floats limited(Floats x) {
    const Floats zero{}, one = zero + 1;
    if constexpr (limit == Limit::Sat) {
      const Floats low = x > zero ? x : zero;
      return low < one ? low : one;
    } else if constexpr (limit == Limit::Relu) {
      return x <= zero ? zero : x;
    } else {
      return x;
    }
  }
#endif
};

template <class H>
bool is_nan(H h) {
  constexpr std::uint16_t infinity = std::is_same_v<H, F16> ? 0x7c00 : 0x7f80;
  return (h.bits & 0x7fff) > infinity;
}
template <class H>
H canonical16(H h) {
  return is_nan(h) ? H{kNan16} : h;
}
template <bool ftz, std::uint16_t keep, std::uint16_t flip>
struct SignBits {  // abs, neg: the sign bit alone changes
  template <class H>
  static H apply(H a) {
    return canonical16(H{static_cast<std::uint16_t>((flush16<ftz>(a).bits & keep) ^ flip)});
  }
};
template <bool ftz>
using Abs = SignBits<ftz, 0x7fff, 0>;
template <bool ftz>
using Neg = SignBits<ftz, 0xffff, 0x8000>;

// min, max: as for f32 in forms_float.cpp.
template <bool want_max, bool ftz, bool nan, bool xorsign>
struct Extreme {
  template <class H>
  static H apply(H a_in, H b_in) {
    H a = flush16<ftz>(a_in), b = flush16<ftz>(b_in);
    const std::uint16_t sign = (a.bits ^ b.bits) & 0x8000;
    if constexpr (xorsign) a.bits &= 0x7fff, b.bits &= 0x7fff;
    const bool a_first = order(a) < order(b);
    H result = a_first != want_max ? a : b;
    if (is_nan(a) || is_nan(b)) result = is_nan(a) != nan ? b : a;
    if constexpr (xorsign) result.bits |= sign;
    return canonical16(result);
  }

 private:
  // Sign and magnitude as a number that orders alike, -0 below +0.
  template <class H>
  static int order(H h) {
    return (h.bits & 0x8000) ? -1 - (h.bits & 0x7fff) : h.bits;
  }
};

// One family of rows for a 16-bit type and for its pairs.
template <Type t>
struct Adder {
  static constexpr bool is_pair = t == Type::F16x2 || t == Type::BF16x2;
  static constexpr bool is_bf16 = t == Type::BF16 || t == Type::BF16x2;
  using H = std::conditional_t<is_bf16, BF16, F16>;
  template <class>
  using Number = H;
  Rows& rows;

  // The register type: 16-bit numbers stand in .b16 or .f16 registers, pairs in .b32.
  template <class Op, class... S>
  Form& add(const std::string& stem, S...) {
    return rows.add(stem + "." + t, {t, S::value...}, &PackedOp < is_pair ? 2 : 1, Op, H,
                    Number<S>... > ::full, &masked_row);
  }
  static constexpr std::integral_constant<Type, t> s{};

  template <class Op, bool ftz, Limit limit, class... S>
  static constexpr Exec handler() {
    if constexpr (is_bf16)
      return &PackedOp < is_pair ? 2 : 1, Arithmetic<Op, ftz, limit>, H, Number<S>... > ::full;
    else
      return &F16Row < is_pair ? 2 : 1, Op, ftz, limit, Number<S>... > ::full;
  }
  template <bool ftz, Limit limit>
  static constexpr std::array<Exec, 4> kFused = fused_handlers<Fma>([]<class Op>() -> Exec {
    return handler<Op, ftz, limit, decltype(s), decltype(s), decltype(s)>();
  });
  template <class Op, bool ftz, Limit limit, class... Source>
  void add_arithmetic(const std::string& stem, Source...) {
    Form& form =
        rows.add(stem + "." + t, {t, Source::value...}, handler<Op, ftz, limit, Source...>(), &masked_row);
    constexpr bool sums = std::is_same_v<Op, Add> || std::is_same_v<Op, Sub>;
    if constexpr (sums && limit != Limit::Relu) form.fused = kFused<ftz, limit>.data();
  }

  template <bool ftz>
  void arithmetic() {
    const std::string z = ftz ? ".ftz" : "";
    for (const char* rounding : {"", ".rn"}) {
      const auto row = [&]<class Op>(Op, std::string stem) {
        stem.append(rounding).append(z);
        add_arithmetic<Op, ftz, Limit::None>(stem, s, s);
        if constexpr (!is_bf16) add_arithmetic<Op, ftz, Limit::Sat>(stem + ".sat", s, s);
      };
      row(Add{}, "add");
      row(Sub{}, "sub");
      row(Mul{}, "mul");
    }
    add_arithmetic<Fma, ftz, Limit::None>("fma.rn" + z, s, s, s);
    add_arithmetic<Fma, ftz, Limit::Relu>("fma.rn" + z + ".relu", s, s, s);
    if constexpr (!is_bf16) add_arithmetic<Fma, ftz, Limit::Sat>("fma.rn" + z + ".sat", s, s, s);
  }
  template <bool ftz>
  void signs_and_extremes() {
    const std::string z = ftz ? ".ftz" : "";
    add<Abs<ftz>>("abs" + z, s);
    add<Neg<ftz>>("neg" + z, s);
    const auto row = [&]<bool nan, bool xorsign>(const std::string& rest) {
      add<Extreme<false, ftz, nan, xorsign>>("min" + z + rest, s, s);
      add<Extreme<true, ftz, nan, xorsign>>("max" + z + rest, s, s);
    };
    row.template operator()<false, false>("");
    row.template operator()<true, false>(".NaN");
    row.template operator()<false, true>(".xorsign.abs");
    row.template operator()<true, true>(".NaN.xorsign.abs");
  }
  void all() {
    arithmetic<false>();
    add<FmaInside<Limit::None>>("fma.rn.oob", s, s, s);
    add<FmaInside<Limit::Relu>>("fma.rn.oob.relu", s, s, s);
    // An H200 does not look where the result is saturated.
    if constexpr (!is_bf16) add<Arithmetic<Fma, false, Limit::Sat>>("fma.rn.oob.sat", s, s, s);
    signs_and_extremes<false>();
    if constexpr (!is_bf16) {
      arithmetic<true>();
      signs_and_extremes<true>();
    }
    // bf16 flushes denormals in ex2, f16 does not.
    Form& ex2 = add<Arithmetic<Exp2, is_bf16, Limit::None>>(is_bf16 ? "ex2.approx.ftz" : "ex2.approx", s);
    ex2.max_ulp = 1;
    add<Arithmetic<Tanh, false, Limit::None>>("tanh.approx", s).max_ulp = 1;
  }
};

}  // namespace
}  // namespace of_half

void add_half_forms(std::vector<Form>& forms) {
  using namespace of_half;
  Rows rows(forms, "half");
  for_each<Type::F16, Type::F16x2, Type::BF16, Type::BF16x2>([&]<Type t>() { Adder<t>{rows}.all(); });
}

}  // namespace lab::sim
