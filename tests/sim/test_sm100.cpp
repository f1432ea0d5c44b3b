// What came with sm_100, against references that are written another way: halves of a pair by the scalar form, narrow
// formats by a search among all their codes.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "tests/sim/form_bench.h"
#include "tests/sim/ptx_run.h"

using namespace lab::sim;

namespace {

constexpr std::uint32_t kFloats[] = {0,          0x80000000, 1,          0x807fffff, 0x00800000, 0x3f800000,
                                     0xbf800000, 0x3f800001, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000,
                                     0x7f800001, 0xffc12345, 0x33800000, 0x40490fdb};

std::uint32_t drawn_float(std::mt19937& random) {
  return random() % 3 == 0 ? kFloats[random() % std::size(kFloats)] : static_cast<std::uint32_t>(random());
}

std::uint64_t answer(const std::string& text, const std::vector<std::uint64_t>& sources) {
  const Form* form = find_form(text, sources.size() + 1);
  REQUIRE_MESSAGE(form != nullptr, text);
  REQUIRE(form->operand_count() == sources.size() + 1);
  FormBench bench(*form);
  for (int lane = 0; lane < kWarpLanes; ++lane)
    for (std::size_t k = 0; k < sources.size(); ++k) bench.set(static_cast<int>(k) + 1, lane, sources[k]);
  bench.run();
  return bench.get(0, 19);
}

// The value of a code of a format with a sign, `exponent_bits` and `fraction_bits`.
double value_of(unsigned code, int exponent_bits, int fraction_bits) {
  const unsigned fields = code & ((1u << (exponent_bits + fraction_bits)) - 1);
  const int bias = (1 << (exponent_bits - 1)) - 1, field = static_cast<int>(fields >> fraction_bits);
  const double fraction = (fields & ((1u << fraction_bits) - 1)) / std::ldexp(1.0, fraction_bits);
  const double size = std::ldexp(field == 0 ? fraction : 1 + fraction, std::max(field, 1) - bias);
  return (code >> (exponent_bits + fraction_bits)) != 0 ? -size : size;
}

// The nearest code; of two as near the even one. What is too large is the largest.
unsigned nearest_code(double x, int exponent_bits, int fraction_bits) {
  const unsigned codes = 1u << (exponent_bits + fraction_bits);
  unsigned best = 0;
  double distance = std::numeric_limits<double>::infinity();
  for (unsigned code = 0; code < codes; ++code) {
    const double now = std::fabs(std::min(std::fabs(x), 1e6) - value_of(code, exponent_bits, fraction_bits));
    if (now < distance || (now == distance && code % 2 == 0)) best = code, distance = now;
  }
  return best | (std::signbit(x) ? codes : 0u);
}

}  // namespace

TEST_CASE("a pair of f32 is two of them, in every direction of rounding") {
  std::mt19937 random(7);
  for (const char* op : {"add", "sub", "mul", "fma"}) {
    for (const char* rounding : {".rn", ".rz", ".rm", ".rp", ""}) {
      for (const char* ftz : {"", ".ftz"}) {
        const std::string stem = std::string(op) + rounding + ftz;
        const std::size_t sources = std::string_view(op) == "fma" ? 3 : 2;
        if (sources == 3 && *rounding == 0) continue;
        CAPTURE(stem);
        for (int trial = 0; trial < 40; ++trial) {
          std::vector<std::uint64_t> low, high, both;
          for (std::size_t k = 0; k < sources; ++k) {
            low.push_back(drawn_float(random));
            high.push_back(drawn_float(random));
            both.push_back(low.back() | high.back() << 32);
          }
          REQUIRE(answer(stem + ".f32x2", both) ==
                  (answer(stem + ".f32", low) | answer(stem + ".f32", high) << 32));
        }
      }
    }
  }
}

TEST_CASE("sums of an f32 with 16-bit numbers round once") {
  constexpr std::uint64_t kOne = 0x3c00, kOneBf16 = 0x3f80, kTiny = 0x33000000;  // 2^-25
  CHECK(answer("add.f32.f16", {kOne, kTiny}) == 0x3f800000);
  CHECK(answer("add.rp.f32.f16", {kOne, kTiny}) == 0x3f800001);
  CHECK(answer("sub.rz.f32.bf16", {kOneBf16, kTiny}) == 0x3f7fffff);
  CHECK(answer("add.rn.sat.f32.bf16", {kOneBf16, 0x40000000}) == 0x3f800000);
  CHECK(answer("fma.rn.f32.f16", {0x4200, 0x3e00, 0x3f800000}) == std::bit_cast<std::uint32_t>(5.5f));
  // The product of two bf16 is exact: 2^-133 is a subnormal f32, not lost.
  CHECK(answer("fma.rn.f32.bf16", {0x0010, kOneBf16, 0}) == std::uint64_t{0x10} << 16);
  CHECK(answer("add.f32.f16", {0x7e01, 0}) == 0x7fffffff);
}

TEST_CASE("the least and the largest of three: numbers win over NaN, +0 over -0, magnitudes where asked") {
  const std::uint64_t nan = 0x7fc00000, one = 0x3f800000, minus_two = 0xc0000000, minus_zero = 0x80000000;
  CHECK(answer("min.f32", {one, minus_two, nan}) == minus_two);
  CHECK(answer("max.f32", {nan, nan, minus_two}) == minus_two);
  CHECK(answer("max.f32", {minus_zero, 0, minus_zero}) == 0);
  CHECK(answer("min.f32", {0, minus_zero, 0}) == minus_zero);
  CHECK(answer("max.NaN.f32", {one, nan, minus_two}) == 0x7fffffff);
  CHECK(answer("max.abs.f32", {one, minus_two, one}) == 0x40000000);
  CHECK(answer("max.ftz.f32", {1, minus_two, 2}) == 0);
  CHECK(answer("min.f32", {one, minus_two}) == minus_two);  // of two, still
}

TEST_CASE("formats of 6 and 4 bits: the nearest of all codes, and back") {
  struct Narrow {
    const char* name;
    int exponent_bits, fraction_bits, place;
  };
  std::mt19937 random(11);
  for (const Narrow& f : {Narrow{"e2m1x2", 2, 1, 4}, {"e2m3x2", 2, 3, 8}, {"e3m2x2", 3, 2, 8}}) {
    CAPTURE(f.name);
    const unsigned codes = 2u << (f.exponent_bits + f.fraction_bits);
    for (unsigned code = 0; code < codes; ++code) {
      const auto half = static_cast<std::uint32_t>(
          answer(std::string("cvt.rn.f16x2.") + f.name, {code << f.place | 1}) >> 16);
      const double magnitude =
          std::ldexp(static_cast<double>((half & 0x3ff) | ((half & 0x7c00) != 0 ? 0x400 : 0)),
                     std::max(static_cast<int>(half >> 10 & 0x1f), 1) - 25);
      REQUIRE((half >> 15 != 0 ? -magnitude : magnitude) == value_of(code, f.exponent_bits, f.fraction_bits));
      REQUIRE((half >> 15) == (code >= codes / 2 ? 1 : 0));
    }
    const std::string to = std::string("cvt.rn.satfinite.") + f.name + ".f32";
    const std::string relu = std::string("cvt.rn.satfinite.relu.") + f.name + ".f32";
    for (int trial = 0; trial < 400; ++trial) {
      // Values of the format, halves between two of them, and what lies beside those.
      const double base = value_of(static_cast<unsigned>(random()) % codes, f.exponent_bits, f.fraction_bits);
      const double other =
          value_of(static_cast<unsigned>(random()) % codes, f.exponent_bits, f.fraction_bits);
      float x = static_cast<float>((base + other) / 2);
      if (trial % 3 == 1) x = std::nextafter(x, trial % 2 == 0 ? 1e9f : -1e9f);
      if (trial % 3 == 2) x = std::bit_cast<float>(drawn_float(random));
      const unsigned largest = codes / 2 - 1;
      const unsigned expected = std::isnan(x) ? largest : nearest_code(x, f.exponent_bits, f.fraction_bits);
      CAPTURE(x);
      const std::uint64_t bits = std::bit_cast<std::uint32_t>(x);
      REQUIRE(answer(to, {bits, 0}) == (std::uint64_t{expected} << f.place));
      REQUIRE(answer(to, {0, bits}) == expected);
      REQUIRE(answer(relu, {0, bits}) == (std::signbit(x) && !std::isnan(x) ? 0 : expected));
    }
  }
}

TEST_CASE("powers of two in bytes: towards zero or up, without a sign") {
  struct Row {
    std::uint64_t bits, down, up;
  };
  for (const Row& row : {Row{0, 0, 0},
                         {0x3f800000, 127, 127},
                         {0x3f800001, 127, 128},
                         {0xc0400000, 128, 129},
                         {0x00400000, 0, 0},
                         {0x00400001, 0, 1},
                         {0x7f000000, 254, 254},
                         {0x7f7fffff, 254, 255},
                         {0x7f800000, 255, 255},
                         {0x7fc00000, 255, 255}}) {
    CAPTURE(row.bits);
    CHECK(answer("cvt.rz.ue8m0x2.f32", {row.bits, 0}) == row.down << 8);
    CHECK(answer("cvt.rp.ue8m0x2.f32", {0, row.bits}) == row.up);
    const bool nan = row.bits == 0x7fc00000;
    CHECK(answer("cvt.rp.satfinite.ue8m0x2.f32", {0, row.bits}) == (row.up == 255 && !nan ? 254 : row.up));
    if ((row.bits & 0xffff) == 0)
      CHECK(answer("cvt.rp.ue8m0x2.bf16x2", {row.bits | row.bits >> 16}) == (row.up << 8 | row.up));
  }
  CHECK(answer("cvt.rn.bf16x2.ue8m0x2", {0xff00}) == 0x7fff0040);
  CHECK(answer("cvt.rn.bf16x2.ue8m0x2", {0x7f80}) == 0x3f804000);
}

TEST_CASE("reductions of f32 by a warp") {
  const auto reduced = [](const std::string& op, std::uint32_t odd, std::uint32_t even) {
    const std::string text =
        ".version 8.8\n.target sm_100a\n.address_size 64\n.entry test(.param .u64 o, .param .u64 i, .param "
        ".u32 n) { .reg .b32 t, a, b; "
        ".reg .pred p; .reg .b64 at, step; ld.param.u64 at, [o]; mov.u32 t, %tid.x; mul.wide.u32 step, t, 4; "
        "add.u64 at, at, step; "
        "and.b32 b, t, 1; setp.ne.u32 p, b, 0; selp.b32 a, " +
        std::to_string(odd) + ", " + std::to_string(even) + ", p; redux.sync." + op +
        ".f32 b, a, -1; st.global.u32 [at], b; ret; }";
    const PtxRun run = run_module(text, {});
    REQUIRE_MESSAGE(run.fault() == "none", run.message());
    return run.out.at(3);
  };
  const std::uint32_t one = 0x3f800000, minus_two = 0xc0000000, nan = 0x7fc00000;
  CHECK(reduced("min", one, minus_two) == minus_two);
  CHECK(reduced("max", one, minus_two) == one);
  CHECK(reduced("max.abs", one, minus_two) == 0x40000000);
  CHECK(reduced("min", one, nan) == one);
  CHECK(reduced("min.NaN", one, nan) == 0x7fffffff);
  CHECK(reduced("max.abs.NaN", minus_two, minus_two) == 0x40000000);
  CHECK(reduced("max", 0x80000000, 0) == 0);
  CHECK(reduced("max", nan, nan) == 0x7fffffff);
}

TEST_CASE(
    "random bits round up as often as the part that is cut off is large, and no value is moved that fits") {
  // Among 2^13 or 2^16 random parts those above what is missing to the next number of the format round up.
  const auto ups = [](const std::string& form, std::uint32_t bits, int parts) {
    int count = 0;
    const std::uint64_t down = answer(form, {0, bits, 0});
    for (int random = 0; random < 1 << parts; random += 7)
      count += answer(form, {0, bits, static_cast<std::uint64_t>(random)}) == down + 1 ? 1 : 0;
    return 7.0 * count / (1 << parts);
  };
  for (const double part : {0.0, 0.25, 0.5, 0.9}) {
    const auto half = std::bit_cast<std::uint32_t>(static_cast<float>(1 + part / 1024)),
               bf16 = std::bit_cast<std::uint32_t>(static_cast<float>(1 + part / 128)),
               subnormal = std::bit_cast<std::uint32_t>(std::ldexp(static_cast<float>(3 + part), -24));
    CHECK(std::fabs(ups("cvt.rs.f16x2.f32", half, 13) - part) < 0.01);
    CHECK(std::fabs(ups("cvt.rs.f16x2.f32", subnormal, 13) - part) < 0.01);
    CHECK(std::fabs(ups("cvt.rs.bf16x2.f32", bf16, 16) - part) < 0.01);
  }
  const std::string form = "cvt.rs.f16x2.f32";
  const std::uint64_t most = 0x477fe000, beyond = 0x477ff000, minus_one = 0xbf800000, nan = 0x7fc00000;
  CHECK(answer(form, {minus_one, most, ~std::uint64_t{0} >> 32}) == 0xbc007bff);
  CHECK(answer(form, {beyond, beyond, 0x1fff}) == 0x7bff7c00);  // each half has its own bits
  CHECK(answer("cvt.rs.satfinite.f16x2.f32", {beyond, 0x7f800000, 0x1fff0000}) == 0x7bff7bff);
  CHECK(answer("cvt.rs.relu.f16x2.f32", {minus_one, nan, 0}) == 0x00007fff);
}

TEST_CASE("four numbers by random bits: a pair shares 16 of them, the first in reverse") {
  const auto packed = [](const std::string& type, const std::string& random) {
    const std::string text =
        ".version 8.8\n.target sm_100a\n.address_size 64\n.entry test(.param .u64 o, .param .u64 i, .param "
        ".u32 n) { .reg .b32 d, r; .reg .b16 h; .reg .f32 a, b, c; .reg .b64 at; ld.param.u64 at, [o]; "
        "mov.f32 a, 0f3F880000; mov.f32 b, 0fC3E00000; mov.f32 c, 0f3F900000; mov.b32 r, " +
        random + "; cvt.rs.satfinite." + type + ".f32 " + (type == "e2m1x4" ? "h" : "d") +
        ", {a, a, b, c}, r; " + (type == "e2m1x4" ? "cvt.u32.u16 d, h; " : "") +
        "st.global.u32 [at], d; ret; }";
    const PtxRun run = run_module(text, {});
    REQUIRE_MESSAGE(run.fault() == "none", run.message());
    return run.out.at(0);
  };
  // 1 + 1/16 lies half-way between 1 and 1 + 1/8; -448 and 1 + 1/8 are numbers of e4m3.
  CHECK(packed("e4m3x4", "0") == 0x3838fe39);
  CHECK(packed("e4m3x4", "0xffffffff") == 0x3939fe39);
  CHECK(packed("e4m3x4", "0x80008000") == 0x3839fe39);  // the highest bit of the pair is the second's
  CHECK(packed("e4m3x4", "0x00010001") == 0x3938fe39);  // and the lowest the first's
  CHECK(packed("e2m1x4", "0") == 0x22f2);
  CHECK(packed("e2m1x4", "0xffffffff") == 0x33f3);
}

TEST_CASE("st.bulk stores zeros, and no more of them than it says") {
  const auto after = [](const std::string& size) {
    const std::string text =
        ".version 8.8\n.target sm_100a\n.address_size 64\n.shared .align 16 .b32 sh[64];\n.entry test(.param "
        ".u64 o, .param "
        ".u64 i, .param .u32 n) { .reg .b32 t, a, s; .reg .pred p; .reg .b64 at, step, size; ld.param.u64 "
        "at, [o]; mov.u32 "
        "t, %tid.x; mul.wide.u32 step, t, 4; add.u64 at, at, step; mov.u32 s, sh; mad.lo.u32 s, t, 4, s; "
        "add.u32 a, t, 1; st.shared.u32 [s], a; bar.warp.sync -1; mov.u64 size, 16; setp.eq.u32 p, t, 0; @p "
        "st.bulk.weak.shared::cta [sh+8], " +
        size + ", 0; bar.warp.sync -1; ld.shared.u32 a, [s]; st.global.u32 [at], a; ret; }";
    return run_module(text, {});
  };
  for (const char* size : {"16", "size"}) {
    const PtxRun run = after(size);
    REQUIRE_MESSAGE(run.fault() == "none", run.message());
    for (std::uint32_t k = 0; k < 32; ++k) CHECK(run.out.at(k) == (k >= 2 && k < 6 ? 0 : k + 1));
  }
  CHECK(after("512").fault() == "out-of-bounds");
  CHECK(after("12").message().find("multiple of 8") != std::string::npos);
}

namespace {

// A byte of the 32 rows that `moved` fills.
std::uint32_t byte_at(std::size_t row, std::size_t col) {
  return static_cast<std::uint32_t>(4 * row + col / 4) * 0x9e3779b1u >> 8 * (col % 4) & 0xff;
}

// Fills 32 rows of 16 bytes, of which each lane names its own (`a`), executes a line, and gives what stands in b, c, d, e.
PtxRun moved(const std::string& line) {
  std::string text =
      ".version 8.8\n.target sm_100a\n.address_size 64\n.shared .align 16 .b32 sh[128];\n.entry test(.param "
      ".u64 o, .param .u64 i, .param .u32 n) { .reg .b32 t, a, b, c, d, e, w; .reg .b64 at, step; "
      "ld.param.u64 "
      "at, [o]; mov.u32 t, %tid.x; mul.wide.u32 step, t, 16; add.u64 at, at, step; mov.u32 a, sh; mad.lo.u32 "
      "a, t, 16, a; ";
  for (int k = 0; k < 4; ++k)
    text += "mad.lo.u32 w, t, 4, " + std::to_string(k) + "; mul.lo.u32 w, w, 0x9e3779b1; st.shared.u32 [a+" +
            std::to_string(4 * k) + "], w; ";
  text += "ld.shared.v4.u32 {b, c, d, e}, [a]; bar.warp.sync -1; " + line +
          " st.global.v4.u32 [at], {b, c, d, e}; ret; }";
  PtxKernel kernel;
  kernel.out_words = 128;
  PtxRun run = run_module(text, kernel);
  REQUIRE_MESSAGE(run.fault() == "none", run.message());
  return run;
}

}  // namespace

TEST_CASE("matrices of bytes, turned: four of a column in each register, as products take them") {
  const PtxRun run = moved("ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8 {b, c, d, e}, [a];");
  for (std::size_t lane = 0; lane < 32; ++lane)
    for (std::size_t k = 0; k < 16; ++k) {
      const std::size_t matrix = k / 8, half = k / 4 % 2, row = 16 * matrix + 4 * (lane % 4) + k % 4;
      CHECK((run.out[4 * lane + k / 4] >> 8 * (k % 4) & 0xff) == byte_at(row, 8 * half + lane / 4));
    }
}

TEST_CASE("matrices of 6 and 4 bits become bytes") {
  for (const auto& [bits, cells] : {std::pair<std::size_t, const char*>{6, "b6x16_p32"}, {4, "b4x16_p64"}}) {
    const auto cell = [&, bits = bits](std::size_t row, std::size_t col) {
      std::uint32_t value = 0;
      for (std::size_t k = 0; k < bits; ++k)
        value |= (byte_at(row, (bits * col + k) / 8) >> (bits * col + k) % 8 & 1) << k;
      return value;
    };
    const std::string form = std::string("b8x16.") + cells;
    const PtxRun plain = moved("ldmatrix.sync.aligned.m8n16.x4.shared." + form + " {b, c, d, e}, [a];"),
                 turned =
                     moved("ldmatrix.sync.aligned.m16n16.x2.trans." + form + ".shared {b, c, d, e}, [a];");
    for (std::size_t lane = 0; lane < 32; ++lane)
      for (std::size_t k = 0; k < 16; ++k) {
        const auto in_register = [&](const PtxRun& run) {
          return run.out[4 * lane + k / 4] >> 8 * (k % 4) & 0xff;
        };
        CHECK(in_register(plain) == cell(8 * (k / 4) + lane / 4, 4 * (lane % 4) + k % 4));
        CHECK(in_register(turned) == cell(16 * (k / 8) + 4 * (lane % 4) + k % 4, 8 * (k / 4 % 2) + lane / 4));
      }
  }
}

TEST_CASE(
    "matrices of bytes are stored turned from what a product leaves: two neighbours of two lines a "
    "register") {
  const PtxRun run = moved(
      "stmatrix.sync.aligned.m16n8.x4.trans.shared.b8 [a], {b, c, d, e}; bar.warp.sync -1; "
      "ld.shared.v4.u32 {b, c, d, e}, [a];");
  for (std::size_t row = 0; row < 32; ++row)
    for (std::size_t col = 0; col < 16; ++col) {
      const std::size_t lane = 4 * (col % 8) + row % 8 / 2, byte = 2 * (col / 8) + row % 2;
      CHECK((run.out[4 * row + col / 4] >> 8 * (col % 4) & 0xff) == byte_at(lane, 4 * (row / 8) + byte));
    }
}
