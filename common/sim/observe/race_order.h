// The order that holds for the warp that acts, as the race check of shared memory asks for it.
//
// Enters: tags (race_shadow.h) of an earlier and of the present access. Leaves: whether anything puts the two
// in order. Floors answer for eight granules at once and may say too often that nothing does; the clock of
// the block knows exactly.
#pragma once

#include <vector>

#include "common/sim/base/vec.h"
#include "common/sim/observe/block_clock.h"
#include "common/sim/observe/race_shadow.h"

namespace lab::sim {

inline std::uint32_t thread_of_tag(Tag tag) { return tag & kThreadMask; }

struct RaceShadow::Now {
  Tag floor = 0;  // as the clock has them
  Tag warp_floor = 0;
  const BlockClock* clock = nullptr;
  Number base = 0;
  const std::vector<Inst>* code = nullptr;
  std::uint32_t pc = 0;
  bool is_volatile = false;
  bool no_writes = false, no_reads = false;  // plain ones, above both floors: by whomever and anywhere
  // All ones where the access `earlier` is by another thread and may not be ordered before `mine`: what
  // single lanes or warps know beyond the floors is ignored.
  [[nodiscard]] Vec unordered(const Vec& earlier, const Vec& mine) const {
    const Vec differ = (earlier ^ mine) & kThreadMask;
    const Vec since = differ < kWarpLanes ? Vec{} + warp_floor : Vec{} + floor;
    return (differ != 0) & (earlier >= since);
  }
  [[nodiscard]] bool unordered(Tag earlier, Tag mine) const {
    const Tag differ = (earlier ^ mine) & kThreadMask;
    return differ != 0 && earlier >= (differ < kWarpLanes ? warp_floor : floor);
  }
  // The same, exactly.
  [[nodiscard]] bool collide(Tag earlier, Tag mine) const {
    return unordered(earlier, mine) &&
           !clock->ordered(thread_of_tag(mine), thread_of_tag(earlier), base + (earlier >> kThreadBits));
  }
};

}  // namespace lab::sim
