// Conversions to and from 8-bit floating point numbers against a GPU, which converted every input:
// tests/golden/ fp8_runs.txt.gz has the runs of inputs that give the same result (tools/golden/fp8.cu).
//
// Checked are both ends of every run and drawn numbers, all halves, all bytes; in the lower part of a
// register and in the upper one, beside a drawn number.
#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

#include "tests/drawn/draws.h"
#include "tests/sim/golden_files.h"
#include "tests/sim/ptx_run.h"

using namespace lab::sim;

namespace {

struct Runs {
  std::string name, kind;
  std::vector<std::uint32_t> first, result;
  [[nodiscard]] std::uint32_t of(std::uint32_t input) const {
    return result[static_cast<std::size_t>(std::upper_bound(first.begin(), first.end(), input) -
                                           first.begin() - 1)];
  }
};

Runs runs_in(const std::string& line) {
  Runs runs;
  std::istringstream words(line);
  words >> runs.name >> runs.kind;
  for (std::string run; words >> run;) {
    const std::size_t colon = run.find(':');
    runs.first.push_back(static_cast<std::uint32_t>(std::stoul(run.substr(0, colon), nullptr, 16)));
    runs.result.push_back(static_cast<std::uint32_t>(std::stoul(run.substr(colon + 1), nullptr, 16)));
  }
  return runs;
}

// The inputs of one form: each beside a drawn one.
std::vector<std::uint32_t> inputs_of(const Runs& runs, lab::drawn::Draws& draws) {
  std::vector<std::uint32_t> inputs;
  if (runs.kind == "f32") {
    for (const std::uint32_t first : runs.first) inputs.insert(inputs.end(), {first, first - 1});
    for (int n = 0; n < 4096; ++n) inputs.push_back(static_cast<std::uint32_t>(draws.next()));
  } else {
    for (std::uint32_t x = 0; x < (runs.kind == "f16" ? 65536u : 256u); ++x) inputs.push_back(x);
  }
  return inputs;
}

// One instruction on `low` and `high`, which follow each other in `in`.
std::string body_of(const Runs& runs, std::size_t count) {
  const std::string second = "[%i+" + std::to_string(4 * count) + "];\n", load = "  ld.global.u32 ";
  std::string body = load + "%r1, [%i];\n" + load + "%r2, " + second;
  if (runs.kind == "f32")
    return body + "  mov.b32 %f1, %r1;\n  mov.b32 %f2, %r2;\n  " + runs.name +
           " %h1, %f2, %f1;\n  cvt.u32.u16 %r3, %h1;\n  st.global.u32 [%o], %r3;";
  if (runs.kind == "f16")
    return body + "  shl.b32 %r2, %r2, 16;\n  or.b32 %r1, %r1, %r2;\n  " + runs.name +
           " %h1, %r1;\n  cvt.u32.u16 %r3, %h1;\n  st.global.u32 [%o], %r3;";
  return body + "  shl.b32 %r2, %r2, 8;\n  or.b32 %r1, %r1, %r2;\n  cvt.u16.u32 %h1, %r1;\n  " + runs.name +
         " %r3, %h1;\n  st.global.u32 [%o], %r3;";
}

}  // namespace

TEST_CASE("8-bit floating point numbers are converted as a GPU converts them") {
  lab::drawn::Draws draws(lab::drawn::seed_of_run("8-bit floating point numbers"));
  for (const std::string& line : lab::golden::lines_of(lab::golden::golden_text("fp8_runs.txt.gz"))) {
    const Runs runs = runs_in(line);
    CAPTURE(runs.name);
    const std::vector<std::uint32_t> low = inputs_of(runs, draws);
    std::vector<std::uint32_t> high = low;
    draws.shuffle(high);
    PtxKernel kernel;
    kernel.in = low;
    kernel.in.insert(kernel.in.end(), high.begin(), high.end());
    constexpr std::uint32_t kThreads = 128;
    kernel.in.resize(kernel.in.size() + kThreads);  // what the last block's idle threads read
    const auto blocks = static_cast<std::uint32_t>((low.size() + kThreads - 1) / kThreads);
    kernel.grid = {blocks, 1, 1}, kernel.block = {kThreads, 1, 1},
    kernel.out_words = blocks * std::size_t{kThreads};
    kernel.body = body_of(runs, low.size());
    const PtxRun run = run_ptx(kernel);
    REQUIRE(run.fault() == "none");
    const int bits = runs.kind == "fp8" ? 16 : 8;
    int wrong = 0;
    for (std::size_t n = 0; n < low.size(); ++n)
      wrong += run.out[n] != (runs.of(low[n]) | runs.of(high[n]) << bits);
    CHECK(wrong == 0);
  }
}
