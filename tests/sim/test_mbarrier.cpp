// mbarrier: phases, states, parities, bytes of bulk copies. Expected values follow the PTX ISA, section on
// mbarrier.
#include <doctest/doctest.h>

#include <string>

#include "common/sim/execute/mbarrier.h"
#include "tests/sim/ptx_run.h"

using namespace lab::sim;

namespace {

// %r2: the barrier, at the start of the tile; %r1: 64 bytes behind it. One thread initialises it for
// `arrivals`.
PtxRun run(const std::string& body, std::uint32_t threads = 32, const std::string& arrivals = "%ntid.x") {
  PtxKernel kernel;
  kernel.body = R"(
    mov.u32 %r2, tile;
    add.s32 %r1, %r2, 64;
    setp.eq.u32 %p9, %tid, 0;
    mov.u32 %r9, )" +
                arrivals + R"(;
    @%p9 mbarrier.init.shared.b64 [%r2], %r9;
    @%p9 fence.mbarrier_init.release.cluster;
    bar.sync 0;
)" + body;
  kernel.block = {threads, 1, 1};
  kernel.out_words = threads;
  kernel.in.resize(256);
  for (std::uint32_t k = 0; k < 256; ++k) kernel.in[k] = k + 1;
  kernel.options.block_budget_instructions = 10'000'000;
  return run_ptx(kernel);
}

const std::string kStorePredicate = "selp.u32 %r3, 1, 0, %p1; st.global.u32 [%o], %r3;";

}  // namespace

TEST_CASE("an mbarrier's 64 bits hold all of its state") {
  for (const MbarrierState s :
       {MbarrierState{1, 1, 0, false}, MbarrierState{kMostArrivals, 7, -1048575, true},
        MbarrierState{3, kMostArrivals, 1048575, false}}) {
    const auto back = MbarrierState::decoded(s.encoded());
    REQUIRE(back.has_value());
    CHECK(back->expected == s.expected);
    CHECK(back->pending == s.pending);
    CHECK(back->bytes == s.bytes);
    CHECK(back->odd == s.odd);
  }
  CHECK_FALSE(MbarrierState::decoded(0).has_value());
}

TEST_CASE("what one thread writes before it arrives, others read after they waited") {
  for (const std::string ask : {"mbarrier.try_wait.shared.b64 %p1, [%r2], %rd5;",
                                "mbarrier.test_wait.acquire.cta.shared::cta.b64 %p1, [%r2], %rd5;",
                                "mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r2], 0;",
                                "mbarrier.try_wait.parity.shared.b64 %p1, [%r2], 0, 1000;"}) {
    const PtxRun r = run(R"(
      shl.b32 %r4, %tid, 2;
      add.s32 %r5, %r1, %r4;
      st.shared.u32 [%r5], %tid;
      mbarrier.arrive.release.cta.shared::cta.b64 %rd5, [%r2];
    AGAIN:
      )" + ask + R"(
      @!%p1 bra AGAIN;
      xor.b32 %r5, %r4, 128;
      add.s32 %r5, %r5, %r1;
      ld.shared.u32 %r6, [%r5];
      st.global.u32 [%o], %r6;)",
                         64);
    REQUIRE_MESSAGE(r.fault() == "none", r.message());
    for (std::uint32_t t = 0; t < 64; ++t) CHECK(r.out[t] == (t ^ 32));
  }
}

TEST_CASE("without the wait it is a race") {
  const PtxRun r = run(R"(
      shl.b32 %r4, %tid, 2;
      add.s32 %r5, %r1, %r4;
      st.shared.u32 [%r5], %tid;
      mbarrier.arrive.shared.b64 %rd5, [%r2];
      xor.b32 %r5, %r4, 4;
      add.s32 %r5, %r5, %r1;
      st.shared.u32 [%r5], %r4;)",
                       64, "65");
  CHECK_MESSAGE((r.fault() == "missing-syncwarp" || r.fault() == "shared-race"), r.fault());
}

TEST_CASE("relaxed arrivals and waits order nothing") {
  const auto fault = [](const std::string& arrive, const std::string& wait) {
    return run("shl.b32 %r4, %tid, 2; add.s32 %r5, %r1, %r4; st.shared.u32 [%r5], %tid;\n" + arrive +
                   " %rd5, [%r2];\nAGAIN: " + wait + R"( %p1, [%r2], %rd5;
      @!%p1 bra AGAIN;
      xor.b32 %r5, %r4, 128;
      add.s32 %r5, %r5, %r1;
      ld.shared.u32 %r6, [%r5];
      st.global.u32 [%o], %r6;)",
               64)
        .fault();
  };
  const std::string arrive = "mbarrier.arrive.relaxed.cta.shared::cta.b64",
                    plain = "mbarrier.arrive.shared.b64",
                    wait = "mbarrier.try_wait.relaxed.cta.shared::cta.b64",
                    plain_wait = "mbarrier.try_wait.shared.b64";
  CHECK(fault(plain, plain_wait) == "none");
  CHECK(fault(arrive, plain_wait) == "shared-race");
  CHECK(fault(plain, wait) == "shared-race");
}

TEST_CASE("in a drawn order copies may be late: who asks once does not get them, who asks again does") {
  const auto seen = [](std::uint64_t schedule, const std::string& again) {
    PtxKernel kernel;
    kernel.body = R"(
      mov.u32 %r2, tile;
      add.s32 %r1, %r2, 64;
      setp.eq.u32 %p9, %tid, 0;
      mov.u32 %r9, %ntid.x;
      @%p9 mbarrier.init.shared.b64 [%r2], %r9;
      bar.sync 0;
      shl.b32 %r4, %tid, 2;
      add.s32 %r5, %r1, %r4;
      cvt.u64.u32 %rd4, %r4;
      add.s64 %rd4, %base_in, %rd4;
      cp.async.ca.shared.global [%r5], [%rd4], 4;
      cp.async.mbarrier.arrive.noinc.shared.b64 [%r2];
      bar.sync 0;
    AGAIN: mbarrier.test_wait.parity.shared.b64 %p1, [%r2], 0;
)" + again + kStorePredicate;
    kernel.in.resize(64);
    kernel.options.schedule = schedule;
    const PtxRun r = run_ptx(kernel);
    REQUIRE_MESSAGE(r.fault() == "none", r.message());
    return r.out.at(0);
  };
  CHECK(seen(0, "") == 1);
  for (const std::uint64_t schedule : {1u, 2u, 77u, 1000u}) {
    CHECK(seen(schedule, "") == 0);
    CHECK(seen(schedule, "@!%p1 bra AGAIN;\n") == 1);
  }
}

TEST_CASE("in a drawn order copies are very late once in a phase, however many arrive") {
  // One warp arrives twice in one phase, and asks between: 25,000 answers are "not yet" anyway. Behind the second
  // arrival few may be.
  constexpr std::uint64_t kRarest = 64 * 64, kPlaces = 16;
  for (std::uint64_t at = 0; at < kPlaces; ++at) {
    PtxKernel kernel;
    kernel.body = R"(
    mov.u32 %r2, tile;
    add.s32 %r1, %r2, 64;
    shl.b32 %r4, %tid, 2;
    add.s32 %r5, %r1, %r4;
    setp.eq.u32 %p9, %tid, 0;
    @%p9 mbarrier.init.shared.b64 [%r2], 64;
    bar.sync 0;
    cp.async.ca.shared.global [%r5], [%base_in], 4;
    cp.async.mbarrier.arrive.noinc.shared.b64 [%r2];
    mov.u32 %r6, 0;
  BETWEEN:
    mbarrier.test_wait.parity.shared.b64 %p1, [%r2], 0;
    add.s32 %r6, %r6, 1;
    setp.lt.u32 %p2, %r6, 25000;
    @%p2 bra BETWEEN;
    cp.async.ca.shared.global [%r5], [%base_in], 4;
    cp.async.mbarrier.arrive.noinc.shared.b64 [%r2];
    mov.u32 %r6, 0;
  AGAIN:
    add.s32 %r6, %r6, 1;
    mbarrier.test_wait.parity.shared.b64 %p1, [%r2], 0;
    @!%p1 bra AGAIN;
    st.global.u32 [%o], %r6;
)";
    kernel.out_words = 32;
    kernel.in.resize(256);
    kernel.options.block_budget_instructions = 10'000'000;
    kernel.options.count = false;
    kernel.options.schedule = 2 * (kRarest - at);
    const PtxRun r = run_ptx(kernel);
    REQUIRE_MESSAGE(r.fault() == "none", r.message());
    CHECK_MESSAGE(r.out[0] < 100, r.out[0]);
  }
}

TEST_CASE("in a drawn order copies that are very late at many barriers are no deadlock") {
  // One warp asks ten barriers, each when the last is answered; the others wait for it. All are put off as long as any.
  PtxKernel kernel;
  kernel.declarations = ".shared .align 128 .b8 barriers[45056];";
  std::string init, copies, ask;
  for (int k = 0; k < 10; ++k) {
    const std::string at = " [%r2+" + std::to_string(4096 * k) + "]";
    init += "mbarrier.init.shared.b64" + at + ", 32;\n";
    copies += "cp.async.mbarrier.arrive.noinc.shared.b64" + at + ";\n";
    ask += "mbarrier.test_wait.parity.shared.b64 %p1," + at + ", 0;\n@!%p1 bra AGAIN;\n";
  }
  kernel.body = R"(
    mov.u32 %r2, barriers;
    shl.b32 %r4, %tid, 2;
    add.s32 %r5, %r2, %r4;
    setp.ne.u32 %p9, %tid, 0;
    @%p9 bra READY;
)" + init + R"(
  READY:
    bar.sync 0;
    setp.ge.u32 %p9, %tid, 32;
    @%p9 bra DONE;
    cp.async.ca.shared.global [%r5+2048], [%base_in], 4;
)" + copies + "AGAIN:\n" +
                ask + "DONE: bar.sync 0; st.global.u32 [%o], 1;\n";
  kernel.block = {544, 1, 1};
  kernel.out_words = 544;
  kernel.in.resize(64);
  kernel.options.block_budget_instructions = 100'000'000;
  kernel.options.count = false;
  kernel.options.schedule = std::uint64_t{2} * 4096;
  const PtxRun r = run_ptx(kernel);
  CHECK_MESSAGE(r.fault() == "none", r.message());
}

TEST_CASE("phases count from an even one, and start again with as many arrivals") {
  const std::string arrive = "mbarrier.arrive.shared.b64 _, [%r2]; ";
  const auto parity_over = [](const std::string& before, const std::string& parity) {
    const PtxRun r =
        run(before + "mbarrier.test_wait.parity.shared.b64 %p1, [%r2], " + parity + ";" + kStorePredicate, 1,
            "2");
    REQUIRE_MESSAGE(r.fault() == "none", r.message());
    return r.out[0];
  };
  CHECK(parity_over("", "0") == 0);
  CHECK(parity_over("", "1") == 1);  // the phase before the first counts as over
  CHECK(parity_over(arrive, "0") == 0);
  CHECK(parity_over(arrive + arrive, "0") == 1);
  CHECK(parity_over(arrive + arrive, "1") == 0);
  CHECK(parity_over(arrive + arrive + arrive, "1") == 0);
  CHECK(parity_over(arrive + arrive + arrive + arrive, "1") == 1);
  CHECK(parity_over("mbarrier.arrive.shared::cta.b64 %rd5, [%r2], 2;", "0") == 1);
}

TEST_CASE("pending_count reads the state that an arrival gave: before it") {
  const PtxRun r = run(R"(
    mbarrier.arrive.noComplete.shared.b64 %rd5, [%r2], 2;
    mbarrier.arrive.shared.b64 %rd6, [%r2];
    mbarrier.pending_count.b64 %r3, %rd5;
    mbarrier.pending_count.b64 %r4, %rd6;
    shl.b32 %r4, %r4, 8;
    or.b32 %r3, %r3, %r4;
    st.global.u32 [%o], %r3;)",
                       1, "5");
  REQUIRE_MESSAGE(r.fault() == "none", r.message());
  CHECK(r.out[0] == (5 | 3 << 8));
}

TEST_CASE("who drops out is not waited for again") {
  const PtxRun r = run(R"(
    mbarrier.arrive_drop.shared.b64 %rd5, [%r2];
    mbarrier.arrive.shared.b64 %rd5, [%r2];
    mbarrier.arrive.shared.b64 %rd5, [%r2];
    mbarrier.test_wait.parity.shared.b64 %p1, [%r2], 1;)" +
                           kStorePredicate,
                       1, "2");
  REQUIRE_MESSAGE(r.fault() == "none", r.message());
  CHECK(r.out[0] == 1);
}

TEST_CASE("a phase waits for bytes too, in either order") {
  const auto over = [](const std::string& body) {
    const PtxRun r =
        run(body + "mbarrier.test_wait.parity.shared.b64 %p1, [%r2], 0;" + kStorePredicate, 1, "1");
    REQUIRE_MESSAGE(r.fault() == "none", r.message());
    return r.out[0];
  };
  CHECK(over("mbarrier.arrive.expect_tx.shared.b64 %rd5, [%r2], 32;") == 0);
  CHECK(over("mbarrier.arrive.expect_tx.shared.b64 %rd5, [%r2], 32;"
             "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r2], 32;") == 1);
  CHECK(over("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r2], 32; mbarrier.arrive.shared.b64 %rd5, "
             "[%r2];") == 0);
}

TEST_CASE("copies arrive at a barrier when they have landed") {
  for (const std::string arrive :
       {"cp.async.mbarrier.arrive.noinc.shared.b64 [%r2];",
        "cp.async.mbarrier.arrive.shared.b64 [%r2]; mbarrier.arrive.shared.b64 _, [%r2];"}) {
    const PtxRun r = run(R"(
      shl.b32 %r4, %tid, 2;
      add.s32 %r5, %r1, %r4;
      cvt.u64.u32 %rd1, %r4;
      add.s64 %rd1, %rd1, %base_in;
      cp.async.ca.shared.global [%r5], [%rd1], 4;
      )" + arrive + R"(
    AGAIN:
      mbarrier.try_wait.parity.shared.b64 %p1, [%r2], 0;
      @!%p1 bra AGAIN;
      xor.b32 %r5, %r4, 128;
      add.s32 %r5, %r5, %r1;
      ld.shared.u32 %r6, [%r5];
      st.global.u32 [%o], %r6;)",
                         64);
    REQUIRE_MESSAGE(r.fault() == "none", r.message());
    for (std::uint32_t t = 0; t < 64; ++t) CHECK(r.out[t] == (t ^ 32) + 1);
  }
}

TEST_CASE("one thread copies many bytes, and all wait for them") {
  const std::string body = R"(
      mov.u64 %rd1, %base_in;
      @%p9 mbarrier.arrive.expect_tx.shared.b64 %rd5, [%r2], 256;
      @%p9 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], BYTES, [%r2];
    AGAIN:
      mbarrier.try_wait.parity.shared.b64 %p1, [%r2], 0;
      @!%p1 bra AGAIN;
      shl.b32 %r4, %tid, 2;
      add.s32 %r4, %r4, %r1;
      ld.shared.u32 %r6, [%r4];
      add.s32 %r6, %r6, 1000;
      st.shared.u32 [%r4], %r6;
      fence.proxy.async.shared::cta;
      bar.sync 0;
      mov.u64 %rd2, %base_out;
      @%p9 cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r1], 256;
      @%p9 cp.async.bulk.commit_group;
      @%p9 cp.async.bulk.wait_group.read 0;)";
  const auto with = [&](const std::string& bytes) {
    std::string text = body;
    return run(text.replace(text.find("BYTES"), 5, bytes), 64, "1");
  };
  const PtxRun r = with("256");
  REQUIRE_MESSAGE(r.fault() == "none", r.message());
  for (std::uint32_t t = 0; t < 64; ++t) CHECK(r.out[t] == t + 1001);
  const PtxRun half = with("128");
  CHECK(half.fault() == "deadlock");
  CHECK(half.message().find("256 bytes were expected and 128 were copied") != std::string::npos);
  CHECK(with("24").fault() == "bad-ptx");
  CHECK(with("%r9").fault() == "misaligned");      // as many as `n`
  CHECK(with("2048").fault() == "out-of-bounds");  // `in` has 1024 bytes
}

TEST_CASE("misuse is named") {
  CHECK(run("mbarrier.arrive.shared.b64 %rd5, [%r2+8];").message().find("no thread has initialised") !=
        std::string::npos);
  CHECK(run("mbarrier.arrive.shared.b64 %rd5, [%r2], 33;").message().find("waits for 32 more") !=
        std::string::npos);
  CHECK(run("mbarrier.init.shared.b64 [%r2], 0;").fault() == "barrier-divergence");
  CHECK(run("mbarrier.inval.shared.b64 [%r2]; mbarrier.arrive.shared.b64 %rd5, [%r2];", 1).fault() ==
        "barrier-divergence");
  CHECK(run("mbarrier.arrive.b64 %rd5, [%base_in];").fault() == "out-of-bounds");
  CHECK(run("mbarrier.arrive.shared.b64 %rd5, [%r2+4];").fault() == "misaligned");
  CHECK(run("mbarrier.arrive.noComplete.shared.b64 %rd5, [%r2], 1;", 1).fault() == "barrier-divergence");
  CHECK(run("mbarrier.arrive.multicast.shared.b64 %rd5, [%r2];").fault() == "unsupported");
}

namespace {

// Warp 0 waits; warp 1 ends the phase and does `then` to the barrier at once.
PtxRun wait_while(const std::string& wait, const std::string& then, bool stop = true) {
  PtxKernel kernel;
  kernel.declarations = ".shared .align 8 .b64 bar;";
  kernel.block = {64, 1, 1};
  kernel.out_words = 64;
  kernel.options.check_races = false;
  kernel.options.checks_stop = stop;
  kernel.body =
      "mov.u32 %r2, bar; setp.eq.u32 %p0, %tid, 0; @%p0 mbarrier.init.shared.b64 [%r2], 1; bar.sync 0;"
      "setp.lt.u32 %p1, %tid, 32; @%p1 bra WAIT; setp.ne.u32 %p2, %tid, 32; @%p2 bra DONE;"
      "mbarrier.arrive.shared.b64 _, [%r2];" +
      then + "bra.uni DONE; WAIT: " + wait +
      ".parity.shared.b64 %p3, [%r2], 0; @!%p3 bra WAIT; DONE: st.global.u32 [%o], 1;";
  return run_ptx(kernel);
}

}  // namespace

TEST_CASE("the end of a phase wakes who sleeps there, whatever becomes of the barrier") {
  // As on an H100: try_wait goes on, test_wait, which only asks, misses the phase.
  CHECK(wait_while("mbarrier.try_wait", "mbarrier.init.shared.b64 [%r2], 100;").fault() == "none");
  CHECK(wait_while("mbarrier.test_wait", "mbarrier.init.shared.b64 [%r2], 100;").fault() == "deadlock");
  CHECK(wait_while("mbarrier.try_wait", "st.shared.b64 [%r2], 0;").fault() == "none");
}

TEST_CASE("a barrier that was ended goes on where checks do not stop, and is reported") {
  const std::string end = "mbarrier.inval.shared.b64 [%r2];";
  CHECK(wait_while("mbarrier.test_wait", end).fault() == "barrier-divergence");
  const PtxRun on = wait_while("mbarrier.test_wait", end, false);
  CHECK(on.fault() == "none");
  REQUIRE(on.result.findings.size() == 1);
  CHECK(on.result.findings[0].sentence().english().find(
            "uses a barrier in shared memory (mbarrier) that was ended") != std::string::npos);
  CHECK(wait_while("mbarrier.try_wait", end + end, false)
            .result.findings[0]
            .sentence()
            .english()
            .find(" ends a barrier") != std::string::npos);
}
