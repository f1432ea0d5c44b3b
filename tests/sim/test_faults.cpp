// Every kind of fault: produced once, with line, block, thread, and words that say what is near.
#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "tests/sim/ptx_run.h"

using namespace lab::sim;

namespace {

struct Case {
  FaultKind kind;
  std::string body;
  Dim3 thread;                     // of block (1,0,0); none when the kernel never started
  std::vector<std::string> words;  // of the message
  std::string declarations = {};
  Dim3 block{32, 1, 1};
  std::uint32_t dynamic_shared_bytes = 0;
};

constexpr Dim3 kNoThread{0, 0, 0};

// Runs in block 1 alone: `@%p0` guards what goes wrong. All of it is line 77 of kernel.cu.
PtxRun run(const Case& c) {
  PtxKernel kernel;
  kernel.declarations = ".file 1 \"kernel.cu\"\n" + c.declarations;
  kernel.body = ".loc 1 70 1\nsetp.eq.u32 %p0, %bid, 1;\n@!%p0 bra OUT;\n.loc 1 77 1\n" + c.body + "\nOUT:";
  kernel.grid = {2, 1, 1};
  kernel.block = c.block;
  kernel.dynamic_shared_bytes = c.dynamic_shared_bytes;
  kernel.out_words = 64;
  kernel.options.block_budget_instructions = 100'000;
  return run_ptx(kernel);
}

const std::vector<Case>& cases() {
  static const std::string only_lane_5 = "setp.eq.u32 %p1, %tid, 5;\n@%p1 ";
  static const std::vector<Case> all = {
      {FaultKind::OutOfBounds,
       only_lane_5 + "st.global.u32 [%base_out+256], 1;",
       {5, 0, 0},
       {"right behind the end of `out`", "256-byte"}},
      {FaultKind::OutOfBounds,
       only_lane_5 + "st.shared.u32 [tile+4104], 1;",
       {5, 0, 0},
       {"8 bytes past the end of `tile`", "4 096 bytes", "0 dynamic"}},
      {FaultKind::OutOfBounds,
       "mov.u32 %r1, -4;\n" + only_lane_5 + "ld.shared.u32 %r2, [%r1];",
       {5, 0, 0},
       {"offset -4"}},
      {FaultKind::OutOfBounds,
       "mov.u64 %rd1, 0;\n" + only_lane_5 + "ld.global.u32 %r2, [%rd1];",
       {5, 0, 0},
       {"a null pointer", "where this pointer comes from"}},
      {FaultKind::Misaligned,
       only_lane_5 + "ld.global.v2.u32 {%r1, %r2}, [%base_in+4];",
       {5, 0, 0},
       {"`in` + 4 bytes", "not a multiple of 8"}},
      {FaultKind::Misaligned, only_lane_5 + "st.shared.u32 [tile+6], 1;", {5, 0, 0}, {"`tile` + 6 bytes"}},
      {FaultKind::WriteToConst,
       "mov.u64 %rd1, table;" + only_lane_5 + "st.global.u32 [%rd1], 1;",
       {5, 0, 0},
       {"writes to `table`", "only read"},
       ".const .u32 table;"},
      {FaultKind::SharedRace, "st.shared.u32 [tile], %tid;", {0, 0, 0}, {"different values", "`tile` + 0"}},
      {FaultKind::GlobalRace,
       "st.global.u32 [%base_out], %tid;",
       {1, 0, 0},
       {"different values", "`out` + 0"}},
      {FaultKind::UninitialisedLocal,
       ".local .align 4 .b8 mine[16];\n" + only_lane_5 + "ld.local.u32 %r1, [mine+4];\n" + only_lane_5 +
           "st.global.u32 [%o], %r1;",
       {5, 0, 0},
       {"of its own variables", "not written"}},
      {FaultKind::MissingSyncwarp,
       "shl.b32 %r1, %tid, 2; mov.u32 %r2, tile; add.s32 %r1, %r1, %r2;\nst.shared.u32 [%r1], %tid;\n"
       "xor.b32 %r1, %r1, 4;\nld.shared.u32 %r3, [%r1];",
       {0, 0, 0},
       {"thread (1,0)", "__syncwarp()", "line 77"}},
      {FaultKind::UninitialisedShared,
       only_lane_5 + "ld.shared.u32 %r1, [tile+12];\n" + only_lane_5 + "st.global.u32 [%o], %r1;",
       {5, 0, 0},
       {"`tile` + 12 bytes", "no thread has written"}},
      {FaultKind::BarrierDivergence,
       only_lane_5 + "bra SKIP;\nbar.sync 0;\nSKIP:\nst.global.u32 [%o], 1;",
       {0, 0, 0},
       {"lanes 0-4,6-31 at the barrier at line 77", "lane 5"}},
      {FaultKind::WarpSync, only_lane_5 + "bar.warp.sync 3;", {5, 0, 0}, {"mask 0x00000003", "lane 5"}},
      {FaultKind::Deadlock, "bar.sync 1, 96;", {0, 0, 0}, {"line 77", "never come"}, "", {64, 1, 1}},
      {FaultKind::BudgetExceeded,
       "AGAIN:\nadd.s32 %r1, %r1, 1;\nbra AGAIN;",
       {0, 0, 0},
       {"line 77", "hottest loop"}},
      {FaultKind::StackOverflow,
       "call deep, ();",
       {0, 0, 0},
       {"deep", "recursion"},
       ".func deep()\n{\n.loc 1 77 1\ncall deep, ();\nret;\n}\n"},
      {FaultKind::Trap, only_lane_5 + "trap;", {5, 0, 0}, {"trap"}},
      {FaultKind::InvalidLaunch, "", kNoThread, {"2048", "1024 threads"}, "", {2048, 1, 1}},
      {FaultKind::TooMuchShared, "", kNoThread, {"static", "dynamic", "smaller"}, "", {32, 1, 1}, 1u << 20},
      {FaultKind::TooMuchMemory,
       "ld.global.u32 %r1, [big+4];",
       kNoThread,
       {"`big`", "2 147 483 648", "room for 1 073 741 824"},
       ".global .b8 big[2147483648];"},
      {FaultKind::Unsupported, "mma.sync.strange.f32;", kNoThread, {"mma.sync.strange.f32", "coverage.md"}},
      {FaultKind::BadPtx, "add.s32 %r1, %r2, %rd1;", kNoThread, {"`%rd1` has 64 bits"}},
  };
  return all;
}

}  // namespace

TEST_CASE("each kind of fault says where, who, and what is near") {
  std::set<FaultKind> seen;
  for (const Case& c : cases()) {
    const PtxRun r = run(c);
    CAPTURE(c.body);
    CAPTURE(r.message());
    seen.insert(c.kind);
    if (r.result.faults.empty()) {
      CHECK_MESSAGE(false, "no fault, and ", code(c.kind), " was expected");
      continue;
    }
    const Fault& fault = r.result.faults[0];
    CHECK(code(fault.kind) == code(c.kind));
    CHECK(r.result.lane_instructions == 0);
    for (const std::string& word : c.words)
      CHECK_MESSAGE(fault.sentence().english().find(word) != std::string::npos, word);
    if (c.kind == FaultKind::InvalidLaunch || c.kind == FaultKind::TooMuchShared) continue;
    CHECK(fault.line == 77);
    CHECK(fault.file == "kernel.cu");
    if (fault.kind == FaultKind::TooMuchMemory) continue;  // of the whole module: no thread has run
    if (c.thread == kNoThread && fault.kind >= FaultKind::Unsupported) continue;
    CHECK(fault.block == Dim3{1, 0, 0});
    CHECK(fault.thread == c.thread);
  }
  // Poisoned reads need unwritten memory: test_init_check.cpp.
  for (int k = 0; k <= static_cast<int>(FaultKind::BadPtx); ++k) {
    const auto kind = static_cast<FaultKind>(k);
    const bool of_the_unit = kind == FaultKind::AsyncEarly || kind == FaultKind::ProxyFence ||
                             kind == FaultKind::PeerGone ||    // test_engine.cpp
                             kind == FaultKind::NoPeerAccess;  // test_devices.cpp
    CHECK_MESSAGE((seen.contains(kind) || of_the_unit || kind == FaultKind::PoisonedGlobal), code(kind));
  }
}

TEST_CASE("the read before a compare-and-swap loop races in letter only, and is let be") {
  const std::string loop = R"(
    mov.u32 %r1, tile;
    setp.eq.u32 %p1, %tid, 0;
    @%p1 st.shared.u32 [tile], 0;
    bar.sync 0;
    ld.shared.u32 %r2, [tile];
  AGAIN:
    mov.u32 %r3, %r2;
    add.s32 %r4, %r3, 1;
    atom.shared.cas.b32 %r2, [%r1], %r3, %r4;
    setp.ne.s32 %p2, %r2, %r3;
    @%p2 bra AGAIN;
    BARRIER
    ld.shared.u32 %r5, [tile];
    st.global.u32 [%o], %r5;)";
  PtxKernel kernel;
  kernel.block = {64, 1, 1};
  kernel.out_words = 64;
  kernel.body = loop;
  kernel.body.replace(loop.find("BARRIER"), 7, "bar.sync 0;");
  const PtxRun good = run_ptx(kernel);
  REQUIRE_MESSAGE(good.fault() == "none", good.message());
  CHECK(good.out[63] == 64);
  // The read behind the loop is no such read.
  kernel.body = loop;
  kernel.body.replace(loop.find("BARRIER"), 7, "");
  const std::string fault = run_ptx(kernel).fault();
  CHECK((fault == "shared-race" || fault == "missing-syncwarp"));
}

TEST_CASE("a barrier of some warps gives no false positive") {
  // Warps 0 and 1 exchange through barrier 1; warps 2 and 3 through barrier 2, at another time.
  PtxKernel kernel;
  kernel.block = {128, 1, 1};
  kernel.out_words = 128;
  kernel.body = R"(
    shl.b32 %r1, %tid, 2;
    mov.u32 %r2, tile;
    add.s32 %r1, %r1, %r2;
    shr.u32 %r3, %tid, 6;
    add.s32 %r3, %r3, 1;
    st.shared.u32 [%r1], %tid;
    barrier.sync %r3, 64;
    xor.b32 %r4, %tid, 32;
    shl.b32 %r4, %r4, 2;
    add.s32 %r4, %r4, %r2;
    ld.shared.u32 %r5, [%r4];
    st.global.u32 [%o], %r5;)";
  const PtxRun r = run_ptx(kernel);
  REQUIRE_MESSAGE(r.fault() == "none", r.message());
  for (std::uint32_t t = 0; t < 128; ++t) CHECK(r.out[t] == (t ^ 32));
}

TEST_CASE("printf gives the number of its arguments") {
  PtxKernel kernel;
  kernel.declarations = R"(
.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
.global .align 1 .b8 text[20] = {37, 100, 32, 37, 42, 100, 32, 37, 46, 42, 100, 32, 37, 51, 46, 45, 100, 33, 10, 0};
)";  // "%d %*d %.*d %3.-d!\n": a precision below zero is none, and the last one is no conversion
  kernel.body = R"(
    .local .align 8 .b8 depot[24];
    mov.u64 %rd1, depot;
    cvta.local.u64 %rd2, %rd1;
    st.local.u32 [%rd1], 7;
    st.local.u32 [%rd1+4], 3;
    st.local.u32 [%rd1+8], 5;
    st.local.u32 [%rd1+12], -1;
    st.local.u32 [%rd1+16], 9;
    mov.u64 %rd3, text;
    cvta.global.u64 %rd4, %rd3;
    setp.ne.u32 %p1, %tid, 0;
    @%p1 bra OUT;
    { .param .b64 p0; .param .b64 p1; .param .b32 back;
      st.param.b64 [p0], %rd4; st.param.b64 [p1], %rd2;
      call.uni (back), vprintf, (p0, p1);
      ld.param.b32 %r1, [back]; }
    st.global.u32 [%o], %r1;
  OUT:)";
  const PtxRun r = run_ptx(kernel);
  REQUIRE_MESSAGE(r.fault() == "none", r.message());
  CHECK(r.out[0] == 5);
  CHECK(r.result.output == "7   5 9 %3.-d!\n");
}
