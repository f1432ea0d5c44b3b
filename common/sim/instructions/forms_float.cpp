// Floating point arithmetic in f32 and f64.
//
// A family of the table of forms (forms.h). What IEEE 754 defines is exact to the bit, in every rounding
// direction: the processor does it, set to round the same way. The `.approx` instructions are computed in
// double and rounded once, to nearest or as the launch draws; their rows state how far a GPU's own result may be.
#include <cfenv>
#include <cmath>
#include <limits>

#include "common/sim/execute/block.h"
#include "common/sim/instructions/forms_float.h"

namespace lab::sim {

void run_rounded(WarpContext& w, const Inst& i, Exec handler, Round round) {
  constexpr int kDirection[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  std::fesetround(kDirection[static_cast<int>(round)]);
  handler(w, i);
  std::fesetround(FE_TONEAREST);
}

namespace of_float {  // names that other families have too
namespace {

using ieee::Add, ieee::Sub, ieee::Mul, ieee::Fma, ieee::Arithmetic, ieee::Extreme, ieee::modifiers;

struct Div {
  template <class T>
  static T apply(T a, T b) {
    return a / b;
  }
};
struct Rcp {
  template <class T>
  static T apply(T a) {
    return T(1) / a;
  }
};
struct Sqrt {
  template <class T>
  static T apply(T a) {
    return std::sqrt(a);
  }
};
struct Rsqrt {
  static double apply(double a) { return 1.0 / std::sqrt(a); }
};
// The sine of an angle and so many quarters of a turn. The hardware divides by 2π, in f32 and rounded towards
// zero, so large angles lose their fraction of a turn; it keeps 25 bits of that, two for the quarter, and
// counts back from a quarter's last step in every other one: the float next to π/2 has cosine 0.
double sine_of(double angle, int quarters) {
  if (!std::isfinite(angle)) return std::numeric_limits<double>::quiet_NaN();
  constexpr int kQuarter = 1 << 23;
  const double turns = std::fabs(angle) * static_cast<double>(0x1.45f306p-3f);  // exact: 24 bits by 24 bits
  const double cut = std::bit_cast<double>(std::bit_cast<std::uint64_t>(turns) & 0xffffffffe0000000u);
  const int steps = static_cast<int>((cut - std::trunc(cut)) * 0x1p25);
  const int quarter = steps / kQuarter + quarters;
  const int rest = quarter % 2 == 0 ? steps % kQuarter : kQuarter - 1 - steps % kQuarter;
  const double sine = std::sin(rest * 0x1.921fb54442d18p-23);
  return quarter % 4 < 2 ? sine : -sine;
}
struct Sin {
  static double apply(double a) { return std::signbit(a) ? -sine_of(a, 0) : sine_of(a, 0); }
};
struct Cos {
  static double apply(double a) { return sine_of(a, 1); }
};
struct Log2 {
  static double apply(double a) { return std::log2(a); }
};
struct Exp2 {
  static double apply(double a) { return std::exp2(a); }
};
struct Tanh {
  static double apply(double a) { return std::tanh(a); }
};

// An approximate instruction: in double, rounded once.
template <class Op, bool ftz>
struct Approximate {
  template <class... S>
  static float apply(S... s) {
    return canonical(flush<ftz>(static_cast<float>(Op::apply(static_cast<double>(flush<ftz>(s))...))));
  }
};
struct DivApprox {  // a divisor beyond 2^126 has a reciprocal that the hardware flushes to zero
  static double apply(double a, double b) {
    const bool large = std::fabs(b) > 0x1p126 && std::isfinite(b);
    return large ? a * std::copysign(0.0, b) : a / b;
  }
};

// A f64 NaN keeps its sign and payload, made quiet.
template <bool ftz>
struct Abs {
  static float apply(float a) { return canonical(std::fabs(flush<ftz>(a))); }
  static double apply(double a) { return a != a ? a + a : std::fabs(a); }
};
template <bool ftz>
struct Neg {
  static float apply(float a) { return canonical(-flush<ftz>(a)); }
  static double apply(double a) { return a != a ? a + a : -a; }
};
struct CopySign {  // the sign of a, the rest of b
  template <class T>
  static T apply(T a, T b) {
    return std::copysign(b, a);
  }
};

template <Type t, bool ftz, bool sat>
constexpr std::array<Exec, 4> kFused = fused_handlers<Fma>([]<class Op>() -> Exec {
  return &LaneOp<Arithmetic<Op, ftz, sat>, Lane<t>, Lane<t>, Lane<t>, Lane<t>>::full;
});

// The rows of an exact operation: each rounding, with .ftz and .sat where the type has them. Instructions
// whose rounding may be left out round to nearest.
template <class Op, Type t, bool may_saturate, Type... sources>
void add_exact(Rows& rows, std::string_view stem, bool rounding_optional) {
  const auto variant = [&]<bool ftz, bool sat>() {
    using Handler = LaneOp<Arithmetic<Op, ftz, sat>, Lane<t>, Lane<sources>...>;
    for_each<Round::Nearest, Round::Zero, Round::Down, Round::Up>([&]<Round round>() {
      rows.add(modifiers(stem, kRoundName[static_cast<int>(round)], ftz, sat) + t, {t, sources...},
               with_rounding<round, &Handler::full>(), &masked_row);
    });
    if (rounding_optional) {
      Form& form = rows.add(modifiers(stem, "", ftz, sat) + t, {t, sources...}, &Handler::full, &masked_row);
      if constexpr (std::is_same_v<Op, Add> || std::is_same_v<Op, Sub>)
        form.fused = kFused<t, ftz, sat>.data();
    }
  };
  variant.template operator()<false, false>();
  if constexpr (t == Type::F32) {
    variant.template operator()<true, false>();
    if constexpr (may_saturate) {
      variant.template operator()<false, true>();
      variant.template operator()<true, true>();
    }
  }
}

template <Type t>
void add_arithmetic(Rows& rows) {
  add_exact<Add, t, true, t, t>(rows, "add", true);
  add_exact<Sub, t, true, t, t>(rows, "sub", true);
  add_exact<Mul, t, true, t, t>(rows, "mul", true);
  add_exact<Fma, t, true, t, t, t>(rows, "fma", false);
  add_exact<Fma, t, true, t, t, t>(rows, "mad", false);
  add_exact<Div, t, false, t, t>(rows, "div", false);
  add_exact<Rcp, t, false, t>(rows, "rcp", false);
  if constexpr (t == Type::F64) {
    for_each<Round::Nearest, Round::Zero, Round::Down, Round::Up>([&]<Round round>() {
      using Handler =
          LaneOp<Arithmetic<Rcp, false, false>, double, double>;  // .ftz changes nothing on an H200
      rows.add(modifiers("rcp", kRoundName[static_cast<int>(round)], true) + t, {t, t},
               with_rounding<round, &Handler::full>(), &masked_row);
    });
  }
  add_exact<Sqrt, t, false, t>(rows, "sqrt", false);
  rows.lanes<CopySign, t, t, t>(std::string("copysign.") + t);
}

template <Type t, bool ftz>
void add_signs_and_extremes(Rows& rows) {
  rows.lanes<Abs<ftz>, t, t>(modifiers("abs", "", ftz) + t);
  rows.lanes<Neg<ftz>, t, t>(modifiers("neg", "", ftz) + t);
  const auto row = [&]<bool nan, bool xorsign>() {
    const std::string_view rest = nan       ? (xorsign ? ".NaN.xorsign.abs." : ".NaN.")
                                  : xorsign ? ".xorsign.abs."
                                            : ".";
    const std::string middle = std::string(ftz ? ".ftz" : "").append(rest);
    rows.lanes<Extreme<false, ftz, nan, xorsign>, t, t, t>("min" + middle + t);
    rows.lanes<Extreme<true, ftz, nan, xorsign>, t, t, t>("max" + middle + t);
  };
  row.template operator()<false, false>();
  if constexpr (t == Type::F32) {
    row.template operator()<true, false>();
    row.template operator()<false, true>();
    row.template operator()<true, true>();
  }
}

// The last bit of an approximation is the hardware's own. What is exact stays exact, as on every GPU.
template <Exec handler>
void approximated(WarpContext& w, const Inst& i) {
  constexpr Round kRounds[] = {Round::Nearest, Round::Down, Round::Up};
  const std::uint64_t drawn = drawn_numbers(w);
  if (drawn == 0) return handler(w, i);
  run_rounded(w, i, handler, kRounds[drawn / 2 % std::size(kRounds)]);
}

struct Bound {
  double ulp, absolute = 0;
};
template <class Op, class... S>
void add_approximate(Rows& rows, std::string_view stem, Bound bound) {
  for_each<false, true>([&]<bool ftz>() {
    Form& form = rows.add(modifiers(stem, "", ftz) + Type::F32, {Type::F32},
                          &approximated<&LaneOp<Approximate<Op, ftz>, float, S...>::full>, &masked_row);
    for (std::size_t n = 1; n <= sizeof...(S); ++n) form.operand[n] = Type::F32;
    form.max_ulp = bound.ulp;
    form.max_absolute = bound.absolute;
  });
}

void add_approximations(Rows& rows) {
  add_approximate<DivApprox, float, float>(rows, "div.approx", {2});
  add_approximate<Div, float, float>(rows, "div.full", {2});
  add_approximate<Rcp, float>(rows, "rcp.approx", {1});
  add_approximate<Sqrt, float>(rows, "sqrt.approx", {2});
  add_approximate<Rsqrt, float>(rows, "rsqrt.approx", {2});
  add_approximate<Sin, float>(rows, "sin.approx", {2, 0x1p-22});
  add_approximate<Cos, float>(rows, "cos.approx", {2, 0x1p-22});
  add_approximate<Log2, float>(rows, "lg2.approx", {2, 0x1p-22});
  add_approximate<Exp2, float>(rows, "ex2.approx", {2});
  Form& tanh = rows.add("tanh.approx.f32", {Type::F32, Type::F32},
                        &approximated<&LaneOp<Approximate<Tanh, false>, float, float>::full>, &masked_row);
  tanh.max_ulp = 0x1p10;
}

// testp: what kind of number each lane holds.
template <class Op, class T>
void testp(WarpContext& w, const Inst& i) {
  const T* a = w.row<T>(i.a);
  Mask result = 0;
  for (int k = 0; k < kWarpLanes; ++k) result |= Op::apply(a[k]) ? 1u << k : 0u;
  w.set_predicate(i.dst, result);
}
template <bool (*test)(int)>
struct Class {
  template <class T>
  static bool apply(T a) {
    return test(std::fpclassify(a));
  }
};
constexpr bool is_finite(int c) { return c != FP_NAN && c != FP_INFINITE; }
constexpr bool is_infinite(int c) { return c == FP_INFINITE; }
constexpr bool is_number(int c) { return c != FP_NAN; }
constexpr bool is_nan(int c) { return c == FP_NAN; }
constexpr bool is_normal(int c) { return c == FP_NORMAL || c == FP_ZERO; }  // as the hardware has it
constexpr bool is_subnormal(int c) { return c == FP_SUBNORMAL; }

template <Type t>
void add_tests(Rows& rows) {
  const auto row = [&]<bool (*test)(int)>(const std::string& kind) {
    rows.add("testp." + kind + "." + t, {Type::Pred, t}, &testp<Class<test>, Lane<t>>);
  };
  row.template operator()<&is_finite>("finite");
  row.template operator()<&is_infinite>("infinite");
  row.template operator()<&is_number>("number");
  row.template operator()<&is_nan>("notanumber");
  row.template operator()<&is_normal>("normal");
  row.template operator()<&is_subnormal>("subnormal");
}

// The f64 approximations look at the high word of their operand only, and give a high word.
double high_word(double x) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & 0xffffffff00000000u);
}
struct RsqrtF64 {
  static double apply(double a) { return 1.0 / std::sqrt(a); }
};
template <class Op>
struct HighWordFtz {
  static double flushed(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    return (bits & 0x7ff0000000000000u) == 0 ? std::copysign(0.0, x) : x;
  }
  static double apply(double a) {
    const double result = high_word(flushed(Op::apply(flushed(high_word(a)))));
    return result != result ? std::bit_cast<double>(std::uint64_t{kNanF32} << 32) : result;
  }
};

}  // namespace
}  // namespace of_float

void add_float_forms(std::vector<Form>& forms) {
  using namespace of_float;
  Rows rows(forms, "float");
  add_arithmetic<Type::F32>(rows);
  add_arithmetic<Type::F64>(rows);
  add_signs_and_extremes<Type::F32, false>(rows);
  add_signs_and_extremes<Type::F32, true>(rows);
  add_signs_and_extremes<Type::F64, false>(rows);
  add_approximations(rows);
  constexpr Type f64 = Type::F64;
  rows.lanes<HighWordFtz<Rcp>, f64, f64>("rcp.approx.ftz.f64").max_ulp = 0x1p32;
  rows.lanes<HighWordFtz<RsqrtF64>, f64, f64>("rsqrt.approx.ftz.f64").max_ulp = 0x1p32;
  rows.lanes<RsqrtF64, f64, f64>("rsqrt.approx.f64").max_ulp = 1;
  add_tests<Type::F32>(rows);
  add_tests<Type::F64>(rows);
}

}  // namespace lab::sim
