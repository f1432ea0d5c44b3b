// Arithmetic that came with sm_100: pairs of f32, sums of an f32 with 16-bit numbers, least and largest of three.
//
// A family of the table of forms (forms.h). By PTX's text: none of it was compared with a GPU.
#include "common/sim/instructions/forms_float.h"

namespace lab::sim {
namespace {

using ieee::Fma, ieee::Arithmetic, ieee::modifiers;

constexpr Type kPair = Type::F32x2;

// Each direction of rounding, and none where that means the nearest.
template <Exec handler, class AddRow>
void add_rounded(bool optional, const AddRow& add_row) {
  for_each<Round::Nearest, Round::Zero, Round::Down, Round::Up>(
      [&]<Round round>() { add_row(kRoundName[static_cast<int>(round)], with_rounding<round, handler>()); });
  if (optional) add_row(std::string_view(), handler);
}

template <class Op, class... S>
void add_pairs(Rows& rows, std::string_view stem, std::initializer_list<Type> operands) {
  for_each<false, true>([&]<bool ftz>() {
    using Handler = PackedOp<2, Arithmetic<Op, ftz, false>, float, S...>;
    add_rounded<&Handler::full>(sizeof...(S) == 2, [&](std::string_view round, Exec handler) {
      rows.add(modifiers(stem, round, ftz) + kPair, operands, handler, &masked_row);
    });
  });
}

// 16-bit numbers become f32, which is exact, then one operation in f32.
template <class Op, bool sat>
struct Mixed {
  static float wide(float x) { return x; }
  template <class H>
  static float wide(H h) {
    return to_float(h);
  }
  template <class... S>
  static float apply(S... s) {
    return saturate<sat>(canonical(Op::apply(wide(s)...)));
  }
};
template <class Op, Type... sources>
void add_mixed(Rows& rows, std::string_view stem, Type half) {
  for_each<false, true>([&]<bool sat>() {
    using Handler = LaneOp<Mixed<Op, sat>, float, Lane<sources>...>;
    add_rounded<&Handler::full>(sizeof...(sources) == 2, [&](std::string_view round, Exec handler) {
      const std::string text = (modifiers(stem, round, false, sat) + Type::F32).append(".") + half;
      rows.add(text, {Type::F32, sources...}, handler, &masked_row);
    });
  });
}

template <bool want_max, bool ftz, bool nan, bool abs>
struct ExtremeOfThree {
  static float apply(float a, float b, float c) {
    const auto seen = [](float x) { return abs ? std::fabs(flush<ftz>(x)) : flush<ftz>(x); };
    const float x = seen(a), y = seen(b), z = seen(c);
    const bool spoiled = nan && (std::isnan(x) || std::isnan(y) || std::isnan(z));
    return canonical(spoiled ? std::bit_cast<float>(kNanF32) : extreme<want_max>(extreme<want_max>(x, y), z));
  }
};
template <bool ftz, bool nan, bool abs>
void add_extremes(Rows& rows) {
  constexpr Type f = Type::F32;
  const std::string rest = std::string(ftz ? ".ftz" : "") + (nan ? ".NaN" : "") + (abs ? ".abs." : ".") + f;
  rows.lanes<ExtremeOfThree<false, ftz, nan, abs>, f, f, f, f>("min" + rest);
  rows.lanes<ExtremeOfThree<true, ftz, nan, abs>, f, f, f, f>("max" + rest);
}

}  // namespace

void add_sm100_forms(std::vector<Form>& forms) {
  Rows rows(forms, "float of sm_100");
  add_pairs<ieee::Add, float, float>(rows, "add", {kPair, kPair, kPair});
  add_pairs<ieee::Sub, float, float>(rows, "sub", {kPair, kPair, kPair});
  add_pairs<ieee::Mul, float, float>(rows, "mul", {kPair, kPair, kPair});
  add_pairs<Fma, float, float, float>(rows, "fma", {kPair, kPair, kPair, kPair});
  for_each<Type::F16, Type::BF16>([&]<Type half>() {
    add_mixed<ieee::Add, half, Type::F32>(rows, "add", half);
    add_mixed<ieee::Sub, half, Type::F32>(rows, "sub", half);
    add_mixed<Fma, half, half, Type::F32>(rows, "fma", half);
  });
  for_each<false, true>([&]<bool ftz>() {
    for_each<false, true>([&]<bool nan>() {
      add_extremes<ftz, nan, false>(rows);
      add_extremes<ftz, nan, true>(rows);
    });
  });
}

}  // namespace lab::sim
