// Reads of shared memory that can collide with nothing yet. See race_shadow.h.
//
// Enters: reads with no store since the last barrier. Leaves: their tags, put down as if they came one by
// one, when a store wants to know them.
#include <algorithm>
#include <array>
#include <bit>

#include "common/sim/observe/race_order.h"
#include "common/sim/observe/race_shadow.h"

namespace lab::sim {

void RaceShadow::forget(const BlockClock& clock) {
  for (auto* tags : {&write_, &read_, &other_read_, &atomic_, &other_atomic_, &current_}) {
    std::fill(tags->begin(), tags->end(), 0);
  }
  base_ = clock.next() - 1;
  newest_write_ = newest_read_ = 0;
  late_count_ = 0;
  atomics_ = false;
  others_ = false;
}

// As tags count; everything below `base_` is forgotten.
Tag RaceShadow::as_tag(Number number) const {
  return number <= base_ ? 0
                         : static_cast<Tag>(std::min<Number>(number - base_, kNumbers - 1)) << kThreadBits;
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

void RaceShadow::keep_late(const Access& access, Tag tag, const Now& now) {
  if (late_count_ == late_.size()) late_.emplace_back();  // most blocks keep a few
  LateRead& read = late_[late_count_++];
  read.pc = access.pc;
  read.mask = access.mask;
  read.tag = tag;
  read.floor = now.floor;
  read.warp_floor = now.warp_floor;
  read.width_bytes = access.width_bytes;
  read.ramps = access.ramps();
  read.first = static_cast<std::uint32_t>(access.address[std::countr_zero(access.mask)]);
  if (access.known()) return;
  for (std::size_t k = 0; k < kWarpLanes; ++k)
    read.address[k] = static_cast<std::uint32_t>(access.address[k]);
}

// In their order, each with the floors that held for it: as if none had been late. They found no store, and
// there is none yet, so that none of them collides.
void RaceShadow::put_down_late_reads(const std::vector<Inst>& code, const BlockClock& clock) {
  std::array<std::uint64_t, kWarpLanes> address{};
  Collision none;
  for (std::size_t n = 0; n < late_count_; ++n) {
    const LateRead& read = late_[n];
    Access access;
    access.pc = read.pc;
    access.space = Space::Shared;
    access.path = Path::SharedLoad;
    access.width_bytes = read.width_bytes;
    access.mask = read.mask;
    access.ramps() = read.ramps;
    access.address = address.data();
    const int first = std::countr_zero(read.mask);
    for (int k = 0; k < kWarpLanes; ++k) {
      const auto lane = static_cast<std::size_t>(k);
      address[lane] =
          read.ramps.known() ? lane_address(read.ramps, read.first, first, k) : read.address[lane];
    }
    const Now then{
        read.floor, read.warp_floor, &clock, base_, &code, read.pc, code[read.pc].order.is_volatile};
    static_cast<void>(look(access, Touch::Read, read.tag, then, none));
  }
  late_count_ = 0;
}

}  // namespace lab::sim
