// The views for pictures say the same as the counters, and what they show is possible.
#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <map>
#include <random>

#include "common/sim/observe/access_view.h"

using namespace lab::sim;

namespace {

using Addresses = std::array<std::uint64_t, kWarpLanes>;

Addresses column(std::uint64_t row_bytes) {
  Addresses a;
  for (unsigned i = 0; i < kWarpLanes; ++i) a[i] = i * row_bytes;
  return a;
}

}  // namespace

TEST_SUITE("access view") {
  TEST_CASE("an unpadded and a padded column") {
    const SharedView bad = view_shared(column(128).data(), 4, kFullMask, true);
    CHECK(bad.wavefronts == 32);
    CHECK(bad.degree == 32);
    CHECK(bad.worst_bank == 0);
    CHECK(bad.words_in_bank[0] == 32);
    CHECK(bad.lanes[7].wavefront == 7);
    const SharedView good = view_shared(column(132).data(), 4, kFullMask, true);
    CHECK(good.wavefronts == 1);
    CHECK(good.lanes[7].first_bank == 7);
  }

  TEST_CASE("views agree with costs, and no wavefront asks a bank for two words") {
    std::mt19937_64 random(3);
    for (int round = 0; round < 4000; ++round) {
      const unsigned width = 1u << random() % 5;
      const Mask mask = round % 2 == 0 ? kFullMask : static_cast<Mask>(random()) | 1u;
      Addresses a;
      for (auto& x : a) x = random() % (1u << random() % 10) * width;
      if (round % 5 == 0) {
        for (unsigned i = 0; i < kWarpLanes; ++i) a[i] = a[i & ~1u];
      }
      for (const bool load : {true, false}) {
        const SharedView view = view_shared(a.data(), width, mask, load);
        CHECK(SharedCost{view.wavefronts, view.ideal_wavefronts} == shared_cost(a.data(), width, mask, load));
        std::map<std::pair<unsigned, unsigned>, std::uint64_t> word_of;  // wavefront, bank
        bool possible = true;
        for (const LaneInBanks& lane : view.lanes) {
          for (unsigned k = 0; lane.active && k < lane.banks; ++k) {
            const auto [it, fresh] =
                word_of.insert({{lane.wavefront, (lane.first_bank + k) % kBanks}, lane.word + k});
            possible = possible && (fresh || it->second == lane.word + k);
          }
          possible = possible && (!lane.active || lane.wavefront < view.wavefronts);
        }
        CHECK(possible);
      }
      const GlobalView global = view_global(a.data(), width, mask);
      const GlobalCost cost = global_cost(a.data(), width, mask);
      CHECK(global.sectors.size() == cost.sectors);
      CHECK(global.ideal_sectors == cost.ideal_sectors);
      Mask seen = 0;
      for (const SectorTouch& sector : global.sectors) seen |= sector.lanes;
      CHECK(seen == mask);
      for (unsigned i = 0; i < kWarpLanes; ++i)
        CHECK((global.sector_of_lane[i] < 0) == ((mask >> i & 1u) == 0));
    }
  }

  TEST_CASE("banks of 8 bytes") {
    CHECK(view_shared(column(128).data(), 4, kFullMask, true, 8).degree == 16);
    CHECK(view_shared(column(8).data(), 4, kFullMask, true, 8).wavefronts == 1);  // 2-way in banks of 4 bytes
    CHECK(view_shared(column(8).data(), 4, kFullMask, true, 4).wavefronts == 2);
    CHECK(view_shared(column(8).data(), 8, kFullMask, true, 8).wavefronts == 1);
    CHECK(view_shared(column(16).data(), 16, kFullMask, true, 8).wavefronts == 2);
    CHECK(view_shared(column(4).data(), 4, kFullMask, true, 8).wavefronts == 1);
    CHECK(view_shared(column(264).data(), 8, kFullMask, true, 8).wavefronts == 1);
  }
}
