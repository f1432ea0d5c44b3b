// Operations of f32 and f64 that more than one family of forms is made of: sums, products, least and largest.
#pragma once

#include <cmath>
#include <string>
#include <string_view>

#include "common/sim/instructions/forms_build.h"

namespace lab::sim::ieee {

struct Add {
  template <class T>
  static T apply(T a, T b) {
    return a + b;
  }
};
struct Sub {
  template <class T>
  static T apply(T a, T b) {
    return a - b;
  }
};
struct Mul {
  template <class T>
  static T apply(T a, T b) {
    return a * b;
  }
};
struct Fma {
  template <class T>
  static T apply(T a, T b, T c) {
    return std::fma(a, b, c);
  }
};
// One rounding, denormals of sources and result flushed on demand, NaN as a GPU writes it.
template <class Op, bool ftz, bool sat>
struct Arithmetic {
  template <class T, class... S>
  static T apply(T a, S... s) {
    return saturate<sat>(canonical(flush<ftz>(Op::apply(flush<ftz>(a), flush<ftz>(s)...))));
  }
};
// min, max: a number wins over NaN (with .NaN it loses), +0 is larger than -0. With .xorsign.abs the
// magnitudes are compared and the sign is the xor of both.
template <bool want_max, bool ftz, bool nan, bool xorsign>
struct Extreme {
  template <class T>
  static T apply(T a_in, T b_in) {
    using Word = WordOf<T>;
    T a = flush<ftz>(a_in), b = flush<ftz>(b_in);
    const Word sign = (std::bit_cast<Word>(a) ^ std::bit_cast<Word>(b)) & (Word{1} << (8 * sizeof(T) - 1));
    if constexpr (xorsign) a = std::fabs(a), b = std::fabs(b);
    T result = extreme<want_max>(a, b);
    if constexpr (nan) result = std::isnan(a) ? a : std::isnan(b) ? b : result;
    if constexpr (xorsign) result = std::bit_cast<T>(std::bit_cast<Word>(result) | sign);
    return canonical(result);
  }
};

// "fma" + ".rz" + ".ftz" + ".": all that stands before the type.
inline std::string modifiers(std::string_view stem, std::string_view rounding, bool ftz, bool sat = false) {
  std::string text(stem);
  return text.append(rounding).append(ftz ? ".ftz" : "").append(sat ? ".sat" : "").append(".");
}

}  // namespace lab::sim::ieee
