// How long each observer takes for one warp access, by pattern. A benchmark to read, not a test to pass.
//
// Enters: nothing. Leaves: a table of nanoseconds on stdout. Every figure is the best of several rounds.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <vector>

#include "common/sim/observe/counter_observer.h"
#include "common/sim/observe/init_check.h"
#include "common/sim/observe/race_check.h"
#include "tests/sim/fake_warp.h"

using namespace lab::sim;
using namespace lab::sim::test;

namespace {

constexpr int kAccesses = 20'000, kRounds = 7;

struct Pattern {
  const char* name;
  unsigned width;
  LaneValue at;
  Mask mask = kFullMask;
};

LaneValue row(std::uint64_t step) {
  return [=](int lane) { return static_cast<std::uint64_t>(lane) * step; };
}
LaneValue column_of_xor(std::uint64_t width) {
  return [=](int lane) {
    return static_cast<std::uint64_t>(lane) * 128 + (static_cast<std::uint64_t>(lane) ^ 5u) * width % 128;
  };
}

const std::vector<Pattern>& patterns() {
  static const std::vector<Pattern> all = {
      {"contiguous, 4 bytes", 4, row(4)},
      {"contiguous, 16 bytes", 16, row(16)},
      {"31 lanes, 4 bytes", 4, row(4), 0x7fffffff},
      {"lanes with gaps", 4, row(4), 0x55555555},
      {"one place", 4, row(0)},
      {"column of 32", 4, row(128)},
      {"column of 33", 4, row(132)},
      {"xor column, 4 bytes", 4, column_of_xor(4)},
      {"xor column, 16 bytes", 16, column_of_xor(16)},
      {"pairs of lanes", 4, [](int lane) { return static_cast<std::uint64_t>(lane / 2) * 8; }},
      {"scattered", 4, [](int lane) { return static_cast<std::uint64_t>(lane * 2654435761u % 1024 * 4); }},
  };
  return all;
}

// Of this thread alone, so that a busy machine disturbs little.
double now_ns() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

// A barrier after every `group` accesses, as a tile kernel has one between its stores and its loads.
double nanoseconds(Observer& observer, const Access& access, int group) {
  double best = 1e30;
  for (int round = 0; round < kRounds; ++round) {
    const double start = now_ns();
    for (int i = 0; i < kAccesses; ++i) {
      if (i % group == 0) observer.barrier(0);
      observer.access(0, access);
    }
    best = std::min(best, (now_ns() - start) / kAccesses);
  }
  return best;
}

double measure(Observer& observer, const Program& program, const Pattern& p, Path path, std::uint64_t base) {
  LaunchInfo launch;
  launch.program = &program;
  launch.block = {32, 8, 1};
  launch.shared_bytes = 8192;
  launch.smallest_shared_access_bytes = 4;
  observer.launch_begin(launch);
  observer.block_begin(0, WarpPlace{});
  FakeAccess first(
      0, 0, path_of(info(path).space, Direction::Write), p.width, p.mask,
      [&](int lane) { return base + p.at(lane); }, [](int) { return 7ull; });
  observer.access(0, first.get());
  FakeAccess access(
      1, 0, path, p.width, p.mask, [&](int lane) { return base + p.at(lane); }, [](int) { return 7ull; });
  return nanoseconds(observer, access.get(), 4);
}

}  // namespace

int main() {
  Memory memory;
  const auto program = fake_program({"st", "ld"});
  const DeviceAddress out = memory.allocate(1 << 16, Fill::Poison, "out");
  std::printf("%-22s %9s %9s %9s %9s %9s %9s %9s %9s\n", "ns per warp access", "count g", "count s",
              "race ld", "race st", "init s.ld", "init s.st", "init g.ld", "init g.st");
  for (const Pattern& p : patterns()) {
    std::printf("%-22s", p.name);
    const auto cell = [&](Observer&& observer, Path path, std::uint64_t base) {
      std::printf(" %9.1f", measure(observer, *program, p, path, base));
    };
    cell(CounterObserver(), Path::GlobalLoad, out);
    cell(CounterObserver(), Path::SharedLoad, 0);
    cell(RaceCheck(), Path::SharedLoad, 0);
    cell(RaceCheck(), Path::SharedStore, 0);
    cell(InitCheck(memory), Path::SharedLoad, 0);
    cell(InitCheck(memory), Path::SharedStore, 0);
    cell(InitCheck(memory), Path::GlobalLoad, out);
    cell(InitCheck(memory), Path::GlobalStore, out);
    std::printf("\n");
  }
}
