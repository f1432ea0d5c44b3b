// Barriers, warp-wide operations, atomics, blocks that wait for each other, printf.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>

#include "tests/sim/ptx_run.h"

using namespace lab::sim;

namespace {

PtxRun run(const std::string& body, Dim3 block = {32, 1, 1}, Dim3 grid = {1, 1, 1}) {
  PtxKernel kernel;
  kernel.body = body;
  kernel.block = block;
  kernel.grid = grid;
  kernel.out_words = block.count() * grid.count();
  kernel.in.resize(kernel.out_words);
  kernel.options.block_budget_instructions = 5'000'000;
  return run_ptx(kernel);
}

const char* const kReverse = R"(
    mul.lo.u32 %r1, %tid, 4;
    mov.u32 %r2, tile;
    add.s32 %r1, %r1, %r2;
    st.shared.u32 [%r1], %tid;
    BARRIER
    mov.u32 %r3, %ntid.x;
    sub.s32 %r3, %r3, %tid;
    sub.s32 %r3, %r3, 1;
    mad.lo.s32 %r3, %r3, 4, %r2;
    ld.shared.u32 %r4, [%r3];
    st.global.u32 [%o], %r4;)";

std::string with(std::string text, const std::string& what) {
  return text.replace(text.find("BARRIER"), 7, what);
}

}  // namespace

TEST_CASE("a barrier orders the warps of a block; without it the race is named") {
  const PtxRun good = run(with(kReverse, "bar.sync 0;"), {128, 1, 1});
  REQUIRE_MESSAGE(good.fault() == "none", good.message());
  for (std::uint32_t t = 0; t < 128; ++t) CHECK(good.out[t] == 127 - t);
  const PtxRun bad = run(with(kReverse, ""), {128, 1, 1});
  CHECK((bad.fault() == "shared-race" || bad.fault() == "uninitialised-shared"));
}

TEST_CASE("threads that have returned are not waited for") {
  const PtxRun r = run(R"(
    setp.ge.u32 %p1, %tid, 40;
    @%p1 bra OUT;
    bar.sync 0;
    st.global.u32 [%o], 1;
  OUT:)",
                       {64, 1, 1});
  REQUIRE_MESSAGE(r.fault() == "none", r.message());
  CHECK(r.out[39] == 1);
  CHECK(r.out[40] == 0);
}

TEST_CASE("a barrier that only some lanes of a warp reach is named with who waits where") {
  const PtxRun r = run(R"(
    setp.ge.u32 %p1, %tid, 8;
    @%p1 bra SKIP;
    bar.sync 0;
  SKIP:
    st.global.u32 [%o], 1;)");
  CHECK(r.fault() == "barrier-divergence");
  CHECK(r.message().find("lanes 0-7 at the barrier") != std::string::npos);
  CHECK(r.message().find("lanes 8-31 past the branch") != std::string::npos);
}

TEST_CASE("barriers count, vote and carry numbers") {
  const PtxRun r = run(R"(
    setp.lt.u32 %p1, %tid, 5;
    bar.red.popc.u32 %r1, 0, %p1;
    bar.red.and.pred %p2, 0, %p1;
    bar.red.or.pred %p3, 1, %p1;
    selp.u32 %r2, 100, 0, %p2;
    selp.u32 %r3, 1000, 0, %p3;
    add.s32 %r1, %r1, %r2;
    add.s32 %r1, %r1, %r3;
    st.global.u32 [%o], %r1;)",
                       {96, 1, 1});
  REQUIRE_MESSAGE(r.fault() == "none", r.message());
  for (const std::uint32_t v : r.out) CHECK(v == 1005);
}

TEST_CASE("a named barrier joins a producer and a consumer warp") {
  const PtxRun r = run(R"(
    mov.u32 %r2, tile;
    setp.lt.u32 %p1, %tid, 32;
    @%p1 bra PRODUCE;
    bar.sync 1, 64;
    ld.shared.u32 %r3, [tile];
    st.global.u32 [%o], %r3;
    bra.uni OUT;
  PRODUCE:
    st.shared.u32 [tile], 77;
    bar.arrive 1, 64;
  OUT:)",
                       {64, 1, 1});
  REQUIRE_MESSAGE(r.fault() == "none", r.message());
  CHECK(r.out[40] == 77);
}

TEST_CASE("a barrier whose threads never come is a deadlock") {
  const PtxRun r = run(R"(
    setp.lt.u32 %p1, %tid, 32;
    @%p1 bra OTHER;
    bar.sync 1, 96;
    bra.uni OUT;
  OTHER:
    bar.sync 2, 96;
  OUT:)",
                       {64, 1, 1});
  CHECK(r.fault() == "deadlock");
}

TEST_CASE("shuffles, votes, matches and reductions") {
  struct Case {
    const char* code;
    std::uint32_t (*expected)(std::uint32_t lane);
  };
  const Case cases[] = {
      {"shfl.sync.bfly.b32 %r1, %tid, 16, 31, -1;", [](std::uint32_t l) { return l ^ 16u; }},
      {"shfl.sync.down.b32 %r1, %tid, 4, 31, -1;", [](std::uint32_t l) { return l < 28 ? l + 4 : l; }},
      {"shfl.sync.up.b32 %r1, %tid, 4, 0, -1;", [](std::uint32_t l) { return l >= 4 ? l - 4 : l; }},
      {"shfl.sync.idx.b32 %r1, %tid, 3, 6175, -1;", [](std::uint32_t l) { return l / 8 * 8 + 3; }},
      {"setp.gt.u32 %p1, %tid, 29; vote.sync.ballot.b32 %r1, %p1, -1;",
       [](std::uint32_t) { return 0xc0000000u; }},
      {"and.b32 %r2, %tid, 1; match.any.sync.b32 %r1, %r2, -1;",
       [](std::uint32_t l) { return l % 2 == 0 ? 0x55555555u : 0xaaaaaaaau; }},
      {"redux.sync.add.u32 %r1, %tid, -1;", [](std::uint32_t) { return 496u; }},
      {"redux.sync.max.s32 %r1, %tid, -1;", [](std::uint32_t) { return 31u; }},
      {"activemask.b32 %r1;", [](std::uint32_t) { return 0xffffffffu; }},
      {"mov.u32 %r1, %lanemask_lt;", [](std::uint32_t l) { return (1u << l) - 1; }},
  };
  for (const Case& c : cases) {
    const PtxRun r = run(std::string(c.code) + "\n st.global.u32 [%o], %r1;");
    REQUIRE_MESSAGE(r.fault() == "none", c.code, ": ", r.message());
    for (std::uint32_t lane = 0; lane < 32; ++lane)
      CHECK_MESSAGE(r.out[lane] == c.expected(lane), c.code, " lane ", lane);
  }
}

TEST_CASE("a literal predicate means what a register that holds it does") {
  // Each leaves a word of its own in %r1; {} stands for the predicate.
  const std::string forms[] = {"vote.sync.all.pred %p2, {}, -1; selp.u32 %r1, 1, 0, %p2;",
                               "vote.sync.any.pred %p2, {}, -1; selp.u32 %r1, 1, 0, %p2;",
                               "vote.sync.uni.pred %p2, {}, -1; selp.u32 %r1, 1, 0, %p2;",
                               "vote.sync.ballot.b32 %r1, {}, -1;",
                               "bar.red.and.pred %p2, 0, {}; selp.u32 %r1, 1, 0, %p2;",
                               "bar.red.or.pred %p2, 0, {}; selp.u32 %r1, 1, 0, %p2;",
                               "bar.red.popc.u32 %r1, 0, {};",
                               "barrier.sync 0; barrier.red.popc.u32 %r1, 0, {};",
                               "selp.u32 %r1, 5, 7, {};",
                               "and.pred %p2, %p3, {}; selp.u32 %r1, 1, 0, %p2;",
                               "setp.eq.and.u32 %p2, 1, 1, {}; selp.u32 %r1, 1, 0, %p2;"};
  const auto with = [](const std::string& form, const std::string& predicate) {
    std::string code = form;
    code.replace(code.find("{}"), 2, predicate);
    const PtxRun r =
        run("setp.eq.u32 %p3, 1, 1; setp.eq.u32 %p4, 1, 0;\n" + code + "\n st.global.u32 [%o], %r1;");
    REQUIRE_MESSAGE(r.fault() == "none", code, ": ", r.message());
    return r.out;
  };
  for (const std::string& form : forms)
    for (const auto& [literal, same] : {std::pair{"1", "%p3"}, {"0", "%p4"}, {"2", "%p3"}})
      CHECK_MESSAGE(with(form, literal) == with(form, same), form, " with ", literal);
}

TEST_CASE("tiles of a warp shuffle on their own, from both sides of a branch") {
  const PtxRun r = run(R"(
    setp.lt.u32 %p1, %tid, 16;
    selp.b32 %r5, 0xffff, 0xffff0000, %p1;
    shfl.sync.bfly.b32 %r1, %tid, 1, 31, %r5;
    @%p1 bra LOW;
    shfl.sync.bfly.b32 %r1, %r1, 2, 31, %r5;
    bra.uni MEET;
  LOW:
    shfl.sync.bfly.b32 %r1, %r1, 4, 31, %r5;
  MEET:
    st.global.u32 [%o], %r1;)");
  REQUIRE_MESSAGE(r.fault() == "none", r.message());
  for (std::uint32_t lane = 0; lane < 32; ++lane) CHECK(r.out[lane] == (lane < 16 ? lane ^ 5u : lane ^ 3u));
}

TEST_CASE("lanes on both sides of a branch meet in one warp operation") {
  const PtxRun r = run(R"(
    setp.lt.u32 %p1, %tid, 16;
    @%p1 bra LOW;
    shfl.sync.bfly.b32 %r1, %tid, 16, 31, -1;
    bra.uni MEET;
  LOW:
    shfl.sync.bfly.b32 %r1, %tid, 16, 31, -1;
  MEET:
    st.global.u32 [%o], %r1;)");
  REQUIRE_MESSAGE(r.fault() == "none", r.message());
  for (std::uint32_t lane = 0; lane < 32; ++lane) CHECK(r.out[lane] == (lane ^ 16u));
}

TEST_CASE("mistakes with member masks are named") {
  struct Case {
    const char* code;
    const char* says;
  };
  for (const Case& c :
       {Case{"shfl.sync.bfly.b32 %r1, %tid, 1, 31, 0xffff;", "does not name its own lane"},
        Case{"setp.lt.u32 %p1, %tid, 16; @%p1 shfl.sync.bfly.b32 %r1, %tid, 1, 31, -1;", "never come"},
        Case{"setp.ge.u32 %p1, %tid, 16; @%p1 exit; shfl.sync.down.b32 %r1, %tid, 16, 31, 0xffff;",
             "takes no part"}}) {
    const PtxRun r = run(c.code);
    CHECK_MESSAGE(r.fault() == "warp-sync", c.code);
    CHECK_MESSAGE(r.message().find(c.says) != std::string::npos, r.message());
  }
}

TEST_CASE("a spin lock between the lanes of a warp makes progress, in both common forms") {
  const char* const kWinnerLeavesLoop = R"(
  TRY:
    atom.global.cas.b32 %r1, [%base_in], 0, 1;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra TRY;
    ld.volatile.global.u32 %r2, [%base_out];
    add.s32 %r2, %r2, 1;
    st.volatile.global.u32 [%base_out], %r2;
    membar.gl;
    atom.global.exch.b32 %r3, [%base_in], 0;)";
  const char* const kInsideLoop = R"(
    mov.u32 %r4, 0;
  AGAIN:
    atom.global.cas.b32 %r1, [%base_in], 0, 1;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra NEXT;
    ld.volatile.global.u32 %r2, [%base_out];
    add.s32 %r2, %r2, 1;
    st.volatile.global.u32 [%base_out], %r2;
    membar.gl;
    atom.global.exch.b32 %r3, [%base_in], 0;
    mov.u32 %r4, 1;
  NEXT:
    setp.eq.u32 %p2, %r4, 0;
    @%p2 bra AGAIN;)";
  for (const char* code : {kWinnerLeavesLoop, kInsideLoop}) {
    const PtxRun r = run(code, {64, 1, 1}, {3, 1, 1});
    REQUIRE_MESSAGE(r.fault() == "none", r.message());
    CHECK(r.out[0] == 192);
  }
}

TEST_CASE("two warps that take back what each other waits for come to an end, in any order") {
  // What the first and the second one do in each round. They leave their loops with %p2 false.
  const std::array<std::pair<const char*, const char*>, 3> pairs{{
      {"atom.global.exch.b32 %r1, [%base_in], 1; setp.eq.u32 %p2, %r1, 0;",
       "atom.global.exch.b32 %r1, [%base_in], 0; setp.eq.u32 %p2, %r1, 1;"},
      // It takes back in its own round.
      {"st.relaxed.gpu.global.u32 [%base_in], 1; atom.global.exch.b32 %r1, [%base_in], 0; setp.eq.u32 %p2, "
       "%r1, 1;",
       "atom.global.exch.b32 %r1, [%base_in], 0; setp.eq.u32 %p2, %r1, 0;"},
      // Both must be seen in the middle of a round.
      {"st.relaxed.gpu.global.u32 [%base_in], 1; atom.global.exch.b32 %r1, [%base_in], 0; setp.eq.u32 %p2, "
       "%r1, 1;",
       "ld.relaxed.gpu.global.u32 %r1, [%base_in]; setp.eq.u32 %p2, %r1, 1; @%p2 bra SECOND;"
       "atom.global.exch.b32 %r1, [%base_in], 0; setp.eq.u32 %p2, %r1, 0;"},
  }};
  for (const auto& [first, second] : pairs) {
    PtxKernel kernel;
    kernel.block = {64, 1, 1};
    kernel.body = fmt::format(R"(
    and.b32 %r2, %tid, 31;
    setp.ne.u32 %p1, %r2, 0;
    @%p1 bra END;
    setp.ne.u32 %p1, %tid, 0;
    @%p1 bra SECOND;
  FIRST:
    {}
    @%p2 bra FIRST;
    bra END;
  SECOND:
    {}
    @%p2 bra SECOND;
  END:)",
                              first, second);
    kernel.in.resize(1);
    kernel.options.block_budget_instructions = 2'000'000;
    for (std::uint64_t schedule = 0; schedule < 8; ++schedule) {
      kernel.options.schedule = schedule;
      const PtxRun r = run_ptx(kernel);
      CHECK_MESSAGE(r.fault() == "none", first, schedule);
    }
  }
}

TEST_CASE("a block may wait for a flag of a later block") {
  const PtxRun r = run(R"(
    setp.ne.u32 %p1, %bid, 0;
    @%p1 bra SET;
  WAIT:
    ld.volatile.global.u32 %r1, [%base_in];
    setp.eq.u32 %p2, %r1, 0;
    @%p2 bra WAIT;
    st.global.u32 [%o], %r1;
    bra.uni OUT;
  SET:
    setp.eq.u32 %p3, %bid, 2;
    @%p3 st.volatile.global.u32 [%base_in], 9;
  OUT:)",
                       {32, 1, 1}, {3, 1, 1});
  REQUIRE_MESSAGE(r.fault() == "none", r.message());
  CHECK(r.out[5] == 9);
}

TEST_CASE("a block that waits for a flag that is never set is stopped, with the loop's line") {
  PtxKernel kernel;
  kernel.body = R"(
  WAIT:
    ld.volatile.global.u32 %r1, [%base_in];
    setp.eq.u32 %p2, %r1, 0;
    @%p2 bra WAIT;)";
  kernel.options.block_budget_instructions = 100'000;
  CHECK(run_ptx(kernel).fault() == "budget-exceeded");
}

TEST_CASE("atomics return old values, lowest lane first") {
  struct Case {
    const char* op;
    std::uint32_t start, lane3, end;
  };
  for (const Case& c : {Case{"atom.global.add.u32 %r1, [%base_in], 2;", 5, 11, 69},
                        Case{"atom.global.inc.u32 %r1, [%base_in], 4;", 3, 1, 0},
                        Case{"atom.global.max.u32 %r1, [%base_in], %tid;", 1, 2, 31},
                        Case{"atom.global.exch.b32 %r1, [%base_in], %tid;", 9, 2, 31},
                        Case{"atom.global.cas.b32 %r1, [%base_in], 9, 4;", 9, 4, 4}}) {
    PtxKernel kernel;
    kernel.in.assign(64, c.start);
    kernel.body = std::string(c.op) + R"(
    st.global.u32 [%o], %r1;
    setp.eq.u32 %p1, %tid, 31;
    @%p1 ld.global.u32 %r2, [%base_in];
    @%p1 st.global.u32 [%o], %r2;)";
    const PtxRun r = run_ptx(kernel);
    REQUIRE_MESSAGE(r.fault() == "none", r.message());
    CHECK_MESSAGE(r.out[3] == c.lane3, c.op);
    CHECK_MESSAGE(r.out[31] == c.end, c.op);
    CHECK(r.result.counters[Path::GlobalAtomic].requests == 1);
  }
}

TEST_CASE("results and counters are the same with one host thread and with four, checks on or off") {
  PtxKernel kernel;
  kernel.body = with(kReverse, "bar.sync 0;");
  kernel.block = {256, 1, 1};
  kernel.grid = {200, 1, 1};
  kernel.out_words = 51'200;
  PtxRun first;
  for (const unsigned threads : {1u, 4u}) {
    for (const bool checks : {true, false}) {
      kernel.options.host_threads = threads;
      kernel.options.check_races = checks;
      kernel.options.check_uninitialised = checks;
      const PtxRun r = run_ptx(kernel);
      REQUIRE(r.fault() == "none");
      if (first.out.empty()) first = r;
      CHECK(r.out == first.out);
      CHECK(r.result.counters == first.result.counters);
      CHECK(r.result.lane_instructions == first.result.lane_instructions);
    }
  }
  CHECK(first.result.counters[Path::SharedLoad].requests == 1600);
}

TEST_CASE("of several faults the one of the lowest block is reported, whatever the threads") {
  PtxKernel kernel;
  kernel.body = R"(
    setp.lt.u32 %p1, %bid, 57;
    @%p1 bra OK;
    st.global.u32 [%base_out+99999984], %tid;
  OK:)";
  kernel.grid = {4000, 1, 1};
  for (const unsigned threads : {1u, 4u}) {
    kernel.options.host_threads = threads;
    const PtxRun r = run_ptx(kernel);
    REQUIRE(r.fault() == "out-of-bounds");
    CHECK(r.result.faults[0].block.x == 57);
  }
}

TEST_CASE(
    "lanes outside of their own mask take part where checks do not stop, as on an H100, and are reported") {
  const auto with = [](const std::string& operation) {
    PtxKernel kernel;
    kernel.body = operation + " st.global.u32 [%o], %r1;";
    kernel.options.checks_stop = false;
    return run_ptx(kernel);
  };
  const PtxRun sum = with("redux.sync.add.u32 %r1, %tid, 0x0000ffff;");
  CHECK(sum.fault() == "none");
  CHECK(sum.out[0] == 496);
  REQUIRE(sum.result.findings.size() == 1);
  CHECK(sum.result.findings[0].sentence().english().find("does not name its own lane 16") !=
        std::string::npos);
  CHECK(with("setp.eq.u32 %p1, %tid, 31; vote.sync.ballot.b32 %r1, %p1, 0x0000ffff;").out[3] == 1u << 31);
  CHECK(with("shr.u32 %r2, %tid, 3; match.any.sync.b32 %r1, %r2, 0x0000ffff;").out[20] == 0xff0000);
}

namespace {

// Block 0 watches a word that is never written, and a clock beside it, until that has gone on by so many
// ticks.
PtxRun watch_until(const std::string& clock, std::uint64_t ticks, unsigned blocks) {
  PtxKernel kernel;
  kernel.grid = {blocks, 1, 1};
  kernel.out_words = 32 * blocks;
  kernel.body = "mov.u64 %rd1, " + clock + R"(;
    again:
    mov.u64 %rd2, )" +
                clock + R"(;
    sub.u64 %rd3, %rd2, %rd1;
    ld.volatile.global.u32 %r1, [%base_in];
    setp.eq.u32 %p1, %r1, 0;
    setp.lt.u64 %p2, %rd3, )" +
                std::to_string(ticks) + R"(;
    and.pred %p1, %p1, %p2;
    @%p1 bra again;
    mov.u32 %r2, 1;
    st.global.u32 [%o], %r2;)";
  kernel.in.assign(32, 0);
  return run_ptx(kernel);
}

}  // namespace

TEST_CASE("time passes for who watches memory and a clock, also where many do") {
  for (const std::string clock : {"%globaltimer", "%clock64"}) {
    for (const unsigned blocks : {1u, 100u}) {
      const PtxRun r = watch_until(clock, 30'000'000'000, blocks);  // half a minute
      REQUIRE_MESSAGE(r.fault() == "none", r.message());
      CHECK(r.out[0] == 1);
    }
  }
}

TEST_CASE("who watches a clock for ever waits for ever") {
  CHECK(watch_until("%globaltimer", 1ull << 62, 1).fault() == "deadlock");
}

TEST_CASE(
    "lanes that meet must name the same lanes; those that do not are reported, and the launch goes on") {
  const auto vote = [](const std::string& mask) {
    PtxKernel kernel;
    kernel.options.checks_stop = false;
    kernel.body = mask + R"(
      setp.ne.u32 %p1, %tid, 99;
      vote.sync.ballot.b32 %r2, %p1, %r1;
      st.global.u32 [%o], %r2;)";
    return run_ptx(kernel);
  };
  // Halves of a warp with a mask each: right. The upper lanes name the lower ones, which do not name them:
  // wrong.
  const PtxRun halves = vote("setp.lt.u32 %p2, %tid, 16; selp.b32 %r1, 0xffff, 0xffff0000, %p2;");
  REQUIRE_MESSAGE(halves.fault() == "none", halves.message());
  CHECK(halves.result.findings.empty());
  CHECK(halves.out[20] == 0xffff0000u);
  const PtxRun split = vote("setp.lt.u32 %p2, %tid, 16; selp.b32 %r1, 0xffff, 0xffffffff, %p2;");
  REQUIRE_MESSAGE(split.fault() == "none", split.message());
  REQUIRE(split.result.findings.size() == 1);
  CHECK(code(split.result.findings[0].kind) == "warp-sync");
  CHECK(split.result.findings[0].sentence().english().find("with the mask 0x0000ffff") != std::string::npos);
}

TEST_CASE("a block that never comes to the barrier of the grid is asked for by that name") {
  PtxKernel kernel;
  kernel.grid = {2, 1, 1};
  kernel.block = {1, 1, 1};
  kernel.cooperative = true;
  kernel.body = R"(
    mov.u32 %r1, %envreg1;
    mov.u32 %r2, %envreg2;
    mov.b64 %rd1, {%r2, %r1};
    mov.u32 %r3, %ctaid.x;
    setp.eq.u32 %p1, %r3, 1;
    @%p1 bra over;
    atom.add.release.gpu.u32 %r4, [%rd1+4], 1;
    again:
    ld.acquire.gpu.u32 %r5, [%rd1+4];
    setp.eq.u32 %p2, %r5, 1;
    @%p2 bra again;
    over:)";
  const PtxRun r = run_ptx(kernel);
  CHECK(r.fault() == "deadlock");
  CHECK(r.message().find("at the barrier of the grid (grid.sync())") != std::string::npos);
}

TEST_CASE("a long loop with an atomic that it never reaches does not wait") {
  PtxKernel kernel;
  kernel.block = {512, 1, 1};
  kernel.body = R"(
    mov.u32 %r2, 0;
    mov.u32 %r1, 0;
    again:
    setp.eq.u32 %p1, %r1, 4000000;
    @!%p1 bra next;
    atom.global.add.u32 %r2, [%base_out], 0;
    next:
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p2, %r1, 300000;
    @%p2 bra again;
    st.global.u32 [%base_out], %r2;)";
  const PtxRun r = run_ptx(kernel);
  CHECK_MESSAGE(r.fault() == "none", r.message());
}

// Where warps take turns at loads, a round of a loop has several turns; an atomic before it is no reason to
// wait.
TEST_CASE("a long loop of loads behind an atomic does not wait") {
  PtxKernel kernel;
  kernel.block = {64, 1, 1};
  kernel.options.turn_at_loads = true;
  kernel.body = R"(
    mov.u32 %r4, 0;
    mov.u32 %r5, 0;
    twice:
    atom.global.add.u32 %r2, [%base_out], 0;
    mov.u32 %r1, 0;
    again:
    ld.global.u32 %r3, [%base_out+4];
    add.u32 %r4, %r4, %r3;
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p2, %r1, 3000000;
    @%p2 bra again;
    add.u32 %r5, %r5, 1;
    setp.lt.u32 %p1, %r5, 2;
    @%p1 bra twice;
    add.u32 %r4, %r4, %r2;
    st.global.u32 [%base_out+8], %r4;)";
  const PtxRun r = run_ptx(kernel);
  CHECK_MESSAGE(r.fault() == "none", r.message());
}
