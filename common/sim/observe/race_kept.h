// A block's shared accesses since its last barrier that collide with nothing, in their order.
//
// Enters: plain reads and stores in execution order. Leaves: whether it is obvious that no two threads meet in
// them; else the accesses, for the full check. Reads without a store are only listed. From the first store on,
// each 32 granules have masks of reads and writes, and the warp that made them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/sim/base/observer.h"

namespace lab::sim {

class KeptAccesses {
 public:
  struct Order {
    std::uint32_t tag = 0, floor = 0, warp_floor = 0;  // race_shadow.h
  };
  // 32 granules a word, from `line` on.
  struct Places {
    std::uint32_t line = 0;
    std::array<std::uint32_t, 4> words{};
    bool distinct = false;  // no two lanes touch one granule
  };
  struct Kept {
    std::uint32_t pc = 0, warp = 0;
    Mask mask = 0;
    Order order;
    std::uint8_t width_bytes = 0;
    bool writes = false, has_values = false;
    LaneRamps ramps;
    std::size_t values = 0;                         // of a store: where its values stand
    std::uint32_t before = 0;                       // the one of this warp before it, from 1; 0: none
    Places places;                                  // once there was a store
    std::array<std::uint32_t, kWarpLanes> address;  // of lanes that act
  };

  KeptAccesses(std::uint32_t granules, unsigned granule_shift)
      : granule_shift_(granule_shift), lines_(granules / kWarpLanes + 5) {}

  // What comes next is in order with all that was kept.
  void forget();
  // No access was left out since: whatever collides with the next one is on the list.
  [[nodiscard]] bool complete() const { return complete_; }
  void give_up() { complete_ = false; }
  // Keeps it unless it may collide with one that is kept. False: it may, or that is unknown.
  [[nodiscard]] bool keep(const Access& access, Order order);
  void add(const Access& access, Order order);
  [[nodiscard]] bool full() const { return count_ == kMost; }
  [[nodiscard]] std::span<const Kept> list() const { return {list_.data(), count_}; }
  [[nodiscard]] const std::byte* values_of(const Kept& store) const {
    return store.has_values ? values_.data() + store.values : nullptr;
  }

 private:
  struct Line {
    std::uint32_t reads = 0, writes = 0;
    std::uint32_t phase = 0;
    std::uint32_t warp = 0;  // kSeveral: of more than one
  };
  static constexpr std::size_t kMost = 512;
  static constexpr std::uint32_t kSeveral = ~0u;

  [[nodiscard]] bool find_places(Kept& kept) const;
  [[nodiscard]] bool find_run(Kept& kept, unsigned granules_a_lane) const;
  [[nodiscard]] bool find_lanes(Kept& kept, unsigned granules_a_lane, std::uint32_t from) const;
  [[nodiscard]] bool enter_reads();
  [[nodiscard]] bool is_apart(const Kept& kept);
  [[nodiscard]] bool is_apart_from_own(const Kept& kept) const;
  void enter(Kept& kept, std::uint32_t number);
  [[nodiscard]] Line& line_at(std::uint32_t line);

  unsigned granule_shift_;
  std::vector<Line> lines_;
  std::vector<Kept> list_;
  std::vector<std::byte> values_;
  std::vector<std::uint32_t> last_of_warp_;  // from 1; 0: none
  std::size_t count_ = 0, entered_ = 0;      // on the list; of them in `lines_`
  std::uint32_t phase_ = 1;
  bool complete_ = false, wrote_ = false;
};

}  // namespace lab::sim
