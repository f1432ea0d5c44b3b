// Observers on running kernels: what is counted depends neither on checks nor on host threads; lines and
// faults name the place in the source.
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <stdexcept>
#include <string>

#include "common/sim/observe/recorder.h"
#include "tests/sim/ptx_run.h"

using namespace lab::sim;

namespace {

std::atomic<int> threads_left{-1};  // that the host gives; below zero: any number

}  // namespace

// In front of the C library's, for a host that has no more threads to give.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*begin)(void*),
                              void* argument) noexcept {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto next = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  if (threads_left >= 0 && threads_left-- == 0) return threads_left = 0, EAGAIN;
  return next(thread, attributes, begin, argument);
}

namespace {

// Cannot be copied for another host thread.
class Alone final : public Observer {
 public:
  [[nodiscard]] std::unique_ptr<Observer> clone() const override { throw std::length_error("no room"); }
};

// out[31 - lane, row] = in[row, lane] by way of a tile whose rows are `pitch` words long; blocks of 32 × 8
// threads in one dimension. BARRIER stands between store and load.
std::string tile_kernel(int pitch, const std::string& barrier) {
  const std::string row_bytes = std::to_string(4 * pitch);
  return R"(
    .loc 1 20 0
    shr.u32 %r1, %tid, 5;
    and.b32 %r2, %tid, 31;
    mov.u32 %r9, tile;
    ld.global.u32 %r3, [%i];
    mul.lo.u32 %r4, %r1, )" +
         row_bytes + R"(;
    mad.lo.u32 %r4, %r2, 4, %r4;
    add.u32 %r4, %r4, %r9;
    .loc 1 21 0
    st.shared.u32 [%r4], %r3;
    )" + barrier +
         R"(
    .loc 1 27 0
    and.b32 %r5, %tid, 7;
    shr.u32 %r6, %tid, 3;
    mul.lo.u32 %r7, %r5, )" +
         row_bytes + R"(;
    mad.lo.u32 %r7, %r6, 4, %r7;
    add.u32 %r7, %r7, %r9;
    ld.shared.u32 %r8, [%r7];
    .loc 1 28 0
    st.global.u32 [%o], %r8;)";
}

PtxKernel kernel(const std::string& body, std::uint32_t blocks = 64) {
  PtxKernel k;
  k.declarations = ".file 1 \"tile.cu\"\n";
  k.body = body;
  k.block = {256, 1, 1};
  k.grid = {blocks, 1, 1};
  k.out_words = 256 * blocks;
  k.in.resize(k.out_words);
  for (std::size_t i = 0; i < k.in.size(); ++i) k.in[i] = static_cast<std::uint32_t>(i * 7);
  return k;
}

bool same(const std::vector<LineCounters>& a, const std::vector<LineCounters>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].file != b[i].file || a[i].line != b[i].line || a[i].path != b[i].path) return false;
    if (!(a[i].counters == b[i].counters)) return false;
  }
  return true;
}

}  // namespace

TEST_SUITE("observers") {
  TEST_CASE("a tile: every counter, by line") {
    const PtxRun run = run_ptx(kernel(tile_kernel(32, "bar.sync 0;")));
    REQUIRE_MESSAGE(run.fault() == "none", run.message());
    for (std::uint32_t t = 0; t < 256; ++t) CHECK(run.out[t] == (t % 8 * 32 + t / 8) * 7);
    const Counters& c = run.result.counters;
    const std::uint64_t warps = 64 * 8;
    CHECK(c[Path::GlobalLoad] == PathCounters{warps, 4 * warps, 4 * warps, 32 * warps, 128 * warps});
    CHECK(c[Path::GlobalStore] == PathCounters{warps, 4 * warps, 4 * warps, 32 * warps, 128 * warps});
    CHECK(c[Path::SharedStore] == PathCounters{warps, warps, warps, 32 * warps, 128 * warps});
    CHECK(c[Path::SharedLoad] ==
          PathCounters{warps, 8 * warps, warps, 32 * warps, 128 * warps});  // 8 rows, 4 columns
    REQUIRE(run.result.lines.size() == 4);
    CHECK(run.result.lines[0].line == 20);
    CHECK(run.result.lines[0].path == Path::GlobalLoad);
    CHECK(run.result.lines[2].file == "tile.cu");
    CHECK(run.result.lines[2].line == 27);
    CHECK(run.result.lines[2].path == Path::SharedLoad);
    CHECK(run.result.lines[2].counters[Path::SharedLoad] == c[Path::SharedLoad]);
    const PtxRun padded = run_ptx(kernel(tile_kernel(36, "bar.sync 0;")));
    REQUIRE_MESSAGE(padded.fault() == "none", padded.message());
    CHECK(padded.result.counters[Path::SharedLoad].cost == warps);
  }

  TEST_CASE("counters depend neither on checks nor on host threads") {
    PtxKernel k = kernel(tile_kernel(33, "bar.sync 0;"), 200);
    const PtxRun first = run_ptx(k);
    REQUIRE_MESSAGE(first.fault() == "none", first.message());
    for (const unsigned threads : {1u, 2u, 5u}) {
      for (const bool checks : {true, false}) {
        k.options.host_threads = threads;
        k.options.check_races = checks;
        k.options.check_uninitialised = checks;
        const PtxRun run = run_ptx(k);
        CHECK(run.result.counters == first.result.counters);
        CHECK(same(run.result.lines, first.result.lines));
        CHECK(run.out == first.out);
        CHECK(run.result.warp_instructions == first.result.warp_instructions);
      }
    }
    k.options.count = false;
    const PtxRun uncounted = run_ptx(k);
    CHECK(uncounted.out == first.out);
    CHECK(uncounted.result.counters == Counters{});
  }

  TEST_CASE("a missing barrier: both lines, both threads, the lowest block, on any number of host threads") {
    for (const unsigned threads : {1u, 2u}) {
      PtxKernel k = kernel(tile_kernel(32, ""));
      k.options.host_threads = threads;
      k.options.check_uninitialised = false;  // the load comes before the other warps' stores
      const PtxRun run = run_ptx(k);
      REQUIRE(run.result.faults.size() == 1);
      const Fault& fault = run.result.faults[0];
      CAPTURE(fault.sentence().english());
      CHECK((fault.kind == FaultKind::SharedRace || fault.kind == FaultKind::MissingSyncwarp));
      CHECK(fault.block_index == 0);
      CHECK(fault.file == "tile.cu");
      CHECK(fault.sentence().english().find("`tile` + ") != std::string::npos);
      CHECK(fault.sentence().english().find("line 21") != std::string::npos);
      CHECK(fault.sentence().english().find("line 27") != std::string::npos);
      CHECK(fault.sentence().english().find("put __sync") != std::string::npos);
    }
  }

  TEST_CASE("reads of unwritten memory") {
    const PtxRun shared =
        run_ptx(kernel(".loc 1 7 0\n ld.shared.u32 %r1, [tile+8]; st.global.u32 [%o], %r1;", 1));
    REQUIRE(shared.fault() == "uninitialised-shared");
    CHECK(shared.message().find("thread (0,0) of block (0,0) at line 7 reads `tile` + 8 bytes") !=
          std::string::npos);
    // The next block finds the words of the one before, and must not take them for its own.
    const PtxRun stale = run_ptx(kernel(R"(
      setp.ne.u32 %p1, %bid, 0;
      @%p1 bra READ;
      st.shared.u32 [tile+8], 1;
    READ:
      bar.sync 0;
      ld.shared.u32 %r1, [tile+8];
      st.global.u32 [%o], %r1;)",
                                        2));
    REQUIRE(stale.fault() == "uninitialised-shared");
    CHECK(stale.result.faults[0].block_index == 1);
  }

  TEST_CASE("a recorder sees the same addresses however the launch was spread") {
    std::vector<std::uint64_t> first;
    for (const unsigned threads : {1u, 2u}) {
      Recorder recorder({.lines = {27}, .requests_per_instruction = 10});
      PtxKernel k = kernel(tile_kernel(32, "bar.sync 0;"), 200);
      k.options.host_threads = threads;
      k.options.observers = {&recorder};
      const PtxRun run = run_ptx(k);
      REQUIRE_MESSAGE(run.fault() == "none", run.message());
      std::vector<std::uint64_t> seen;
      for (const RecordedAccess& r : recorder.recorded()) {
        CHECK(r.space == Space::Shared);
        seen.push_back(r.place.block_index * 1'000'000 + r.place.warp * 10'000 + r.address[9]);
      }
      CHECK(seen.size() == 10);
      CHECK(seen[0] == 128 + 4);    // warp 0, lane 9: row 1, column 1
      CHECK(seen[8] == 1'000'132);  // eight warps per block
      if (threads == 1) first = seen;
      CHECK(seen == first);
    }
  }

  TEST_CASE("a host that has no more threads: those that there are run all blocks") {
    PtxKernel k = kernel(tile_kernel(33, "bar.sync 0;"));
    const PtxRun wanted = run_ptx(k);
    k.options.host_threads = 4;
    for (const int left : {0, 2}) {
      threads_left = left;
      const PtxRun run = run_ptx(k);
      CHECK(threads_left == 0);
      threads_left = -1;
      CHECK_MESSAGE(run.fault() == "none", run.message());
      CHECK(run.out == wanted.out);
      CHECK(run.result.counters == wanted.result.counters);
    }
  }

  TEST_CASE("what goes wrong on another host thread reaches the one that launched") {
    PtxKernel k = kernel(tile_kernel(33, "bar.sync 0;"));
    k.options.host_threads = 4;
    Alone alone;
    k.options.observers = {&alone};
    CHECK_THROWS_AS(static_cast<void>(run_ptx(k)), std::length_error);
  }
}
