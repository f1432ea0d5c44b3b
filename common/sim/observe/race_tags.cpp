// The tags of accesses to shared memory, also of accesses that were kept without tags. See race_shadow.h.
//
// Enters: accesses since the last barrier. Leaves: their tags, in execution order, computed when an access
// needs them.
#include <algorithm>
#include <array>

#include "common/sim/observe/race_order.h"
#include "common/sim/observe/race_shadow.h"

namespace lab::sim {

void RaceShadow::forget(const BlockClock& clock) {
  for (auto* tags : {&write_, &read_, &other_read_, &atomic_, &other_atomic_, &current_}) {
    std::fill(tags->begin(), tags->end(), 0);
  }
  base_ = clock.next() - 1;
  newest_write_ = newest_read_ = 0;
  kept_.forget();
  atomics_ = false;
  others_ = false;
}

Tag RaceShadow::tag_of(std::uint32_t warp, std::uint32_t site, std::uint32_t pc, BlockClock& clock) {
  Tag& current = current_[std::size_t{site} * kMaxWarps + warp];
  if (current != 0 && current >= as_tag(clock.fresh(warp))) return current;
  // Four million numbers between two barriers: only a kernel that synchronises its warps without end gets
  // here. What it did so far is forgotten; later collisions are still found.
  if (clock.next() - base_ >= kNumbers - 1) forget(clock);
  current = (static_cast<Tag>(clock.new_number(pc) - base_) << kThreadBits) | (warp * kWarpLanes);
  return current;
}

bool RaceShadow::is_late(Touch how, const Now& now) const {
  return how == Touch::Read && !atomics_ && newest_write_ < std::min(now.floor, now.warp_floor);
}

// In their order, each with the floors that held for it: as if none had been kept. None of them collides with
// one before it.
void RaceShadow::put_down_kept(const std::vector<Inst>& code, const BlockClock& clock) {
  if (kept_.list().empty()) return kept_.give_up();
  std::array<std::uint64_t, kWarpLanes> address{};
  Collision none;
  for (const KeptAccesses::Kept& kept : kept_.list()) {
    std::copy(kept.address.begin(), kept.address.end(), address.begin());
    Access access;
    access.pc = kept.pc;
    access.space = Space::Shared;
    access.path = kept.writes ? Path::SharedStore : Path::SharedLoad;
    access.width_bytes = kept.width_bytes;
    access.mask = kept.mask;
    access.ramps() = kept.ramps;
    access.address = address.data();
    access.value = kept_.values_of(kept);
    const Now then{kept.order.floor, kept.order.warp_floor,          &clock, base_, &code,
                   kept.pc,          code[kept.pc].order.is_volatile};
    static_cast<void>(look(access, kept.writes ? Touch::Write : Touch::Read, kept.order.tag, then, none));
  }
  kept_.forget();
  kept_.give_up();
}

}  // namespace lab::sim
