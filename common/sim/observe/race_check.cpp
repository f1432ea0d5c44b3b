// The race check as an observer: which touch an access is, who synchronises by it, what collides.
//
// Enters: accesses and what orders them. Leaves: collisions, which race_report.cpp describes.
#include "common/sim/observe/race_check.h"

#include <algorithm>
#include <array>
#include <bit>

#include "common/sim/base/lanes.h"
#include "common/sim/observe/changed_parts.h"
#include "common/sim/observe/race_words.h"
#include "common/sim/program/program_data.h"

namespace lab::sim {

std::unique_ptr<Observer> RaceCheck::clone() const {
  return std::make_unique<RaceCheck>(memory_, stop_, limit_bytes_);
}

void RaceCheck::launch_begin(const LaunchInfo& info) {
  launch_ = info;
  if (launch_.smallest_shared_access_bytes == 0) launch_.smallest_shared_access_bytes = 1;
  launch_.shared_bytes = (launch_.shared_bytes + 3) / 4 * 4;  // a word may be swapped around the last byte
  sites_.assign(info.program->instruction_count(), Site{});
  lines_.clear();
  site_count_ = 0;
  slots_.clear();
  found_.clear();
  offers_.clear();
  shared_tests_.clear();
  const std::vector<Inst>& code = info.program->data().code;
  takes_data_ = std::any_of(code.begin(), code.end(), [](const Inst& inst) { return inst.takes_data; });
  peers_ = launch_.shared_bytes != 0 && info.program->data().names_peers;
  for (std::uint32_t pc = 0; peers_ && pc < sites_.size(); ++pc)
    sites_[pc].announced = info.program->opcode(pc).orders == ptx::Orders::Starts;
  roles_ = std::any_of(code.begin(), code.end(), [&](const Inst& inst) {
    return inst.control == Control::Barrier && info.program->opcode(inst.pc).orders == ptx::Orders::Arrive;
  });
  by_words_ = advice_by_words(info.program->data());
  global_.reset();
  if (memory_ != nullptr && info.smallest_global_access_bytes != 0)
    global_ = std::make_unique<GlobalShadow>(launch_, *memory_, code, limit_bytes_);
}

void RaceCheck::block_begin(std::uint32_t index, const WarpPlace& place) {
  if (index >= slots_.size()) slots_.resize(index + 1);
  if (slots_[index] == nullptr) {
    slots_[index] = std::make_unique<Slot>();
    if (launch_.shared_bytes != 0)
      slots_[index]->shared = std::make_unique<RaceShadow>(launch_.shared_bytes,
                                                           launch_.smallest_shared_access_bytes, site_count_);
  }
  Slot& slot = *slots_[index];
  ++cluster_time_;
  if (peers_ && slot.peers == nullptr)
    slot.peers = std::make_unique<PeerShadow>(launch_.shared_bytes, launch_.smallest_shared_access_bytes);
  slot.clock.begin(place.block_index);
  slot.kept.clear();
  slot.racing_uses.clear();
  slot.offers.clear();
  slot.sources.begin();
  if (launch_.shared_bytes != 0)
    slot.targets.begin(launch_.shared_bytes, launch_.smallest_shared_access_bytes);
  if (slot.shared != nullptr) slot.shared->begin_block(slot.clock);
  if (global_ != nullptr) global_->begin_block(index, place.block_index);
}

void RaceCheck::barrier(std::uint32_t index) {
  if (index >= slots_.size()) return;
  slots_[index]->clock.barrier();
  slots_[index]->targets.barrier();
  if (slots_[index]->shared != nullptr) slots_[index]->shared->barrier(slots_[index]->clock);
}

void RaceCheck::warp_sync(std::uint32_t slot, std::uint32_t warp, Mask mask) {
  if (slot < slots_.size()) slots_[slot]->clock.warp_sync(warp, mask);
}

void RaceCheck::fence(std::uint32_t slot, std::uint32_t warp, Mask lanes, bool whole_warp, Scope scope) {
  cluster_time_ += scope > Scope::Block;
  slots_[slot]->clock.fence(warp, lanes, whole_warp, scope);
}

void RaceCheck::meet(std::uint32_t slot, const Meeting& meeting, bool whole_warp) {
  cluster_time_ += meeting.object >= kClusterBarrier;
  slots_[slot]->clock.meet(meeting, whole_warp);
  slots_[slot]->targets.meet(meeting, slots_[slot]->clock);
}

RaceCheck::Site& RaceCheck::site_of(std::uint32_t pc) {
  Site& site = sites_[pc];
  if (site.number != 0) return site;
  site.number = ++site_count_;
  for (auto& slot : slots_) {
    if (slot != nullptr && slot->shared != nullptr) slot->shared->add_sites(site_count_);
  }
  return site;
}

Touch RaceCheck::touch_of(const Access& access) const {
  const Inst& inst = launch_.program->data().code[access.pc];
  const Direction direction = info(access.path).direction;
  const bool atomic = direction == Direction::Update || inst.checked_by_cas ||
                      (inst.order.strong() && !inst.order.is_volatile);
  return atomic ? Touch::Atomic : direction == Direction::Read ? Touch::Read : Touch::Write;
}

// Plain accesses of buffers that this launch does not write.
Beginnings RaceCheck::ignored_range(std::uint32_t pc, Space space, std::uint32_t width_bytes,
                                    std::uint64_t at) {
  if (space != Space::Global || launch_.program->data().code[pc].order.strong()) return {};
  if (global_ == nullptr) return kEverywhere;
  const Allocation* a = memory_->find(at, width_bytes);
  if (a == nullptr || global_->watched(pc, at)) return {};
  return beginnings_in(a->base, a->size_bytes, width_bytes);
}

void RaceCheck::access(std::uint32_t index, const Access& access) {
  if (peers_) peer_access(*slots_[index], access);
  const bool shared = access.space == Space::Shared;
  if (access.path == Path::SharedAsync) slots_[index]->sources.land(access);
  if (!shared && (access.space != Space::Global || global_ == nullptr)) return;
  const Inst& inst = launch_.program->data().code[access.pc];
  if (inst.may_be_narrow && access.width_bytes > granule_bytes(access.space)) {
    touch_parts(index, access);
  } else if (shared) {
    shared_access(*slots_[index], access);
  } else {
    global_access(index, access);
  }
  if (inst.order.strong()) synchronise(*slots_[index], access);
}

bool RaceCheck::band(std::uint32_t /*slot*/, const Access& first, const WarpBand& band, std::uint32_t warps) {
  if (global_ != nullptr) global_->touch_band(first, band, warps);
  return true;
}

[[gnu::noinline]] void RaceCheck::peer_access(Slot& slot, const Access& access) {
  const Inst& inst = launch_.program->data().code[access.pc];
  cluster_time_ += inst.order.scope > Scope::Block && (inst.order.acquire || inst.order.release);
  if (access.space != Space::Shared && access.space != Space::Cluster) return;
  if (sites_[access.pc].announced) return;
  PeerShadow::Touch mine{cluster_time_,
                         access.place->block_index,
                         access.pc,
                         0,
                         sim::writes(access.path),
                         touch_of(access) == Touch::Atomic};
  for (const std::uint32_t lane : lanes_of(access.mask)) {
    mine.thread = access.place->first_thread + lane;
    if (const auto* earlier = slot.peers->touch(access.address[lane], access.width_bytes, mine))
      report_peer(slot, access, lane, *earlier);
  }
}

// An atomic on a byte or a half is a swap of the word around it in PTX. What it changes is touched; the rest
// of the word may be of any thread, and what the swap only looks at it checks itself.
[[gnu::noinline]] void RaceCheck::touch_parts(std::uint32_t index, const Access& access) {
  if (access.value == nullptr || access.old_value == nullptr) return;
  for_changed_parts(access, granule_bytes(access.space), [&](const Access& part) {
    if (access.space == Space::Shared) {
      shared_access(*slots_[index], part);
    } else {
      global_access(index, part);
    }
  });
}

void RaceCheck::texels(std::uint32_t index, const Access& access) {
  if (global_ == nullptr) return;
  const std::uint32_t least = launch_.smallest_global_access_bytes;
  if (access.width_bytes >= least) return global_access(index, access);
  // A texel may be narrower than all else that the kernel reads and writes: what holds it counts.
  std::array<std::uint64_t, kWarpLanes> at{};
  for (const std::uint32_t lane : lanes_of(access.mask)) at[lane] = access.address[lane] / least * least;
  Access whole = access;
  whole.address = at.data();
  whole.ramps() = {};
  whole.width_bytes = static_cast<std::uint8_t>(least);
  global_access(index, whole);
}

// A source that this launch does not write is read in peace.
void RaceCheck::copy(std::uint32_t index, const Copy& copy) {
  Slot& slot = *slots_[index];
  slot.targets.start(copy);
  if (copy.reads == 0 || global_ == nullptr) return;
  const auto first = static_cast<std::uint32_t>(std::countr_zero(copy.reads));
  if (global_->watched(copy.pc, copy.from[first])) slot.sources.start(copy);
}

void RaceCheck::global_access(std::uint32_t index, const Access& access) {
  Slot& slot = *slots_[index];
  if (slot.sources.any() && sim::writes(access.path)) {
    if (const auto early = slot.sources.written(access)) report_source(slot, access, *early);
  }
  GlobalCollision collision;
  if (global_->touch(index, access, slot.clock, collision))
    report_global(slot, access, touch_of(access), collision);
}

void RaceCheck::shared_access(Slot& slot, const Access& access) {
  if (slot.targets.any()) {
    if (const auto early = slot.targets.touch(access, slot.clock)) report_early(slot, access, *early);
  }
  const Site& site = site_of(access.pc);
  const Touch how = touch_of(access);
  Collision collision;
  if (slot.shared->touch(access, how, launch_.program->data().code, site.number - 1, slot.clock, collision))
    report_shared(slot, access, how, collision);
}

// What a strong access reads and leaves for others at its words.
void RaceCheck::synchronise(Slot& slot, const Access& access) {
  const Inst& inst = launch_.program->data().code[access.pc];
  const Ordering& order = inst.order;
  auto& offers = access.space == Space::Shared ? slot.offers : offers_;
  const bool reads = sim::reads(access.path), writes = sim::writes(access.path);
  const bool releases = writes && slot.clock.may_release(order);
  const bool observes = takes_data_ && access.space == Space::Global && reads && !inst.takes_data;
  const bool publishes = takes_data_ && access.space == Space::Global && writes;
  if (offers.empty() && !releases && !publishes) return;
  // A byte or a half is stored with the word around it.
  const auto word = [&](std::uint32_t lane) { return access.address[lane] & ~std::uint64_t{3}; };
  for (const std::uint32_t lane : lanes_of(access.mask)) {
    const auto there = offers.find(word(lane));
    // What it releases itself it may take along: it knows that already.
    if (observes && there != offers.end())
      slot.clock.observe_relaxed(access.place->warp, lane, there->second);
    if (releases || publishes) {
      Offer& offer = offers[word(lane)];
      if (publishes) slot.clock.publish_relaxed(access.place->warp, lane, reads, offer);
      slot.clock.release(access.place->warp, lane, order, reads, offer);
      if (reads) slot.clock.acquire(access.place->warp, lane, order, offer);
      continue;
    }
    if (reads && there != offers.end()) slot.clock.acquire(access.place->warp, lane, order, there->second);
    if (writes && !reads && there != offers.end()) offers.erase(there);
  }
}

// Initialising an mbarrier is a write; using it is an atomic.
void RaceCheck::engine(std::uint32_t index, const EngineEvent& event) {
  using Act = EngineEvent::Act;
  const bool asks =
      event.act == Act::Start && event.writes && !event.from_peer && event.barrier != EngineEvent::kNoBarrier;
  if (!asks && event.act != Act::Init && event.act != Act::Use) return;
  Slot& slot = *slots_[index];
  // Threads of other blocks come through the barrier of the cluster, or get a finding that they have not.
  if (slot.shared == nullptr || event.place->block_index != slot.clock.block()) return;
  const bool init = event.act == Act::Init;
  std::array<std::uint64_t, kWarpLanes> at{};
  at.fill(asks ? event.barrier : event.low);
  Access access;
  access.pc = event.pc;
  access.space = Space::Shared;
  access.path = init ? Path::SharedStore : Path::SharedAtomic;
  access.width_bytes = 8;
  access.mask = event.lanes;
  access.address = at.data();
  access.place = event.place;
  const Touch how = init ? Touch::Write : Touch::Atomic;
  const Site& site = site_of(event.pc);
  Collision collision;
  const auto hits = [&](Mask lanes) {
    access.mask = lanes;
    return slot.shared->touch(access, how, launch_.program->data().code, site.number - 1, slot.clock,
                              collision);
  };
  const std::tuple use(event.place->warp, event.pc, event.lanes, event.low);
  if (!init && slot.racing_uses.contains(use)) return;
  if (!hits(event.lanes)) return;
  if (!init) slot.racing_uses.insert(use);
  if (std::has_single_bit(event.lanes)) return report_shared(slot, access, how, collision);
  // Each thread that uses it is one finding. An atomic hides nothing from the next one.
  for (const std::uint32_t lane : lanes_of(event.lanes)) {
    if (hits(Mask{1} << lane)) report_shared(slot, access, how, collision);
  }
}

}  // namespace lab::sim
