// Comparisons: setp and set in all operators, and what chooses by a condition: selp, slct.
//
// A family of the table of forms (forms.h). A comparison of two rows is a Mask, one bit a lane. Few loops do
// all the work: `gt` is `lt` with its operands swapped, `ge` is the opposite of `lt`, and so on.
#include "common/sim/instructions/forms_build.h"

namespace lab::sim {
namespace {

// Ordered comparisons are false, and unordered ones (…u) true, as soon as one side is NaN.
struct Eq {
  template <class T>
  static bool apply(T a, T b) {
    return a == b;
  }
};
struct Lt {
  template <class T>
  static bool apply(T a, T b) {
#ifdef __wasm__  // has no such comparison of vectors: the borrow of a - b
    if constexpr (std::is_same_v<T, std::uint64_t>)
      return static_cast<std::int64_t>((~a & b) | ((~a | b) & (a - b))) < 0;
#endif
    return a < b;
  }
};
struct Le {
  template <class T>
  static bool apply(T a, T b) {
    return a <= b;
  }
};
struct Equ {
  template <class T>
  static bool apply(T a, T b) {
    return !(a < b) && !(b < a);
  }
};
struct Num {
  template <class T>
  static bool apply(T a, T b) {
    return a == a && b == b;  // NOLINT(misc-redundant-expression): NaN is not itself
  }
};

// What a lane's bits mean to a comparison.
template <bool ftz, class T>
auto comparable(T x) {
  if constexpr (std::is_same_v<T, F16> || std::is_same_v<T, BF16>)
    return to_float(flush16<ftz>(x));
  else if constexpr (std::is_same_v<T, float>)
    return flush<ftz>(x);
  else
    return x;
}

using CompareRows = Mask (*)(const void* a, const void* b);

template <class Op, class T, bool ftz>
Mask compare_rows(const void* a_row, const void* b_row) {
  const T* a = static_cast<const T*>(a_row);
  const T* b = static_cast<const T*>(b_row);
  Mask result = 0;
  for (int k = 0; k < kWarpLanes; ++k) {
    result |=
        Op::apply(comparable<ftz>(a[k]), comparable<ftz>(b[k])) ? kLaneBit[static_cast<std::size_t>(k)] : 0u;
  }
  return result;
}

enum class Cmp : std::uint8_t {
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  Lo,
  Ls,
  Hi,
  Hs,
  Equ,
  Neu,
  Ltu,
  Leu,
  Gtu,
  Geu,
  Num,
  Nan
};
constexpr int kCmps = 18;
constexpr std::string_view kCmpName[kCmps] = {"eq", "ne",  "lt",  "le",  "gt",  "ge",  "lo",  "ls",  "hi",
                                              "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};

// The loop of a comparison, and how its operands and its answer are turned.
struct Comparison {
  CompareRows rows = nullptr;
  bool swap = false, negate = false;
};

template <class T, bool ftz>
constexpr std::array<Comparison, kCmps> comparisons() {
  constexpr CompareRows eq = &compare_rows<Eq, T, ftz>, lt = &compare_rows<Lt, T, ftz>;
  if constexpr (std::is_integral_v<T>) {
    constexpr Comparison less{lt, false, false}, less_equal{lt, true, true}, greater{lt, true, false},
        greater_equal{lt, false, true};
    return {{{eq, false, false},
             {eq, false, true},
             less,
             less_equal,
             greater,
             greater_equal,
             less,
             less_equal,
             greater,
             greater_equal}};
  } else {
    constexpr CompareRows le = &compare_rows<Le, T, ftz>, equ = &compare_rows<Equ, T, ftz>,
                          num = &compare_rows<Num, T, ftz>;
    return {{{eq, false, false},
             {equ, false, true},
             {lt, false, false},
             {le, false, false},
             {lt, true, false},
             {le, true, false},
             {},
             {},
             {},
             {},
             {equ, false, false},
             {eq, false, true},
             {le, true, true},
             {lt, true, true},
             {le, false, true},
             {lt, false, true},
             {num, false, false},
             {num, false, true}}};
  }
}

// Form::variant of setp and set: which comparison, what is done with the predicate c, what `set` writes.
enum class Combine : std::uint8_t { None, And, Or, Xor };
constexpr std::string_view kCombineName[] = {"", ".and", ".or", ".xor"};
struct Variant {
  Cmp cmp;
  Combine combine;
  std::uint16_t truth = 0;  // set: the upper 16 bits of what stands for true
};
Variant variant_of(const Inst& i) { return std::bit_cast<Variant>(i.extra); }

template <class T, bool ftz>
Mask compare(Cmp cmp, const void* a, const void* b) {
  static constexpr std::array<Comparison, kCmps> table = comparisons<T, ftz>();
  const Comparison& comparison = table[static_cast<std::size_t>(cmp)];
  const Mask result = comparison.swap ? comparison.rows(b, a) : comparison.rows(a, b);
  return comparison.negate ? ~result : result;
}
template <class T, bool ftz>
Mask compare(const WarpContext& w, const Inst& i) {
  return compare<T, ftz>(variant_of(i).cmp, w.row<std::byte>(i.a), w.row<std::byte>(i.b));
}
Mask combined(Mask result, const WarpContext& w, const Inst& i) {
  switch (variant_of(i).combine) {
    case Combine::And:
      return result & w.predicate(i.c);
    case Combine::Or:
      return result | w.predicate(i.c);
    case Combine::Xor:
      return result ^ w.predicate(i.c);
    default:
      return result;
  }
}

// setp.CmpOp.BoolOp p|q, a, b, c: p = cmp op c, q = !cmp op c.
template <class T, bool ftz>
void setp(WarpContext& w, const Inst& i) {
  const Mask result = compare<T, ftz>(w, i);
  const Mask p = combined(result, w, i);
  const Mask q = combined(~result, w, i);
  w.set_predicate(i.dst2, q);
  w.set_predicate(i.dst, p);
}

// set: all ones or 1.0 where true, zero elsewhere.
template <class D>
void write_truth(WarpContext& w, const Inst& i, Mask truth, D one) {
  D* d = w.row<D>(i.dst);
  LAB_LANES
  for (int k = 0; k < kWarpLanes; ++k) {
    d[k] = choose(w.mask, k, choose(truth, k, one, D{0}), d[k]);
  }
}
template <class T, bool ftz>
void set(WarpContext& w, const Inst& i) {
  const Mask truth = combined(compare<T, ftz>(w, i), w, i);
  const std::uint16_t high = variant_of(i).truth;
  if (i.dst.lane_bytes == 2) return write_truth<std::uint16_t>(w, i, truth, high);
  write_truth<std::uint32_t>(w, i, truth, std::uint32_t{high} << 16 | (high == 0xffff ? 0xffffu : 0u));
}
constexpr std::uint16_t truth_of(Type dst) {
  return dst == Type::F16 ? 0x3c00 : dst == Type::BF16 || dst == Type::F32 ? 0x3f80 : 0xffff;
}

bool has_comparison(Type t, Cmp cmp) {
  const bool bits = t == Type::B16 || t == Type::B32 || t == Type::B64;
  const bool is_unsigned = t == Type::U16 || t == Type::U32 || t == Type::U64;
  const bool is_signed = t == Type::S16 || t == Type::S32 || t == Type::S64;
  if (cmp <= Cmp::Ne) return true;
  if (cmp <= Cmp::Ge) return !bits;
  if (cmp <= Cmp::Hs) return is_unsigned;
  return !bits && !is_unsigned && !is_signed;
}
std::string opcode(std::string_view stem, Cmp cmp, Combine combine, bool ftz) {
  std::string text(stem);
  text.append(kCmpName[static_cast<int>(cmp)]).append(kCombineName[static_cast<int>(combine)]);
  return text.append(ftz ? ".ftz." : ".");
}
// Runs body(cmp, combine) for all that the type has.
template <class Body>
void for_each_variant(Type t, Body&& body) {
  for (int cmp = 0; cmp < kCmps; ++cmp) {
    if (!has_comparison(t, Cmp(cmp))) continue;
    for (Combine combine : {Combine::None, Combine::And, Combine::Or, Combine::Xor}) body(Cmp(cmp), combine);
  }
}
Form& add_variant(Rows& rows, std::string text, Type dst, Type t, Variant variant, Exec handler) {
  Form& form = rows.add(std::move(text), {dst, t, t}, handler);
  if (variant.combine != Combine::None) form.operand[3] = Type::Pred;
  form.variant = std::bit_cast<std::uint32_t>(variant);
  return form;
}

template <Type t, bool ftz>
void add_setp(Rows& rows) {
  for_each_variant(t, [&](Cmp cmp, Combine combine) {
    Form& form = add_variant(rows, opcode("setp.", cmp, combine, ftz) + t, Type::Pred, t, {cmp, combine},
                             &setp<Lane<t>, ftz>);
    form.second_predicate = t != Type::F16 && t != Type::BF16;
    form.optional_second_predicate = true;
  });
}
template <Type t, bool ftz>
void add_set(Rows& rows, Type dst) {
  if (ftz && dst == Type::BF16) return;
  for_each_variant(t, [&](Cmp cmp, Combine combine) {
    add_variant(rows, (opcode("set.", cmp, combine, ftz) + dst + ".") + t, dst, t,
                {cmp, combine, truth_of(dst)}, &set<Lane<t>, ftz>);
  });
}

// Pairs of 16-bit numbers: `half` 0 is the low one.
template <class H, bool ftz>
Mask compare_half(const WarpContext& w, const Inst& i, int half) {
  const H* from[] = {w.row<H>(i.a), w.row<H>(i.b)};
  H lanes[2][kWarpLanes];
  for (int side = 0; side < 2; ++side) {
    for (int k = 0; k < kWarpLanes; ++k) lanes[side][k] = from[side][2 * k + half];
  }
  return combined(compare<H, ftz>(variant_of(i).cmp, lanes[0], lanes[1]), w, i);
}
template <class H, bool ftz>
void setp_pair(WarpContext& w, const Inst& i) {
  const Mask p = compare_half<H, ftz>(w, i, 0);
  const Mask q = compare_half<H, ftz>(w, i, 1);
  w.set_predicate(i.dst2, q);
  w.set_predicate(i.dst, p);
}
template <class H, bool ftz>
void set_pair(WarpContext& w, const Inst& i) {
  const Mask low = compare_half<H, ftz>(w, i, 0), high = compare_half<H, ftz>(w, i, 1);
  auto* d = w.row<std::uint32_t>(i.dst);
  const std::uint32_t one = variant_of(i).truth;
  for (int k = 0; k < kWarpLanes; ++k) {
    const std::uint32_t value = choose(low, k, one, 0u) | choose(high, k, one << 16, 0u);
    d[k] = choose(w.mask, k, value, d[k]);
  }
}
template <Type t, class H, bool ftz>
void add_setp_pairs(Rows& rows) {
  for_each_variant(t, [&](Cmp cmp, Combine combine) {
    Form& form = add_variant(rows, opcode("setp.", cmp, combine, ftz) + t, Type::Pred, t, {cmp, combine},
                             &setp_pair<H, ftz>);
    form.second_predicate = true;
  });
}
template <Type t, class H, bool ftz>
void add_set_pairs(Rows& rows) {
  for (Type dst : {t, Type::U32, Type::S32}) {
    const std::uint16_t truth = dst != t ? 0xffff : truth_of(t == Type::F16x2 ? Type::F16 : Type::BF16);
    for_each_variant(t, [&](Cmp cmp, Combine combine) {
      add_variant(rows, (opcode("set.", cmp, combine, ftz) + dst + ".") + t, dst, t, {cmp, combine, truth},
                  &set_pair<H, ftz>);
    });
  }
}

template <class T>
void selp(WarpContext& w, const Inst& i) {
  T* d = w.row<T>(i.dst);
  const T* a = w.row<T>(i.a);
  const T* b = w.row<T>(i.b);
  const Mask a_lanes = w.predicate(i.c);
  LAB_LANES
  for (int k = 0; k < kWarpLanes; ++k) d[k] = choose(a_lanes, k, a[k], b[k]);
}
struct Slct {
  template <class T>
  static T apply(T a, T b, std::int32_t c) {
    return c >= 0 ? a : b;
  }
};
template <bool ftz>
struct SlctFloat {
  template <class T>
  static T apply(T a, T b, float c) {
    return flush<ftz>(c) >= 0 ? a : b;
  }
};

void add_choices(Rows& rows) {
  for_each<Type::B16, Type::U16, Type::S16, Type::B32, Type::U32, Type::S32, Type::F32, Type::B64, Type::U64,
           Type::S64, Type::F64>([&]<Type t>() {
    using Word = BitsOf<Lane<t>>;
    rows.add(std::string("selp.") + t, {t, t, t, Type::Pred}, &selp<Word>, &masked_row);
    rows.add((std::string("slct.") + t) + ".s32", {t, t, t, Type::S32},
             &LaneOp<Slct, Word, Word, Word, std::int32_t>::full, &masked_row);
    rows.add((std::string("slct.") + t) + ".f32", {t, t, t, Type::F32},
             &LaneOp<SlctFloat<false>, Word, Word, Word, float>::full, &masked_row);
    rows.add((std::string("slct.ftz.") + t) + ".f32", {t, t, t, Type::F32},
             &LaneOp<SlctFloat<true>, Word, Word, Word, float>::full, &masked_row);
  });
}

}  // namespace

void add_setp_forms(std::vector<Form>& forms) {
  Rows rows(forms, "compare");
  for_each<Type::B16, Type::B32, Type::B64, Type::U16, Type::S16, Type::U32, Type::S32, Type::U64, Type::S64,
           Type::F32, Type::F64, Type::F16, Type::BF16>([&]<Type t>() { add_setp<t, false>(rows); });
  for_each<Type::F32, Type::F16>([&]<Type t>() { add_setp<t, true>(rows); });
  add_setp_pairs<Type::F16x2, F16, false>(rows);
  add_setp_pairs<Type::F16x2, F16, true>(rows);
  add_setp_pairs<Type::BF16x2, BF16, false>(rows);
}

void add_set_forms(std::vector<Form>& forms) {
  Rows rows(forms, "compare");
  for (Type dst : {Type::U32, Type::S32, Type::F32}) {
    for_each<Type::B16, Type::B32, Type::B64, Type::U16, Type::S16, Type::U32, Type::S32, Type::U64,
             Type::S64, Type::F32, Type::F64>([&]<Type t>() { add_set<t, false>(rows, dst); });
    add_set<Type::F32, true>(rows, dst);
  }
  for (Type dst : {Type::F16, Type::BF16}) {
    for_each<Type::B16, Type::B32, Type::B64, Type::U16, Type::S16, Type::U32, Type::S32, Type::U64,
             Type::S64, Type::F32, Type::F64>([&]<Type t>() { add_set<t, false>(rows, dst); });
    add_set<Type::F32, true>(rows, dst);
  }
  for (Type dst : {Type::U16, Type::S16, Type::U32, Type::S32, Type::F16, Type::BF16}) {
    add_set<Type::F16, false>(rows, dst);
    if (dst != Type::BF16) add_set<Type::F16, true>(rows, dst);
  }
  for (Type dst : {Type::U16, Type::S16, Type::U32, Type::S32, Type::BF16})
    add_set<Type::BF16, false>(rows, dst);
  add_set_pairs<Type::F16x2, F16, false>(rows);
  add_set_pairs<Type::F16x2, F16, true>(rows);
  add_set_pairs<Type::BF16x2, BF16, false>(rows);
}

void add_choice_forms(std::vector<Form>& forms) {
  Rows rows(forms, "compare");
  add_choices(rows);
}

}  // namespace lab::sim
