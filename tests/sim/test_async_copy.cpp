// cp.async: what lands when, who must wait, what is checked.
#include <doctest/doctest.h>

#include <string>

#include "tests/sim/ptx_run.h"

using namespace lab::sim;

namespace {

PtxRun run(const std::string& body, std::uint32_t threads = 32, std::size_t in_words = 256) {
  PtxKernel kernel;
  // %r2: the thread's 16 bytes of the tile; %rd1: its 16 bytes of `in`.
  kernel.body = R"(
    mov.u32 %r1, tile;
    shl.b32 %r2, %tid, 4;
    cvt.u64.u32 %rd1, %r2;
    add.s64 %rd1, %rd1, %base_in;
    add.s32 %r2, %r2, %r1;
)" + body;
  kernel.block = {threads, 1, 1};
  kernel.out_words = threads;
  kernel.in.resize(in_words);
  for (std::size_t k = 0; k < in_words; ++k) kernel.in[k] = static_cast<std::uint32_t>(k + 1);
  return run_ptx(kernel);
}

}  // namespace

TEST_CASE("a copy of 16 bytes is there after its wait") {
  for (const std::string wait : {"cp.async.wait_all;", "cp.async.commit_group; cp.async.wait_group 0;"}) {
    const PtxRun r = run("cp.async.cg.shared.global [%r2], [%rd1], 16;" + wait + R"(
      ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [%r2];
      add.s32 %r3, %r3, %r6;
      st.global.u32 [%o], %r3;)");
    REQUIRE_MESSAGE(r.fault() == "none", r.message());
    for (std::uint32_t t = 0; t < 32; ++t) CHECK(r.out[t] == (4 * t + 1) + (4 * t + 4));
  }
}

TEST_CASE("who reads before the wait finds no value") {
  const PtxRun r = run(R"(
    cp.async.ca.shared.global [%r2], [%rd1], 4;
    cp.async.commit_group;
    ld.shared.u32 %r3, [%r2];
    st.global.u32 [%o], %r3;)");
  CHECK(r.fault() == "shared-race");
}

TEST_CASE("wait_group leaves the newest groups on their way") {
  const std::string copies = R"(
    cp.async.ca.shared.global [%r2], [%rd1], 4;
    cp.async.commit_group;
    cp.async.ca.shared.global [%r2+8], [%rd1+8], 8;
    cp.async.commit_group;
    cp.async.wait_group 1;
)";
  const PtxRun first = run(copies + "ld.shared.u32 %r3, [%r2]; st.global.u32 [%o], %r3;");
  REQUIRE_MESSAGE(first.fault() == "none", first.message());
  CHECK(first.out[3] == 13);
  CHECK(run(copies + "ld.shared.u32 %r3, [%r2+8]; st.global.u32 [%o], %r3;").fault() == "shared-race");
}

TEST_CASE("shorter sources are filled with zeros, and read nothing else") {
  // 8 words of `in` and 32 threads: only threads 0 and 1 may read.
  const PtxRun r = run(R"(
    setp.lt.u32 %p1, %tid, 2;
    selp.u32 %r7, 12, 0, %p1;
    cp.async.cg.shared.global [%r2], [%rd1], 16, %r7;
    cp.async.wait_all;
    ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [%r2];
    add.s32 %r3, %r3, %r5;
    add.s32 %r3, %r3, %r6;
    st.global.u32 [%o], %r3;)",
                       32, 8);
  REQUIRE_MESSAGE(r.fault() == "none", r.message());
  CHECK(r.out[0] == 1 + 3);
  CHECK(r.out[1] == 5 + 7);
  CHECK(r.out[2] == 0);
  const PtxRun ignored = run(R"(
    setp.ge.u32 %p1, %tid, 2;
    cp.async.ca.shared.global [%r2], [%rd1], 4, %p1;
    cp.async.wait_all;
    ld.shared.u32 %r3, [%r2];
    st.global.u32 [%o], %r3;)",
                             32, 8);
  REQUIRE_MESSAGE(ignored.fault() == "none", ignored.message());
  CHECK(ignored.out[1] == 5);
  CHECK(ignored.out[31] == 0);
}

TEST_CASE("both addresses of a copy are checked when it starts") {
  const PtxRun past = run("cp.async.cg.shared.global [%r2], [%rd1], 16;", 32, 64);
  CHECK(past.fault() == "out-of-bounds");
  CHECK_MESSAGE(past.message().find("behind the end of `in`") != std::string::npos, past.message());
  CHECK(run("cp.async.ca.shared.global [%r2+8192], [%rd1], 4;").fault() == "out-of-bounds");
  CHECK(run("cp.async.cg.shared.global [%r2+4], [%rd1], 16;").fault() == "misaligned");
  CHECK(run("cp.async.ca.shared.global [%r2], [%rd1+2], 4;").fault() == "misaligned");
  CHECK(run("mov.u32 %r7, 20; cp.async.cg.shared.global [%r2], [%rd1], 16, %r7;").fault() == "out-of-bounds");
  CHECK(run("cp.async.cg.shared.global [%r2], [%rd1], 4;").fault() == "bad-ptx");
}

TEST_CASE("another warp needs a barrier behind the wait") {
  const std::string body = R"(
    cp.async.ca.shared.global [%r2], [%rd1], 4;
    cp.async.wait_all;
    BARRIER
    xor.b32 %r2, %r2, 512;
    ld.shared.u32 %r3, [%r2];
    st.global.u32 [%o], %r3;)";
  std::string good = body, bad = body;
  good.replace(good.find("BARRIER"), 7, "bar.sync 0;");
  bad.replace(bad.find("BARRIER"), 7, "");
  const PtxRun r = run(good, 64);
  REQUIRE_MESSAGE(r.fault() == "none", r.message());
  CHECK(r.out[0] == 4 * 32 + 1);
  const std::string fault = run(bad, 64).fault();
  CHECK((fault == "shared-race" || fault == "uninitialised-shared"));
}

TEST_CASE("copies without a wait do not pile up") {
  const PtxRun r = run(R"(
    mov.u32 %r8, 5000;
  AGAIN:
    cp.async.ca.shared.global [%r2], [%rd1], 4;
    add.s32 %r8, %r8, -1;
    setp.ne.s32 %p1, %r8, 0;
    @%p1 bra AGAIN;
    st.global.u32 [%o], 7;)");
  REQUIRE_MESSAGE(r.fault() == "none", r.message());
  CHECK(r.out[0] == 7);
}

TEST_CASE("a copy is counted as a global load and a shared store, once each, with zeros or without") {
  const std::string copies = R"(
    cp.async.ca.shared.global [%r2], [%rd1], 4;
    cp.async.cg.shared.global [%r2], [%rd1], 16;
    cp.async.cg.shared.global [%r2], [%rd1], 16, 0;
    cp.async.wait_all;)";
  const PtxRun r = run(copies);
  REQUIRE_MESSAGE(r.fault() == "none", r.message());
  // Lanes 16 bytes apart. The first reads and stores words in 8 of the banks: four lanes each.
  CHECK(r.result.counters[Path::GlobalLoad] == PathCounters{2, 16 + 16, 4 + 16, 64, 128 + 512});
  CHECK(r.result.counters[Path::SharedStore] == PathCounters{3, 4 + 0 + 4, 1 + 0 + 4, 96, 128 + 512 + 512});
}
