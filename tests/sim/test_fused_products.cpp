// Sums that `ptxas` makes one instruction with a product are one rounding here, too: the texts and verdicts are those of
// tests/golden/fused_sums.txt.gz, which tools/golden/fused_sums.py makes.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "common/sim/analysis/fused_products.h"
#include "tests/sim/golden_files.h"
#include "tests/sim/ptx_run.h"

using namespace lab::sim;

namespace {

// For each sum of a text: which of its operands it computes, as the golden rows have it.
std::string marks(const std::string& kind, const std::string& text) {
  const ptx::Module module = ptx::parse(fmt::format(
      ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k() {{ .reg .u64 p, l; .reg .u32 i, "
      "j; .reg .pred v, w; .reg .{0} a, b, c, d, e, f, m, n, r, v<10>; {1} ret; }}\n",
      kind, text));
  const ptx::Function& function = module.functions.at(0);
  const FusedProducts fused = fused_products(function);
  std::string found;
  for (const ptx::Instruction& in : function.body) {
    if (in.opcode != "add" && in.opcode != "sub") continue;
    const auto at = fused.find(&in);
    found += at == fused.end() ? '-' : at->second.is_second ? '2' : '1';
  }
  return found;
}

struct Numbers {
  const char *kind, *ftz, *word;
  std::uint32_t one, fraction;  // 1.0, and the bits that are drawn
};

// out[t] of 32 lanes, one word each; the sources are three words of `in`.
std::vector<std::uint32_t> computed(const Numbers& of, const std::string& body) {
  PtxKernel kernel;
  kernel.in.resize(96 + 32);
  for (std::uint32_t k = 0; k < kernel.in.size(); ++k)
    kernel.in[k] = of.one | ((k + 1) * 0x9e3779b9u & of.fraction);
  kernel.body = fmt::format(
      "{{ .reg .{0} a, b, c, m, n, r; ld.global.{1} a, [%i]; ld.global.{1} b, [%i+128]; ld.global.{1} c, "
      "[%i+256];\n"
      "{2}\n st.global.{1} [%o], r; }}",
      of.word, of.word, body);
  const PtxRun run = run_ptx(kernel);
  REQUIRE_MESSAGE(run.fault() == "none", run.message());
  return run.out;
}

}  // namespace

TEST_CASE("sums take products in where ptxas does") {
  std::size_t rows = 0;
  for (const std::string& row : lab::golden::lines_of(lab::golden::golden_text("fused_sums.txt.gz"))) {
    const std::size_t first = row.find(' '), second = row.find(' ', first + 1);
    const std::string text = row.substr(second + 1);
    CHECK_MESSAGE(marks(row.substr(first + 1, second - first - 1), text) == row.substr(0, first), text);
    ++rows;
  }
  CHECK(rows > 1000);
}

TEST_CASE("what a sum takes in is rounded once, of every type and sign") {
  constexpr Numbers kNumbers[] = {
      {"f32", "", "b32", 0x3f800000, 0x7fffff},   {"f32", ".ftz", "b32", 0x3f800000, 0x7fffff},
      {"f16", "", "b16", 0x3c00, 0x3ff},          {"f16", ".ftz", "b16", 0x3c00, 0x3ff},
      {"bf16", "", "b16", 0x3f80, 0x7f},          {"f16x2", "", "b32", 0x3c003c00, 0x3ff03ff},
      {"bf16x2", "", "b32", 0x3f803f80, 0x7f007f}};
  for (const Numbers& of : kNumbers) {
    const auto say = [&](std::string text) {
      for (std::size_t at; (at = text.find('#')) != std::string::npos;)
        text.replace(at, 1, fmt::format("{}.{}", of.ftz, of.kind));
      return computed(of, text);
    };
    const std::string minus_c = "neg# n, c;", minus_a = "neg# n, a;";
    const std::pair<const char*, std::string> kSame[] = {
        {"mul# m, a, b; add# r, m, c;", "fma.rn# r, a, b, c;"},
        {"mul# m, a, b; add# r, c, m;", "fma.rn# r, a, b, c;"},
        {"mul# m, a, b; sub# r, m, c;", minus_c + "fma.rn# r, a, b, n;"},
        {"mul# m, a, b; sub# r, c, m;", minus_a + "fma.rn# r, n, b, c;"},
        {"mul# m, a, b; neg# n, m; add# r, n, c;", minus_a + "fma.rn# r, n, b, c;"}};
    for (const auto& [sum, fused] : kSame) {
      CAPTURE(of.kind);
      CAPTURE(sum);
      CHECK(say(sum) == say(fused));
      std::string twice = sum;
      for (std::size_t at = 0; (at = twice.find("mul#", at)) != std::string::npos; at += 7)
        twice.replace(at, 4, "mul.rn#");
      CHECK(say(sum) != say(twice));
    }
  }
}

TEST_CASE("a difference of f64 is rounded once; for debugging it is as it is written") {
  const auto low_words = [](const char* target, const char* difference) {
    PtxKernel kernel;
    for (std::uint32_t k = 0; k < 32; ++k) kernel.in.push_back(0x3f800123 + k * k * 0x1357);
    const PtxRun run =
        run_module(fmt::format(".version 9.0\n.target {}\n.address_size 64\n.visible .entry test(.param "
                               ".u64 po, .param .u64 pi, "
                               ".param .u32 pn) {{ .reg .u64 o, i, w; .reg .u32 t; .reg .f32 s; .reg .f64 "
                               "a, b, c, m, n, r;\n"
                               "ld.param.u64 o, [po]; ld.param.u64 i, [pi]; mov.u32 t, %tid.x; "
                               "mul.wide.u32 w, t, 4; add.u64 o, o, "
                               "w; add.u64 i, i, w; ld.global.f32 s, [i]; cvt.f64.f32 a, s; rcp.rn.f64 a, "
                               "a; mul.rn.f64 b, a, a; mul.rn.f64 c, a, b;\n{}\nmov.b64 "
                               "w, r; cvt.u32.u64 t, w; "
                               "st.global.u32 [o], t; ret; }}\n",
                               target, difference),
                   kernel);
    REQUIRE_MESSAGE(run.fault() == "none", run.message());
    return run.out;
  };
  const char* const sum = "mul.f64 m, a, b; sub.f64 r, c, m;";
  const auto fused = low_words("sm_90", "neg.f64 n, a; fma.rn.f64 r, n, b, c;");
  const auto twice = low_words("sm_90", "mul.rn.f64 m, a, b; sub.rn.f64 r, c, m;");
  CHECK(fused != twice);
  CHECK(low_words("sm_90", sum) == fused);
  CHECK(low_words("sm_90, debug", sum) == twice);
}
