// What a text may say in short (common/sim/ptx/ptx_parser_short.cpp) gives what the long form gives; and an operand
// of a form that its instruction does not take is refused, at every place of every instruction.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "common/sim/ptx/opcodes.h"
#include "tests/sim/ptx_run.h"

using namespace lab::sim;

namespace {

// What lane 5 stores from %r1.
std::uint32_t value_of(const std::string& body, const std::string& declarations = "") {
  PtxKernel kernel;
  kernel.declarations = declarations;
  kernel.body = body + " st.global.u32 [%o], %r1;";
  kernel.options.check_races = false;
  const PtxRun run = run_ptx(kernel);
  CHECK_MESSAGE(run.fault() == "none", body, ": ", run.message());
  return run.out[5];
}

std::string refusal(const std::string& body, const std::string& declarations = "") {
  PtxKernel kernel;
  kernel.declarations = declarations;
  kernel.body = body;
  return run_ptx(kernel).message();
}

const std::string kTables =
    ".global .u32 tab[4] = {11, 22, 33, 44}; .const .u16 con[3] = {5, 6, 7};"
    ".global .align 8 .v2 .u32 pairs[2] = {{1, 2}, {3, 4}};";

}  // namespace

TEST_CASE("short ptx: elements of arrays") {
  CHECK(value_of("ld.global.u32 %r1, tab[2];", kTables) == 33);
  CHECK(value_of("ld.global.u32 %r1, tab[1+2];", kTables) == 44);
  CHECK(value_of("mov.u64 %rd1, tab[1]; ld.global.u32 %r1, [%rd1];", kTables) == 22);
  CHECK(value_of("ld.const.u16 %r1, con[2];", kTables) == 7);
  CHECK(value_of("ld.global.u32 %r1, pairs[2];", kTables) == 3);  // of the elements of vectors
  CHECK(value_of("st.shared.u32 tile[4], 9; ld.shared.u32 %r1, [tile+4];") == 9);  // tile is of bytes
  CHECK(value_of(".local .b32 own[4]; st.local.u32 own[3], 8; ld.local.u32 %r1, [own+12];") == 8);
  for (const char* wrong :
       {"add.u64 %rd1, tab[1], %rd2;", "ld.global.u32 %r1, [tab[1]];", "mov.u64 %rd1, tab[1]+4;",
        "mov.u64 %rd1, tab[1.5];", "mov.u32 %r1, %r2[1];", "atom.global.add.u32 %r1, tab[1], 1;",
        "ld.global.u32 %r1, tab;", "mov.u64 %rd1, nothing[1];"})
    CHECK_MESSAGE(!refusal(wrong, kTables).empty(), std::string(wrong));
}

TEST_CASE("short ptx: sums") {
  CHECK(value_of("mov.u32 %r2, 12; add.u32 %r1, %r2+-3, %r2+1;") == 22);
  CHECK(value_of("mov.u32 %r2, 12; st.shared.u32 [tile], %r2+1; ld.shared.u32 %r1, [tile];") == 13);
  CHECK(value_of(
            "mov.u32 %r2, 7; setp.eq.u32 %p1, %r2, 7; @%p1 bra OUT; bra ON; OUT: ON: mov.b32 %r1, %r2+8;") ==
        15);
  for (const char* wrong : {"add.u32 %r1+1, %r2, %r2;", "mov.f32 %f1, %f2+1;", "mov.u32 %r1, %tid.x+1;",
                            "@%p1+1 bra L; L:", "mov.pred %p1, %p2+1;"})
    CHECK_MESSAGE(!refusal(wrong).empty(), std::string(wrong));
}

TEST_CASE("short ptx: vectors of registers") {
  CHECK(value_of(".reg .v4 .u16 v; mov.u16 %h1, 1; mov.u16 %h2, 2; mov.v4.u16 v, {%h1, %h2, %h1, %h2};"
                 "st.shared.v4.u16 [tile], v; ld.shared.u32 %r1, [tile+4];") == 0x20001);
  CHECK(value_of(".reg .v2 .b32 x<4>; mov.b32 x3.x, 5; mov.b32 x3.y, 6; mov.v2.b32 x1, x3; mov.v2.b32 x1, "
                 "{x1.y, x1.x};"
                 "mad.lo.u32 %r1, x1.r, 10, x1.g;") == 65);
  CHECK(value_of("mov.v4.u32 {%r1, _, %r2, %r3}, %ntid; mad.lo.u32 %r1, %r2, 100, %r1;") == 132);
  CHECK(value_of("mov.b32 %r2, 3; mov.b32 %r1, {%r2};") == 3);
  for (const char* wrong :
       {".reg .v2 .b32 x<2>; mov.b32 %r1, x2.x;", ".reg .v2 .b32 x; mov.b32 %r1, x.z;", "mov.u32 %r1, %ntid;",
        "mov.v2.u32 {%r1, %r2}, %ntid;", "mov.v2.f32 {%f1, %f2}, %r3;"})
    CHECK_MESSAGE(!refusal(wrong).empty(), std::string(wrong));
}

TEST_CASE("short ptx: arguments in registers") {
  const std::string functions =
      ".func (.reg .b32 sum, .reg .pred odd) both(.reg .b32 a, .reg .v2 .b32 bc, .reg .pred negative) {"
      "  .reg .b32 t; add.s32 sum, a, bc.x; add.s32 sum, sum, bc.y; and.b32 t, sum, 1; setp.eq.u32 odd, t, 1;"
      "  @!negative ret; { .reg .b32 sum; mov.b32 sum, 0; } neg.s32 sum, sum; }"
      ".func (.param .b32 o) twice(.param .b32 a) { .reg .b32 t; ld.param.b32 t, [a]; add.s32 t, t, t; "
      "st.param.b32 [o], t; ret; }"
      ".func (.reg .f32 o) half(.reg .f32 a) { mul.f32 o, a, 0.5; }"
      ".func (.reg .b32 f) factorial(.reg .b32 n) { .reg .b32 m; .reg .pred p; setp.lt.u32 p, n, 2; mov.b32 "
      "f, 1; @p ret;"
      "  sub.u32 m, n, 1; call (f), factorial, (m); mul.lo.u32 f, f, n; ret; }";
  const std::string setup =
      ".reg .v2 .b32 w; mov.b32 w.x, 20; mov.b32 w.y, 300; setp.eq.u32 %p2, %tid, 99; setp.ne.u32 %p3, %tid, "
      "99;";
  CHECK(value_of(setup + "mov.b32 %r2, 1; call (%r1, %p1), both, (%r2, w, %p2); selp.b32 %r3, 1000, 0, %p1; "
                         "add.u32 %r1, %r1, %r3;",
                 functions) == 1321);
  CHECK(value_of(setup + "call (%r1, _), both, (1, w, %p3);", functions) == 0u - 321);
  CHECK(value_of("call (%r1), twice, (21);", functions) == 42);
  CHECK(value_of(".param .b32 q; mov.b32 %r2, 4; call (q), twice, (%r2); ld.param.b32 %r1, [q];",
                 functions) == 8);
  CHECK(value_of("call (%f1), half, (3.0); mov.b32 %r1, %f1;", functions) == 0x3fc00000);
  CHECK(value_of("call (%r1), factorial, (5);", functions) == 120);
  CHECK(value_of("mov.b32 %r1, 3; setp.eq.u32 %p1, %tid, 4; @%p1 call (%r1), twice, (9);", functions) == 3);
  CHECK(value_of(
            "mov.u64 %rd1, twice; P: .callprototype (.reg .b32 _) _ (.reg .b32 _); call (%r1), %rd1, (7), P;",
            functions) == 14);
  for (const char* wrong :
       {"call (%r1), twice, (%tid.x);", "call (%r1), twice, (1, 2);", "call (%r1), twice, (%h1);",
        "call (%r1), twice, (%r1+1);", "@%p1 call (%r1, %p1), both, (1, %p2, %p1);", "call (%r1), twice, 1;"})
    CHECK_MESSAGE(!refusal(wrong, functions).empty(), std::string(wrong));
}

TEST_CASE("short ptx: modifiers in any order") {
  CHECK(value_of("mov.f32 %f1, 0f40800000; mov.f32 %f2, 0f40000000; div.ftz.rn.f32 %f3, %f1, %f2; mov.b32 "
                 "%r1, %f3;") == 0x40000000);
  CHECK(value_of("mov.f32 %f1, 0f40200000; cvt.ftz.rni.f32.f32 %f2, %f1; mov.b32 %r1, %f2;") == 0x40000000);
  CHECK(value_of("mov.f32 %f1, 0f40200000; cvt.s32.f32.rzi %r1, %f1;") == 2);
  CHECK(value_of("mov.b32 %r2, 5; add.s32.sat %r1, %r2, 0x7fffffff;") == 0x7fffffff);
  for (const char* wrong : {"mul.u32.lo %r1, %r2, %r3;", "div.ftz.full.f32 %f1, %f2, %f3;",
                            "add.rn.rn.f32 %f1, %f2, %f3;", "cvt.rn.f32.f16.f32 %f1, %h1;"})
    CHECK_MESSAGE(!refusal(wrong).empty(), std::string(wrong));
  CHECK(ptx::in_order("cvt.sat.f16.rn.f32") == "cvt.rn.sat.f16.f32");
  CHECK(ptx::in_order("mul.u32.lo").empty());
}

TEST_CASE("short ptx: of all active lanes, before sm_70") {
  const auto run = [](const std::string& target, const std::string& line) {
    PtxKernel kernel;
    return run_module(
        ".version 6.0\n.target " + target +
            "\n.address_size 64\n.visible .entry test(.param .u64 o, .param .u64 i, .param .u32 n) {"
            ".reg .b32 %r<9>; .reg .b64 %d<3>; .reg .pred %p<3>;"
            "mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 2; ld.param.u64 %d0, [o]; mul.wide.u32 %d1, %r1, 4;"
            "add.u64 %d0, %d0, %d1; " +
            line + " st.global.u32 [%d0], %r2; ret; }",
        kernel);
  };
  CHECK(run("sm_60", "vote.ballot.b32 %r2, %p1;").out[5] == 0xfffffff8);
  CHECK(run("sm_60", "mov.b32 %r2, 0; @%p1 vote.ballot.b32 %r2, %p1;").out[5] == 0xfffffff8);
  CHECK(run("sm_60", "vote.all.pred %p2, %p1; selp.b32 %r2, 1, 2, %p2;").out[5] == 2);
  CHECK(run("sm_60", "shfl.bfly.b32 %r2, %r1, 1, 31;").out[5] == 4);
  CHECK(run("sm_75", "shfl.bfly.b32 %r2, %r1, 1, 31;").fault() == "unsupported");
  CHECK(run("sm_60", "match.any.b32 %r2, %r1;").fault() != "none");
}

TEST_CASE("short ptx: no operand is read as another form") {
  // Right texts, and each of their operands replaced by every form that does not fit there.
  struct Row {
    const char* opcode;
    std::vector<const char*> operands;
    const char* takes;  // for each operand: what it may be, beside what stands here
  };
  // n: a number, p: a predicate (or its negation, or a number), a: an address, l: a name, d: `p|q`, v: a list, s: a sum, e: the address of
  // a variable, t: a special register
  const std::vector<Row> rows{{"add.u32", {"%r1", "%r2", "%r3"}, " ns ns"},
                              {"selp.b32", {"%r1", "%r2", "%r3", "%p1"}, " ns ns p"},
                              {"setp.eq.u32", {"%p1", "%r2", "%r3"}, "d ns ns"},
                              {"ld.global.u32", {"%r1", "[%i]"}, "y i"},
                              {"st.global.u32", {"[%o]", "%r1"}, "i nsy"},
                              {"atom.global.add.u32", {"%r1", "[%o]", "%r2"}, "  ns"},
                              {"bra", {"L"}, ""},
                              {"bar.red.and.pred", {"%p1", "0", "%p2"}, " rns p"},
                              {"bar.sync", {"0"}, "rns"},
                              {"vote.sync.any.pred", {"%p1", "%p2", "-1"}, " p rns"},
                              {"cp.async.wait_group", {"0"}, "n"},
                              {"setmaxnreg.inc.sync.aligned.u32", {"64"}, "n"},
                              {"pmevent", {"1"}, "n"},
                              {"prefetch.global.L1", {"[%i]"}, ""},
                              {"createpolicy.fractional.L2::evict_last.b64", {"%rd1", "1.0"}, " rs"},
                              {"nanosleep.u32", {"%r1"}, "ns"},
                              {"membar.gl", {}, ""}};
  const std::vector<std::pair<char, const char*>> forms{
      {'n', "3"}, {'p', "!%p3"},    {'p', "%p3"},        {'m', "-%r4"},  {'a', "[%i]"},
      {'l', "L"}, {'d', "%p3|%p4"}, {'v', "{%r4, %r5}"}, {'s', "%r4+1"}, {'i', "tab[1]"},
      {'_', "_"}, {'r', "%r4"},     {'x', "%ntid"},      {'y', "{%r4}"}};
  int refused = 0;
  for (const Row& row : rows) {
    for (std::size_t at = 0; at <= row.operands.size(); ++at) {
      // The words of `takes`, one for each operand.
      std::vector<std::string> takes(1);
      for (const char* c = row.takes; *c != 0; ++c) *c == ' ' ? takes.emplace_back() : takes.back() += *c;
      takes.resize(row.operands.size() + 1);
      for (const auto& [form, text] : forms) {
        const std::string before = at < row.operands.size() ? row.operands[at] : "";
        const bool same = (form == 'r' && before.starts_with("%r")) ||
                          (form == 'a' && before.starts_with("[")) || (form == 'l' && before == "L") ||
                          (form == 'p' && *text == '%' && before.starts_with("%p")) ||
                          (form == '_' && before.starts_with("%") && at == 0);
        const bool number = form == 'n' && takes[at].find('p') != std::string::npos;
        if (same || number || takes[at].find(form) != std::string::npos) continue;
        std::string line = row.opcode;
        for (std::size_t k = 0; k <= row.operands.size(); ++k) {
          if (k == row.operands.size() && k != at) continue;
          line += (k == 0 ? " " : ", ") + std::string(k == at ? text : row.operands[k]);
        }
        CHECK_MESSAGE(!refusal(line + "; L:", kTables).empty(), line);
        ++refused;
      }
    }
  }
  CHECK(refused > 400);
}
