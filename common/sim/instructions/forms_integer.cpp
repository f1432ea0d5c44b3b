// Integer arithmetic: add … rem, carry chains, packed 16-bit pairs, dot products.
//
// A family of the table of forms (forms.h). Each operation is a small type with a static `apply` for one
// lane; the rows at the end say which PTX types it comes in.
#include <algorithm>
#include <limits>

#include "common/sim/base/lanes.h"
#include "common/sim/execute/block.h"
#include "common/sim/instructions/forms_build.h"

namespace lab::sim {
namespace {

__extension__ using Int128 = __int128;
__extension__ using Uint128 = unsigned __int128;

// Arithmetic that may wrap is done unsigned, in at least 32 bits.
template <class T>
using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
// Twice the width, same sign.
template <class T>
auto twice_as_wide() {
  constexpr bool s = std::is_signed_v<T>;
  if constexpr (sizeof(T) == 2)
    return std::conditional_t<s, std::int32_t, std::uint32_t>{};
  else if constexpr (sizeof(T) == 4)
    return std::conditional_t<s, std::int64_t, std::uint64_t>{};
  else
    return std::conditional_t<s, Int128, Uint128>{};
}
template <class T>
using Wide = decltype(twice_as_wide<T>());

struct Add {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(Bits<T>(a) + Bits<T>(b));
  }
};
struct Sub {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(Bits<T>(a) - Bits<T>(b));
  }
};
struct MulLo {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(Bits<T>(a) * Bits<T>(b));
  }
};
struct MulHi {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>((Wide<T>(a) * Wide<T>(b)) >> (8 * sizeof(T)));
  }
};
struct MulWide {
  template <class T>
  static Wide<T> apply(T a, T b) {
    return Wide<T>(a) * Wide<T>(b);
  }
};
template <class Mul>
struct Mad {  // mul, then add c, which has the width of the product
  template <class T, class C>
  static C apply(T a, T b, C c) {
    return Add::apply(C(Mul::apply(a, b)), c);
  }
};

std::int32_t saturate32(std::int64_t x) {
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(x, std::numeric_limits<std::int32_t>::min(),
                                                            std::numeric_limits<std::int32_t>::max()));
}
struct AddSat {
  static std::int32_t apply(std::int32_t a, std::int32_t b) { return saturate32(std::int64_t{a} + b); }
};
struct SubSat {
  static std::int32_t apply(std::int32_t a, std::int32_t b) { return saturate32(std::int64_t{a} - b); }
};
template <class Mul>
struct MadSat {
  static std::int32_t apply(std::int32_t a, std::int32_t b, std::int32_t c) {
    return saturate32(std::int64_t{Mul::apply(a, b)} + c);
  }
};

// mul24: the low 24 bits of each factor; the low or the high 32 bits of the 48-bit product.
template <class T>
Wide<T> product24(T a, T b) {
  const auto low24 = [](T x) { return static_cast<T>(static_cast<T>(Bits<T>(x) << 8) >> 8); };
  return Wide<T>(low24(a)) * Wide<T>(low24(b));
}
struct Mul24Lo {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(product24(a, b));
  }
};
struct Mul24Hi {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(product24(a, b) >> 16);
  }
};

// Division by zero gives all ones, as on the GPU (or anything: `divided`); the smallest number divided by -1 gives itself.
struct Div {
  template <class T>
  static T apply(T a, T b) {
    if (b == 0) return static_cast<T>(-1);
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return Sub::apply(T{0}, a);
    return static_cast<T>(a / b);
  }
};
struct Rem {
  template <class T>
  static T apply(T a, T b) {
    if (b == 0) return static_cast<T>(-1);
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
    return static_cast<T>(a % b);
  }
};

struct Abs {
  template <class T>
  static T apply(T a) {
    return a < 0 ? Sub::apply(T{0}, a) : a;
  }
};
struct Neg {
  template <class T>
  static T apply(T a) {
    return Sub::apply(T{0}, a);
  }
};
struct Min {
  template <class T>
  static T apply(T a, T b) {
    return a < b ? a : b;
  }
};
struct Max {
  template <class T>
  static T apply(T a, T b) {
    return a < b ? b : a;
  }
};
template <class Op>
struct Relu {
  template <class T>
  static T apply(T a, T b) {
    return Max::apply(Op::apply(a, b), T{0});
  }
};
struct Sad {  // c + |a - b|
  template <class T>
  static T apply(T a, T b, T c) {
    return Add::apply(c, a < b ? Sub::apply(b, a) : Sub::apply(a, b));
  }
};

// Two 16-bit operations in the halves of a 32-bit register.
template <class Op, class Half>
struct Halves {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b) {
    const auto low = static_cast<std::uint16_t>(Op::apply(static_cast<Half>(a), static_cast<Half>(b)));
    const auto high =
        static_cast<std::uint16_t>(Op::apply(static_cast<Half>(a >> 16), static_cast<Half>(b >> 16)));
    return low | std::uint32_t{high} << 16;
  }
};

// dp4a, dp2a: products of bytes of b with bytes (or 16-bit halves) of a, added to c.
template <class A, class B, int parts, int first_byte>
struct Dot {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    for (int part = 0; part < parts; ++part) {
      const auto left = static_cast<A>(a >> (part * (32 / parts)));
      const auto right = static_cast<B>(b >> (8 * (first_byte + part)));
      c += static_cast<std::uint32_t>(std::int32_t{left} * std::int32_t{right});
    }
    return c;
  }
};

// Carry chains. CC.CF is one bit a lane in WarpContext::carry.
template <class Op, bool reads, bool writes, class T, int sources>
void with_carry(WarpContext& w, const Inst& i) {
  T* d = w.row<T>(i.dst);
  const T* a = w.row<T>(i.a);
  const T* b = w.row<T>(i.b);
  const T* c = sources == 3 ? w.row<T>(i.c) : nullptr;
  for (const int k : lanes_of<int>(w.mask)) {
    bool carry = reads ? lane_in(w.carry, k) : Op::first_carry;
    if constexpr (sources == 3)
      d[k] = Op::apply(a[k], b[k], c[k], carry);
    else
      d[k] = Op::apply(a[k], b[k], carry);
    if (writes) w.carry = (w.carry & ~(1u << k)) | Mask{carry} << k;
  }
}
struct AddCarry {
  static constexpr bool first_carry = false;
  template <class T>
  static T apply(T a, T b, bool& carry) {
    const auto sum = static_cast<Uint128>(a) + b + carry;
    carry = (sum >> (8 * sizeof(T))) & 1;
    return static_cast<T>(sum);
  }
};
struct SubCarry {  // a + ~b + carry: the flag says "no borrow", as in the hardware, not in the PTX manual
  static constexpr bool first_carry = true;
  template <class T>
  static T apply(T a, T b, bool& carry) {
    return AddCarry::apply(a, static_cast<T>(~b), carry);
  }
};
template <class Mul, class Factor>
struct MadCarry {
  static constexpr bool first_carry = false;
  template <class T>
  static T apply(T a, T b, T c, bool& carry) {
    return AddCarry::apply(static_cast<T>(Mul::apply(static_cast<Factor>(a), static_cast<Factor>(b))), c,
                           carry);
  }
};

// The sum clamped, of signed numbers.
template <bool subtracts>
struct SumSat {
  static constexpr bool first_carry = false;
  template <class T>
  static T apply(T a, T b, bool carry) {
    const std::int64_t x = static_cast<std::int32_t>(a), y = static_cast<std::int32_t>(b);
    return static_cast<T>(saturate32(subtracts ? x - y - (carry ? 0 : 1) : x + y + (carry ? 1 : 0)));
  }
};

template <class Op, Type t>
void add_carry_rows(Rows& rows, const std::string& stem, int sources) {
  // add.cc starts a chain, addc goes on or ends it. `mad.lo` becomes `madc.lo`.
  const std::size_t dot = std::min(stem.find('.'), stem.size());
  const std::string chained = stem.substr(0, dot) + "c" + stem.substr(dot);
  const auto row = [&](const std::string& text, Exec two, Exec three) {
    Form& form = sources == 3 ? rows.add(text + t, {t, t, t, t}, three) : rows.add(text + t, {t, t, t}, two);
    form.uses_carry = true;
  };
  using T = Unsigned<Lane<t>>;
  constexpr bool sets = sizeof(T) > 2;  // sums of 16 bits end a chain
  if constexpr (requires(bool carry) { Op::apply(T{}, T{}, carry); }) {
    row(chained + ".", &with_carry<Op, true, false, T, 2>, nullptr);
    if constexpr (sets) {
      row(stem + ".cc.", &with_carry<Op, false, true, T, 2>, nullptr);
      row(chained + ".cc.", &with_carry<Op, true, true, T, 2>, nullptr);
    }
  } else {
    row(chained + ".", nullptr, &with_carry<Op, true, false, T, 3>);
    if constexpr (sets) {
      row(stem + ".cc.", nullptr, &with_carry<Op, false, true, T, 3>);
      row(chained + ".cc.", nullptr, &with_carry<Op, true, true, T, 3>);
    }
  }
}

// What a division by zero gives, PTX leaves open.
template <class T, Exec handler>
void divided(WarpContext& w, const Inst& i) {
  std::uint64_t drawn = drawn_numbers(w);
  if (drawn == 0) return handler(w, i);
  Mask zeros = 0;
  for (int k = 0; k < kWarpLanes; ++k) zeros |= Mask{w.row<T>(i.b)[k] == 0} << k;
  handler(w, i);
  for (const int k : lanes_of<int>(zeros)) w.row<T>(i.dst)[k] = static_cast<T>(draw(drawn));
}

template <class Op, Type t>
void add_division(Rows& rows, std::string_view stem) {
  using Handlers = LaneOp<Op, Lane<t>, Lane<t>, Lane<t>>;
  rows.add(std::string(stem) + t, {t, t, t}, &divided<Lane<t>, &Handlers::full>, &masked_row);
}

void add_basic(Rows& rows) {
  for_each<Type::U16, Type::S16, Type::U32, Type::S32, Type::U64, Type::S64>([&]<Type t>() {
    rows.lanes<Add, t, t, t>(std::string("add.") + t);
    rows.lanes<Sub, t, t, t>(std::string("sub.") + t);
    rows.lanes<MulLo, t, t, t>(std::string("mul.lo.") + t);
    rows.lanes<MulHi, t, t, t>(std::string("mul.hi.") + t);
    rows.lanes<Mad<MulLo>, t, t, t, t>(std::string("mad.lo.") + t);
    rows.lanes<Mad<MulHi>, t, t, t, t>(std::string("mad.hi.") + t);
    add_division<Div, t>(rows, "div.");
    add_division<Rem, t>(rows, "rem.");
    rows.lanes<Min, t, t, t>(std::string("min.") + t);
    rows.lanes<Max, t, t, t>(std::string("max.") + t);
    rows.lanes<Sad, t, t, t, t>(std::string("sad.") + t);
  });
  for_each<Type::S16, Type::S32, Type::S64>([&]<Type t>() {
    rows.lanes<Abs, t, t>(std::string("abs.") + t);
    rows.lanes<Neg, t, t>(std::string("neg.") + t);
  });
  const auto wide = [&]<Type t, Type product>() {
    rows.lanes<MulWide, product, t, t>(std::string("mul.wide.") + t);
    rows.lanes<Mad<MulWide>, product, t, t, product>(std::string("mad.wide.") + t);
  };
  wide.operator()<Type::U16, Type::U32>();
  wide.operator()<Type::S16, Type::S32>();
  wide.operator()<Type::U32, Type::U64>();
  wide.operator()<Type::S32, Type::S64>();
  constexpr Type s32 = Type::S32;
  rows.lanes<AddSat, s32, s32, s32>("add.sat.s32");
  rows.lanes<SubSat, s32, s32, s32>("sub.sat.s32");
  rows.lanes<MadSat<MulHi>, s32, s32, s32, s32>("mad.hi.sat.s32");
  rows.lanes<MadSat<Mul24Hi>, s32, s32, s32, s32>("mad24.hi.sat.s32");
  rows.lanes<Relu<Min>, s32, s32, s32>("min.relu.s32");
  rows.lanes<Relu<Max>, s32, s32, s32>("max.relu.s32");
  for_each<Type::U32, Type::S32>([&]<Type t>() {
    rows.lanes<Mul24Lo, t, t, t>(std::string("mul24.lo.") + t);
    rows.lanes<Mul24Hi, t, t, t>(std::string("mul24.hi.") + t);
    rows.lanes<Mad<Mul24Lo>, t, t, t, t>(std::string("mad24.lo.") + t);
    rows.lanes<Mad<Mul24Hi>, t, t, t, t>(std::string("mad24.hi.") + t);
  });
}

void add_carries(Rows& rows) {
  for_each<Type::U16, Type::S16, Type::U32, Type::S32, Type::U64, Type::S64>([&]<Type t>() {
    add_carry_rows<AddCarry, t>(rows, "add", 2);
    add_carry_rows<SubCarry, t>(rows, "sub", 2);
    add_carry_rows<MadCarry<MulLo, Lane<t>>, t>(rows, "mad.lo", 3);
    add_carry_rows<MadCarry<MulHi, Lane<t>>, t>(rows, "mad.hi", 3);
  });
  constexpr Type s32 = Type::S32;
  for (const bool subtracts : {false, true})
    rows.add(subtracts ? "subc.sat.s32" : "addc.sat.s32", {s32, s32, s32},
             subtracts ? &with_carry<SumSat<true>, true, false, std::uint32_t, 2>
                       : &with_carry<SumSat<false>, true, false, std::uint32_t, 2>)
        .uses_carry = true;
  // No manual has it, ptxas takes it, and an H200 does not saturate.
  rows.add("madc.hi.sat.s32", {s32, s32, s32, s32},
           &with_carry<MadCarry<MulHi, std::int32_t>, true, false, std::uint32_t, 3>)
      .uses_carry = true;
}

void add_packed(Rows& rows) {
  constexpr Type r = Type::B32;
  const auto pairs = [&]<class Half>(Half, const std::string& type) {
    rows.lanes<Halves<Add, Half>, r, r, r>("add." + type);
    rows.lanes<Halves<Min, Half>, r, r, r>("min." + type);
    rows.lanes<Halves<Max, Half>, r, r, r>("max." + type);
  };
  pairs(std::uint16_t{}, "u16x2");
  pairs(std::int16_t{}, "s16x2");
  rows.lanes<Halves<Relu<Min>, std::int16_t>, r, r, r>("min.relu.s16x2");
  rows.lanes<Halves<Relu<Max>, std::int16_t>, r, r, r>("max.relu.s16x2");

  const auto dots = [&]<Type a, Type b, class A2, class A4, class B4>(A2, A4, B4) {
    constexpr Type c = a == Type::U32 && b == Type::U32 ? Type::U32 : Type::S32;
    const std::string types = ((std::string(".") + a) + ".") + b;
    rows.lanes<Dot<A4, B4, 4, 0>, c, c, c, c>("dp4a" + types);
    rows.lanes<Dot<A2, B4, 2, 0>, c, c, c, c>("dp2a.lo" + types);
    rows.lanes<Dot<A2, B4, 2, 2>, c, c, c, c>("dp2a.hi" + types);
  };
  dots.operator()<Type::U32, Type::U32>(std::uint16_t{}, std::uint8_t{}, std::uint8_t{});
  dots.operator()<Type::U32, Type::S32>(std::uint16_t{}, std::uint8_t{}, std::int8_t{});
  dots.operator()<Type::S32, Type::U32>(std::int16_t{}, std::int8_t{}, std::uint8_t{});
  dots.operator()<Type::S32, Type::S32>(std::int16_t{}, std::int8_t{}, std::int8_t{});
}

}  // namespace

void add_integer_forms(std::vector<Form>& forms) {
  Rows rows(forms, "integer");
  add_basic(rows);
  add_carries(rows);
  add_packed(rows);
}

}  // namespace lab::sim
