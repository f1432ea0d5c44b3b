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

void touch(Observer& o, std::uint32_t pc, Space space, AccessOp op, const LaneValue& at,
           Mask mask = kFullMask, std::uint64_t block = 0) {
  FakeAccess a(pc, 0, op, 4, mask, at);
  a.access.space = space;
  a.place.block_index = block;
  o.access(0, a.get());
}

}  // namespace

TEST_SUITE("counters") {
  TEST_CASE("every kind of access lands in its own counter") {
    const auto program = fake_program({"a", "b", "c"});
    CounterObserver counter;
    counter.launch_begin(info_of(*program));
    using enum Space;
    touch(counter, 0, Global, AccessOp::Load, row(0x700000000, 4));
    touch(counter, 0, Global, AccessOp::Load, row(0x700000000, 4), 0xff);
    touch(counter, 1, Global, AccessOp::Store, row(0x700000000, 4096));
    touch(counter, 1, Global, AccessOp::Atomic, row(0x700000000, 0));
    touch(counter, 1, Global, AccessOp::Reduction, row(0x700000000, 0));
    touch(counter, 2, Shared, AccessOp::Load, row(0, 128));
    touch(counter, 2, Shared, AccessOp::Store, row(0, 4));
    touch(counter, 2, Shared, AccessOp::Atomic, row(0, 4));
    touch(counter, 2, Local, AccessOp::Load, row(8, 0));
    touch(counter, 2, Local, AccessOp::Store, row(8, 0));
    touch(counter, 2, Const, AccessOp::Load, row(0, 0));
    touch(counter, 2, Global, AccessOp::AsyncCopy, row(0x700000000, 4));
    const Counters sum = counter.totals();
    CHECK(sum.global_load == GlobalCounters{2, 5, 5, 40});
    CHECK(sum.global_store == GlobalCounters{1, 32, 4, 32});
    CHECK(sum.global_atomic == GlobalCounters{2, 64, 2, 64});  // one lane after the other
    CHECK(sum.shared_load == SharedCounters{1, 32, 1, 32});
    CHECK(sum.shared_store == SharedCounters{1, 1, 1, 32});
    CHECK(sum.shared_atomic == SharedCounters{1, 1, 1, 32});
    CHECK(sum.local_load == GlobalCounters{1, 4, 4, 32});
    CHECK(sum.local_store == GlobalCounters{1, 4, 4, 32});
    const auto lines = counter.lines(*program);
    std::vector<std::string> names;
    Counters again;
    for (const LineCounters& line : lines) {
      names.push_back(line.file + ":" + std::to_string(line.line) + " " + line.op);
      again += line.counters;
    }
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
      for (int k = 0; k <= i; ++k) touch(parts[i], 0, Space::Shared, AccessOp::Load, row(0, 4u << i));
    }
    for (int i = 0; i < 3; ++i) forward.merge(parts[i]);
    backward.launch_begin(info_of(*program));
    for (int i = 2; i >= 0; --i) backward.merge(parts[i]);
    CHECK(forward.totals() == backward.totals());
    CHECK(forward.totals().shared_load == SharedCounters{6, 1 + 2 * 2 + 3 * 4, 6, 192});
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
        touch(o, 0, Space::Global, AccessOp::Load, row(block, 4), kFullMask, block);
        touch(o, 1, Space::Global, AccessOp::Load, row(block * 256, 4), kFullMask, block);
        touch(o, 1, Space::Global, AccessOp::Load, row(block * 256 + 128, 4), 2, block);
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
