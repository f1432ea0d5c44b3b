// Lanes part and meet, call, return, wait for each other: what the scheduler must get right.
#include <doctest/doctest.h>

#include <array>
#include <string>

#include "tests/sim/ptx_run.h"

using namespace lab::sim;

namespace {

PtxRun run(const std::string& body, const std::string& declarations = {}) {
  PtxKernel kernel;
  kernel.body = body;
  kernel.declarations = declarations;
  return run_ptx(kernel);
}

}  // namespace

TEST_CASE("lanes of both sides of a branch meet again before the store") {
  const PtxRun r = run(R"(
    setp.lt.u32 %p1, %tid, 10;
    @%p1 bra LOW;
    mov.u32 %r1, 7;
    bra.uni MEET;
  LOW:
    mov.u32 %r1, 3;
  MEET:
    st.global.u32 [%o], %r1;)");
  REQUIRE(r.fault() == "none");
  for (std::uint32_t lane = 0; lane < 32; ++lane) CHECK(r.out[lane] == (lane < 10 ? 3 : 7));
  CHECK(r.result.counters[Path::GlobalStore].requests == 1);
}

TEST_CASE("a loop whose lanes leave at different times stores once, together") {
  const PtxRun r = run(R"(
    mov.u32 %r1, 0;
    mov.u32 %r2, 0;
  LOOP:
    add.s32 %r1, %r1, %r2;
    add.s32 %r2, %r2, 1;
    setp.le.u32 %p1, %r2, %tid;
    @%p1 bra LOOP;
    st.global.u32 [%o], %r1;)");
  REQUIRE(r.fault() == "none");
  for (std::uint32_t lane = 0; lane < 32; ++lane) CHECK(r.out[lane] == lane * (lane + 1) / 2);
  CHECK(r.result.counters[Path::GlobalStore].requests == 1);
}

TEST_CASE("nested branches inside a divergent loop, with an early exit") {
  const PtxRun r = run(R"(
    mov.u32 %r1, 0;
    mov.u32 %r2, 0;
  LOOP:
    and.b32 %r3, %r2, 1;
    setp.eq.u32 %p1, %r3, 0;
    @%p1 bra EVEN;
    add.s32 %r1, %r1, 100;
    setp.gt.u32 %p2, %tid, 29;
    @%p2 exit;
    bra.uni NEXT;
  EVEN:
    add.s32 %r1, %r1, 1;
  NEXT:
    add.s32 %r2, %r2, 1;
    setp.lt.u32 %p3, %r2, %tid;
    @%p3 bra LOOP;
    st.global.u32 [%o], %r1;)");
  REQUIRE(r.fault() == "none");
  for (std::uint32_t lane = 0; lane < 30; ++lane) {
    const std::uint32_t rounds = lane < 1 ? 1 : lane;
    CHECK(r.out[lane] == (rounds + 1) / 2 + rounds / 2 * 100);
  }
  CHECK(r.out[30] == 0);
  CHECK(r.out[31] == 0);
}

TEST_CASE("brx.idx sends every lane to its own target") {
  const PtxRun r = run(R"(
    and.b32 %r1, %tid, 3;
    ts: .branchtargets A, B, C, A;
    brx.idx %r1, ts;
  A: mov.u32 %r2, 10;
    bra.uni E;
  B: mov.u32 %r2, 11;
    bra.uni E;
  C: mov.u32 %r2, 12;
  E: st.global.u32 [%o], %r2;)");
  REQUIRE_MESSAGE(r.fault() == "none", r.message());
  constexpr std::array<std::uint32_t, 4> expected{10, 11, 12, 10};
  for (std::uint32_t lane = 0; lane < 32; ++lane) CHECK(r.out[lane] == expected[lane % 4]);
  CHECK(r.result.counters[Path::GlobalStore].requests == 1);
}

namespace {

const std::string kFactorial = R"(
.func (.param .b32 result) factorial(.param .b32 n)
{
  .reg .pred %p<2>;
  .reg .b32 %r<6>;
  ld.param.u32 %r1, [n];
  mov.u32 %r2, 1;
  setp.lt.u32 %p1, %r1, 2;
  @%p1 bra DONE;
  sub.s32 %r3, %r1, 1;
  {
    .param .b32 a;
    .param .b32 b;
    st.param.b32 [a], %r3;
    call.uni (b), factorial, (a);
    ld.param.b32 %r4, [b];
  }
  mul.lo.s32 %r2, %r1, %r4;
DONE:
  st.param.b32 [result], %r2;
  ret;
}
)";

}  // namespace

TEST_CASE("recursion to a different depth in every lane") {
  const PtxRun r = run(R"(
    and.b32 %r1, %tid, 7;
    {
      .param .b32 a;
      .param .b32 b;
      st.param.b32 [a], %r1;
      call.uni (b), factorial, (a);
      ld.param.b32 %r2, [b];
    }
    st.global.u32 [%o], %r2;)",
                       kFactorial);
  REQUIRE_MESSAGE(r.fault() == "none", r.message());
  constexpr std::array<std::uint32_t, 8> factorials{1, 1, 2, 6, 24, 120, 720, 5040};
  for (std::uint32_t lane = 0; lane < 32; ++lane) CHECK(r.out[lane] == factorials[lane % 8]);
  CHECK(r.result.counters[Path::GlobalStore].requests == 1);
}

TEST_CASE("a function reads its by-value parameter through a pointer, as clang's code does") {
  const PtxRun r = run(R"(
    and.b32 %r1, %tid, 3;
    {
      .param .align 4 .b8 table[16];
      .param .b32 which;
      .param .b32 found;
      st.param.b32 [table], %tid;
      st.param.b32 [table+4], 100;
      st.param.b32 [table+8], 200;
      st.param.b32 [table+12], 300;
      st.param.b32 [which], %r1;
      call.uni (found), look_up, (table, which);
      ld.param.b32 %r2, [found];
    }
    st.global.u32 [%o], %r2;)",
                       R"(
.func (.param .b32 found) look_up(.param .align 4 .b8 table[16], .param .b32 which)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<4>;
  ld.param.u32 %r1, [which];
  mov.b64 %rd1, table;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.param.u32 %r2, [%rd3];
  st.param.b32 [found], %r2;
  ret;
})");
  REQUIRE_MESSAGE(r.fault() == "none", r.message());
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    CHECK(r.out[lane] == (lane % 4 == 0 ? lane : lane % 4 * 100));
}

TEST_CASE("recursion without end is a stack overflow, not a crash") {
  const PtxRun r = run(R"(
    {
      .param .b32 a;
      st.param.b32 [a], %tid;
      call.uni down, (a);
    })",
                       R"(
.func down(.param .b32 n)
{
  .reg .b32 %r<2>;
  ld.param.u32 %r1, [n];
  { .param .b32 a; st.param.b32 [a], %r1; call.uni down, (a); }
  ret;
})");
  CHECK(r.fault() == "stack-overflow");
  CHECK(r.message().find("`down`") != std::string::npos);
}

TEST_CASE("lanes that call through different pointers each reach their function") {
  const PtxRun r = run(R"(
    mov.u64 %rd1, plus_one;
    mov.u64 %rd2, times_two;
    and.b32 %r1, %tid, 1;
    setp.eq.u32 %p1, %r1, 0;
    selp.b64 %rd3, %rd1, %rd2, %p1;
    {
      .param .b32 a;
      .param .b32 b;
      st.param.b32 [a], %tid;
      proto: .callprototype (.param .b32 _) _ (.param .b32 _);
      call (b), %rd3, (a), proto;
      ld.param.b32 %r2, [b];
    }
    st.global.u32 [%o], %r2;)",
                       R"(
.func (.param .b32 r) plus_one(.param .b32 n) { .reg .b32 %r<3>; ld.param.u32 %r1, [n]; add.s32 %r2, %r1, 1; st.param.b32 [r], %r2; ret; }
.func (.param .b32 r) times_two(.param .b32 n) { .reg .b32 %r<3>; ld.param.u32 %r1, [n]; shl.b32 %r2, %r1, 1; st.param.b32 [r], %r2; ret; }
)");
  REQUIRE_MESSAGE(r.fault() == "none", r.message());
  for (std::uint32_t lane = 0; lane < 32; ++lane) CHECK(r.out[lane] == (lane % 2 == 0 ? lane + 1 : 2 * lane));
  CHECK(r.result.counters[Path::GlobalStore].requests == 1);
}

TEST_CASE("a call through garbage names the thread") {
  const PtxRun r = run(R"(
    mov.u64 %rd3, 12345;
    { proto: .callprototype _ (); call %rd3, (), proto; })");
  CHECK(r.fault() == "trap");
  CHECK(r.message().find("no function of this module") != std::string::npos);
}

TEST_CASE("an endless loop ends at the budget, with its line") {
  PtxKernel kernel;
  kernel.body = "LOOP: add.s32 %r1, %tid, 1;\n bra.uni LOOP;";
  kernel.options.block_budget_instructions = 10'000;
  const PtxRun r = run_ptx(kernel);
  CHECK(r.fault() == "budget-exceeded");
  CHECK(r.message().find("hottest loop") != std::string::npos);
}

TEST_CASE("a launch that is too long ends at its budget") {
  PtxKernel kernel;
  kernel.body = "st.global.u32 [%o], %tid;";
  kernel.grid = {1000, 1, 1};
  kernel.out_words = 32'000;
  kernel.options.budget_instructions = 500;
  CHECK(run_ptx(kernel).fault() == "budget-exceeded");
}

TEST_CASE("a trap and a failed assertion stop the launch") {
  CHECK(run("setp.eq.u32 %p1, %tid, 3;\n @%p1 trap;").fault() == "trap");
  CHECK(run("setp.eq.u32 %p1, %tid, 99;\n @%p1 trap;").fault() == "none");
}

TEST_CASE("what the simulator does not know is refused at decode, by name") {
  const PtxRun r = run("multimem.red.relaxed.sys.global.add.u32 [%o], %r1;");
  CHECK(r.fault() == "unsupported");
  CHECK(r.message().find("multimem.red.relaxed.sys.global.add.u32") != std::string::npos);
  CHECK(run("fma.rn.f32.approx %f1, %f2, %f3, %f4;").fault() == "unsupported");
  CHECK(run("lg2.approx.f32.ftz %f1, %f2;").fault() == "none");  // as ptxas: the type may stand first
  CHECK(run("add.s32 %r1, %r2;").fault() == "bad-ptx");
  CHECK(run("add.s32 %r1, %r2, %nowhere;").fault() == "bad-ptx");
  CHECK(run("add.s32 %rd1, %r2, %r3;").fault() == "bad-ptx");
  CHECK(run("ld.global.u32 %r1, [missing];").fault() == "bad-ptx");
}

TEST_CASE("impossible launches are refused with the numbers") {
  struct Case {
    Dim3 grid, block;
    std::uint32_t shared;
    const char* code;
  };
  for (const Case& c :
       {Case{{1, 1, 1}, {0, 1, 1}, 0, "invalid-launch"}, Case{{1, 1, 1}, {2048, 1, 1}, 0, "invalid-launch"},
        Case{{1, 1, 1}, {32, 32, 2}, 0, "invalid-launch"}, Case{{0, 1, 1}, {32, 1, 1}, 0, "invalid-launch"},
        Case{{1, 65536, 1}, {32, 1, 1}, 0, "invalid-launch"},
        Case{{1, 1, 1}, {1, 1, 65}, 0, "invalid-launch"},
        Case{{1, 1, 1}, {32, 1, 1}, 49'152, "too-much-shared"}}) {
    PtxKernel kernel;
    kernel.body = "st.shared.u32 [tile], %tid;\n";
    kernel.grid = c.grid;
    kernel.block = c.block;
    kernel.dynamic_shared_bytes = c.shared;
    CHECK(run_ptx(kernel).fault() == c.code);
  }
}

TEST_CASE("a budget ends a launch at the same block for any number of host threads") {
  PtxKernel kernel;
  kernel.body =
      "mov.u32 %r3, %ctaid.x;\n mov.u32 %r1, 0;\n LOOP: add.s32 %r1, %r1, 1;\n"
      "setp.lt.u32 %p1, %r1, %r3;\n @%p1 bra LOOP;\n st.global.u32 [%o], %tid;";
  kernel.grid = {4000, 1, 1};
  kernel.block = {64, 1, 1};
  kernel.out_words = 4000 * 64;
  for (const std::uint64_t budget : {20'000, 345'678, 3'000'000}) {
    kernel.options.budget_work = budget;
    std::string first;
    for (const unsigned threads : {1u, 2u, 7u}) {
      kernel.options.host_threads = threads;
      const PtxRun r = run_ptx(kernel);
      CHECK(r.fault() == "budget-exceeded");
      const std::string seen = r.message() + " " + std::to_string(r.result.faults.at(0).block_index) + " " +
                               std::to_string(r.result.work);
      if (first.empty()) first = seen;
      CHECK(seen == first);
    }
  }
}

// Host threads take several blocks at once.
TEST_CASE("of two blocks that fault the lower one is reported for any number of host threads") {
  PtxKernel kernel;
  kernel.grid = {2000, 1, 1};
  kernel.block = {64, 1, 1};
  for (std::uint32_t draw = 1; draw <= 30; ++draw) {
    const std::uint32_t low = draw * 7919 % 1500, high = low + 1 + draw * 31 % 60;
    kernel.body = "mov.u32 %r1, %ctaid.x;\n setp.eq.u32 %p1, %r1, " + std::to_string(low) +
                  ";\n setp.eq.or.u32 %p1, %r1, " + std::to_string(high) + ", %p1;\n @%p1 trap;";
    for (const unsigned threads : {1u, 2u, 5u}) {
      kernel.options.host_threads = threads;
      const PtxRun r = run_ptx(kernel);
      CHECK(r.fault() == "trap");
      CHECK(r.result.faults.at(0).block_index == low);
    }
  }
}

TEST_CASE("the loop of one block is named where all blocks together did too much") {
  PtxKernel kernel;
  kernel.body = R"(  mov.u32 %r1, 0;
$L: add.u32 %r1, %r1, 1;
  setp.lt.u32 %p1, %r1, 1000;
  @%p1 bra $L;)";
  kernel.grid = {64, 1, 1};
  kernel.options.budget_work = 100'000;
  for (const unsigned threads : {1u, 3u, 8u}) {
    kernel.options.host_threads = threads;
    const PtxRun r = run_ptx(kernel);
    CHECK(r.fault() == "budget-exceeded");
    // 999 of one block, however many blocks the same host thread has run.
    CHECK_MESSAGE(r.message().find("One block went 999 times round the loop at ") != std::string::npos,
                  r.message());
  }
}

TEST_CASE("what costs the host more costs more of the budget") {
  const auto work = [](const std::string& body) {
    PtxKernel kernel;
    kernel.body = body;
    return run_ptx(kernel).result.work;
  };
  const std::uint64_t nothing = work("mov.u32 %r1, 0;");
  CHECK(work("sin.approx.f32 %f1, %f1;") > nothing + 90);
  CHECK(work("shfl.sync.bfly.b32 %r1, %r2, 1, 31, -1;") > nothing + 90);
  CHECK(work("div.u64 %rd1, %rd2, 7;") > nothing + 50);
  CHECK(work("st.global.u32 [%o], %tid;") >= nothing + 20);
  CHECK(work("fns.b32 %r1, %r2, 3, 2;") > nothing + 200);
  CHECK(work("fence.acq_rel.gpu;") > nothing + 50);
  CHECK(work("add.cc.u32 %r1, %r2, 1;") > nothing + 10);
  CHECK(work("cvt.rn.f32.s32 %f1, %r2;") > nothing + 10);
  CHECK(work("add.rz.f32 %f1, %f1, %f1;") > nothing + 5);
  CHECK(work("add.u32 %r1, %r2, 1;") == nothing);
}

TEST_CASE("lanes that call different functions keep their registers while they take turns") {
  // `count` keeps its counter where `mix` has short-lived rows; both loop for longer than a turn lasts.
  const PtxRun r = run(R"(
    setp.lt.u32 %p1, %tid, 16;
    {
    .param .u32 x; .param .u32 res;
    st.param.u32 [x], %tid;
    @%p1 bra FIRST;
    call (res), mix, (x);
    bra.uni MEET;
  FIRST:
    call (res), count, (x);
  MEET:
    ld.param.u32 %r1, [res];
    }
    st.global.u32 [%o], %r1;)",
                       R"(
.func (.param .u32 res) count(.param .u32 x) {
  .reg .u32 %a<3>, %t; .reg .pred %p;
  ld.param.u32 %a0, [x];
  mov.u32 %a1, 0; mov.u32 %a2, 0;
AGAIN:
  add.u32 %t, %a0, 3; add.u32 %a1, %a1, %t; add.u32 %a2, %a2, 1;
  setp.lt.u32 %p, %a2, 600;
  @%p bra AGAIN;
  st.param.u32 [res], %a1; ret;
}
.func (.param .u32 res) mix(.param .u32 x) {
  .reg .u32 %c<2>, %t<2>; .reg .pred %p;
  ld.param.u32 %c0, [x];
  mov.u32 %c1, 0;
AGAIN:
  mul.lo.u32 %t0, %c0, 5; add.u32 %t1, %t0, 9; xor.b32 %c0, %t1, %c1; add.u32 %c1, %c1, 1;
  setp.lt.u32 %p, %c1, 600;
  @%p bra AGAIN;
  st.param.u32 [res], %c0; ret;
}
)");
  REQUIRE_MESSAGE(r.fault() == "none", r.message());
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    std::uint32_t mixed = lane;
    for (std::uint32_t k = 0; k < 600; ++k) mixed = (5 * mixed + 9) ^ k;
    CHECK(r.out[lane] == (lane < 16 ? 600 * (lane + 3) : mixed));
  }
}

TEST_CASE("warps take turns where a GPU waits for global memory, if that is asked for") {
  PtxKernel kernel;
  for (int k = 0; k < 3; ++k)
    kernel.body += "ld.global.u32 %r1, [%base_out]; add.u32 %r1, %r1, 1; st.global.u32 [%base_out], %r1;\n";
  kernel.block = {128, 1, 1};
  kernel.out_words = 128;
  kernel.options.check_global_races = false;
  PtxKernel nothing;
  nothing.out_words = kernel.out_words;
  const std::uint32_t before = run_ptx(nothing).out[0];
  CHECK(run_ptx(kernel).out[0] == before + 12);  // a warp after the other
  kernel.options.turn_at_loads = true;
  CHECK(run_ptx(kernel).out[0] == before + 3);  // all load what the others load
}
