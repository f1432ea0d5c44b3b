// Video instructions, narrow packs, saturated conversions and 16-bit atomics: drawn operands against the pseudocode of
// PTX's manual, written down once more; where an H200 has other values, against those.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/drawn/draws.h"
#include "tests/sim/form_bench.h"
#include "tests/sim/ptx_run.h"

using namespace lab::sim;

namespace {

struct Draw {
  std::string op;
  int parts = 1;
  std::string dtype, atype, btype, second;
  bool sat = false;
  [[nodiscard]] std::string text() const {
    return op + (parts > 1 ? std::to_string(parts) : "") + "." + dtype + "." + atype + "." + btype +
           (sat ? ".sat" : "") + (second.empty() ? "" : "." + second);
  }
};

// partSelectSignExtend and extractAndSignExt of the manual.
long long extended(std::uint32_t word, int part, int parts, const std::string& type) {
  const int bits = 32 / parts;
  long long value = (word >> (bits * part)) % (1ll << bits);
  if (type == "s32" && value >= 1ll << (bits - 1)) value -= 1ll << bits;
  return value;
}

long long clamped(long long value, int bits, bool is_signed) {
  const long long most = is_signed ? (1ll << (bits - 1)) - 1 : (1ll << bits) - 1,
                  least = is_signed ? -(1ll << (bits - 1)) : 0;
  return value > most ? most : value < least ? least : value;
}

std::uint32_t expected(const Draw& d, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const int bits = 32 / d.parts;
  std::vector<long long> t;
  for (int i = 0; i < d.parts; ++i) {
    const long long va = extended(a, i, d.parts, d.atype), vb = extended(b, i, d.parts, d.btype);
    long long x = 0;
    if (d.op == "vadd") x = va + vb;
    if (d.op == "vsub") x = va - vb;
    if (d.op == "vabsdiff") x = va > vb ? va - vb : vb - va;
    if (d.op == "vmin") x = va < vb ? va : vb;
    if (d.op == "vmax") x = va > vb ? va : vb;
    if (d.op == "vavrg") x = va + vb >= 0 ? (va + vb + 1) >> 1 : (va + vb) >> 1;
    const bool is_word = d.parts == 1, is_signed = d.dtype == "s32";
    if (d.sat)
      x = is_word && !is_signed ? std::max(x, 0ll)
                                : clamped(x, bits, is_signed);  // an H200: words wrap above
    if (is_word && is_signed && (d.op == "vadd" || d.op == "vsub")) x = static_cast<std::int32_t>(x);
    t.push_back(x);
  }
  const long long vc = extended(c, 0, 1, d.dtype);
  if (d.parts == 1) {
    if (d.second == "add") return static_cast<std::uint32_t>(t[0] + vc);
    // An H200 compares 64 bits, without a sign for u32.
    const bool less = d.dtype == "u32"
                          ? static_cast<unsigned long long>(t[0]) < static_cast<unsigned long long>(vc)
                          : t[0] < vc;
    if (d.second == "min" || d.second == "max")
      return static_cast<std::uint32_t>(less == (d.second == "min") ? t[0] : vc);
    return static_cast<std::uint32_t>(t[0]);
  }
  std::uint32_t result = d.second == "add" ? c : 0;
  for (int i = 0; i < d.parts; ++i) {
    const auto x = static_cast<std::uint32_t>(t[static_cast<std::size_t>(i)]);
    result += d.second == "add" ? x : (x & ((1u << bits) - 1)) << (bits * i);
  }
  return result;
}

}  // namespace

TEST_CASE("video instructions follow the manual, and an H200") {
  lab::drawn::Draws draw(lab::drawn::seed_of_run("video instructions"));
  const std::vector<std::string> types{"u32", "s32"};
  const std::vector<std::uint32_t> edges{0,          1,          0x7fffffff, 0x80000000, 0xffffffff,
                                         0x7f7f7f7f, 0x80808080, 0x00ff00ff, 0x7fff8000};
  for (std::size_t k = 0; k < lab::drawn::draws_of_run(20000); ++k) {
    Draw d;
    d.parts = draw.among(std::vector<int>{1, 2, 4});
    d.op = draw.among(std::vector<std::string>{"vadd", "vsub", "vabsdiff", "vmin", "vmax", "vavrg"});
    if (d.op == "vavrg" && d.parts == 1) continue;
    d.dtype = draw.among(types), d.atype = draw.among(types), d.btype = draw.among(types);
    d.sat = draw.one_in(2);
    if (d.parts == 1) d.second = draw.among(std::vector<std::string>{"", "", "add", "min", "max"});
    if (d.parts > 1 && !d.sat && draw.one_in(2)) d.second = "add";
    const auto value = [&] {
      return draw.one_in(3) ? draw.among(edges) : static_cast<std::uint32_t>(draw.next());
    };
    const std::uint32_t a = value(), b = value(), c = value();
    CAPTURE(d.text());
    CAPTURE(a);
    CAPTURE(b);
    CAPTURE(c);
    REQUIRE(evaluate(d.text().c_str(), {a, b, c}) == expected(d, a, b, c));
  }
  CHECK(find_form("vadd2.u32.u32.u32.min") == nullptr);
  CHECK(find_form("vavrg.u32.u32.u32") == nullptr);
}

TEST_CASE("the third source may lack where it says nothing") {
  PtxKernel kernel;
  kernel.body =
      "vmax.s32.s32.s32 %r1, %r1, 5; mov.b32 %r2, %tid; vsub.s32.s32.s32 %r1, 5, %r2; st.global.u32 [%o], "
      "%r1;";
  const PtxRun run = run_ptx(kernel);
  CHECK(run.fault() == "none");
  CHECK(run.message().empty());
  CHECK(run.out.at(7) == static_cast<std::uint32_t>(-2));
  kernel.body = "vmax.s32.s32.s32.add %r1, %r1, 5;";
  CHECK(run_ptx(kernel).fault() != "none");
}

namespace {

// %r1 after the instruction, where %r2, %r3 and %r4 hold these words; "": it did not run.
std::string left(const std::string& instruction, const char* r2, const char* r3, const char* r4) {
  PtxKernel kernel;
  kernel.body = std::string("mov.b32 %r1, 0; mov.b32 %r2, ") + r2 + "; mov.b32 %r3, " + r3 +
                "; mov.b32 %r4, " + r4 + "; " + instruction + " st.global.u32 [%o], %r1;";
  const PtxRun run = run_ptx(kernel);
  return run.fault() == "none" ? fmt::format("{:08x}", run.out.at(0)) : "";
}

}  // namespace

TEST_CASE("video instructions read and write parts of words") {
  const char *a = "0x81fe7f02", *b = "0x00ff0304", *c = "0x11223344";
  CHECK(left("vadd.u32.s32.u32 %r1, %r2.b3, %r3.h1;", a, b, c) == "00000080");
  CHECK(left("vadd.s32.s32.s32.sat %r1.b2, %r2.b1, %r3.h0, %r4;", a, b, c) == "117f3344");
  CHECK(left("vsub.u32.u32.u32 %r1.h1, %r2.b0, %r3.b0, %r4;", a, b, c) == "ffff3344");  // the upper half
  CHECK(left("vadd2.u32.u32.u32 %r1.h0, %r2.h33, %r3.h01, %r4;", a, b, c) == "112282fd");
  CHECK(left("vmax4.u32.u32.u32 %r1.b31, %r2, %r3.b4567, %r4;", a, b, c) == "8122ff44");
  CHECK(left("vset4.u32.u32.eq.add %r1.b210, %r2.b0000, %r3.b3210, %r4;", a, b, "5") == "00000006");
  CHECK(left("vshr.u32.u32.u32.wrap %r1, %r2, %r3.b0;", a, "33", c) == "40ff3f81");
  CHECK(left("vmad.s32.u32.u32 %r1, -%r2.b0, %r3.b1, %r4;", a, b, "7") == "00000001");
  // A part where there is none to read or write, or of what is no video instruction.
  for (const char* wrong :
       {"vadd.u32.u32.u32 %r1.b0, %r2, %r3;", "vadd.u32.u32.u32.add %r1.b0, %r2, %r3, %r4;",
        "vadd.u32.u32.u32 %r1, %r2.b4, %r3;", "vadd.u32.u32.u32 %r1, %r2.h2, %r3;",
        "vadd.u32.u32.u32 %r1, %r2.b10, %r3;", "vadd.u32.u32.u32 %r1, -%r2, %r3;",
        "vadd2.u32.u32.u32 %r1.h01, %r2, %r3, %r4;", "vadd2.u32.u32.u32 %r1, %r2.h4, %r3, %r4;",
        "vadd2.u32.u32.u32 %r1, %r2.b10, %r3, %r4;", "vadd2.u32.u32.u32 %r1, %r2, 1, %r4;",
        "vmad.u32.u32.u32.po %r1, -%r2, %r3, %r4;", "vmad.u32.u32.u32 %r1, -%r2, %r3, -%r4;",
        "vmad.u32.u32.u32 %r1.b0, %r2, %r3, %r4;", "add.u32 %r1, %r2.b0, %r3;", "mov.b32 %r1.h0, %r2;"})
    CHECK_MESSAGE(left(wrong, a, b, c).empty(), wrong);
}

TEST_CASE("fma.oob: 0 where a factor stands outside of a tensor") {
  CHECK(evaluate("fma.rn.oob.f16", {0x7ff7, 0x3c00, 0x3c00}) == 0);
  CHECK(evaluate("fma.rn.oob.bf16", {0x3f80, 0xfff7, 0x3f80}) == 0);
  CHECK(evaluate("fma.rn.oob.f16", {0x3c00, 0x3c00, 0x7ff7}) == 0x7fff);
  CHECK(evaluate("fma.rn.oob.f16", {0x7ff8, 0x3c00, 0x3c00}) == 0x7fff);
  CHECK(evaluate("fma.rn.oob.sat.f16", {0x7ff7, 0x3c00, 0x3c00}) == 0);
  CHECK(evaluate("fma.rn.oob.relu.f16x2", {0x3c007ff7, 0x3c003c00, 0x3c003c00}) == 0x40000000);
}

TEST_CASE("packs of 4 and 2 bits: both clamped, the rest from below c") {
  CHECK(evaluate("cvt.pack.sat.u4.s32.b32", {20, 3, 0xabcdef12}) == 0xcdef12f3);
  CHECK(evaluate("cvt.pack.sat.s4.s32.b32", {0xffffffff, 100, 0}) == 0xf7);
  CHECK(evaluate("cvt.pack.sat.s4.s32.b32", {0x80000000, 0, 1}) == 0x180);
  CHECK(evaluate("cvt.pack.sat.u2.s32.b32", {0xffffffff, 9, 0xff}) == 0xff3);
  CHECK(evaluate("cvt.pack.sat.s2.s32.b32", {5, 0xfffffff0, 0}) == 0x6);
}

TEST_CASE("satfinite: what is too large becomes the largest number, with its sign; NaN stays") {
  constexpr std::uint64_t inf = 0x7f800000, big = 0x7f7fffff, minus_big = 0xff7fffff, nan = 0x7fc00000;
  CHECK(evaluate("cvt.rn.satfinite.f16.f32", {big}) == 0x7bff);
  CHECK(evaluate("cvt.rn.satfinite.f16.f32", {inf}) == 0x7bff);
  CHECK(evaluate("cvt.rz.satfinite.f16.f32", {minus_big}) == 0xfbff);
  CHECK(evaluate("cvt.rn.satfinite.f16.f32", {nan}) == 0x7fff);
  CHECK(evaluate("cvt.rn.satfinite.f16.f32", {0x3f800000}) == 0x3c00);
  CHECK(evaluate("cvt.rn.f16.f32", {big}) == 0x7c00);
  CHECK(evaluate("cvt.rn.satfinite.bf16x2.f32", {inf, minus_big}) == 0x7f7fff7f);
  CHECK(evaluate("cvt.rn.relu.satfinite.f16x2.f32", {minus_big, big}) == 0x7bff);
  CHECK(evaluate("cvt.rna.satfinite.tf32.f32", {inf}) == 0x7f7fe000);
  CHECK(evaluate("cvt.rna.satfinite.tf32.f32", {minus_big}) == 0xff7fe000);
  CHECK(evaluate("cvt.rna.tf32.f32", {big}) == 0x7f800000);
  CHECK(evaluate("cvt.rn.satfinite.tf32.f32", {inf}) == 0x7f7fe000);
}

TEST_CASE("set writes 1.0 in 16 bits, whatever it compares") {
  CHECK(evaluate("set.lt.f16.s32", {0xffffffff, 0}) == 0x3c00);
  CHECK(evaluate("set.lt.f16.u32", {0xffffffff, 0}) == 0);
  CHECK(evaluate("set.gt.bf16.f32", {0x40000000, 0x3f800000}) == 0x3f80);
  CHECK(evaluate("set.ge.ftz.f16.f32", {1, 0x80000001}) == 0x3c00);
  CHECK(evaluate("set.eq.bf16.f16", {0x3c00, 0x3c00}) == 0x3f80);
}

TEST_CASE("minima and maxima of 16-bit numbers, several at once") {
  PtxKernel kernel;
  kernel.block = {1, 1, 1};
  kernel.out_words = 4;
  kernel.body =
      "mov.b32 %r1, 0x3c00c000; st.global.u32 [%base_out], %r1; st.global.u32 [%base_out+4], %r1;"  // 1, -2
      "mov.b32 %r2, 0x40003c00; mov.b32 %r3, 0x7e003800;"  // 2, 1; NaN, 0.5
      "red.global.max.noftz.v2.f16x2 [%base_out], {%r2, %r3};"
      "atom.global.min.noftz.v2.f16x2 {%r4, %r5}, [%base_out], {%r1, %r1};"
      "st.global.u32 [%base_out+8], %r4; st.global.u32 [%base_out+12], %r5;";
  const PtxRun run = run_ptx(kernel);
  CHECK(run.message().empty());
  CHECK(run.out == std::vector<std::uint32_t>{0x3c00c000, 0x3c00c000, 0x40003c00, 0x3c003800});
}

TEST_CASE("sums of 16 bits and clamped ones take the carry") {
  const auto with = [](const char* opcode, bool carry, std::uint64_t a, std::uint64_t b,
                       std::uint64_t c = 0) {
    FormBench bench(*find_form(opcode));
    for (int lane = 0; lane < kWarpLanes; ++lane) {
      bench.set(1, lane, a);
      bench.set(2, lane, b);
      if (bench.sources() == 3) bench.set(3, lane, c);
    }
    bench.set_carry(carry ? ~0u : 0);
    bench.run();
    CHECK(bench.carry() == (carry ? ~0u : 0));
    return bench.get(0, 3);
  };
  CHECK(with("addc.u16", true, 0xffff, 1) == 1);
  CHECK(with("subc.s16", true, 5, 7) == 0xfffe);
  CHECK(with("subc.s16", false, 5, 7) == 0xfffd);
  CHECK(with("madc.lo.u16", true, 300, 300, 1) == 0x5f92);
  CHECK(with("madc.hi.s16", true, 0xffff, 2, 4) == 4);
  CHECK(with("addc.sat.s32", true, 0x7fffffff, 0) == 0x7fffffff);
  CHECK(with("addc.sat.s32", true, 3, 4) == 8);
  CHECK(with("subc.sat.s32", false, 0x80000000, 0) == 0x80000000);
  CHECK(with("subc.sat.s32", true, 3, 4) == 0xffffffff);
  CHECK(with("madc.hi.sat.s32", false, 0x80000001, 0x80, 0x80000000) == 0x7fffffc0);  // an H200: it wraps
  CHECK(with("madc.hi.sat.s32", true, 0x40, 0x40, 0x7fffffff) == 0x80000000);
  CHECK(find_form("addc.cc.u16") == nullptr);
}

TEST_CASE("atomics of 16 bytes swap all of them or none") {
  PtxKernel kernel;
  kernel.block = {1, 1, 1};
  kernel.out_words = 8;
  kernel.body =
      ".reg .b128 %q<5>; .reg .b64 %a<6>;"
      "mov.b64 %a1, 7; mov.b64 %a2, 9; st.global.v2.b64 [%base_out], {%a1, %a2};"
      "mov.b128 %q1, {%a1, %a2}; mov.b128 %q2, {%a2, %a1}; mov.b128 %q3, {%a1, %a1};"
      "atom.global.cas.b128 %q4, [%base_out], %q3, %q2;"  // differs above
      "atom.global.cas.b128 %q4, [%base_out], %q1, %q2;"
      "atom.global.exch.b128 %q4, [%base_out], %q3;"
      "mov.b128 {%a3, %a4}, %q4; st.global.v2.b64 [%base_out+16], {%a3, %a4};";
  const PtxRun run = run_ptx(kernel);
  CHECK(run.message().empty());
  CHECK(run.out == std::vector<std::uint32_t>{7, 0, 7, 0, 9, 0, 7, 0});
}
