// The TMA unit and the threads of a block. See engine_check.h.
#include "common/sim/observe/engine_check.h"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "common/sim/base/lanes.h"
#include "common/sim/observe/place_text.h"
#include "common/sim/program/program_data.h"
#include "common/sim/program/warpgroup_product.h"

namespace lab::sim {
namespace {

std::uint32_t thread_of(const WarpPlace& place, std::uint32_t lane) { return place.first_thread + lane; }
std::uint32_t lane_of(Mask mask) { return static_cast<std::uint32_t>(std::countr_zero(mask)); }

}  // namespace

void EngineCheck::launch_begin(const LaunchInfo& info) {
  launch_ = info;
  slots_.clear();
  targets_.clear();
}

void EngineCheck::block_begin(std::uint32_t slot, const WarpPlace& place) {
  if (slot >= slots_.size()) slots_.resize(slot + 1);
  Slot& s = slots_[slot];
  const std::size_t granules = (launch_.shared_bytes + kGranule - 1) / kGranule;
  for (auto* touches : {&s.written, &s.read, &s.other_read}) touches->resize(granules);
  s.copies.clear();
  s.initialised.clear();
  s.barrier = ++s.now;  // nothing of the block before matters any more
  s.fenced = s.ready = s.barrier;
  s.place = place;
  targets_.begin_block(slot);
}

void EngineCheck::access(std::uint32_t slot, const Access& access) {
  if (access.space == Space::Global && targets_.any()) {
    std::uint32_t lane = 0, copy_pc = 0;
    if (targets_.touches(access, lane, copy_pc)) report_unwritten(access, lane, copy_pc);
  }
  if (access.space != Space::Shared) return;
  Slot& s = slots_[slot];
  const bool writes = sim::writes(access.path), reads = sim::reads(access.path);
  const std::uint32_t warp = access.place->warp;
  std::span<const Running> watched = s.copies;
  const auto is_over = [&](const Running& copy) {
    return !(copy.writes || writes) || (access.mask & ~copy.known[warp]) == 0;
  };
  if (std::all_of(watched.begin(), watched.end(), is_over)) watched = {};
  if (!watched.empty()) check_access(access, watched, writes);
  if (access.path == Path::SharedProductLoad) return check_fences(s, access);  // its read is one of `copies`
  note(s, access, reads, writes);
}

void EngineCheck::check_access(const Access& access, std::span<const Running> copies, bool writes) const {
  for (Mask left = access.mask; left != 0; left &= left - 1) {
    const std::uint32_t lane = lane_of(left), thread = thread_of(*access.place, lane);
    const auto low = static_cast<std::uint32_t>(access.address[lane]), high = low + access.width_bytes;
    for (const Running& copy : copies) {
      if (low < copy.high && high > copy.low && (copy.writes || writes) && !copy.is_known_to(thread))
        report_early(access, lane, copy);
    }
  }
}

// Tensor cores see what threads wrote behind the same fence as the TMA unit does.
void EngineCheck::check_fences(const Slot& s, const Access& access) const {
  for (const std::uint32_t lane : lanes_of(access.mask)) {
    const auto first = static_cast<std::uint32_t>(access.address[lane]) / kGranule;
    for (std::uint32_t g = first; g < first + access.width_bytes / kGranule; ++g) {
      const Touch touch = s.written[g];
      if (!fenced(s, touch)) report_unfenced(access, lane, g * kGranule, touch);
    }
  }
}

void EngineCheck::note(Slot& s, const Access& access, bool reads, bool writes) {
  // Accesses are aligned: of each lane `count` whole granules, or a part of one.
  const std::uint32_t count = (access.width_bytes + kGranule - 1) / kGranule;
  const Touch first_lane(s.now, access.place->first_thread, access.pc);
  s.newest = s.now;
  const auto each = [&](const auto& touch) {
    for (const std::uint32_t lane : lanes_of(access.mask)) {
      const auto first = static_cast<std::uint32_t>(access.address[lane]) / kGranule;
      const Touch mine = first_lane.of_lane(lane);
      for (std::uint32_t g = first; g < first + count; ++g) touch(g, mine);
    }
  };
  if (reads) {
    const std::uint32_t warp = access.place->warp;
    each([read = s.read.data(), other_read = s.other_read.data(), barrier = s.barrier, warp,
          warp_time = s.warp[warp]](std::uint32_t g, const Touch& mine) {
      const Touch before = std::exchange(read[g], mine);
      if (before.time() < barrier || before.thread() == mine.thread()) return;
      if (before.thread() / kWarpLanes != warp || before.time() >= warp_time) other_read[g] = before;
    });
  }
  if (writes) each([written = s.written.data()](std::uint32_t g, const Touch& mine) { written[g] = mine; });
}

void EngineCheck::barrier(std::uint32_t slot) {
  Slot& s = slots_[slot];
  s.barrier = ++s.now;
  // What one knows, all know now: such copies are over and forgotten.
  std::erase_if(s.copies, [](const Running& copy) { return copy.landed && copy.is_known(); });
}

void EngineCheck::warp_sync(std::uint32_t slot, std::uint32_t warp, Mask mask) {
  Slot& s = slots_[slot];
  s.warp[warp] = ++s.now;
  for (Running& copy : s.copies) {
    if ((copy.known[warp] & mask) != 0) copy.known[warp] |= mask;
  }
}

void EngineCheck::engine(std::uint32_t slot, const EngineEvent& event) {
  Slot& s = slots_[slot];
  using Act = EngineEvent::Act;
  switch (event.act) {
    case Act::Start:
      return begin(s, event);
    case Act::Land:
      for (Running& copy : s.copies) copy.landed |= copy.id == event.id;
      return;
    case Act::Waited:
      if (!event.by_warpgroup)
        targets_.waited(slot, thread_of(*event.place, lane_of(event.lanes)), event.groups);
      [[fallthrough]];
    case Act::Read:
    case Act::Seen:
      for (Mask left = event.lanes; left != 0; left &= left - 1)
        learn(s, thread_of(*event.place, lane_of(left)), event);
      return;
    case Act::Fence:
    case Act::Ready:
      return note_fence(s, event);
    case Act::Use:  // of the race check
      return;
    case Act::Init:
      s.initialised[event.low] = {s.now, thread_of(*event.place, lane_of(event.lanes)), event.pc};
      return;
  }
}

// A group of products is over for the four warps at once.
bool EngineCheck::asked(const Running& copy, std::uint32_t thread) {
  constexpr std::uint32_t kThreads = kWarpgroupWarps * kWarpLanes;
  return copy.by_warpgroup ? copy.thread / kThreads == thread / kThreads : copy.thread == thread;
}

// A thread saw a phase over, and with it what those who arrived knew; or its own groups are done.
void EngineCheck::learn(Slot& s, std::uint32_t thread, const EngineEvent& event) {
  const bool seen = event.act == EngineEvent::Act::Seen;
  for (Running& copy : s.copies) {
    const bool known = seen ? copy.landed && ((copy.writes && copy.barrier == event.low) || copy.is_known())
                            : !copy.writes && copy.by_warpgroup == event.by_warpgroup &&
                                  copy.group < event.groups && asked(copy, thread);
    if (known) copy.known[thread / kWarpLanes] |= Mask{1} << thread % kWarpLanes;
  }
}

void EngineCheck::bulk(std::uint32_t slot, const BulkCopy& copy) {
  if (info(copy.written).space == Space::Global) targets_.start(slot, copy, slots_[slot].open_group);
}

void EngineCheck::note_fence(Slot& s, const EngineEvent& event) {
  ++s.now;
  const bool all = event.act == EngineEvent::Act::Fence;
  if (all) s.fenced = std::max(s.fenced, s.barrier);
  s.ready = std::max(s.ready, s.barrier);
  const std::uint32_t warp = event.place->first_thread / kWarpLanes;
  if (all) s.warp_fenced[warp] = std::max(s.warp_fenced[warp], s.warp[warp]);
  for (Mask left = event.lanes; left != 0; left &= left - 1) {
    const std::uint32_t thread = thread_of(*event.place, lane_of(left));
    if (all) s.own_fence[thread] = s.now;
    s.own_ready[thread] = s.now;
  }
}

void EngineCheck::begin(Slot& s, const EngineEvent& event) {
  Running copy;
  copy.id = event.id;
  copy.low = event.low;
  copy.high = event.low + event.bytes;
  copy.pc = event.pc;
  copy.barrier = event.barrier;
  copy.group = event.groups;
  copy.writes = event.writes;
  copy.by_warpgroup = event.by_warpgroup;
  copy.landed = !event.writes;
  if (!event.writes && !event.by_warpgroup) s.open_group = event.groups;
  if (!event.from_peer) copy.thread = thread_of(*event.place, lane_of(event.lanes));
  // What it takes the place of is forgotten: the same bytes are not in two copies that matter.
  const auto put_down = [&] {
    std::erase_if(s.copies, [&](const Running& other) {
      return other.writes == copy.writes && other.low >= copy.low && other.high <= copy.high &&
             (event.from_peer || other.is_known_to(copy.thread));
    });
    // A copy to a peer reads: a thread that sees its barrier there knows that it has; none here waits for it.
    if (event.writes || event.barrier == EngineEvent::kNoBarrier) s.copies.push_back(copy);
  };
  try {
    check_barrier(s, event);
    if (!event.by_warpgroup) check_start(s, copy, event);  // of wgmma the accesses themselves are checked
  } catch (const FaultError&) {
    put_down();  // a program that goes on gets one finding for this copy
    throw;
  }
  put_down();
}

void EngineCheck::check_barrier(Slot& s, const EngineEvent& event) {
  if (event.by_thread) return;
  const auto at = s.initialised.find(event.barrier);
  if (!event.writes || event.barrier == EngineEvent::kNoBarrier || at == s.initialised.end()) return;
  const Touch touch = at->second;
  s.initialised.erase(at);
  // cuda::barrier and cuda::memcpy_async: their fences are the library's affair.
  const std::vector<Inst>& code = launch_.program->data().code;
  if (code[event.pc].of_header && code[touch.pc()].of_header) return;
  if (touch.time() < s.ready || s.own_ready[touch.thread()] > touch.time() || fenced(s, touch)) return;
  report_start(FaultKind::ProxyFence, event, event.barrier,
               msg(" counts the bytes of the copy at {}, and {} initialised it at {} with no fence behind: "
                   "the TMA unit may not see the barrier. Put fence.mbarrier_init.release.cluster or "
                   "fence.proxy.async behind the initialisation, before __syncthreads()",
                   line_of(event.pc), name_of(touch.thread()), line_of(touch.pc())));
}

// No thread touched the bytes of the copy in a way that matters to it. Mostly a barrier was behind all of
// that, and a fence of each thread: then nothing is asked one by one.
bool EngineCheck::settled(const Slot& s, const Running& copy) {
  const std::uint32_t first = copy.low / kGranule, count = (copy.high + kGranule - 1) / kGranule - first;
  const auto part = [&](const std::vector<Touch>& touches) {
    return std::span(touches).subspan(first, count);
  };
  const auto in_order = [&](std::span<const Touch> touches) {
    if (s.newest < s.barrier) return true;
    Time late = 0;
    for (const Touch& touch : touches) late |= static_cast<Time>(touch.time() >= s.barrier);
    return late == 0 || std::all_of(touches.begin(), touches.end(),
                                    [&](const Touch& touch) { return ordered(s, touch, copy.thread); });
  };
  const std::span<const Touch> written = part(s.written);
  if (!in_order(written)) return false;
  if (copy.writes) return in_order(part(s.read)) && in_order(part(s.other_read));
  Time bare = 0;
  for (const Touch& touch : written) bare |= static_cast<Time>(s.own_fence[touch.thread()] <= touch.time());
  return bare == 0 ||
         std::all_of(written.begin(), written.end(), [&](const Touch& touch) { return fenced(s, touch); });
}

void EngineCheck::check_start(Slot& s, const Running& copy, const EngineEvent& event) {
  if (event.from_peer) return;
  const std::uint32_t me = copy.thread;
  for (const Running& other : s.copies) {
    if (other.low >= copy.high || other.high <= copy.low || other.is_known_to(me) ||
        (!other.writes && !copy.writes))
      continue;
    report_overlap(copy, other, event);
  }
  if (settled(s, copy)) return;
  for (std::uint32_t g = copy.low / kGranule; g * kGranule < copy.high; ++g) {
    const auto race = [&](const Touch& touch, bool wrote) {
      if (!ordered(s, touch, me)) report_race(copy, touch, wrote, g * kGranule, event);
    };
    race(s.written[g], true);
    if (copy.writes) {
      race(s.read[g], false);
      race(s.other_read[g], false);
    } else if (!fenced(s, s.written[g])) {
      report_unfenced(copy, s.written[g], g * kGranule, event);
    }
  }
}

void EngineCheck::block_end(std::uint32_t slot, const WarpPlace& /*place*/) {
  const Slot& s = slots_[slot];
  targets_.end_block(slot, launch_.together);
  for (const Running& copy : s.copies) {
    if (!copy.is_known()) report_unwaited(copy, s.place);
  }
}

}  // namespace lab::sim
