// The clock of one block. See block_clock.h.
#include "common/sim/observe/block_clock.h"

#include <algorithm>
#include <bit>

#include "common/sim/base/lanes.h"

namespace lab::sim {

void BlockClock::begin(std::uint64_t block) {
  block_ = block;
  lanes_.clear();
  for (auto& list : warp_known_) list.clear();
  known_.clear();
  relaxed_.clear();
  objects_.clear();
  if (fences_) {
    for (auto& list : fences_of_) list.clear();
  }
  fences_ = false;
  barrier();  // nothing of the block before matters any more
}

Number BlockClock::new_number(std::uint32_t pc) {
  pcs_.push_back(pc);
  return next_++;
}

std::uint32_t BlockClock::pc_of(Number number) const { return pcs_[number - pcs_from_]; }

void BlockClock::barrier() {
  barrier_ = pcs_from_ = next_;
  pcs_.clear();
  partial_ = false;
  for (std::vector<PublishedPtr>& list : warp_known_) {
    for (const PublishedPtr& what : list) add_to(known_, what);
    list.clear();
  }
  for (auto& [thread, lane] : lanes_) {
    take(thread, true);
    for (const PublishedPtr& what : lane.known) add_to(known_, what);
    for (const PublishedPtr& what : lane.relaxed) add_to(relaxed_, what);
    lane.known.clear();
    lane.relaxed.clear();
  }
}

void BlockClock::warp_sync(std::uint32_t warp, Mask lanes) {
  renewed_[warp] = next_;
  if (!lanes_.empty()) learn_of_lanes(warp, lanes);
  if (lanes == ~Mask{0}) {
    synced_[warp] = next_;
    return;
  }
  // Lanes of the mask learn from one another what each has seen, and see all that they did themselves.
  if (lane_times_[warp] == nullptr) lane_times_[warp] = std::make_unique<LaneTimes>();
  LaneTimes& times = *lane_times_[warp];
  std::array<Number, kLanes> merged{};
  for (const std::uint32_t lane : lanes_of(lanes)) {
    for (std::uint32_t k = 0; k < kLanes; ++k) merged[k] = std::max(merged[k], times[lane][k]);
  }
  for (const std::uint32_t lane : lanes_of(lanes)) merged[lane] = next_;
  for (const std::uint32_t lane : lanes_of(lanes)) times[lane] = merged;
}

void BlockClock::learn_of_lanes(std::uint32_t warp, Mask lanes) {
  std::vector<PublishedPtr> all, relaxed;
  for (const std::uint32_t lane : lanes_of(lanes)) {
    const auto found = lanes_.find(warp * kLanes + lane);
    if (found == lanes_.end()) continue;
    take(found->first, true);
    for (const PublishedPtr& what : found->second.known) add_to(all, what);
    for (const PublishedPtr& what : found->second.relaxed) add_to(relaxed, what);
  }
  if (all.empty() && relaxed.empty()) return;
  for (const std::uint32_t lane : lanes_of(lanes)) {
    lane_of(warp * kLanes + lane).known = all;
    lane_of(warp * kLanes + lane).relaxed = relaxed;
  }
}

BlockClock::Lane& BlockClock::lane_of(std::uint32_t thread) { return lanes_[thread]; }

// What was read becomes known: of this block, and with `device_too` of others.
void BlockClock::take(std::uint32_t thread, bool device_too) {
  const auto found = lanes_.find(thread);
  if (found == lanes_.end()) return;
  Lane& lane = found->second;
  std::erase_if(lane.pending, [&](const Pending& p) {
    if (!p.same_block && !device_too) return false;
    add_to(lane.known, p.what);
    return true;
  });
}

PublishedPtr BlockClock::publish(std::uint32_t warp, Mask lanes, bool whole_warp) const {
  auto made = std::make_shared<Published>();
  made->know(block_, Published::kAllWarps, barrier_);
  if (partial_) {
    for (std::uint32_t v = 0; v < kMaxWarps; ++v) {
      if ((*knows_)[warp][v] > barrier_) made->know(block_, Published::warp_of(v), (*knows_)[warp][v]);
    }
  }
  made->know(block_, Published::warp_of(warp), whole_warp ? next_ : warp_floor(warp));
  for (const std::uint32_t lane : lanes_of(lanes)) {
    const std::uint32_t thread = warp * kLanes + lane;
    if (!whole_warp) made->know(block_, Published::thread_of(thread), next_);
    const auto found = lanes_.find(thread);
    if (found == lanes_.end()) continue;
    for (const PublishedPtr& what : found->second.known) made->join(*what);
  }
  for (const PublishedPtr& what : warp_known_[warp]) made->join(*what);
  for (const PublishedPtr& what : known_) made->join(*what);
  return made;
}

void BlockClock::fence(std::uint32_t warp, Mask lanes, bool whole_warp, Scope scope) {
  fences_ = true;
  const bool device = scope > Scope::Block;
  for (const std::uint32_t lane : lanes_of(lanes)) take(warp * kLanes + lane, device);
  std::vector<Fence>& mine = fences_of_[warp];
  for (Fence& old : mine) {
    if (device || !old.device) old.lanes &= ~lanes;
  }
  std::erase_if(mine, [](const Fence& old) { return old.lanes == 0; });
  mine.push_back({lanes, next_, publish(warp, lanes, whole_warp), device});
  renewed_[warp] = next_;
}

// What a strong write of the thread releases by fences: its own, and those that it knows of.
PublishedPtr BlockClock::fenced(std::uint32_t thread, Scope scope) const {
  std::vector<PublishedPtr> all;
  for (std::uint32_t warp = 0; warp < kMaxWarps; ++warp) {
    for (const Fence& fence : fences_of_[warp]) {
      if (scope > Scope::Block && !fence.device) continue;
      const bool own = warp == thread / kLanes && (fence.lanes >> thread % kLanes & 1u) != 0;
      const std::uint32_t other = warp * kLanes + static_cast<std::uint32_t>(std::countr_zero(fence.lanes));
      if (own || ordered(thread, other, fence.when - 1)) add_to(all, fence.what);
    }
  }
  if (all.size() <= 1) return all.empty() ? nullptr : all.front();
  auto made = std::make_shared<Published>();
  for (const PublishedPtr& one : all) made->join(*one);
  return made;
}

void BlockClock::release(std::uint32_t warp, std::uint32_t lane, const Ordering& how, bool updates,
                         Offer& offer) const {
  const std::uint32_t thread = warp * kLanes + lane;
  const PublishedPtr narrow =
      how.release ? publish(warp, Mask{1} << lane, false) : fenced(thread, Scope::Block);
  const PublishedPtr wide = how.scope <= Scope::Block ? nullptr
                            : how.release             ? narrow
                                                      : fenced(thread, Scope::Device);
  const auto put = [&](PublishedPtr& there, const PublishedPtr& more, bool keeps) {
    if (!keeps || there == nullptr) {
      there = more;
    } else if (more != nullptr && more != there && !there->includes(*more)) {
      // Else it polls: what is on offer stays the same thing. One that another holds must not change.
      const auto both = there.use_count() == 1 ? std::const_pointer_cast<Published>(there)
                                               : std::make_shared<Published>(*there);
      both->join(*more);
      both->gather(block_, warp);  // a counter that very many threads add to has an entry a warp
      there = both;
    }
  };
  put(offer.block, narrow, updates && offer.of_block == block_);
  offer.of_block = block_;
  put(offer.device, wide, updates);
}

void BlockClock::acquire(std::uint32_t warp, std::uint32_t lane, const Ordering& how, const Offer& offer) {
  const std::uint32_t thread = warp * kLanes + lane;
  const bool near = offer.block != nullptr && offer.of_block == block_;
  if (!near && offer.device == nullptr) return;
  Lane& mine = lane_of(thread);
  const auto note = [&](const PublishedPtr& what, bool same_block) {
    const auto is_known = [&](const Pending& p) { return p.what == what; };
    if (std::any_of(mine.pending.begin(), mine.pending.end(), is_known)) return;
    // A polled word is needed in its last state alone, when that says all of the one before.
    std::erase_if(mine.pending,
                  [&](const Pending& p) { return p.same_block == same_block && what->includes(*p.what); });
    mine.pending.push_back({what, same_block});
  };
  if (near) note(offer.block, true);
  if (offer.device != nullptr && how.scope > Scope::Block) note(offer.device, false);
  if (how.acquire) take(thread, how.scope > Scope::Block);
}

void BlockClock::publish_relaxed(std::uint32_t warp, std::uint32_t lane, bool updates, Offer& offer) const {
  auto more = std::const_pointer_cast<Published>(publish(warp, Mask{1} << lane, false));
  // A counter that very many threads add to: what the first of them did is let go.
  constexpr std::size_t kMost = 4096;
  if (updates && offer.relaxed != nullptr && offer.relaxed->includes(*more)) return;
  if (updates && offer.relaxed != nullptr && offer.relaxed->entries().size() < kMost)
    more->join(*offer.relaxed);
  offer.relaxed = std::move(more);
}

void BlockClock::observe_relaxed(std::uint32_t warp, std::uint32_t lane, const Offer& offer) {
  if (offer.relaxed != nullptr) add_to(lane_of(warp * kLanes + lane).relaxed, offer.relaxed);
}

bool BlockClock::seen_relaxed(std::uint32_t thread, std::uint64_t block, std::uint32_t earlier,
                              Number number) const {
  const auto knows = [&](const PublishedPtr& what) { return what->knows(block, earlier, number); };
  if (std::any_of(relaxed_.begin(), relaxed_.end(), knows)) return true;
  const auto found = lanes_.find(thread);
  if (found == lanes_.end()) return false;
  // Released by a fence, read by a thread that has none: volatile reads that wait for one another, as often
  // seen.
  const auto& pending = found->second.pending;
  if (std::any_of(pending.begin(), pending.end(), [&](const Pending& p) { return knows(p.what); }))
    return false;
  return std::any_of(found->second.relaxed.begin(), found->second.relaxed.end(), knows);
}

void BlockClock::learn(std::uint32_t warp, Mask lanes, bool whole_warp, const PublishedPtr& what) {
  bool more = !whole_warp;
  if (whole_warp) {
    if (knows_ == nullptr) knows_ = std::make_unique<std::array<std::array<Number, kMaxWarps>, kMaxWarps>>();
    if (!partial_) {
      for (auto& row : *knows_) row.fill(0);
      known_of_all_.fill(0);
    }
    partial_ = true;
    for (const auto& [key, until] : what->entries()) {
      const std::uint32_t who = static_cast<std::uint32_t>(key & 0xfff);
      const bool of_warp = key >> 12 == block_ && who >= 1 && who <= kMaxWarps;
      if (of_warp) (*knows_)[warp][who - 1] = std::max((*knows_)[warp][who - 1], until);
      more = more || (!of_warp && key != Published::key(block_, Published::kAllWarps));
    }
    note_known_of_all(warp);
  }
  if (!more) return;
  if (whole_warp) return add_to(warp_known_[warp], what);
  for (const std::uint32_t lane : lanes_of(lanes)) add_to(lane_of(warp * kLanes + lane).known, what);
}

void BlockClock::meet(const Meeting& meeting, bool whole_warp) {
  Object& object = objects_[meeting.object];
  switch (meeting.act) {
    case Meeting::Act::Arrive:
      object.coming.join(*publish(meeting.warp, meeting.lanes, whole_warp));
      renewed_[meeting.warp] = next_;
      break;
    case Meeting::Act::Turn:
      object.coming.gather();
      object.done = std::make_shared<Published>(std::move(object.coming));
      object.coming = Published();
      break;
    case Meeting::Act::Leave:
      if (object.done != nullptr) learn(meeting.warp, meeting.lanes, whole_warp, object.done);
      if (meeting.object < kInShared && whole_warp) synced_[meeting.warp] = next_;
      renewed_[meeting.warp] = next_;
      break;
  }
}

// The matrix has rows for warps that a block may not have; they never access anything.
void BlockClock::note_known_of_all(std::uint32_t warp) {
  Number least = ~Number{0};
  for (std::uint32_t v = 0; v < kMaxWarps; ++v) {
    if (v != warp) least = std::min(least, (*knows_)[warp][v]);
  }
  known_of_all_[warp] = least;
}

bool BlockClock::ordered(std::uint32_t thread, std::uint32_t earlier, Number number) const {
  if (thread == earlier || number < barrier_) return true;
  const std::uint32_t mine = thread / kLanes, other = earlier / kLanes;
  if (partial_ && number < (*knows_)[mine][other]) return true;
  if (mine == other) {
    if (number < synced_[mine]) return true;
    if (lane_times_[mine] != nullptr && number < (*lane_times_[mine])[thread % kLanes][earlier % kLanes])
      return true;
  }
  return has_taken(thread, block_, earlier, number);
}

// By what the thread, or its warp, has taken over.
bool BlockClock::has_taken(std::uint32_t thread, std::uint64_t block, std::uint32_t earlier,
                           Number number) const {
  const auto knows = [&](const PublishedPtr& what) { return what->knows(block, earlier, number); };
  const std::vector<PublishedPtr>& of_warp = warp_known_[thread / kLanes];
  if (std::any_of(of_warp.begin(), of_warp.end(), knows)) return true;
  const auto found = lanes_.find(thread);
  return found != lanes_.end() && std::any_of(found->second.known.begin(), found->second.known.end(), knows);
}

bool BlockClock::ordered_elsewhere(std::uint32_t thread, std::uint64_t block, std::uint32_t earlier,
                                   Number number) const {
  const auto knows = [&](const PublishedPtr& what) { return what->knows(block, earlier, number); };
  return std::any_of(known_.begin(), known_.end(), knows) || has_taken(thread, block, earlier, number);
}

}  // namespace lab::sim
