// The targets of asynchronous copies. See copy_targets.h.
#include "common/sim/observe/copy_targets.h"

#include <algorithm>

#include "common/sim/base/lanes.h"

namespace lab::sim {

void CopyTargets::begin(std::uint32_t shared_bytes, std::uint32_t granule_bytes) {
  if (on_their_way_ != 0) marks_.clear();
  shared_bytes_ = shared_bytes;
  granule_bytes_ = granule_bytes;
  on_their_way_ = 0;
  met_ = 0;
  handed_.clear();
  arriving_.clear();
}

// From now on its target may change at any moment.
void CopyTargets::start(const Copy& copy) {
  marks_.resize((shared_bytes_ + granule_bytes_ - 1) / granule_bytes_);
  for (const std::uint32_t lane : lanes_of(copy.mask)) {
    const std::uint64_t first = copy.to[lane] / granule_bytes_;
    for (std::uint64_t g = first; g < first + std::max(1u, copy.width_bytes / granule_bytes_); ++g) {
      clear(marks_[g]);
      marks_[g] = {copy.pc + 1, 0, copy.place->first_thread + lane, met_};
      ++on_their_way_;
    }
  }
}

void CopyTargets::clear(Mark& mark) {
  on_their_way_ -= mark.pc != 0;
  if (mark.handed != 0) --handed_[mark.handed - 1].marks;
  mark = {};
}

std::optional<CopyTargets::Early> CopyTargets::touch(const Access& access, const BlockClock& clock) {
  if (access.path == Path::SharedAsync) {
    land(access);
    return std::nullopt;
  }
  for (const std::uint32_t lane : lanes_of(access.mask)) {
    const std::uint64_t first = access.address[lane] / granule_bytes_;
    for (std::uint64_t g = first; g < first + std::max(1u, access.width_bytes / granule_bytes_); ++g) {
      const Mark& mark = marks_[g];
      if (mark.pc == 0) continue;
      if (mark.handed != 0 && knows(handed_[mark.handed - 1], access.place->first_thread + lane, clock))
        continue;
      return Early{lane, mark.pc - 1, g * granule_bytes_, mark.handed != 0, mark.thread, mark.met != met_};
    }
  }
  return std::nullopt;
}

void CopyTargets::land(const Access& access) {
  for (const std::uint32_t lane : lanes_of(access.mask)) {
    const std::uint32_t thread = access.place->first_thread + lane;
    const auto arriving = arriving_.find(thread);
    const std::uint64_t first = access.address[lane] / granule_bytes_;
    for (std::uint64_t g = first; g < first + std::max(1u, access.width_bytes / granule_bytes_); ++g) {
      Mark& mark = marks_[g];
      if (mark.pc == 0) continue;
      if (arriving == arriving_.end()) {
        clear(mark);
        continue;
      }
      if (mark.handed != 0) continue;
      mark.handed = arriving->second;
      ++handed_[mark.handed - 1].marks;
    }
  }
}

void CopyTargets::arrive(std::uint32_t warp, Mask lanes, std::uint64_t object) {
  const auto runs = [&](const HandedOver& handed) { return handed.object == object && !handed.over; };
  const auto is_free = [](const HandedOver& handed) { return handed.over && handed.marks == 0; };
  auto at = std::find_if(handed_.begin(), handed_.end(), runs);
  if (at == handed_.end()) {
    at = std::find_if(handed_.begin(), handed_.end(), is_free);
    if (at == handed_.end()) at = handed_.insert(at, HandedOver{});
    *at = {object, 0, false, {}, {}};
  }
  const auto number = static_cast<std::uint32_t>(at - handed_.begin()) + 1;
  for (const std::uint32_t lane : lanes_of(lanes)) arriving_[warp * kWarpLanes + lane] = number;
}

template <class Done>
void CopyTargets::clear_handed(const Done& is_done) {
  if (std::none_of(handed_.begin(), handed_.end(), [](const HandedOver& h) { return h.marks != 0; })) return;
  for (Mark& mark : marks_) {
    if (mark.handed != 0 && is_done(mark)) clear(mark);
  }
}

// Before what the lanes wait for lands: what arrives at an object and was waited for here is done too.
void CopyTargets::waited(std::uint32_t warp, Mask lanes) {
  if (arriving_.empty()) return;
  for (const std::uint32_t lane : lanes_of(lanes)) arriving_.erase(warp * kWarpLanes + lane);
  clear_handed([&](const Mark& mark) {
    return mark.thread / kWarpLanes == warp && (lanes >> mark.thread % kWarpLanes & 1u) != 0;
  });
}

void CopyTargets::meet(const Meeting& meeting, BlockClock& clock) {
  for (HandedOver& handed : handed_) {
    if (handed.object != meeting.object) continue;
    if (meeting.act == Meeting::Act::Turn) handed.over = true;
    if (meeting.act != Meeting::Act::Leave || !handed.over || handed.marks == 0) continue;
    Mask fresh = meeting.lanes;
    for (const Leavers& leavers : handed.seen) fresh &= leavers.warp == meeting.warp ? ~leavers.lanes : ~0u;
    if (fresh != 0) handed.seen.push_back({meeting.warp, fresh, clock.new_number(0)});
  }
}

// What one has seen, all know now.
void CopyTargets::barrier() {
  ++met_;
  if (handed_.empty()) return;
  clear_handed([&](const Mark& mark) { return !handed_[mark.handed - 1].seen.empty(); });
}

// A thread that knows goes on knowing, so each is asked until it does.
bool CopyTargets::knows(HandedOver& handed, std::uint32_t thread, const BlockClock& clock) {
  const std::uint32_t warp = thread / kWarpLanes;
  const Mask lane = Mask{1} << thread % kWarpLanes;
  if (warp < handed.known.size() && (handed.known[warp] & lane) != 0) return true;
  const bool found = std::any_of(handed.seen.begin(), handed.seen.end(), [&](const Leavers& leavers) {
    if (leavers.warp == warp && (leavers.lanes & lane) != 0) return true;
    for (const std::uint32_t lane : lanes_of(leavers.lanes)) {
      const std::uint32_t other = leavers.warp * kWarpLanes + lane;
      if (clock.ordered(thread, other, leavers.number)) return true;
    }
    return false;
  });
  if (found) {
    if (handed.known.size() <= warp) handed.known.resize(warp + 1);
    handed.known[warp] |= lane;
  }
  return found;
}

}  // namespace lab::sim
