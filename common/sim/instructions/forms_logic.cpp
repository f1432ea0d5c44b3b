// Bits: and … cnot, shifts, any function of three inputs, bit fields, byte permutation; `mov`.
//
// A family of the table of forms (forms.h). Predicates take part: a predicate row is one Mask, so that an
// `and.pred` is a single operation for the whole warp.
#include <algorithm>
#include <limits>

#include "common/sim/instructions/forms_build.h"

namespace lab::sim {
namespace {

struct And {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct Or {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct Xor {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};
struct Not {
  template <class T>
  static T apply(T a) {
    return static_cast<T>(~a);
  }
};
struct Cnot {
  template <class T>
  static T apply(T a) {
    return a == 0 ? 1 : 0;
  }
};
struct Copy {
  template <class T>
  static T apply(T a) {
    return a;
  }
};

// A whole predicate row at once; set_predicate keeps the idle lanes.
template <class Op>
void binary_predicate(WarpContext& w, const Inst& i) {
  w.set_predicate(i.dst, Op::apply(w.predicate(i.a), w.predicate(i.b)));
}
template <class Op>
void unary_predicate(WarpContext& w, const Inst& i) {
  w.set_predicate(i.dst, Op::apply(w.predicate(i.a)));
}

// Shift counts are unsigned and stop at the width.
struct Shl {
  template <class T>
  static T apply(T a, std::uint32_t count) {
    constexpr std::uint32_t width = 8 * sizeof(T);
    return static_cast<T>(count < width ? a << count : 0);
  }
};
struct Shr {
  template <class T>
  static T apply(T a, std::uint32_t count) {
    constexpr std::uint32_t width = 8 * sizeof(T);
    if constexpr (std::is_signed_v<T>)
      return static_cast<T>(a >> std::min(count, width - 1));
    else
      return static_cast<T>(count < width ? a >> count : 0);
  }
};

// The vectors of WebAssembly shift all lanes by one count, which is what most programs do.
template <class Op, Type t>
void shift_rows(WarpContext& w, const Inst& i) {
  using T = Lane<t>;
#ifdef __wasm__
  const auto* count = w.row<std::uint32_t>(i.b);
  std::uint32_t differing = 0;
  for (int k = 0; k < kWarpLanes; ++k) differing |= count[k] ^ count[0];
  if (differing == 0) {
    const std::uint32_t one = count[0];
    T* d = w.row<T>(i.dst);
    const T* a = w.row<T>(i.a);
    LAB_LANES
    for (int k = 0; k < kWarpLanes; ++k) d[k] = Op::apply(a[k], one);
    return;
  }
#endif
  LaneOp<Op, T, T, std::uint32_t>::full(w, i);
}

template <bool left, bool clamp>
struct Shf {  // shifts the 64-bit number b:a; left keeps the high word, right the low one
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const std::uint32_t count = clamp ? std::min(c, 32u) : c & 31;
    const std::uint64_t both = std::uint64_t{b} << 32 | a;
    return static_cast<std::uint32_t>(left ? (both << count) >> 32 : both >> count);
  }
};
struct Lop3 {  // bit number (a b c) of the table
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t table) {
    const auto entry = [&](int n) { return 0u - ((table >> n) & 1); };
    const auto pick = [](std::uint32_t s, std::uint32_t one, std::uint32_t zero) {
      return (s & one) | (~s & zero);
    };
    const auto given_ab = [&](int n) { return pick(c, entry(n + 1), entry(n)); };
    return pick(a, pick(b, given_ab(6), given_ab(4)), pick(b, given_ab(2), given_ab(0)));
  }
};

// prmt: four bytes out of the eight of b:a.
std::uint32_t byte_of(std::uint64_t both, std::uint32_t n) {
  return static_cast<std::uint32_t>(both >> (8 * n)) & 0xff;
}
struct PrmtSelect {  // a nibble each: which byte; its top bit asks for the byte's sign instead
  static std::uint32_t byte(std::uint64_t both, std::uint32_t c, std::uint32_t n) {
    const std::uint32_t selector = (c >> (4 * n)) & 0xf;
    const std::uint32_t value = byte_of(both, selector & 7);
    return (selector & 8) ? ((value & 0x80) ? 0xff : 0) : value;
  }
};
struct PrmtForward4 {
  static std::uint32_t byte(std::uint64_t both, std::uint32_t c, std::uint32_t n) {
    return byte_of(both, ((c & 3) + n) & 7);
  }
};
struct PrmtBackward4 {
  static std::uint32_t byte(std::uint64_t both, std::uint32_t c, std::uint32_t n) {
    return byte_of(both, ((c & 3) - n) & 7);
  }
};
struct PrmtReplicate8 {
  static std::uint32_t byte(std::uint64_t both, std::uint32_t c, std::uint32_t) {
    return byte_of(both, c & 3);
  }
};
struct PrmtEdgeLeft {
  static std::uint32_t byte(std::uint64_t both, std::uint32_t c, std::uint32_t n) {
    return byte_of(both, std::max(c & 3, n));
  }
};
struct PrmtEdgeRight {
  static std::uint32_t byte(std::uint64_t both, std::uint32_t c, std::uint32_t n) {
    return byte_of(both, std::min(c & 3, n));
  }
};
struct PrmtReplicate16 {
  static std::uint32_t byte(std::uint64_t both, std::uint32_t c, std::uint32_t n) {
    return byte_of(both, (c & 1) * 2 + (n & 1));
  }
};
template <class Mode>
struct Prmt {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const std::uint64_t both = std::uint64_t{b} << 32 | a;
    std::uint32_t result = 0;
    for (std::uint32_t n = 0; n < 4; ++n) result |= Mode::byte(both, c, n) << (8 * n);
    return result;
  }
};

// Bit fields. Of positions and lengths, 32-bit forms read the low byte, 64-bit forms all bits.
template <class T>
std::uint32_t field_number(std::uint32_t x) {
  return sizeof(T) == 4 ? x & 0xff : x;
}
template <class T>
struct Bfe {
  static T apply(T a, std::uint32_t position, std::uint32_t length) {
    constexpr std::uint32_t width = 8 * sizeof(T);
    const std::uint32_t from = field_number<T>(position);
    const std::uint32_t count = field_number<T>(length);
    if (count == 0) return 0;
    const auto last = static_cast<std::uint32_t>(std::min<std::uint64_t>(
        std::uint64_t{from} + count - 1, width - 1));  // its bit is the sign of signed fields
    const bool sign = std::is_signed_v<T> && ((Unsigned<T>(a) >> last) & 1);
    const Unsigned<T> fill = sign ? static_cast<Unsigned<T>>(-1) : Unsigned<T>{0};
    if (from >= width) return static_cast<T>(fill);
    const std::uint32_t taken = last - from + 1;
    if (taken == width) return a;
    const Unsigned<T> field = (Unsigned<T>{1} << taken) - 1;
    return static_cast<T>(((Unsigned<T>(a) >> from) & field) | (fill & ~field));
  }
};
struct Bfi {
  template <class T>
  static T apply(T a, T b, std::uint32_t position, std::uint32_t length) {
    constexpr std::uint32_t width = 8 * sizeof(T);
    const std::uint32_t to = field_number<T>(position);
    const std::uint32_t count = field_number<T>(length);
    if (count == 0 || to >= width) return b;
    const T field = (count >= width ? static_cast<T>(-1) : static_cast<T>((T{1} << count) - 1)) << to;
    return (b & ~field) | ((a << to) & field);
  }
};
template <bool shift_amount>
struct Bfind {  // the highest bit that differs from the sign; none: all ones
  template <class T>
  static std::uint32_t apply(T a) {
    const auto bits = static_cast<Unsigned<T>>(a < 0 ? ~a : a);
    const auto zeros = static_cast<std::uint32_t>(std::countl_zero(bits));
    return bits == 0      ? 0xffffffffu
           : shift_amount ? zeros
                          : static_cast<std::uint32_t>(8 * sizeof(T)) - 1 - zeros;
  }
};
struct Popc {
  template <class T>
  static std::uint32_t apply(T a) {
    return static_cast<std::uint32_t>(std::popcount(a));
  }
};
struct Clz {
  template <class T>
  static std::uint32_t apply(T a) {
    return static_cast<std::uint32_t>(std::countl_zero(a));
  }
};
struct Brev {
  static std::uint32_t apply(std::uint32_t x) {
    x = ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
    x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
    x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
    x = ((x >> 8) & 0x00ff00ffu) | ((x & 0x00ff00ffu) << 8);
    return x >> 16 | x << 16;
  }
  static std::uint64_t apply(std::uint64_t x) {
    return std::uint64_t{apply(static_cast<std::uint32_t>(x))} << 32 |
           apply(static_cast<std::uint32_t>(x >> 32));
  }
};
struct Fns {  // the bit that is |offset| - 1 set bits away from `base`, upwards for a positive offset
  static std::uint32_t apply(std::uint32_t mask, std::uint32_t base, std::int32_t offset) {
    if (offset == std::numeric_limits<std::int32_t>::min()) return 0;  // seen on hardware
    if (base > 31) return 0xffffffffu;
    if (offset == 0) return (mask >> base) & 1 ? base : 0xffffffffu;
    const int step = offset > 0 ? 1 : -1;
    std::int64_t left = offset > 0 ? std::int64_t{offset} : -std::int64_t{offset};
    for (int at = static_cast<int>(base); at >= 0 && at < 32; at += step) {
      if ((mask >> at) & 1 && --left == 0) return static_cast<std::uint32_t>(at);
    }
    return 0xffffffffu;
  }
};
template <bool clamp>
struct Szext {  // the low `bits` bits of a, extended by their sign
  template <class T>
  static T apply(T a, std::uint32_t bits) {
    if (clamp && bits >= 32) return a;
    return Bfe<T>::apply(a, 0, bits & 31);
  }
};
template <bool clamp>
struct Bmsk {  // `width` ones from bit `first` on
  static std::uint32_t apply(std::uint32_t first, std::uint32_t width) {
    if (clamp && first >= 32) return 0;
    const std::uint64_t ones = clamp && width >= 32 ? 0xffffffffu : (std::uint64_t{1} << (width & 31)) - 1;
    return static_cast<std::uint32_t>(ones << (first & 31));
  }
};

void add_logic(Rows& rows) {
  constexpr Type p = Type::Pred;
  rows.add("and.pred", {p, p, p}, &binary_predicate<And>);
  rows.add("or.pred", {p, p, p}, &binary_predicate<Or>);
  rows.add("xor.pred", {p, p, p}, &binary_predicate<Xor>);
  rows.add("not.pred", {p, p}, &unary_predicate<Not>);
  for_each<Type::B16, Type::B32, Type::B64>([&]<Type t>() {
    rows.lanes<And, t, t, t>(std::string("and.") + t);
    rows.lanes<Or, t, t, t>(std::string("or.") + t);
    rows.lanes<Xor, t, t, t>(std::string("xor.") + t);
    rows.lanes<Not, t, t>(std::string("not.") + t);
    rows.lanes<Cnot, t, t>(std::string("cnot.") + t);
    rows.add(std::string("shl.") + t, {t, t, Type::U32}, &shift_rows<Shl, t>, &masked_row);
    rows.add(std::string("shr.") + t, {t, t, Type::U32}, &shift_rows<Shr, t>, &masked_row);
  });
  for_each<Type::U16, Type::S16, Type::U32, Type::S32, Type::U64, Type::S64>([&]<Type t>() {
    rows.add(std::string("shr.") + t, {t, t, Type::U32}, &shift_rows<Shr, t>, &masked_row);
  });
  // Opaque variables are no variables here: no address is one's.
  for (const char* kind : {"texref", "samplerref", "surfref"})
    rows.add(std::string("istypep.") + kind, {p, Type::U64},
             [](WarpContext& w, const Inst& i) { w.set_predicate(i.dst, 0); });
  constexpr Type r = Type::B32;
  rows.lanes<Shf<true, false>, r, r, r, Type::U32>("shf.l.wrap.b32");
  rows.lanes<Shf<true, true>, r, r, r, Type::U32>("shf.l.clamp.b32");
  rows.lanes<Shf<false, false>, r, r, r, Type::U32>("shf.r.wrap.b32");
  rows.lanes<Shf<false, true>, r, r, r, Type::U32>("shf.r.clamp.b32");
  rows.lanes<Lop3, r, r, r, r, Type::U32>("lop3.b32");
  rows.lanes<Prmt<PrmtSelect>, r, r, r, r>("prmt.b32");
  rows.lanes<Prmt<PrmtForward4>, r, r, r, r>("prmt.b32.f4e");
  rows.lanes<Prmt<PrmtBackward4>, r, r, r, r>("prmt.b32.b4e");
  rows.lanes<Prmt<PrmtReplicate8>, r, r, r, r>("prmt.b32.rc8");
  rows.lanes<Prmt<PrmtEdgeLeft>, r, r, r, r>("prmt.b32.ecl");
  rows.lanes<Prmt<PrmtEdgeRight>, r, r, r, r>("prmt.b32.ecr");
  rows.lanes<Prmt<PrmtReplicate16>, r, r, r, r>("prmt.b32.rc16");
}

void add_bit_fields(Rows& rows) {
  constexpr Type u32 = Type::U32;
  for_each<Type::B32, Type::B64>([&]<Type t>() {
    rows.lanes<Popc, u32, t>(std::string("popc.") + t);
    rows.lanes<Clz, u32, t>(std::string("clz.") + t);
    rows.lanes<Brev, t, t>(std::string("brev.") + t);
    rows.lanes<Bfi, t, t, t, u32, u32>(std::string("bfi.") + t);
  });
  for_each<Type::U32, Type::S32, Type::U64, Type::S64>([&]<Type t>() {
    rows.lanes<Bfind<false>, u32, t>(std::string("bfind.") + t);
    rows.lanes<Bfind<true>, u32, t>(std::string("bfind.shiftamt.") + t);
    rows.lanes<Bfe<Lane<t>>, t, t, u32, u32>(std::string("bfe.") + t);
  });
  rows.lanes<Fns, Type::B32, Type::B32, Type::B32, Type::B32>("fns.b32");
  rows.lanes<Szext<true>, u32, u32, u32>("szext.clamp.u32");
  rows.lanes<Szext<false>, u32, u32, u32>("szext.wrap.u32");
  rows.lanes<Szext<true>, Type::S32, Type::S32, u32>("szext.clamp.s32");
  rows.lanes<Szext<false>, Type::S32, Type::S32, u32>("szext.wrap.s32");
  rows.lanes<Bmsk<true>, Type::B32, u32, u32>("bmsk.clamp.b32");
  rows.lanes<Bmsk<false>, Type::B32, u32, u32>("bmsk.wrap.b32");
}

void add_moves(Rows& rows) {
  rows.add("mov.pred", {Type::Pred, Type::Pred}, &unary_predicate<Copy>);
  for_each<Type::B16, Type::U16, Type::S16, Type::B32, Type::U32, Type::S32, Type::F32, Type::B64, Type::U64,
           Type::S64, Type::F64>([&]<Type t>() {
    // Bits move as integers: a signalling NaN must stay what it is.
    using Word = BitsOf<Lane<t>>;
    rows.add(std::string("mov.") + t, {t, t}, &LaneOp<Copy, Word, Word>::full, &masked_row);
  });
}

}  // namespace

void add_logic_forms(std::vector<Form>& forms) {
  Rows logic(forms, "logic");
  add_logic(logic);
  Rows bits(forms, "bits");
  add_bit_fields(bits);
  Rows moves(forms, "move");
  add_moves(moves);
}

}  // namespace lab::sim
