// cvt: floating point formats of 8, 6 and 4 bits, always two or four in one register.
//
// A family of the table of forms (forms.h). Those of 6 and 4 bits and powers of two in bytes came with sm_100; they follow PTX's text and the
// functions of CUDA's headers for the host, and were not compared with a GPU; so do conversions that round by random bits (.rs).
#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "common/sim/instructions/convert.h"

namespace lab::sim {
namespace {

// A sign, `exponent_bits`, and a fraction of `precision` - 1 bits. `top`: the code of the largest number, which what is too large becomes;
// `nan`: what NaN becomes. `infinity`: a code above `top` stands for it.
struct E5M2 {
  static constexpr int precision = 3, least_exponent = -14, exponent_bits = 5, top = 0x7b, nan = 0x7f;
  static constexpr bool infinity = true;
};
struct E4M3 {
  static constexpr int precision = 4, least_exponent = -6, exponent_bits = 4, top = 0x7e, nan = 0x7f;
  static constexpr bool infinity = false;
};
struct E3M2 {
  static constexpr int precision = 3, least_exponent = -2, exponent_bits = 3, top = 0x1f, nan = top;
  static constexpr bool infinity = false;
};
struct E2M3 {
  static constexpr int precision = 4, least_exponent = 0, exponent_bits = 2, top = 0x1f, nan = top;
  static constexpr bool infinity = false;
};
struct E2M1 {
  static constexpr int precision = 2, least_exponent = 0, exponent_bits = 2, top = 0x7, nan = top;
  static constexpr bool infinity = false;
};
template <class Format>
constexpr std::uint32_t kSign = 1u << (Format::exponent_bits + Format::precision - 1);

template <class Format>
double magnitude_of(int code) {
  constexpr int fraction_bits = Format::precision - 1;
  const int field = code >> fraction_bits;
  const int fraction = (code & ((1 << fraction_bits) - 1)) | (field == 0 ? 0 : 1 << fraction_bits);
  return fraction * power_of_two(Format::least_exponent + std::max(field - 1, 0) - fraction_bits);
}

constexpr auto kToNearest = [](double x) { return __builtin_nearbyint(x); };
// Up where the part that is cut off and a random one, of so many bits, are 1 together.
template <int bits>
auto at_random(std::uint32_t random) {
  const double part = (random & ((1u << bits) - 1)) * power_of_two(-bits);
  return [part](double x) { return __builtin_floor(x + part); };
}

template <class Format, bool relu, class Rounding>
std::uint32_t encode(float value, Rounding rounding) {
  if (value != value) return Format::nan;
  const bool negative = std::signbit(value) && !(relu && value <= 0);
  const double wanted = relu && value < 0 ? 0.0 : std::fabs(static_cast<double>(value));
  const double rounded = std::min(magnitude_of<Format>(Format::top),
                                  quantize<Format::precision, Format::least_exponent>(wanted, rounding));
  // As with every IEEE format, the bits of a positive number count up with its value: 2^(precision - 1) steps
  // a power.
  constexpr int fraction_bits = Format::precision - 1;
  const int exponent =
      rounded == 0 ? Format::least_exponent : std::max(std::ilogb(rounded), Format::least_exponent);
  const auto steps = static_cast<int>(rounded * power_of_two(fraction_bits - exponent));
  const int bits = steps + ((exponent - Format::least_exponent) << fraction_bits);
  return static_cast<std::uint32_t>(bits) | (negative ? kSign<Format> : 0u);
}
template <class Format, bool relu>
std::uint32_t decode(std::uint32_t code) {  // to the bits of an f16
  const std::uint32_t sign = (code & kSign<Format>) != 0 ? 0x8000u : 0u;
  const auto magnitude = static_cast<int>(code & (kSign<Format> - 1));
  const bool infinite = Format::infinity && magnitude == Format::top + 1;
  if (magnitude > Format::top && !infinite) return kNan16;
  if (relu && sign != 0) return 0;
  return sign | (infinite ? 0x7c00u : nearest<F16>(magnitude_of<Format>(magnitude)).bits);
}

// `a` in the upper half. Numbers of 6 bits stand in bytes, those of 4 bits share one, whose register has a row of 16 bits.
template <class Format>
constexpr int kPlaceBits = kSign<Format> == 8 ? 4 : 8;
template <class Format, bool relu>
struct Encode {
  static std::uint16_t apply(float a, float b) {
    return static_cast<std::uint16_t>(encode<Format, relu>(a, kToNearest) << kPlaceBits<Format> |
                                      encode<Format, relu>(b, kToNearest));
  }
  static std::uint16_t apply(Pair<F16> a) { return apply(to_float(a.high), to_float(a.low)); }
};
// Four numbers in two steps: the lower pair, then the upper one above it. The two of a pair share 16 random bits, the first takes them in
// reverse.
template <class Format, bool relu>
struct EncodeFour {
  static std::uint32_t reversed(std::uint32_t half) {
    std::uint32_t bits = 0;
    for (int k = 0; k < 16; ++k) bits |= (half >> k & 1u) << (15 - k);
    return bits;
  }
  static std::uint32_t apply(float a, float b, std::uint32_t random) {
    return encode<Format, relu>(a, at_random<16>(reversed(random))) << kPlaceBits<Format> |
           encode<Format, relu>(b, at_random<16>(random));
  }
  static std::uint32_t apply(float a, float b, std::uint32_t random, std::uint32_t below) {
    return apply(a, b, random >> 16) << (2 * kPlaceBits<Format>) | below;
  }
};

// Two numbers of 16 bits, each with random bits of its own in its half of the register.
template <class H, bool relu, bool finite>
struct EncodeTwo {
  using Format = FormatOf<H>;
  static std::uint32_t one(float value, std::uint32_t random) {
    if (value != value) return kNan16;
    const float wanted = relu && value <= 0 ? 0.0f : value;
    const double rounded = quantize<Format::precision, Format::least_exponent>(
        std::fabs(static_cast<double>(wanted)), at_random<24 - Format::precision>(random));
    const double held = rounded <= Format::largest ? rounded : finite ? Format::largest : __builtin_inf();
    return Format::encode(std::copysign(static_cast<float>(held), wanted)).bits;
  }
  static std::uint32_t apply(float a, float b, std::uint32_t random) {
    return one(a, random >> 16) << 16 | one(b, random);
  }
};
template <class Format, bool relu>
struct Decode {
  static std::uint32_t apply(std::uint16_t a) {
    constexpr int bits = kPlaceBits<Format>;
    const std::uint32_t high = std::uint32_t{a} >> bits & ((1u << bits) - 1);
    return decode<Format, relu>(high) << 16 | decode<Format, relu>(a & ((1u << bits) - 1));
  }
};

// Powers of two without a sign, towards zero or up.
template <bool up, bool finite>
std::uint32_t encode_power(std::uint32_t bits) {
  constexpr std::uint32_t kLeast = 0x00400000u, kInfinite = 0x7f800000u;  // 2^-127
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  const bool goes_up = up && (magnitude & 0x7fffffu) != 0 && magnitude > kLeast && magnitude < kInfinite;
  const std::uint32_t code = (magnitude >> 23) + (goes_up ? 1 : 0);
  return finite && magnitude <= kInfinite && code == 0xff ? 0xfe : code;
}
template <bool up, bool finite>
struct EncodePower {
  static std::uint16_t apply(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::uint16_t>(encode_power<up, finite>(a) << 8 | encode_power<up, finite>(b));
  }
  static std::uint16_t apply(std::uint32_t pair) { return apply(pair & 0xffff0000u, pair << 16); }
};
struct DecodePower {  // to the bits of a bf16
  static std::uint32_t one(std::uint32_t code) {
    return code == 0xff ? kNan16 : code == 0 ? 0x40u : code << 7;
  }
  static std::uint32_t apply(std::uint16_t a) { return one(a >> 8u) << 16 | one(a & 0xffu); }
};

template <class Format, bool relu>
void add_small_floats(Rows& rows, const std::string& type) {
  constexpr Type half = Type::B16, narrow = kPlaceBits<Format> == 4 ? Type::B8 : half;
  const std::string modifier = relu ? ".relu" : "";
  const bool of_bytes = kSign<Format> == 0x80;
  const std::string to = "cvt.rn.satfinite" + modifier + type;
  Form& of_f32 = rows.lanes<Encode<Format, relu>, half, Type::F32, Type::F32>(to + ".f32");
  of_f32.operand[0] = narrow;
  if (of_bytes || narrow == Type::B8) rows.lanes<Encode<Format, relu>, half, Type::F16x2>(to + ".f16x2");
  Form& from = rows.lanes<Decode<Format, relu>, Type::B32, half>("cvt.rn" + modifier + ".f16x2" + type);
  from.operand[1] = narrow;
  from.of_registers = true;
}

// By random bits.
template <class Format, bool relu>
void add_four(Rows& rows, const std::string& type) {
  using Step = EncodeFour<Format, relu>;
  using Low = LaneOp<Step, std::uint32_t, float, float, std::uint32_t>;
  using Result = std::conditional_t<kPlaceBits<Format> == 4, std::uint16_t, std::uint32_t>;
  using High = LaneOp<Step, Result, float, float, std::uint32_t, std::uint32_t>;
  const Type whole = kPlaceBits<Format> == 4 ? Type::B16 : Type::B32;
  Form& form = rows.add(std::string("cvt.rs.satfinite") + (relu ? ".relu" : "") + type + ".f32",
                        {whole, Type::F32, Type::F32, Type::B32, Type::B32}, &High::full, &masked_row);
  form.lower_pair = &Low::full;
}
// In registers of their own size by a loop; else from the low bits of wider ones.
template <class Op>
void encode_two(WarpContext& w, const Inst& i) {
  if (i.dst.lane_bytes == 4 && i.a.lane_bytes == 4 && i.b.lane_bytes == 4 && i.c.lane_bytes == 4)
    return LaneOp<Op, std::uint32_t, float, float, std::uint32_t>::full(w, i);
  const auto low = [&]<class T>(RowRef row, std::size_t lane, T value) {
    std::memcpy(&value, w.row<std::byte>(row) + lane * row.lane_bytes, sizeof value);
    return value;
  };
  for (std::size_t k = 0; k < kWarpLanes; ++k) {
    const std::uint32_t pair = Op::apply(low(i.a, k, 0.0f), low(i.b, k, 0.0f), low(i.c, k, 0u));
    std::byte* to = w.row<std::byte>(i.dst) + k * i.dst.lane_bytes;
    std::memset(to, 0, i.dst.lane_bytes);
    std::memcpy(to, &pair, sizeof pair);
  }
}
template <class H, bool relu, bool finite>
void add_two(Rows& rows, const std::string& type) {
  rows.add(std::string("cvt.rs") + (relu ? ".relu" : "") + (finite ? ".satfinite" : "") + type + ".f32",
           {Type::B32, Type::F32, Type::F32, Type::B32}, &encode_two<EncodeTwo<H, relu, finite>>, &masked_row)
      .relaxed = std::is_same_v<H, F16>;
}

template <bool up, bool finite>
void add_powers(Rows& rows) {
  const std::string stem =
      std::string("cvt") + (up ? ".rp" : ".rz") + (finite ? ".satfinite" : "") + ".ue8m0x2";
  Form& wide = rows.lanes<EncodePower<up, finite>, Type::B16, Type::B32, Type::B32>(stem + ".f32");
  wide.operand = {Type::B16, Type::F32, Type::F32};
  rows.lanes<EncodePower<up, finite>, Type::B16, Type::B32>(stem + ".bf16x2");
}

}  // namespace

void add_narrow_forms(std::vector<Form>& forms) {
  Rows rows(forms, "convert");
  for_each<false, true>([&]<bool relu>() {
    add_small_floats<E4M3, relu>(rows, ".e4m3x2");
    add_small_floats<E5M2, relu>(rows, ".e5m2x2");
    add_small_floats<E3M2, relu>(rows, ".e3m2x2");
    add_small_floats<E2M3, relu>(rows, ".e2m3x2");
    add_small_floats<E2M1, relu>(rows, ".e2m1x2");
    add_four<E4M3, relu>(rows, ".e4m3x4");
    add_four<E5M2, relu>(rows, ".e5m2x4");
    add_four<E3M2, relu>(rows, ".e3m2x4");
    add_four<E2M3, relu>(rows, ".e2m3x4");
    add_four<E2M1, relu>(rows, ".e2m1x4");
    for_each<false, true>([&]<bool finite>() {
      add_two<F16, relu, finite>(rows, ".f16x2");
      add_two<BF16, relu, finite>(rows, ".bf16x2");
    });
    add_powers<relu, false>(rows);
    add_powers<relu, true>(rows);
  });
  rows.lanes<DecodePower, Type::B32, Type::B16>("cvt.rn.bf16x2.ue8m0x2").of_registers = true;
}

}  // namespace lab::sim
