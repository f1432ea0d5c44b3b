// What a block does between two barriers, while no two of its threads meet. See the header.
#include "common/sim/observe/race_kept.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "common/sim/base/lanes.h"
#include "common/sim/base/vec.h"

namespace lab::sim {
namespace {

constexpr unsigned kWordShift = 5;  // granules of a line
constexpr std::uint32_t kWordGranules = 1u << kWordShift;
constexpr int kMostOwn = 16;  // accesses of a warp in one phase that are compared

constexpr unsigned kParts = kWarpLanes / kVecLanes;

std::uint32_t any_bit_of(const Vec& v) {
  const std::uint64_t both = bits_of_all(v);
  return static_cast<std::uint32_t>(both | both >> 32);
}

bool meet(const KeptAccesses::Places& a, const KeptAccesses::Places& b) {
  bool any = false;
  const auto apart = static_cast<std::int32_t>(a.line - b.line);
  for (std::int32_t k = 0; k < 4; ++k) {
    const std::int32_t other = k + apart;
    if (other >= 0 && other < 4)
      any |= (a.words[static_cast<std::size_t>(k)] & b.words[static_cast<std::size_t>(other)]) != 0;
  }
  return any;
}

// Where they meet, it is the same lane that touches both.
bool meet_lane_by_lane(const KeptAccesses::Kept& a, const KeptAccesses::Kept& b) {
  const Mask both = a.mask & b.mask;
  if (!a.places.distinct || !b.places.distinct || a.width_bytes != b.width_bytes ||
      (both != a.mask && both != b.mask))
    return false;
  Vec differ{};
  for (unsigned part = 0; part < kWarpLanes / kVecLanes; ++part) {
    Vec one, other;
    load(one, a.address.data() + kVecLanes * part);
    load(other, b.address.data() + kVecLanes * part);
    differ |= (one ^ other) & lanes_of_bits(both, part);
  }
  return !any(differ);
}

}  // namespace

void KeptAccesses::forget() {
  if (++phase_ == 0) {
    std::fill(lines_.begin(), lines_.end(), Line{});
    phase_ = 1;
  }
  if (entered_ != 0) std::fill(last_of_warp_.begin(), last_of_warp_.end(), 0);
  count_ = entered_ = 0;
  values_.clear();
  complete_ = true;
  wrote_ = false;
}

void KeptAccesses::add(const Access& access, Order order) {
  if (count_ == list_.size()) list_.emplace_back();  // most blocks keep a few
  Kept& kept = list_[count_++];
  kept.pc = access.pc;
  kept.warp = access.place->warp;
  kept.mask = access.mask;
  kept.order = order;
  kept.width_bytes = access.width_bytes;
  kept.writes = sim::writes(access.path);
  kept.ramps = access.ramps();
  kept.has_values = access.value != nullptr;
  using Narrow = std::uint32_t __attribute__((vector_size(16)));
  for (std::size_t k = 0; k < kWarpLanes; k += 4) {
    Four at;
    std::memcpy(&at, access.address + k, sizeof at);
    const auto narrow = __builtin_convertvector(at, Narrow);
    std::memcpy(kept.address.data() + k, &narrow, sizeof narrow);
  }
  if (!kept.writes || !kept.has_values) return;
  kept.values = values_.size();
  values_.insert(values_.end(), access.value, access.value + std::size_t{kWarpLanes} * access.width_bytes);
}

bool KeptAccesses::keep(const Access& access, Order order) {
  if (full()) return false;
  const bool writes = sim::writes(access.path);
  if (!writes && !wrote_) {
    add(access, order);
    return true;
  }
  if (!wrote_ && !enter_reads()) return false;
  wrote_ = true;
  add(access, order);
  Kept& kept = list_[count_ - 1];
  if (find_places(kept) && (kept.places.distinct || !writes) && is_apart(kept)) {
    enter(kept, static_cast<std::uint32_t>(count_));
    entered_ = count_;
    return true;
  }
  --count_;
  return false;
}

// Reads alone, which collide with nothing.
bool KeptAccesses::enter_reads() {
  for (; entered_ < count_; ++entered_) {
    Kept& kept = list_[entered_];
    if (!find_places(kept)) return false;
    enter(kept, static_cast<std::uint32_t>(entered_ + 1));
  }
  return true;
}

// False: they lie too far from one another.
bool KeptAccesses::find_places(Kept& kept) const {
  const unsigned granules = std::max(1u, static_cast<unsigned>(kept.width_bytes) >> granule_shift_);
  if (kept.ramps.is_one_range(kept.mask, kept.width_bytes)) return find_run(kept, granules);
  const std::uint32_t first = kept.address[static_cast<std::size_t>(std::countr_zero(kept.mask))];
  if (find_lanes(kept, granules, first)) return true;
  std::uint32_t lowest = first;
  for (const std::size_t lane : lanes_of<std::size_t>(kept.mask))
    lowest = std::min(lowest, kept.address[lane]);
  return lowest != first && find_lanes(kept, granules, lowest);
}

bool KeptAccesses::find_run(Kept& kept, unsigned granules_a_lane) const {
  const std::uint32_t first =
      kept.address[static_cast<std::size_t>(std::countr_zero(kept.mask))] >> granule_shift_;
  std::uint32_t left = static_cast<std::uint32_t>(std::popcount(kept.mask)) * granules_a_lane;
  kept.places = {first >> kWordShift, {}, true};
  std::uint32_t at = first % kWordGranules;
  for (std::uint32_t& word : kept.places.words) {
    const std::uint32_t here = std::min(left, kWordGranules - at);
    word = here == 0 ? 0 : ~0u >> (kWordGranules - here) << at;
    left -= here;
    at = 0;
  }
  return left == 0;
}

// All lines from the one of address `from` on.
bool KeptAccesses::find_lanes(Kept& kept, unsigned granules_a_lane, std::uint32_t from) const {
  const std::uint32_t line = from >> granule_shift_ >> kWordShift;
  const std::uint32_t of_lane = granules_a_lane == 1 ? 1u : (1u << granules_a_lane) - 1;
  Vec word[kParts], bits[kParts], far{};
  for (unsigned part = 0; part < kParts; ++part) {
    Vec at;
    load(at, kept.address.data() + kVecLanes * part);
    const Vec acts = lanes_of_bits(kept.mask, part);
    const Vec behind = (at >> granule_shift_) - (line << kWordShift);
    word[part] = behind >> kWordShift;
    bits[part] = (acts & of_lane) << (behind & (kWordGranules - 1));
    far |= word[part] & acts;
  }
  if (any(far >> 2)) return false;
  kept.places.line = line;
  kept.places.words = {};
  int granules = 0;
  const std::uint32_t words = any(far >> 1) ? 4 : 2;
  for (std::uint32_t k = 0; k < words; ++k) {
    Vec v{};
    for (unsigned part = 0; part < kParts; ++part) v |= bits[part] & (Vec)(word[part] == k);
    kept.places.words[k] = any_bit_of(v);
    granules += std::popcount(kept.places.words[k]);
  }
  kept.places.distinct = granules == std::popcount(kept.mask) * static_cast<int>(granules_a_lane);
  return true;
}

KeptAccesses::Line& KeptAccesses::line_at(std::uint32_t number) {
  Line& line = lines_[number];
  if (line.phase != phase_) line = {0, 0, phase_, 0};
  return line;
}

// Places matter to a read only where another access wrote; to a store all do.
bool KeptAccesses::is_apart(const Kept& kept) {
  bool own = false;
  for (std::uint32_t k = 0; k < kept.places.words.size(); ++k) {
    if (kept.places.words[k] == 0) continue;
    const Line& line = line_at(kept.places.line + k);
    const std::uint32_t there = kept.writes ? line.reads | line.writes : line.writes;
    if ((kept.places.words[k] & there) == 0) continue;
    if (line.warp != kept.warp) return false;
    own = true;
  }
  return !own || is_apart_from_own(kept);
}

bool KeptAccesses::is_apart_from_own(const Kept& kept) const {
  std::uint32_t number = kept.warp < last_of_warp_.size() ? last_of_warp_[kept.warp] : 0;
  for (int left = kMostOwn; number != 0; --left) {
    if (left == 0) return false;
    const Kept& other = list_[number - 1];
    const bool may_collide = kept.writes || other.writes;
    if (may_collide && meet(kept.places, other.places) && !meet_lane_by_lane(kept, other)) return false;
    number = other.before;
  }
  return true;
}

void KeptAccesses::enter(Kept& kept, std::uint32_t number) {
  for (std::uint32_t k = 0; k < kept.places.words.size(); ++k) {
    if (kept.places.words[k] == 0) continue;
    Line& line = line_at(kept.places.line + k);
    line.warp = (line.reads | line.writes) == 0 || line.warp == kept.warp ? kept.warp : kSeveral;
    (kept.writes ? line.writes : line.reads) |= kept.places.words[k];
  }
  if (kept.warp >= last_of_warp_.size()) last_of_warp_.resize(kept.warp + 1, 0);
  kept.before = last_of_warp_[kept.warp];
  last_of_warp_[kept.warp] = number;
}

}  // namespace lab::sim
