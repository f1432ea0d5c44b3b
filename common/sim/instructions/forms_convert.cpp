// cvt: the table of conversions.
//
// A family of the table of forms (forms.h): which types convert to which, with which modifiers. convert.cpp
// does the work. Conversions between whole integer registers, the frequent ones, have loops of their own, and
// so have the packed conversions of bytes.
#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "common/sim/instructions/convert.h"

namespace lab::sim {
namespace {

// Between integers in registers of exactly their size: one loop.
template <class D, class S>
struct CastTo {
  static D apply(S a) { return static_cast<D>(a); }
};
// In registers of their own size by a loop of the operation, in wider ones by way of `cvt`.
template <class D, class S>
void cvt_whole(WarpContext& w, const Inst& i) {
  if (i.dst.lane_bytes == sizeof(D) && i.a.lane_bytes == sizeof(S))
    return LaneOp<CastTo<D, S>, D, S>::full(w, i);
  cvt(w, i);
}
// What moves bits and does not look at NaN, from the low bits of a register; above them come zeros.
template <class Op, class D, class S>
void move_bits(WarpContext& w, const Inst& i) {
  const std::size_t to = i.dst.lane_bytes, from = i.a.lane_bytes;
  if (to == sizeof(D) && from == sizeof(S)) return LaneOp<Op, D, S>::full(w, i);
  std::byte* d = w.row<std::byte>(i.dst);
  const std::byte* a = w.row<std::byte>(i.a);
  for (std::size_t k = 0; k < kWarpLanes; ++k) {
    S source;
    std::memcpy(&source, a + k * from, sizeof source);
    const std::uint64_t result = Op::apply(source);
    std::memcpy(d + k * to, &result, to);
  }
}

// To the nearest .tf32, ties away from zero: half a unit more, cut off. What is not finite is cut off as it
// is. `saturates`: what is too large becomes the largest number.
template <bool saturates>
struct NearestTf32 {
  static std::uint32_t apply(std::uint32_t bits) {
    constexpr std::uint32_t kInfinite = 0x7f800000u, kLargest = kInfinite - 0x2000u;
    const bool finite = (bits & kInfinite) != kInfinite, is_nan = (bits & 0x7fffffffu) > kInfinite;
    const std::uint32_t near = (finite ? bits + 0x1000u : bits) & kTf32Bits;
    const bool too_large = saturates && !is_nan && (near & kInfinite) == kInfinite;
    return too_large ? (bits & 0x80000000u) | kLargest : near;
  }
};
// These two move bits and do not look at NaN.
struct WidenBF16 {
  static std::uint32_t apply(std::uint16_t a) { return std::uint32_t{a} << 16; }
};
using MoveF32 = CastTo<std::uint32_t, std::uint32_t>;

// cvt.pack: a and b clamped to halves (or bytes, then c moves up) of the result.
template <class T>
struct Pack {
  static std::uint32_t part(std::int32_t x) {
    using U = Unsigned<T>;
    return static_cast<U>(static_cast<T>(
        std::clamp<std::int32_t>(x, std::numeric_limits<T>::min(), std::numeric_limits<T>::max())));
  }
  static std::uint32_t apply(std::int32_t a, std::int32_t b) { return part(a) << (8 * sizeof(T)) | part(b); }
  static std::uint32_t apply(std::int32_t a, std::int32_t b, std::uint32_t c) {
    return apply(a, b) | c << (16 * sizeof(T));
  }
};

// … or to 4 or 2 bits; c moves up.
template <int bits, bool is_signed>
struct PackBits {
  static constexpr std::int32_t least = is_signed ? -(1 << (bits - 1)) : 0, most = least + (1 << bits) - 1;
  static std::uint32_t part(std::int32_t x) {
    return static_cast<std::uint32_t>(std::clamp(x, least, most)) & ((1u << bits) - 1);
  }
  static std::uint32_t apply(std::int32_t a, std::int32_t b, std::uint32_t c) {
    return part(a) << bits | part(b) | c << (2 * bits);
  }
};

Form& add_conversion(Rows& rows, const Conversion& v, Exec handler = &cvt) {
  std::string text = "cvt";
  text.append((v.to_integer ? kRoundToIntegerName : kRoundName)[static_cast<int>(v.round)]);
  text.append(v.ftz ? ".ftz" : "").append(v.sat ? ".sat" : "").append(v.relu ? ".relu" : "");
  text.append(v.finite ? ".satfinite" : "").append(".");
  Form& form = rows.add((text + v.dst + ".") + v.src, {v.dst, v.src}, handler, &masked_row);
  form.variant = std::bit_cast<std::uint32_t>(v);
  form.relaxed = v.dst != Type::BF16 && v.src != Type::BF16;
  return form;
}
// The same conversion without a rounding modifier, because it is exact.
Form& add_plain(Rows& rows, const Conversion& v, Exec handler = &cvt) {
  Form& form = add_conversion(rows, v, handler);
  form.text.erase(3, std::string_view(v.to_integer ? ".rni" : ".rn").size());
  return form;
}

constexpr Type kIntegers[] = {Type::U8,  Type::S8,  Type::U16, Type::S16,
                              Type::U32, Type::S32, Type::U64, Type::S64};
constexpr Type kFloats[] = {Type::F16, Type::F32, Type::F64, Type::BF16};
constexpr Round kRounds[] = {Round::Nearest, Round::Zero, Round::Down, Round::Up};

// Can every value of src stand in dst? Then there is nothing to saturate.
bool covers(Type dst, Type src) {
  bool all = false;
  with_integer(dst, [&]<class D>(D) {
    with_integer(src, [&]<class S>(S) {
      all =
          std::in_range<D>(std::numeric_limits<S>::min()) && std::in_range<D>(std::numeric_limits<S>::max());
    });
  });
  return all;
}

void add_integer_conversions(Rows& rows) {
  for (Type dst : kIntegers) {
    for (Type src : kIntegers) {
      if (std::max(ptx::size_bytes(dst), ptx::size_bytes(src)) == 1 ||
          std::min(ptx::size_bytes(dst), ptx::size_bytes(src)) == 1)
        add_plain(rows, {.dst = dst, .src = src});
      if (!covers(dst, src)) add_plain(rows, {.dst = dst, .src = src, .sat = true});
    }
  }
  for_each<Type::U16, Type::S16, Type::U32, Type::S32, Type::U64, Type::S64>([&]<Type dst>() {
    for_each<Type::U16, Type::S16, Type::U32, Type::S32, Type::U64, Type::S64>(
        [&]<Type src>() { add_plain(rows, {.dst = dst, .src = src}, &cvt_whole<Lane<dst>, Lane<src>>); });
  });
}

void add_mixed_conversions(Rows& rows) {
  for (Type integer : kIntegers) {
    for (Type number : kFloats) {
      for (Round round : kRounds) {
        for (bool ftz : {false, true}) {
          for (bool sat : {false, true}) {
            if (ftz && number != Type::F32) continue;
            if (number == Type::BF16 && (sat || ptx::size_bytes(integer) == 1)) continue;
            add_conversion(rows, {.dst = number, .src = integer, .round = round, .ftz = ftz, .sat = sat});
            add_conversion(
                rows,
                {.dst = integer, .src = number, .round = round, .to_integer = true, .ftz = ftz, .sat = sat});
          }
        }
      }
    }
  }
}

Exec exact_handler(const Conversion& v) {
  if (v.dst != Type::F32 || v.ftz || v.sat) return &cvt;
  if (v.src == Type::F32) return &move_bits<MoveF32, std::uint32_t, std::uint32_t>;
  if (v.src == Type::BF16) return &move_bits<WidenBF16, std::uint32_t, std::uint16_t>;
  return &cvt;
}

void add_float_conversion(Rows& rows, Type dst, Type src) {
  const bool narrower = (ptx::size_bytes(dst) < ptx::size_bytes(src)) || dst == Type::BF16 ||
                        (src == Type::BF16 && dst == Type::F16);
  for (bool ftz : {false, true}) {
    if (ftz && dst != Type::F32 && src != Type::F32) continue;
    for (bool sat : {false, true}) {
      if (sat && (dst == Type::BF16 || src == Type::BF16)) continue;
      Conversion v{.dst = dst, .src = src, .ftz = ftz, .sat = sat};
      // Exact conversions have no modifier; within one type `.rni` and its kin round to whole numbers.
      const Exec handler = exact_handler(v);
      if (!narrower || ptx::size_bytes(dst) == ptx::size_bytes(src)) add_plain(rows, v, handler);
      for (Round round : kRounds) {  // a direction that says nothing
        if (src != Type::BF16 || narrower) break;
        v.round = round;
        add_conversion(rows, v, handler);
      }
      v.round = Round::Nearest;
      v.to_integer = src == dst;
      if (!narrower && src != dst) continue;
      for (Round round : kRounds) {
        v.round = round;
        add_conversion(rows, v);
      }
    }
  }
}

void add_packed_conversions(Rows& rows) {
  constexpr Type r = Type::B32, s = Type::S32;
  for (Round round : {Round::Nearest, Round::Zero}) {
    for (const auto& [relu, finite] : {std::pair{false, false}, {true, false}, {false, true}, {true, true}}) {
      for (Type half : {Type::F16, Type::BF16}) {
        const Conversion v{.dst = half, .src = Type::F32, .round = round, .relu = relu, .finite = finite};
        if (relu || finite) add_conversion(rows, v);
        Form& pair = add_conversion(rows, v, &cvt_pair);
        pair.text.insert(pair.text.rfind('.'), "x2");
        pair.operand = {r, Type::F32, Type::F32};
      }
      Form& tf32 =
          add_conversion(rows, {.dst = r, .src = Type::F32, .round = round, .relu = relu, .finite = finite});
      tf32.text.replace(tf32.text.rfind(".b32"), 4, ".tf32");
      tf32.relaxed = false;
    }
  }
  rows.lanes<NearestTf32<false>, r, r>("cvt.rna.tf32.f32").operand[1] = Type::F32;
  rows.lanes<NearestTf32<true>, r, r>("cvt.rna.satfinite.tf32.f32").operand[1] = Type::F32;
  rows.lanes<Pack<std::uint16_t>, r, s, s>("cvt.pack.sat.u16.s32");
  rows.lanes<Pack<std::int16_t>, r, s, s>("cvt.pack.sat.s16.s32");
  rows.lanes<Pack<std::uint8_t>, r, s, s, r>("cvt.pack.sat.u8.s32.b32");
  rows.lanes<Pack<std::int8_t>, r, s, s, r>("cvt.pack.sat.s8.s32.b32");
  rows.lanes<PackBits<4, false>, r, s, s, r>("cvt.pack.sat.u4.s32.b32");
  rows.lanes<PackBits<4, true>, r, s, s, r>("cvt.pack.sat.s4.s32.b32");
  rows.lanes<PackBits<2, false>, r, s, s, r>("cvt.pack.sat.u2.s32.b32");
  rows.lanes<PackBits<2, true>, r, s, s, r>("cvt.pack.sat.s2.s32.b32");
}

}  // namespace

void add_convert_forms(std::vector<Form>& forms) {
  Rows rows(forms, "convert");
  add_integer_conversions(rows);
  add_mixed_conversions(rows);
  for (Type dst : kFloats) {
    for (Type src : kFloats) {
      if (dst != Type::BF16 || src != Type::BF16) add_float_conversion(rows, dst, src);
    }
  }
  for (const Round round : kRounds)
    add_conversion(rows, {.dst = Type::BF16, .src = Type::BF16, .round = round, .to_integer = true});
  add_plain(rows, {.dst = Type::BF16, .src = Type::BF16},
            &move_bits<CastTo<std::uint16_t, std::uint16_t>, std::uint16_t, std::uint16_t>);
  add_packed_conversions(rows);
}

}  // namespace lab::sim
