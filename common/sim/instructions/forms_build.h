// Tools that the families of forms are written with: rows from types, loops over types and modifiers.
//
// Enters: an operation as a type with a static `apply`, the PTX types of its operands, its name. Leaves: a
// row of the table whose handlers are loops over 32 lanes. Only forms_*.cpp include this file.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "common/sim/base/float_bits.h"
#include "common/sim/execute/exec.h"
#include "common/sim/instructions/forms.h"

namespace lab::sim {

using ptx::Type;

// The C++ type of one lane of a row of this PTX type.
template <Type t>
constexpr auto lane_value() {
  if constexpr (t == Type::B8 || t == Type::U8)
    return std::uint8_t{};
  else if constexpr (t == Type::S8)
    return std::int8_t{};
  else if constexpr (t == Type::B16 || t == Type::U16)
    return std::uint16_t{};
  else if constexpr (t == Type::S16)
    return std::int16_t{};
  else if constexpr (t == Type::B32 || t == Type::U32)
    return std::uint32_t{};
  else if constexpr (t == Type::S32)
    return std::int32_t{};
  else if constexpr (t == Type::B64 || t == Type::U64)
    return std::uint64_t{};
  else if constexpr (t == Type::S64)
    return std::int64_t{};
  else if constexpr (t == Type::F16)
    return F16{};
  else if constexpr (t == Type::BF16)
    return BF16{};
  else if constexpr (t == Type::F16x2)
    return Pair<F16>{};
  else if constexpr (t == Type::BF16x2)
    return Pair<BF16>{};
  else if constexpr (t == Type::F32)
    return float{};
  else if constexpr (t == Type::F64)
    return double{};
}
template <Type t>
using Lane = decltype(lane_value<t>());

template <class T>
using Unsigned = std::make_unsigned_t<T>;
// The bits of a number.
template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                  std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;

// Calls `body.operator()<v>()` for each of the values.
template <auto... values, class Body>
void for_each(Body&& body) {
  (body.template operator()<values>(), ...);
}

// Adds rows of one family to the table.
class Rows {
 public:
  Rows(std::vector<Form>& forms, std::string_view family) : forms_(forms), family_(family) {}

  // A form with handlers of its own. The handler given alone keeps lanes outside the mask by itself.
  Form& add(std::string text, std::initializer_list<Type> operands, Exec full, Exec masked) {
    Form& form = forms_.emplace_back();
    form.text = std::move(text);
    std::size_t n = 0;
    for (Type type : operands) form.operand[n++] = type;
    form.full = full;
    form.masked = masked;
    form.family = family_;
    return form;
  }
  Form& add(std::string text, std::initializer_list<Type> operands, Exec both) {
    return add(std::move(text), operands, both, both);
  }
  // dst = Op::apply(sources…), lane by lane.
  template <class Op, Type dst, Type... sources>
  Form& lanes(std::string text) {
    return add(std::move(text), {dst, sources...}, &LaneOp<Op, Lane<dst>, Lane<sources>...>::full,
               &masked_row);
  }

 private:
  std::vector<Form>& forms_;
  std::string_view family_;
};

// ±a × b ± c of a family's own Fma.
template <class Fma, bool minus_product, bool minus_other>
struct Signed {
  template <class T>
  static T once(T a, T b, T c) {
    return Fma::once(minus_product ? -a : a, b, minus_other ? -c : c);
  }
  template <class T>
  static T apply(T a, T b, T c) {
    return Fma::apply(minus_product ? -a : a, b, minus_other ? -c : c);
  }
};
// The four of Form::fused, where handler.operator()<Op>() gives one.
template <class Fma, class Handler>
constexpr std::array<Exec, 4> fused_handlers(const Handler& handler) {
  return {handler.template operator()<Fma>(), handler.template operator()<Signed<Fma, false, true>>(),
          handler.template operator()<Signed<Fma, true, false>>(),
          handler.template operator()<Signed<Fma, true, true>>()};
}

// "add." + "s32", and so on.
inline std::string operator+(std::string text, Type type) { return text.append(ptx::name(type)); }

// Rounding of floating point results, and its modifier.
enum class Round : std::uint8_t { Nearest, Zero, Down, Up };
inline constexpr std::string_view kRoundName[] = {".rn", ".rz", ".rm", ".rp"};
inline constexpr std::string_view kRoundToIntegerName[] = {".rni", ".rzi", ".rmi", ".rpi"};

// Runs the handler while the processor rounds in another direction. Nearest costs nothing.
void run_rounded(WarpContext& w, const Inst& i, Exec handler, Round round);
template <Round round, Exec handler>
void rounded(WarpContext& w, const Inst& i) {
  run_rounded(w, i, handler, round);
}
template <Round round, Exec handler>
constexpr Exec with_rounding() {
  if constexpr (round == Round::Nearest)
    return handler;
  else
    return &rounded<round, handler>;
}

}  // namespace lab::sim
