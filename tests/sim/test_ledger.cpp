// The ledger: every byte that moves is counted once, on the path that it took, and every observer sees it.
#include <doctest/doctest.h>

#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "common/sim/base/path.h"
#include "tests/sim/ptx_run.h"

using namespace lab::sim;

namespace {

PtxKernel kernel_of(const std::string& body, std::uint32_t blocks = 1, std::uint32_t threads = 32) {
  PtxKernel kernel;
  kernel.body = body;
  kernel.grid = {blocks, 1, 1};
  kernel.block = {threads, 1, 1};
  kernel.out_words = std::size_t{blocks} * threads;
  for (std::uint32_t k = 0; k < kernel.out_words; ++k) kernel.in.push_back(k + 1);
  return kernel;
}

// The counters of a kernel, which must not depend on the host's threads, nor on what is checked.
Counters counted(PtxKernel kernel) {
  std::vector<Counters> all;
  for (const unsigned threads : {1u, 3u}) {
    for (const bool checks : {true, false}) {
      kernel.options.host_threads = threads;
      kernel.options.check_races = kernel.options.check_uninitialised = checks;
      const PtxRun run = run_ptx(kernel);
      REQUIRE_MESSAGE(run.fault() == "none", run.message());
      all.push_back(run.result.counters);
    }
  }
  for (const Counters& one : all) CHECK(one == all.front());
  return all.front();
}

// What a path moved, by the order in which it did: the first word of each lane.
struct Moved {
  std::vector<std::uint32_t> value, old_value;
  int without_values = 0;
};

class Watcher final : public Observer, public Policy {
 public:
  Watcher(std::map<Path, Moved>& seen, bool wants) : seen_(seen), wants_(wants) {}
  [[nodiscard]] std::unique_ptr<Observer> clone() const override {
    return std::make_unique<Watcher>(seen_, wants_);
  }
  [[nodiscard]] Policy& policy() override { return *this; }
  [[nodiscard]] bool values() const override { return wants_; }
  [[nodiscard]] bool pieces(std::uint32_t /*pc*/, const WarpPlace&) const override { return true; }
  void access(std::uint32_t /*slot*/, const Access& a) override {
    Moved& moved = seen_[a.path];
    CHECK(a.space == info(a.path).space);
    if (a.value == nullptr) ++moved.without_values;
    for (std::size_t lane = 0; lane < kWarpLanes; ++lane) {
      if ((a.mask >> lane & 1u) == 0) continue;
      std::uint32_t word = 0;
      const std::size_t size = std::min<std::size_t>(4, a.width_bytes);
      if (a.value != nullptr) {
        std::memcpy(&word, a.value + lane * a.width_bytes, size);
        moved.value.push_back(word);
      }
      if (a.old_value != nullptr) {
        std::memcpy(&word, a.old_value + lane * a.width_bytes, size);
        moved.old_value.push_back(word);
      }
    }
  }

 private:
  std::map<Path, Moved>& seen_;
  bool wants_;
};

std::map<Path, Moved> watched(PtxKernel kernel, bool wants = true) {
  std::map<Path, Moved> seen;
  Watcher watcher(seen, wants);
  kernel.options.host_threads = 1;
  kernel.options.observers = {&watcher};
  const PtxRun run = run_ptx(kernel);
  REQUIRE_MESSAGE(run.fault() == "none", run.message());
  return seen;
}

std::vector<std::uint32_t> from(std::uint32_t first, std::uint32_t count = 32, std::uint32_t step = 1) {
  std::vector<std::uint32_t> list;
  for (std::uint32_t k = 0; k < count; ++k) list.push_back(first + k * step);
  return list;
}

// in → tile → out, 128 bytes per block, both ways by the TMA unit.
const std::string kBothWays = R"(
    setp.eq.u32 %p9, %tid, 0;
    mov.u32 %r2, tile;
    add.s32 %r1, %r2, 128;
    @%p9 mbarrier.init.shared.b64 [%r2], 1;
    @%p9 fence.mbarrier_init.release.cluster;
    bar.sync 0;
    @%p9 mbarrier.arrive.expect_tx.shared.b64 %rd5, [%r2], 128;
    @%p9 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%i], 128, [%r2];
  AGAIN:
    mbarrier.try_wait.parity.shared.b64 %p1, [%r2], 0;
    @!%p1 bra AGAIN;
    @%p9 cp.async.bulk.global.shared::cta.bulk_group [%o], [%r1], 128;
    @%p9 cp.async.bulk.commit_group;
    @%p9 cp.async.bulk.wait_group 0;)";

const std::string kTileAddress = R"(
    shl.b32 %r4, %tid, 2;
    mov.u32 %r2, tile;
    add.s32 %r3, %r2, %r4;)";

}  // namespace

TEST_CASE("the table of paths is whole, and docs/model.md names every row") {
  std::ifstream file(LAB_GOLDEN_DIR "/../../docs/model.md");
  std::stringstream text;
  text << file.rdbuf();
  const std::string model = text.str();
  std::set<std::string_view> keys, names;
  for (const PathInfo& row : kPathTable) {
    CAPTURE(row.key);
    CHECK(keys.insert(row.key).second);
    CHECK(names.insert(row.name).second);
    CHECK(path_with_key(row.key) == row.path);
    CHECK(info(row.part_of).weighs == row.weighs);
    CHECK_FALSE(is_part(info(row.part_of).path));
    CHECK(model.find("`" + std::string(row.key) + "`") != std::string::npos);
    if (!row.metric.empty()) CHECK(model.find(std::string(row.metric)) != std::string::npos);
  }
  CHECK_FALSE(path_with_key("global").has_value());
}

TEST_CASE("sums by path are sums of all paths") {
  Counters counters;
  std::uint64_t n = 1;
  for (const PathInfo& row : kPathTable) {
    const PathCounters more{n, 2 * n, n, 32 * n, 100 * n};
    counters[row.path] += more;
    const PathCounters back = counters[row.path];
    CHECK(back.requests == n);
    CHECK(back.bytes == 100 * n);
    n *= 2;
  }
  Counters twice = counters;
  twice += counters;
  CHECK(twice[Path::SharedBulkLoad].cost == 2 * counters[Path::SharedBulkLoad].cost);
  // load, store, atomic, local both ways, bulk both ways and reductions: each a bit of its own; cp.async is
  // among the loads, ldmatrix too.
  CHECK(counters.global_total().requests == 1 + 2 + 16 + 64 + 128 + 1024 + 8192 + 16384);
  CHECK(counters.shared_total().requests == 4 + 8 + 32 + 2048 + 4096 + (31 << 17));
}

TEST_CASE("bulk copies both ways") {
  const PtxKernel kernel = kernel_of(kBothWays, 300);
  CHECK(run_ptx(kernel).out == kernel.in);
  const Counters c = counted(kernel);
  const PathCounters global{300, 1200, 1200, 300, 38'400};
  const PathCounters shared{300, 300, 300, 300, 38'400};
  CHECK(c[Path::GlobalBulkLoad] == global);
  CHECK(c[Path::GlobalBulkStore] == global);
  CHECK(c[Path::SharedBulkLoad] == shared);
  CHECK(c[Path::SharedBulkStore] == shared);
  CHECK(c[Path::GlobalLoad] == PathCounters{});
  CHECK(c.global_total() == PathCounters{600, 2400, 2400, 600, 76'800});
  CHECK(c.shared_total() == PathCounters{600, 600, 600, 600, 76'800});
  CHECK(c[Path::ParameterLoad] == PathCounters{600, 0, 0, 19'200, 153'600});  // weigh nothing
  const auto lines = run_ptx(kernel).result.lines;
  CHECK(lines.size() == 4);  // one a path
}

TEST_CASE("cp.async is a load and a shared store, counted once") {
  const Counters c = counted(kernel_of(kTileAddress + R"(
    cp.async.ca.shared.global [%r3], [%i], 4;
    cp.async.wait_all;
    ld.shared.u32 %r5, [%r3];
    st.global.u32 [%o], %r5;)",
                                       200));
  CHECK(c[Path::GlobalAsync] == PathCounters{200, 800, 800, 6400, 25'600});
  CHECK(c[Path::SharedAsync] == PathCounters{200, 200, 200, 6400, 25'600});
  CHECK(c[Path::GlobalLoad] == c[Path::GlobalAsync]);
  CHECK(c[Path::SharedStore] == c[Path::SharedAsync]);
  CHECK(c.global_total().cost == 1600);
  CHECK(c.shared_total().cost == 400);
}

TEST_CASE("traffic through atomics and local memory is in the totals") {
  const Counters c = counted(kernel_of(kTileAddress + R"(
    .local .align 4 .b8 spot[16];
    mov.u32 %r5, 7;
    st.shared.u32 [%r3], %r5;
    atom.shared.or.b32 %r6, [%r3], 0;
    st.local.u32 [spot+4], %r6;
    ld.local.u32 %r7, [spot+4];
    atom.global.exch.b32 %r8, [%o], %r7;
    red.global.add.u32 [%base_out], 1;)"));
  CHECK(c[Path::LocalStore] == PathCounters{1, 4, 4, 32, 128});
  CHECK(c[Path::LocalLoad] == PathCounters{1, 4, 4, 32, 128});
  CHECK(c[Path::GlobalAtomic].cost == 4 + 32);  // lanes of one address one after the other
  CHECK(c[Path::SharedAtomic].cost == 1);
  CHECK(c.global_total().cost == 4 + 4 + 36);
  CHECK(c.global_total().bytes == 4 * 128);
  CHECK(c.shared_total().cost == 2);
}

TEST_CASE("an observer that asks sees the values that move") {
  const std::string body = kTileAddress + R"(
    ld.global.u32 %r5, [%i];
    st.shared.u32 [%r3], %r5;
    xor.b32 %r6, %r3, 4;
    bar.warp.sync -1;
    ld.shared.u32 %r7, [%r6];
    st.global.u32 [%o], %r7;
    atom.shared.add.u32 %r8, [%r2+1024], 1;
    cvta.to.global.u64 %rd1, %i;
    ld.u32 %r9, [%rd1];)";
  const std::string cleared = "mov.u32 %r1, tile; st.shared.u32 [%r1+1024], 0; bar.warp.sync -1;" + body;
  const auto seen = watched(kernel_of(cleared));
  CHECK(seen.at(Path::GlobalLoad).value.size() == 64);  // the generic one, too
  CHECK(seen.at(Path::GlobalLoad).value[9] == 10);
  CHECK(seen.at(Path::SharedLoad).value[0] == 2);
  CHECK(seen.at(Path::SharedLoad).value[1] == 1);
  CHECK(seen.at(Path::GlobalStore).value == seen.at(Path::SharedLoad).value);
  CHECK(seen.at(Path::SharedAtomic).old_value == from(0));
  CHECK(seen.at(Path::SharedAtomic).value == from(1));
  const auto blind = watched(kernel_of(cleared), false);
  CHECK(blind.at(Path::GlobalLoad).without_values == 2);
  CHECK(blind.at(Path::SharedLoad).without_values == 1);
  CHECK(blind.at(Path::GlobalStore).without_values == 0);
  CHECK(blind.at(Path::SharedStore).without_values == 0);  // the race check lives on them
}

TEST_CASE("copies show their values on both sides") {
  const auto bulk = watched(kernel_of(kBothWays));
  for (const Path path :
       {Path::GlobalBulkLoad, Path::SharedBulkStore, Path::SharedBulkLoad, Path::GlobalBulkStore})
    CHECK(bulk.at(path).value == from(1, 8, 4));  // 16 bytes a piece
  const auto async = watched(kernel_of(kTileAddress + R"(
    cp.async.ca.shared.global [%r3], [%i], 4;
    cp.async.wait_all;)"));
  CHECK(async.at(Path::GlobalAsync).value == from(1));
  CHECK(async.at(Path::SharedAsync).value == from(1));
}

TEST_CASE("checks see what a bulk store reads") {
  const std::string store = R"(
    setp.eq.u32 %p9, %tid, 0;
    @%p9 cp.async.bulk.global.shared::cta.bulk_group [%base_out], [%r2+64], 128;)";
  CHECK(run_ptx(kernel_of(kTileAddress + store)).fault() == "uninitialised-shared");
  const std::string fill = kTileAddress + "st.shared.u32 [%r3], %tid;";
  const std::string done = "@%p9 cp.async.bulk.commit_group; @%p9 cp.async.bulk.wait_group 0;";
  CHECK(run_ptx(kernel_of(fill + store, 1, 64)).fault() == "shared-race");
  CHECK(run_ptx(kernel_of(fill + "fence.proxy.async; bar.sync 0;" + store + done, 1, 64)).fault() == "none");
  CHECK(run_ptx(kernel_of(fill + "fence.proxy.async; bar.sync 0;" + store +
                              "bar.warp.sync -1; st.shared.u32 [%r3], 5;",
                          1, 64))
            .fault() == "async-early");
}
