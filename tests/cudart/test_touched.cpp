// Sets of addresses, against the same kept byte by byte.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "common/run/cudart/touched.h"
#include "tests/sim/fake_warp.h"

using lab::cudart::ByteSet;
using lab::cudart::Touched;
using lab::cudart::TouchObserver;
using namespace lab::sim;

namespace {

// Far apart, so that its bytes lie in two places of the table of pages.
constexpr std::uint64_t kBytes = 40'000, kFar = 1ull << 40;
std::uint64_t address(std::uint64_t at) { return at + (at < kBytes / 2 ? kFar : 3 * kFar); }

struct Pair {
  ByteSet set;
  std::vector<bool> bytes = std::vector<bool>(kBytes);

  void add(std::uint64_t at, std::uint64_t count) {
    set.add(address(at), count);
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), count, true);
  }
};

std::unique_ptr<TouchObserver> watching(const Program& program) {
  auto observer = std::make_unique<TouchObserver>(false);
  LaunchInfo info;
  info.program = &program;
  observer->launch_begin(info);
  observer->block_begin(0, WarpPlace{});
  return observer;
}

}  // namespace

TEST_SUITE("cudart") {
  TEST_CASE("sets of addresses hold what was added, and no more") {
    for (unsigned seed = 0; seed < 300; ++seed) {
      CAPTURE(seed);
      std::mt19937 random(seed);
      const auto below = [&](std::uint64_t end) { return random() % end; };
      const std::uint64_t longest = std::vector<std::uint64_t>{8, 200, 3000}[seed % 3];
      Pair a, b;
      for (Pair* pair : {&a, &b})
        for (std::uint64_t k = below(seed % 2 == 0 ? 20 : 400); k > 0; --k) {
          const std::uint64_t at = below(kBytes), half = at < kBytes / 2 ? kBytes / 2 : kBytes;
          pair->add(at, std::min(1 + below(longest), half - at));
        }
      for (int asked = 0; asked < 100; ++asked) {
        const std::uint64_t low = below(kBytes), half = low < kBytes / 2 ? kBytes / 2 : kBytes;
        const std::uint64_t high = std::min(low + below(2 * longest), half);
        bool whole = true, meets = false;
        for (std::uint64_t at = low; at < high; ++at) {
          whole = whole && a.bytes[at];
          meets = meets || (a.bytes[at] && b.bytes[at]);
        }
        CHECK(a.set.whole(address(low), address(low) + (high - low)) == whole);
        CHECK(a.set.meets(b.set, address(low), address(low) + (high - low)) == meets);
      }
      b.set.add(a.set);
      for (std::uint64_t at = 0; at < kBytes; at += 1 + below(40))
        CHECK(b.set.whole(address(at), address(at) + 1) == (a.bytes[at] || b.bytes[at]));
    }
  }

  TEST_CASE("warps abreast touch what they touch one by one") {
    const auto program = test::fake_program({"ld.global.u32", "st.global.u32"});
    for (unsigned seed = 0; seed < 200; ++seed) {
      CAPTURE(seed);
      std::mt19937 random(seed);
      const auto one_by_one = watching(*program), abreast = watching(*program);
      for (int rows = 0; rows < 12; ++rows) {
        Access access;
        access.pc = random() % 2;
        access.path = access.pc == 1 ? Path::GlobalStore : Path::GlobalLoad;
        access.mask = std::vector<Mask>{kFullMask, 0xfff0, 1, 0x5555}[random() % 4];
        WarpPlace place;
        access.place = &place;
        const std::uint64_t steps[] = {0, 4, 128, 64, 256, 1000};
        const WarpBand band{kGlobalBase + random() % 64 * 4, steps[random() % 3], steps[random() % 6]};
        const std::uint32_t warps = 1 + random() % 8;
        const bool taken = abreast->band(0, access, band, warps);
        for (std::uint32_t w = 0; w < warps; ++w) {
          std::array<std::uint64_t, kWarpLanes> at{};
          for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane)
            at[lane] = band.start + w * band.warp_step + lane * band.lane_step;
          access.address = at.data();
          one_by_one->access(0, access);
          if (!taken) abreast->access(0, access);
        }
      }
      const std::vector<Touched> a = one_by_one->touched(), b = abreast->touched();
      REQUIRE(a.size() == b.size());
      for (std::size_t k = 0; k < a.size(); ++k) {
        CHECK(a[k].low == b[k].low);
        CHECK(a[k].high == b[k].high);
        for (std::uint64_t at = a[k].low; at < a[k].high; at += 4)
          CHECK(touches(a[k], at) == touches(b[k], at));
      }
    }
  }
}
