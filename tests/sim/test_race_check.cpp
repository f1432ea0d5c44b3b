// The race check: a table of small scripts, and random scripts against a plain rule.
#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "common/sim/observe/global_lines.h"
#include "common/sim/observe/race_check.h"
#include "tests/sim/fake_warp.h"

using namespace lab::sim;
using namespace lab::sim::test;

namespace {

// What happens to a block of 4 warps, in order. Instruction pc stands on line 10 + pc.
struct Event {
  enum Kind { Load, Store, Atomic, Async, Barrier, Sync, NewBlock } kind = Barrier;
  std::uint32_t pc = 0, warp = 0;
  LaneValue at = [](int lane) { return static_cast<std::uint64_t>(lane) * 4; };
  Mask mask = kFullMask;
  unsigned width = 4;
  LaneValue value = [](int lane) { return static_cast<std::uint64_t>(lane) + 1000; };
};

LaneValue row(std::uint64_t base, std::uint64_t step = 4) {
  return [=](int lane) { return base + static_cast<std::uint64_t>(lane) * step; };
}
LaneValue all(std::uint64_t value) {
  return [=](int) { return value; };
}

std::shared_ptr<const Program> program() {
  static const auto p = fake_program({"st.shared.f32", "ld.shared.f32", "st.shared.f32", "ld.shared.f32",
                                      "atom.shared.add.u32", "ld.acquire.cta.shared.u32"});
  return p;
}

Path path_of(Event::Kind kind) {
  switch (kind) {
    case Event::Store:
      return Path::SharedStore;
    case Event::Atomic:
      return Path::SharedAtomic;
    case Event::Async:
      return Path::SharedAsync;
    default:
      return Path::SharedLoad;
  }
}

void play(RaceCheck& check, const Event& e) {
  switch (e.kind) {
    case Event::Barrier:
      check.barrier(0);
      break;
    case Event::Sync:
      check.warp_sync(0, e.warp, e.mask);
      break;
    case Event::NewBlock:
      check.block_begin(0, WarpPlace{});
      break;
    default: {
      FakeAccess access(e.pc, e.warp, path_of(e.kind), e.width, e.mask, e.at, e.value);
      check.access(0, access.get());
    }
  }
}

RaceCheck fresh_check(std::uint32_t granule = 4) {
  RaceCheck check;
  LaunchInfo info;
  info.program = program().get();
  info.grid = {16, 1, 1};
  info.block = {32, 4, 1};
  info.shared_bytes = 8192;
  info.smallest_shared_access_bytes = granule;
  check.launch_begin(info);
  check.block_begin(0, WarpPlace{});
  return check;
}

std::optional<Fault> run(const std::vector<Event>& events, std::uint32_t granule = 4) {
  RaceCheck check = fresh_check(granule);
  try {
    for (const Event& e : events) play(check, e);
  } catch (const FaultError& error) {
    return error.fault;
  }
  return std::nullopt;
}

using E = Event;
struct Case {
  const char* name;
  std::vector<Event> events;
  std::optional<FaultKind> expected;
  const char* says = "";
};
const auto kRace = FaultKind::SharedRace;
const auto kSync = FaultKind::MissingSyncwarp;

const std::vector<Case>& cases() {
  static const std::vector<Case> table = {
      {"write, read by another warp",
       {{E::Store, 0, 0}, {E::Load, 1, 1}},
       kRace,
       "thread (0,1) of block (5,0) reads `tile` + 0 bytes at line 11, which thread (0,0) wrote at line 10, "
       "with no "
       "barrier between: put __syncthreads() between line 10 and line 11"},
      {"a barrier between", {{E::Store, 0, 0}, {E::Barrier}, {E::Load, 1, 1}}, {}},
      {"a block between", {{E::Store, 0, 0}, {E::NewBlock}, {E::Load, 1, 1}}, {}},
      {"read, then write by another warp, in a loop",
       {{E::Load, 1, 0}, {E::Store, 0, 1}},
       kRace,
       "put __syncthreads() between line 10 and line 11"},
      {"two warps write",
       {{E::Store, 0, 0, row(0), kFullMask, 4, all(1)}, {E::Store, 2, 1, row(0), kFullMask, 4, all(2)}},
       kRace,
       "wrote at line 10"},
      {"two warps write the same value",
       {{E::Store, 0, 0, row(0), kFullMask, 4, all(7)}, {E::Store, 2, 1, row(0), kFullMask, 4, all(7)}},
       {}},
      {"the same value, and a reader",
       {{E::Store, 0, 0, row(0), kFullMask, 4, all(7)},
        {E::Store, 2, 1, row(0), kFullMask, 4, all(7)},
        {E::Load, 1, 2}},
       kRace},
      {"an old value written again",
       {{E::Store, 0, 0, row(0), kFullMask, 4, all(7)},
        {E::Barrier},
        {E::Store, 0, 0, row(0), kFullMask, 4, all(8)},
        {E::Store, 2, 1, row(0), kFullMask, 4, all(7)}},
       kRace},
      {"many warps read", {{E::Load, 1, 0}, {E::Load, 1, 1}, {E::Load, 1, 2}, {E::Load, 3, 0}}, {}},
      {"many warps read, one of them writes",
       {{E::Load, 1, 0}, {E::Load, 1, 1}, {E::Store, 2, 0}},
       kRace,
       "which thread (0,1) read at line 11"},
      {"a thread alone reads and writes", {{E::Store, 0, 0}, {E::Load, 1, 0}, {E::Store, 2, 0}}, {}},
      {"elsewhere", {{E::Store, 0, 0}, {E::Load, 1, 1, row(128)}}, {}},
      {"half a warp overlaps", {{E::Store, 0, 0}, {E::Load, 1, 1, row(64)}}, kRace, "`tile` + 64 bytes"},
      {"lanes of one warp, no __syncwarp",
       {{E::Store, 0, 0}, {E::Load, 1, 0, row(4)}},
       kSync,
       "thread (0,0) of block (5,0) reads `tile` + 4 bytes at line 11, which thread (1,0) wrote at line 10, "
       "both in one "
       "warp, and nothing between orders them: put __syncthreads() between line 10 and line 11; __syncwarp() "
       "is enough where no other warp touches it"},
      {"lanes of one warp, __syncwarp", {{E::Store, 0, 0}, {E::Sync, 0, 0}, {E::Load, 1, 0, row(4)}}, {}},
      {"__syncwarp orders one warp only",
       {{E::Store, 0, 0}, {E::Sync, 0, 0}, {E::Sync, 0, 1}, {E::Load, 1, 1}},
       kRace},
      {"the other warp's __syncwarp", {{E::Store, 0, 0}, {E::Sync, 0, 1}, {E::Load, 1, 0, row(4)}}, kSync},
      {"read, then write by a neighbour lane",
       {{E::Load, 1, 0}, {E::Store, 2, 0, row(4)}},
       kSync,
       "read at line 11"},
      {"the same pc twice",
       {{E::Store, 0, 0}, {E::Store, 0, 0, row(4)}},
       kSync,
       "two threads have one place, and either value may stay"},
      {"the same pc again after __syncwarp",
       {{E::Store, 0, 0}, {E::Sync, 0, 0}, {E::Store, 0, 0, row(4)}},
       {}},
      {"half masks: in order",
       {{E::Store, 0, 0, row(0), 0xffff},
        {E::Sync, 0, 0, row(0), 0xffff},
        {E::Load, 1, 0, [](int i) { return 4ull * (15 - static_cast<unsigned>(i)); }, 0xffff}},
       {}},
      {"half masks: not in order",
       {{E::Store, 0, 0, row(0), 0xffff},
        {E::Sync, 0, 0, row(0), 0xffff},
        {E::Load, 1, 0, row(0), 0xffff0000},
        {E::Load, 1, 0, row(-64ull), 0xffff0000}},
       kSync},
      {"half masks: handed on",
       {{E::Store, 0, 0, row(0), 0xf},
        {E::Sync, 0, 0, row(0), 0xff},
        {E::Sync, 0, 0, row(0), 0xff0},
        {E::Load, 1, 0, row(-32ull), 0xf00}},
       {}},
      {"half masks: the same pc after a half sync",
       {{E::Store, 0, 0, row(0), 0xf},
        {E::Sync, 0, 0, row(0), 0xff},
        {E::Store, 0, 0, row(0), 0xf},
        {E::Load, 1, 0, row(-16ull), 0xf0}},
       kSync},
      {"one store, one place, different values",
       {{E::Store, 0, 0, all(8)}},
       kRace,
       "write different values to `tile` + 8 bytes at line 10 in one instruction"},
      {"one store, one place, one value", {{E::Store, 0, 0, all(8), kFullMask, 4, all(3)}}, {}},
      {"one store, pairs collide",
       {{E::Store, 0, 0, [](int i) { return 8ull * (static_cast<unsigned>(i) / 2); }}},
       kRace},
      {"one load, one place", {{E::Load, 1, 0, all(8)}, {E::Load, 1, 1, all(8)}}, {}},
      {"one load, one place, then the first lane writes",
       {{E::Load, 1, 0, all(8)}, {E::Store, 2, 0, all(8), 1}},
       kSync},
      {"one load, one place, then the last lane writes",
       {{E::Load, 1, 0, all(8)}, {E::Store, 2, 0, all(8), 0x80000000}},
       kSync},
      {"pairs load, then the winner writes",
       {{E::Load, 1, 0, [](int i) { return 8ull * (static_cast<unsigned>(i) / 2); }},
        {E::Store, 2, 0, all(0), 2}},
       kSync,
       "which thread (0,0) read"},
      {"atomics among themselves", {{E::Atomic, 4, 0, all(0)}, {E::Atomic, 4, 1, all(0)}}, {}},
      {"atomic, then a plain read",
       {{E::Atomic, 4, 0, all(0)}, {E::Load, 1, 1, all(0)}},
       kRace,
       "changed atomically"},
      {"atomic, then a plain write", {{E::Atomic, 4, 0, all(0)}, {E::Store, 0, 1, all(0), 1}}, kRace},
      {"plain write, then an atomic",
       {{E::Store, 0, 1, all(0), 1}, {E::Atomic, 4, 0, all(0)}},
       kRace,
       "changes atomically"},
      {"plain read, then an atomic", {{E::Load, 1, 1, all(0), 1}, {E::Atomic, 4, 0, all(0)}}, kRace},
      {"atomics of two warps, one of them writes",
       {{E::Atomic, 4, 0, all(0), 1}, {E::Atomic, 4, 1, all(0), 1}, {E::Store, 0, 1, all(0), 1}},
       kRace,
       "which thread (0,0)"},
      {"atomic, barrier, read", {{E::Atomic, 4, 0, all(0)}, {E::Barrier}, {E::Load, 1, 1, all(0)}}, {}},
      {"atomic and acquire", {{E::Atomic, 4, 0, all(0)}, {E::Load, 5, 1, all(0)}}, {}},
      {"plain write and acquire", {{E::Store, 0, 0, all(0), 1}, {E::Load, 5, 1, all(0)}}, kRace},
      {"an asynchronous copy is a write", {{E::Async, 0, 0}, {E::Load, 1, 1}}, kRace},
      {"16 bytes over 4",
       {{E::Store, 0, 0, row(0, 16), kFullMask, 16}, {E::Load, 1, 1, row(256)}},
       kRace,
       "`tile` + 256 bytes"},
      {"16 bytes, barrier, 4",
       {{E::Store, 0, 0, row(0, 16), kFullMask, 16}, {E::Barrier}, {E::Load, 1, 1, row(256)}},
       {}},
      {"columns", {{E::Store, 0, 0, row(0, 128)}, {E::Load, 1, 1, row(0)}}, kRace, "`tile` + 0 bytes"},
  };
  return table;
}

// The plain rule: every pair of accesses since the last barrier.
struct Oracle {
  struct Past {
    std::uint32_t thread;
    std::uint64_t granule;
    Event::Kind kind;
    std::size_t when;
  };
  std::vector<Past> past;
  std::array<std::size_t, 4> synced{};

  // True when the event races with anything before it.
  bool next(std::size_t when, const Event& e) {
    if (e.kind == Event::Barrier || e.kind == Event::NewBlock) {
      past.clear();
      return false;
    }
    if (e.kind == Event::Sync) {
      synced[e.warp] = when;
      return false;
    }
    const std::size_t before = past.size();
    for (int lane = 0; lane < kWarpLanes; ++lane) {
      for (std::uint64_t b = 0; (e.mask >> lane & 1) != 0 && b < e.width; b += 4) {
        past.push_back({e.warp * 32 + static_cast<std::uint32_t>(lane), (e.at(lane) + b) / 4, e.kind, when});
      }
    }
    for (std::size_t i = before; i < past.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (races(past[j], past[i])) return true;
      }
    }
    return false;
  }
  [[nodiscard]] bool races(const Past& a, const Past& b) const {
    if (a.granule != b.granule || a.thread == b.thread) return false;
    if (a.kind == b.kind && a.kind != Event::Store) return false;
    return a.thread / 32 != b.thread / 32 || a.when == b.when || a.when >= synced[a.thread / 32];
  }
};

// `order`: how often of 16 the event is a barrier or a __syncwarp.
Event random_event(std::mt19937& random, std::uint64_t& unique, unsigned spread, unsigned order) {
  Event e;
  const unsigned roll = random() % 16;
  if (random() % 16 < order) {
    e.kind = roll < 4 ? Event::Barrier : Event::Sync;
  } else {
    e.kind = roll < 11 ? Event::Load : roll < 14 ? Event::Store : Event::Atomic;
  }
  e.warp = random() % 4;
  e.pc = e.kind == Event::Load ? 1 + 2 * (random() % 2) : e.kind == Event::Store ? 2 * (random() % 2) : 4;
  if (e.kind == Event::Sync) return e;
  if (random() % 2 == 0) e.mask = 1u << random() % 32;
  if (e.kind == Event::Store && random() % 2 == 0) e.mask = 1u << random() % 32;
  if (random() % 4 == 0) e.mask = static_cast<Mask>(random()) | 1u;
  // Neighbours, as at the edge of a matrix whose sides are multiples of nothing.
  if (random() % 4 == 0) e.mask = ((1u << (1 + random() % 31)) - 1) << random() % 8;
  if (e.kind != Event::Atomic && random() % 4 == 0) e.width = 16;
  const std::uint64_t base = random() % spread * 16, step = random() % 3 * e.width, twist = random() % 4;
  const unsigned width = e.width;
  e.at = [=](int lane) {
    return (base + static_cast<std::uint64_t>(lane ^ (twist == 3 ? 5 : 0)) * step) % 4096 / width * width;
  };
  unique += 1000;
  e.value = [unique](int lane) { return (unique + static_cast<std::uint64_t>(lane)) * 0x1'0000'0001ull; };
  if (e.kind == Event::Store && step == 0) e.mask &= ~e.mask + 1;  // most one-place stores are by one lane
  return e;
}

}  // namespace

TEST_SUITE("race check") {
  TEST_CASE("of more reads than are kept late none is lost") {
    for (const int count : {1, 511, 512, 513, 2000}) {
      std::vector<Event> events{{E::Store, 0, 0}, {E::Barrier}, {E::Load, 1, 0}};
      for (int k = 1; k < count; ++k) events.push_back({E::Load, 3, 1, row(1024)});
      CAPTURE(count);
      CHECK_FALSE(run(events));
      events.push_back({E::Store, 2, 0});
      CHECK_FALSE(run(events));  // the reader itself
      events.back() = {E::Store, 2, 2};
      const auto fault = run(events);
      REQUIRE(fault);
      CHECK(fault->kind == kRace);
      CHECK(fault->sentence().english().find("line 11") != std::string::npos);
      events.insert(events.end() - 1, {E::Barrier});
      CHECK_FALSE(run(events));
    }
  }

  TEST_CASE("a table of scripts") {
    for (const Case& c : cases()) {
      CAPTURE(c.name);
      // row(-16) and the like are meant for high lanes only, so that addresses stay small.
      const std::optional<Fault> fault = run(c.events);
      const std::string message = fault ? fault->sentence().english() : "";
      CAPTURE(message);
      CHECK(fault.has_value() == c.expected.has_value());
      if (!fault || !c.expected) continue;
      CHECK(fault->kind == *c.expected);
      CHECK(message.find(c.says) != std::string::npos);
      CHECK(fault->file == "kernel.cu");
      CHECK(fault->line == 10 + static_cast<int>(c.events.back().pc));
      CHECK(fault->block_index == 5);
    }
  }

  TEST_CASE("bytes of one word are different places when the program uses bytes") {
    const std::vector<Event> bytes = {{E::Store, 0, 0, row(0, 4), kFullMask, 1},
                                      {E::Load, 1, 1, row(1, 4), kFullMask, 1}};
    CHECK_FALSE(run(bytes, 1).has_value());
    const std::vector<Event> word = {{E::Store, 0, 0, row(1, 4), kFullMask, 1}, {E::Load, 1, 1, row(0, 4)}};
    REQUIRE(run(word, 1).has_value());
    CHECK(run(word, 1)->address == 1);
  }

  TEST_CASE("random scripts: the first race is found, and nothing before it") {
    std::mt19937 random(7);
    int racy = 0, clean = 0;
    std::uint64_t unique = 0;
    for (int round = 0; round < 4000; ++round) {
      RaceCheck check = fresh_check();
      Oracle oracle;
      std::size_t when = 0;
      bool expected = false, found = false;
      while (when < 60 && !expected && !found) {
        ++when;
        const Event e =
            random_event(random, unique, round % 2 == 0 ? 64 : 400, static_cast<unsigned>(round) % 5 * 3 + 2);
        expected = oracle.next(when, e);
        try {
          play(check, e);
        } catch (const FaultError&) {
          found = true;
        }
      }
      CAPTURE(round);
      CAPTURE(when);
      CHECK(expected == found);
      (expected ? racy : clean) += 1;
    }
    CHECK(racy > 1000);
    CHECK(clean > 200);
    MESSAGE("racy scripts: " << racy << ", clean ones: " << clean);
  }

  TEST_CASE("what blocks left in a line, as one number") {
    std::mt19937 random(11);
    for (const std::size_t bytes : {1u, 2u, 4u, 8u, 16u}) {
      CAPTURE(bytes);
      std::vector<std::byte> values(kLineGranules * bytes);
      for (std::byte& value : values) value = static_cast<std::byte>(random());
      const std::uint32_t whole = marks_of(0, kLineGranules, values.data(), bytes);
      std::uint32_t sum = 0;
      for (std::uint32_t g = 0; g < kLineGranules; ++g)
        sum += marks_of(g, 1, values.data() + g * bytes, bytes);
      CHECK(sum == whole);
      std::vector<std::byte> other = values;
      std::rotate(other.begin(), other.begin() + static_cast<std::ptrdiff_t>(bytes), other.end());
      CHECK(marks_of(0, kLineGranules, other.data(), bytes) != whole);
      other = values;
      other[5 * bytes] ^= std::byte{1};
      CHECK(marks_of(0, kLineGranules, other.data(), bytes) != whole);
    }
  }

  TEST_CASE("millions of synchronisations later") {
    RaceCheck check = fresh_check();
    for (int i = 0; i < 5'000'000; ++i) {  // more than there are numbers
      if (i % 1024 == 0) {
        FakeAccess access(1, static_cast<std::uint32_t>(i) / 1024 % 4, Path::SharedLoad, 4, kFullMask,
                          row(0));
        check.access(0, access.get());
      }
      FakeAccess one(0, 0, Path::SharedStore, 4, 1, all(2048));
      if (i % 64 == 0) check.access(0, one.get());
      check.warp_sync(0, 0, kFullMask);
      if (i % 500'000 == 0) check.barrier(0);
    }
    FakeAccess write(0, 1, Path::SharedStore, 4, kFullMask, row(1024));
    check.access(0, write.get());
    FakeAccess read(1, 2, Path::SharedLoad, 4, kFullMask, row(1024));
    CHECK_THROWS_AS(check.access(0, read.get()), FaultError);
  }

  TEST_CASE("two blocks in two slots do not meet") {
    RaceCheck check = fresh_check();
    check.block_begin(1, WarpPlace{});
    FakeAccess write(0, 0, Path::SharedStore, 4, kFullMask, row(0));
    FakeAccess read(1, 1, Path::SharedLoad, 4, kFullMask, row(0));
    check.access(0, write.get());
    check.access(1, read.get());
    CHECK_THROWS_AS(check.access(0, read.get()), FaultError);
  }
}
