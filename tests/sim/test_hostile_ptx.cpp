// Texts that parse and yet make no sense, through decoder and launch: each ends in an error or a fault with a
// reason, none in a crash, a hang or an empty machine. What the fuzzer of launches finds ends up here.
#include <doctest/doctest.h>

#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "common/sim/base/fault.h"
#include "common/sim/gpu.h"
#include "common/sim/program/program_data.h"
#include "common/sim/ptx/opcodes.h"
#include "common/sim/ptx/ptx_module.h"
#include "tests/drawn/draws.h"

using namespace lab::sim;

namespace {

// "decode: unsupported: …", "launch: deadlock: …", "parse: …" or "ok".
std::string outcome(const std::string& text) {
  try {
    ptx::Module module = ptx::parse(".version 8.5 .target sm_90 .address_size 64\n" + text);
    Memory memory;
    const DeviceAddress buffer = memory.allocate(4096, Fill::Written, "buffer");
    const ModuleImage image(std::move(module), memory, kMostVariableBytes);
    const auto program = decode(image, "k");
    LaunchConfig config;
    config.grid = {2, 1, 1};
    config.block = {40, 1, 1};
    LaunchOptions options;
    options.budget_instructions = options.block_budget_instructions = 100'000;
    std::vector<std::byte> parameters(program->parameter_bytes());
    if (parameters.size() >= sizeof buffer) std::memcpy(parameters.data(), &buffer, sizeof buffer);
    const LaunchResult result = launch(memory, *program, config, parameters, options);
    if (result.ok()) return "ok";
    return "launch: " + std::string(code(result.faults[0].kind)) + ": " +
           result.faults[0].sentence().english();
  } catch (const ptx::ParseError& error) {
    return std::string("parse: ") + error.what();
  } catch (const FaultError& error) {
    return "decode: " + std::string(code(error.fault.kind)) + ": " + error.what();
  }
}

struct Row {
  std::string body;
  std::string expected;  // the outcome begins so, and …
  std::string reason;    // … says this
  std::string module{};
};

void check_all(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    const std::string got =
        outcome(row.module +
                ".entry k(.param .u64 p) { .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;"
                ".reg .pred %p<5>; .reg .b16 %h<4>; ld.param.u64 %rd1, [p];\n" +
                row.body + "\n}");
    CAPTURE(row.body);
    CAPTURE(got);
    CHECK(got.rfind(row.expected, 0) == 0);
    CHECK(got.find(row.reason) != std::string::npos);
  }
}

}  // namespace

TEST_CASE("hostile ptx: control") {
  check_all({
      {"", "ok", ""},
      {"L: bra L;", "launch: budget-exceeded", "hottest loop"},
      {"mov.u32 %r1, 0; T: .branchtargets L, M; L: brx.idx %r1, T; M: ret;", "launch: budget-exceeded",
       "hottest loop"},
      {"mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 5;\n"
       "L: setp.eq.u32 %p2, %r1, 77; @%p2 bra M; @%p1 bra A; bra L; A: bra L; M: ret;",
       "launch: budget-exceeded", "hottest loop"},
      {"call f;", "launch: stack-overflow", "levels deep", ".func f { call f; }"},
      {".param .b32 a, q; st.param.b32 [a], 60; call (q), f, (a);", "launch: budget-exceeded",
       "entered again",
       ".func (.param .b32 r) f(.param .b32 n) { .reg .b32 %r<2>; .reg .pred %p<2>; .param .b32 a, q;"
       "ld.param.u32 %r1, [n]; setp.eq.u32 %p1, %r1, 0; @%p1 ret; sub.u32 %r1, %r1, 1;"
       "st.param.b32 [a], %r1; call (q), f, (a); st.param.b32 [a], %r1; call (q), f, (a); ret; }"},
      // Block 0 waits for block 1: it must not use up its budget before block 1 has begun.
      {"mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 0; @%p1 bra W; st.volatile.global.u32 [flag], 1; ret;"
       "W: ld.volatile.global.u32 %r2, [flag]; setp.eq.u32 %p2, %r2, 0; @%p2 bra W; ret;",
       "ok", "", ".global .u32 flag;"},
      {"W: ld.volatile.global.u32 %r2, [flag]; setp.eq.u32 %p2, %r2, 0; @%p2 bra W; ret;",
       "launch: budget-exceeded", "hottest loop", ".global .u32 flag;"},
      {"call again;", "launch: stack-overflow", "levels deep", ".func again() { call again; ret; }"},
      {"call f;", "decode: bad-ptx", "defined nowhere", ".extern .func f;"},
      {"call %rd1;", "launch: trap", "through a pointer that is no function"},
      {"brx.idx 9, T; T: .branchtargets L; L: ret;", "launch: bad-ptx", "entry 9 of a table of 1"},
      {"brx.idx %r1, T; T: ret;", "decode: bad-ptx", "list of targets is missing"},
      {"setp.eq.u32 %p1, 1, 2; @%p1 ret; @!%p1 exit; trap;", "ok", ""},
      {"trap;", "launch: trap", "trap"},
      {"mov.u32 %r1, 16; bar.sync %r1;", "launch: barrier-divergence", "barrier 16"},
      {"bar.sync 16;", "decode: bad-ptx", "0 to 15"},
      {"bar.sync 0, 7;", "decode: bad-ptx", "whole warps"},
      {"mov.u32 %r1, 7; bar.sync 0, %r1;", "launch: barrier-divergence", "multiple of 32"},
      {"bar.sync 0, 128;", "launch: deadlock", "never come"},
      {"bar.sync;", "decode: bad-ptx", "0 operands"},
      {"bar.noise 0;", "decode: unsupported", "modifier .noise"},
      {"shfl.sync.idx.b32 %r1, %r2, 0, 31, 0;", "launch: warp-sync", "does not name its own lane"},
      {"shfl.sync.noise.b32 %r1, %r2, 0, 31, -1;", "decode: unsupported", "shfl.sync.noise.b32"},
      {"redux.sync.add.f32 %f1, %f2, -1;", "decode: bad-ptx", "needs sm_100a"},
      {"vote.all.pred %p1, %p2;", "decode: unsupported", "without .sync"},
  });
}

TEST_CASE("hostile ptx: memory") {
  check_all({
      {"st.shared.u8 [a], 1;", "decode: too-much-shared", "shared arrays", ".shared .b8 a[4294967296];"},
      {".local .b8 l[4294967296]; st.local.u8 [l], 1;", "decode: stack-overflow", "512 KiB"},
      {".param .b8 q[4294967296]; st.param.u8 [q], 1;", "decode: stack-overflow", "512 KiB"},
      {"ld.global.u32 %r1, [g];", "decode: too-much-memory", "The largest one is `g`",
       ".global .b8 g[1000000000000];"},
      {"ld.global.u32 %r1, [c];", "decode: too-much-memory", "1 073 741 825 bytes",  // together
       ".global .b8 a[536870912]; .const .b8 c[536870913];"},
      {"ld.global.u32 %r1, [a];", "ok", "", ".global .b8 a[536870912]; .global .b8 b[536870912];"},
      {"ld.param.u64 %rd1, [p+8];", "launch: out-of-bounds", "parameter offset 8"},
      {"ld.param.u64 %rd1, [p+-8];", "launch: out-of-bounds", "parameter offset -8"},
      {"st.param.u64 [p], %rd1;", "launch: write-to-const", "parameter"},
      {"st.const.u32 [c], 1;", "decode: unsupported", "constant memory", ".const .u32 c;"},
      {"ld.shared.u32 %r1, [-4];", "launch: out-of-bounds", "shared memory"},
      // The lane that does not act would name what lies in front of it.
      {"mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 0; mov.u32 %r2, a; mad.lo.u32 %r2, %r1, 4, %r2;"
       "@%p1 st.shared.u32 [%r2+-4], %r1; @%p1 ld.shared.u32 %r3, [%r2+-4];",
       "ok", "", ".shared .b8 a[256];"},
      {"st.local.u32 [1099511627776], %r1;", "launch: out-of-bounds", "local memory"},
      {"ld.global.u32 %r1, [0];", "launch: out-of-bounds", "null pointer"},
      {"atom.add.u32 %r1, [%rd1+2], 1;", "launch: misaligned", "not a multiple of 4"},
      {"ld.global.v4.u32 %r1, [%rd1];", "decode: bad-ptx", "wrong length"},
      {"st.global.u32 [%rd1], {1, 2};", "decode: bad-ptx", "wrong length"},
      {"ld.global.u64 %r1, [%rd1];", "decode: bad-ptx", "declared .b32"},
      {"ld.global.u32 5, [%rd1];", "decode: bad-ptx", "must be a register"},
      {"ld.global %r1, [%rd1];", "decode: unsupported", "ld.global"},
      {"ld;", "decode: unsupported", "`ld`"},
      {"atom.global.cas.b32 %r1, [%rd1], 1;", "decode: bad-ptx", "3 operands"},
  });
}

TEST_CASE("hostile ptx: registers and operands") {
  check_all({
      {"add.u32 %r1, %r2;", "decode: bad-ptx", "2 operands"},
      {"add.u32 1, 2, 3;", "decode: bad-ptx", "must be a register"},
      {"add.u32 %rd1, %r2, %r3;", "decode: bad-ptx", "declared .b64"},
      {"selp.u32 %r1, %r2, %r3, %r4;", "decode: bad-ptx", "no predicate"},
      {".reg .f16x2 x; cvt.rn.f16x2.f32 x, %f1, %f2; cvt.rn.f16x2.e4m3x2 x, %h1;", "ok", ""},
      {".reg .f16x2 x; cvt.rn.bf16x2.f32 x, %f1, %f2;", "decode: bad-ptx", "declared .f16x2"},
      {"mov.b64 {%r1, %r2, %r3}, %rd1;", "decode: bad-ptx", "do not fill"},
      {"mov.u64 %rd1, L; L:", "decode: bad-ptx", "no address"},
      {"mov.u32 %r1, %tid.q;", "parse: ", "%tid.q"},
      {"nonsense.u32 %r1, %r2;", "decode: unsupported", "nonsense.u32"},
      {"div.u32 %r1, 5, 0; rem.s32 %r1, -2147483648, -1; div.s64 %rd1, -9223372036854775808, -1;", "ok", ""},
      {"shl.b32 %r1, 1, 400; shr.s64 %rd1, 5, -1; bfe.u32 %r1, %r2, 255, 255;", "ok", ""},
      {"bfi.b32 %r1, %r2, %r3, 200, 200; prmt.b32 %r1, %r2, %r3, -1;", "ok", ""},
      {"cvt.rni.s32.f32 %r1, 0f7F800000; cvt.rzi.u64.f32 %rd1, 0f7FC00000;", "ok", ""},
  });
  CHECK(outcome(".entry k(.param .b8 q[1099511627776]) { ret; }").find("32 764 bytes") != std::string::npos);
  CHECK(outcome(".func k { ret; }").find("holds no kernel at all") != std::string::npos);
}

TEST_CASE("hostile ptx: textures") {
  const std::string four = "{%f1, %f2, %f3, %f4}";
  check_all({
      // No kernel can make an object: neither by number nor by bytes of its own.
      {"tex.2d.v4.f32.f32 " + four + ", [%rd1, {%f5, %f6}];", "launch: out-of-bounds", "it is none"},
      {"mov.u64 %rd2, 0; tex.1d.v4.f32.s32 " + four + ", [%rd2, {%r1}];", "launch: out-of-bounds",
       "it is none"},
      {"suld.b.2d.b32.zero {%r1}, [%rd1, {%r2, %r3}];", "launch: out-of-bounds", "it is none"},
      {"sust.b.2d.b32.clamp [%rd1, {%r2, %r3}], {%r1};", "launch: out-of-bounds", "it is none"},
      {"tex.2d.v4.f32.f32 {%f1, %f2, %f3}, [%rd1, {%f5, %f6}];", "decode: bad-ptx", "wrong length"},
      {"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4, %f5}, [%rd1, {%f5, %f6}];", "decode: bad-ptx", "wrong length"},
      {"tex.2d.v4.u32.f32 {%rd2, %rd3, %rd4, %rd5}, [%rd1, {%f5, %f6}];", "decode: bad-ptx",
       "differ in size"},
      {"tex.3d.v4.f32.f32 " + four + ", [%rd1, {%f5, %f6}];", "decode: bad-ptx", "more coordinates"},
      {"tex.2d.v4.f32.f32 " + four + ", [%r1, {%f5, %f6}];", "decode: unsupported", "64-bit register"},
      {"tex.2d.v4.f32.f32 " + four + ", [%rd1, {%f5, %f6}], {%r1, %r2};", "decode: unsupported", "offset"},
      {"tex.level.2d.v4.f32.f32 " + four + ", [%rd1, {%f5, %f6}];", "decode: bad-ptx", "a level"},
      {"tex.grad.2d.v4.f32.f32 " + four + ", [%rd1, {%f5, %f6}], {%f5, %f6};", "decode: bad-ptx",
       "derivatives"},
      {"tex.grad.2d.v4.f32.f32 " + four + ", [%rd1, {%f5, %f6}], {%f5, %f6}, {%f5};", "decode: bad-ptx",
       "more derivatives"},
      {"tex.grad.2d.v4.f32.f32 " + four + ", [%rd1, {%f5, %f6}], %f5, %f6;", "decode: bad-ptx",
       "more derivatives"},
      {"tex.level.2d.v4.f32.f32 " + four + ", [%rd1, {%f5, %f6}], {%f5, %f6};", "decode: bad-ptx", ""},
      {"tex.level.2d.v4.f32.f32 " + four + ", [%rd1, {%f5, %f6}], %f5, {%r1, %r2};", "decode: unsupported",
       "offset"},
      {"tex.acube.v4.f32.f32 " + four + ", [%rd1, {%r1, %f5, %f6, %f7}];", "decode: unsupported", "texture"},
      {"suld.b.2d.v4.b64.trap {%rd2, %rd3, %rd4, %rd5}, [%rd1, {%r2, %r3}];", "decode: bad-ptx",
       "wrong length"},
      {"sust.p.2d.b64.trap [%rd1, {%r2, %r3}], {%rd2};", "decode: unsupported", "surface"},
  });
}

// Forty times what as many branches forward take, before loops were searched from their ends.
TEST_CASE("hostile ptx: 30,000 branches back are decoded in a moment") {
  const auto seconds_of = [](bool back) {
    std::string body = "L: ";
    for (int k = 0; k < 30'000; ++k) {
      const std::string to = back ? "L" : "N" + std::to_string(k);
      body += "setp.eq.u32 %p1, %r1, 9; @%p1 bra " + to + ";\n" + (back ? "" : to + ": ");
    }
    const std::clock_t began = std::clock();
    outcome(".visible .entry k(.param .u64 p) { .reg .b32 %r<3>; .reg .pred %p<3>; mov.u32 %r1, %tid.x;\n" +
            body + " ret; }");
    return static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
  };
  CHECK(seconds_of(true) < 5 * seconds_of(false) + 0.5);
}

// The readers of texts come before decode says what an instruction must have.
TEST_CASE("every opcode with drawn operands, too few and too many, ends in a reason") {
  lab::drawn::Draws draws(lab::drawn::seed_of_run("drawn operands"));
  const std::vector<std::string> operands = {
      "%r1",     "%rd1",   "%p1", "%f1",        "%h1", "[%rd1]",     "[%rd1+4]",
      "[tile]",  "tile",   "3",   "0f3F800000", "_",   "{%r1, %r2}", "[%rd1, {%r1, %r2}]",
      "%r1|%p1", "%tid.x", "L",   "!%p1"};
  const std::vector<std::string> words = {
      "",       ".u32",    ".b64",          ".f32",     ".sync",    ".global",         ".shared",
      ".param", ".v2.f32", ".sync.aligned", ".cas.b32", ".add.u32", ".global.add.u32", ".shared.b64"};
  for (const ptx::OpcodeRow& row : ptx::opcode_rows()) {
    for (std::size_t left = lab::drawn::draws_of_run(12); left > 0; --left) {
      std::string line = std::string(row.text) + draws.among(words) + draws.among(words) + " ";
      for (std::size_t k = draws.below(6), first = k; k > 0; --k)
        line += (k == first ? "" : ", ") + draws.among(operands);
      const std::string text =
          ".visible .entry k(.param .u64 p) { .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p<4>; .reg "
          ".f32 %f<4>; "
          ".reg .b16 %h<4>; .shared .b8 tile[256]; ld.param.u64 %rd1, [p]; L: " +
          std::string(draws.one_in(3) ? "@%p1 " : "") + line + "; ld.global.u32 %r3, [%rd1]; ret; }";
      CAPTURE(line);
      std::string said;
      CHECK_NOTHROW(said = outcome(text));
      CHECK_FALSE(said.empty());
    }
  }
}
