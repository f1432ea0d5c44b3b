// The check of uninitialised reads, without a kernel.
#include <doctest/doctest.h>

#include <optional>
#include <string>

#include "common/sim/observe/init_check.h"
#include "tests/sim/fake_warp.h"

using namespace lab::sim;
using namespace lab::sim::test;

namespace {

LaneValue row(std::uint64_t base, std::uint64_t step = 4) {
  return [=](int lane) { return base + static_cast<std::uint64_t>(lane) * step; };
}

struct Rig {
  Memory memory;
  std::shared_ptr<const Program> program = fake_program({"st.shared.f32", "ld.shared.f32"});
  InitCheck check{memory};

  explicit Rig(std::uint32_t granule = 4) {
    LaunchInfo info;
    info.program = program.get();
    info.grid = {16, 1, 1};
    info.block = {32, 4, 1};
    info.shared_bytes = 8192;
    info.smallest_shared_access_bytes = granule;
    check.launch_begin(info);
    begin();
  }
  void begin(std::uint32_t slot = 0) { check.block_begin(slot, WarpPlace{}); }
  std::optional<Fault> access(Path path, const LaneValue& at, Mask mask = kFullMask, unsigned width = 4) {
    FakeAccess fake(reads(path) ? 1 : 0, 1, path, width, mask, at);
    try {
      check.access(0, fake.get());
    } catch (const FaultError& error) {
      return error.fault;
    }
    return std::nullopt;
  }
};

}  // namespace

TEST_SUITE("init check") {
  TEST_CASE("shared memory starts with no value in every block") {
    Rig rig;
    const auto fault = rig.access(Path::SharedLoad, row(132));
    REQUIRE(fault.has_value());
    CHECK(fault->kind == FaultKind::UninitialisedShared);
    CHECK(fault->line == 11);
    CHECK(fault->address == 132);
    CHECK(fault->sentence().english().find(
              "thread (0,1) of block (5,0) at line 11 reads `tile` + 132 bytes, which no thread has "
              "written since the block began") != std::string::npos);
    CHECK_FALSE(rig.access(Path::SharedStore, row(128)).has_value());
    CHECK_FALSE(rig.access(Path::SharedLoad, row(128)).has_value());
    CHECK_FALSE(rig.access(Path::SharedLoad, row(252, static_cast<std::uint64_t>(-4))).has_value());
    const auto past = rig.access(Path::SharedLoad, row(132));
    REQUIRE(past.has_value());
    CHECK(past->address == 256);
    CHECK(past->thread == Dim3{31, 1, 0});
    for (int block = 0; block < 600; ++block) {  // more than the tags have numbers
      rig.begin();
      CHECK(rig.access(Path::SharedLoad, row(128)).has_value());
      if (block % 3 == 0) CHECK_FALSE(rig.access(Path::SharedStore, row(128)).has_value());
    }
  }

  TEST_CASE("shared memory: strides, gaps, widths, atomics, copies") {
    Rig rig;
    CHECK_FALSE(rig.access(Path::SharedStore, row(0, 128)).has_value());
    CHECK_FALSE(rig.access(Path::SharedLoad, row(0, 128)).has_value());
    CHECK(rig.access(Path::SharedLoad, row(0), 0x3).has_value());
    CHECK_FALSE(rig.access(Path::SharedLoad, row(0, 0)).has_value());
    CHECK(rig.access(Path::SharedLoad, row(0), 0x1, 16).has_value());
    CHECK_FALSE(rig.access(Path::SharedStore, row(0, 16), 0xf0f, 16).has_value());
    CHECK_FALSE(rig.access(Path::SharedLoad, row(0, 16), 0x505, 16).has_value());
    CHECK(rig.access(Path::SharedLoad, row(0, 16), 0x51, 16).has_value());
    CHECK(rig.access(Path::SharedAtomic, row(4000, 0)).has_value());
    CHECK_FALSE(rig.access(Path::SharedAsync, row(4000, 0)).has_value());
    CHECK_FALSE(rig.access(Path::SharedAtomic, row(4000, 0)).has_value());
  }

  TEST_CASE("shared memory by bytes") {
    Rig rig(1);
    CHECK_FALSE(rig.access(Path::SharedStore, row(0, 4), kFullMask, 1).has_value());
    CHECK_FALSE(rig.access(Path::SharedLoad, row(0, 4), kFullMask, 1).has_value());
    const auto fault = rig.access(Path::SharedLoad, row(0, 4));
    REQUIRE(fault.has_value());
    CHECK(fault->address == 1);
  }

  TEST_CASE("poisoned global memory") {
    Rig rig;
    const DeviceAddress in = rig.memory.allocate(4096, Fill::Written, "in");
    const DeviceAddress out = rig.memory.allocate(4096, Fill::Poison, "out");
    for (const std::uint64_t step : {0ull, 4ull, 8ull, 128ull, 12ull}) {
      CHECK_FALSE(rig.access(Path::GlobalLoad, row(in, step)).has_value());
      rig.memory.poison(out);
      const auto fault = rig.access(Path::GlobalLoad, row(out, step));
      REQUIRE(fault.has_value());
      CHECK(fault->kind == FaultKind::PoisonedGlobal);
      CHECK(fault->address == out);
      CHECK(rig.access(Path::GlobalAtomic, row(out, step)).has_value());
      CHECK_FALSE(rig.access(Path::GlobalStore, row(out, step)).has_value());
      CHECK_FALSE(rig.access(Path::GlobalLoad, row(out, step)).has_value());
      CHECK_FALSE(rig.access(Path::GlobalAtomic, row(out, step)).has_value());
      CHECK(rig.access(Path::GlobalLoad, row(out + 4, 124)).has_value());
    }
    rig.memory.poison(out);
    rig.memory.write(out, std::array<std::byte, 130>{});
    const auto fault = rig.access(Path::GlobalLoad, row(out + 4));
    REQUIRE(fault.has_value());
    CHECK(fault->thread == Dim3{31, 1, 0});
    CHECK(fault->address == out + 130);
    CHECK(fault->sentence().english().find(
              "thread (31,1) of block (5,0) at line 11 reads `out` + 130 bytes, which was never written") !=
          std::string::npos);
  }

  TEST_CASE("one access to two buffers, and lanes with gaps") {
    Rig rig;
    const DeviceAddress a = rig.memory.allocate(64, Fill::Written, "a"),
                        b = rig.memory.allocate(64, Fill::Poison, "b");
    const LaneValue both = [=](int lane) {
      return (lane % 2 == 0 ? a : b) + static_cast<std::uint64_t>(lane) * 2 / 4 * 4;
    };
    const auto fault = rig.access(Path::GlobalLoad, both);
    REQUIRE(fault.has_value());
    CHECK(fault->thread.x == 1);
    CHECK_FALSE(rig.access(Path::GlobalLoad, both, 0x55555555).has_value());
    CHECK_FALSE(rig.access(Path::GlobalStore, both).has_value());
    CHECK_FALSE(rig.access(Path::GlobalLoad, both).has_value());
    CHECK_FALSE(rig.access(Path::GlobalAsync, both).has_value());
  }
}
