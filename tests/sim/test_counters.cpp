// Counting and recording without a kernel: sums per line, merges in any order.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "common/sim/observe/counter_observer.h"
#include "common/sim/observe/recorder.h"
#include "tests/sim/fake_warp.h"

using namespace lab::sim;
using namespace lab::sim::test;

namespace {

LaneValue row(std::uint64_t base, std::uint64_t step) {
  return [=](int lane) { return base + static_cast<std::uint64_t>(lane) * step; };
}

LaunchInfo info_of(const Program& program) {
  LaunchInfo info;
  info.program = &program;
  info.block = {32, 1, 1};
  return info;
}

void touch(Observer& o, std::uint32_t pc, Path path, const LaneValue& at, Mask mask = kFullMask,
           std::uint64_t block = 0) {
  FakeAccess a(pc, 0, path, 4, mask, at);
  a.place.block_index = block;
  o.access(0, a.get());
}

}  // namespace

TEST_SUITE("counters") {
  TEST_CASE("every kind of access lands in its own counter") {
    const auto program = fake_program({"a", "b", "c"});
    CounterObserver counter;
    counter.launch_begin(info_of(*program));
    touch(counter, 0, Path::GlobalLoad, row(0x700000000, 4));
    touch(counter, 0, Path::GlobalLoad, row(0x700000000, 4), 0xff);
    touch(counter, 1, Path::GlobalStore, row(0x700000000, 4096));
    touch(counter, 1, Path::GlobalAtomic, row(0x700000000, 0));
    touch(counter, 1, Path::GlobalAtomic, row(0x700000000, 0));
    touch(counter, 2, Path::SharedLoad, row(0, 128));
    touch(counter, 2, Path::SharedStore, row(0, 4));
    touch(counter, 2, Path::SharedAtomic, row(0, 4));
    touch(counter, 2, Path::LocalLoad, row(8, 0));
    touch(counter, 2, Path::LocalStore, row(8, 0));
    touch(counter, 2, Path::ConstantLoad, row(0, 0));
    touch(counter, 2, Path::GlobalAsync, row(0x700000000, 4));
    const Counters sum = counter.totals();
    CHECK(sum[Path::GlobalLoad] == PathCounters{2, 5, 5, 40, 160});
    CHECK(sum[Path::GlobalStore] == PathCounters{1, 32, 4, 32, 128});
    CHECK(sum[Path::GlobalAtomic] == PathCounters{2, 64, 2, 64, 256});  // one lane after the other
    CHECK(sum[Path::SharedLoad] == PathCounters{1, 32, 1, 32, 128});
    CHECK(sum[Path::SharedStore] == PathCounters{1, 1, 1, 32, 128});
    CHECK(sum[Path::SharedAtomic] == PathCounters{1, 1, 1, 32, 128});
    CHECK(sum[Path::LocalLoad] == PathCounters{1, 4, 4, 32, 128});
    CHECK(sum[Path::LocalStore] == PathCounters{1, 4, 4, 32, 128});
    CHECK(sum[Path::ConstantLoad] == PathCounters{1, 0, 0, 32, 128});
    CHECK(sum.global_total() == PathCounters{7, 109, 19, 200, 800});  // local memory among them
    CHECK(sum.shared_total() == PathCounters{3, 34, 3, 96, 384});
    const auto lines = counter.lines(*program);
    std::vector<std::string> names;
    Counters again;
    for (const LineCounters& line : lines) {
      names.push_back(line.file + ":" + std::to_string(line.line) + " " + std::string(info(line.path).key));
      again += line.counters;
    }
    again[Path::ConstantLoad] = sum[Path::ConstantLoad];  // weighs nothing, so no line names it
    CHECK(again == sum);
    CHECK(names == std::vector<std::string>{"kernel.cu:10 global_load", "kernel.cu:11 global_atomic",
                                            "kernel.cu:11 global_store", "kernel.cu:12 local_load",
                                            "kernel.cu:12 local_store", "kernel.cu:12 shared_atomic",
                                            "kernel.cu:12 shared_load", "kernel.cu:12 shared_store"});
  }

  TEST_CASE("merging copies in any order gives one sum") {
    const auto program = fake_program({"a"});
    CounterObserver parts[3], forward, backward;
    for (int i = 0; i < 3; ++i) {
      parts[i].launch_begin(info_of(*program));
      for (int k = 0; k <= i; ++k) touch(parts[i], 0, Path::SharedLoad, row(0, 4u << i));
    }
    for (int i = 0; i < 3; ++i) forward.merge(parts[i]);
    backward.launch_begin(info_of(*program));
    for (int i = 2; i >= 0; --i) backward.merge(parts[i]);
    CHECK(forward.totals() == backward.totals());
    CHECK(forward.totals()[Path::SharedLoad] == PathCounters{6, 1 + 2 * 2 + 3 * 4, 6, 192, 768});
  }

  TEST_CASE("the recorder keeps the first requests, however they were spread over threads") {
    const auto program = fake_program({"a", "b"});
    std::vector<std::uint64_t> first;
    for (const unsigned threads : {1u, 3u}) {
      Recorder all({.lines = {11}, .requests_per_instruction = 4});
      std::vector<std::unique_ptr<Observer>> copies;
      for (unsigned t = 0; t < threads; ++t) {
        copies.push_back(all.clone());
        copies.back()->launch_begin(info_of(*program));
      }
      for (std::uint64_t block = 0; block < 20; ++block) {
        Observer& o = *copies[block % threads];
        o.block_begin(0, WarpPlace{});
        touch(o, 0, Path::GlobalLoad, row(block, 4), kFullMask, block);
        touch(o, 1, Path::GlobalLoad, row(block * 256, 4), kFullMask, block);
        touch(o, 1, Path::GlobalLoad, row(block * 256 + 128, 4), 2, block);
      }
      for (auto copy = copies.rbegin(); copy != copies.rend(); ++copy) all.merge(**copy);
      std::vector<std::uint64_t> addresses;
      for (const RecordedAccess& r : all.recorded()) {
        CHECK(r.pc == 1);
        addresses.push_back(r.address[1]);
      }
      CHECK(addresses == std::vector<std::uint64_t>{4, 132, 260, 388});
      CHECK(all.recorded()[1].address[0] == 0);  // inactive
    }
  }
}
