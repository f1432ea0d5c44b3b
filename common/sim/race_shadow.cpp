// The memory of the race check, and the order of accesses.
//
// Enters: accesses. Leaves: collisions. Each access runs through two short loops over its granules, one that
// only looks and one that only stores; the compiler makes vectors of both when the granules are neighbours.
#include "common/sim/race_shadow.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace lab::sim {
namespace {

constexpr std::uint32_t kNumbers = 1u << (32 - kThreadBits);
constexpr std::uint32_t kMaxCells = kWarpLanes * 16;  // 16-byte accesses, 1-byte granules

std::uint32_t thread_of(Tag tag) { return tag & kThreadMask; }

}  // namespace

struct RaceShadow::Now {
  Tag barrier = 0;
  Tag warp = 0;  // the warp's last synchronisation, or the barrier if that is later
  const LaneTimes* lane_times = nullptr;
  // 1 when the access `earlier` is by another thread and not ordered before `mine`. Synchronisations of a
  // part of the warp are not looked at.
  [[nodiscard]] std::uint32_t unordered(Tag earlier, Tag mine) const {
    const Tag differ = (earlier ^ mine) & kThreadMask;
    const Tag since = differ < kWarpLanes ? warp : barrier;
    return static_cast<std::uint32_t>(differ != 0) & static_cast<std::uint32_t>(earlier >= since);
  }
  // The same, exactly.
  [[nodiscard]] bool collide(Tag earlier, Tag mine) const {
    if (unordered(earlier, mine) == 0) return false;
    if (lane_times == nullptr || ((earlier ^ mine) & kThreadMask) >= kWarpLanes) return true;
    return earlier >= (*lane_times)[mine % kWarpLanes][earlier % kWarpLanes];
  }
};

struct RaceShadow::Row {
  std::uint32_t first = 0, count = 0;
  Tag first_tag = 0;
  unsigned shift = 0;  // log2 of granules a lane
  static constexpr bool kDistinct = true;
  [[nodiscard]] std::uint32_t granule(std::uint32_t k) const { return first + k; }
  [[nodiscard]] Tag tag(std::uint32_t k) const { return first_tag + (k >> shift); }
};

struct RaceShadow::List {
  std::uint32_t count = 0;
  std::array<std::uint32_t, kMaxCells> granules;
  std::array<Tag, kMaxCells> tags;
  static constexpr bool kDistinct = false;
  [[nodiscard]] std::uint32_t granule(std::uint32_t k) const { return granules[k]; }
  [[nodiscard]] Tag tag(std::uint32_t k) const { return tags[k]; }

  List(const Access& access, Tag tag, unsigned granule_shift, std::uint32_t per_lane, Mask mask) {
    for (Mask rest = mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      const auto first = static_cast<std::uint32_t>(access.address[lane] >> granule_shift);
      for (std::uint32_t j = 0; j < per_lane; ++j, ++count) {
        granules[count] = first + j;
        tags[count] = tag + lane;
      }
    }
  }
};

RaceShadow::RaceShadow(std::uint32_t shared_bytes, std::uint32_t granule_bytes, std::uint32_t sites)
    : granule_bytes_(granule_bytes),
      granule_shift_(static_cast<std::uint32_t>(std::countr_zero(granule_bytes))) {
  const std::size_t granules = (shared_bytes + granule_bytes - 1) / granule_bytes;
  for (auto* tags : {&write_, &read_, &other_read_, &atomic_, &other_atomic_}) tags->assign(granules, 0);
  value_.assign(granules * granule_bytes, std::byte{0});
  add_sites(sites);
}

void RaceShadow::add_sites(std::uint32_t sites) { current_.resize(std::size_t{sites} * kMaxWarps, 0); }

void RaceShadow::barrier() {
  if (next_number_ > kNumbers / 2) return forget();  // all that is forgotten lies before the barrier
  barrier_ = next_number_ << kThreadBits;
  pcs_.clear();
  atomics_ = false;
}

void RaceShadow::forget() {
  for (auto* tags : {&write_, &read_, &other_read_, &atomic_, &other_atomic_, &current_}) {
    std::fill(tags->begin(), tags->end(), 0);
  }
  synced_.fill(0);
  renewed_.fill(0);
  for (auto& times : lane_times_) times.reset();
  next_number_ = 1;
  barrier_ = 1u << kThreadBits;
  pcs_.clear();
  atomics_ = false;
}

void RaceShadow::warp_sync(std::uint32_t warp, Mask mask) {
  const Tag now = next_number_ << kThreadBits;
  renewed_[warp] = now;
  if (mask == kFullMask) {
    synced_[warp] = now;
    return;
  }
  // Lanes of the mask learn from one another what each has seen, and see all that they did themselves.
  if (lane_times_[warp] == nullptr) lane_times_[warp] = std::make_unique<LaneTimes>();
  LaneTimes& times = *lane_times_[warp];
  std::array<Tag, kWarpLanes> merged{};
  for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane) {
    if ((mask >> lane & 1u) == 0) continue;
    for (std::uint32_t k = 0; k < kWarpLanes; ++k) merged[k] = std::max(merged[k], times[lane][k]);
  }
  for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane) {
    if ((mask >> lane & 1u) != 0) merged[lane] = now;
  }
  for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane) {
    if ((mask >> lane & 1u) != 0) times[lane] = merged;
  }
}

Tag RaceShadow::tag_of(std::uint32_t warp, std::uint32_t site, std::uint32_t pc) {
  Tag& current = current_[std::size_t{site} * kMaxWarps + warp];
  if (current >= std::max(barrier_, renewed_[warp])) return current;
  // Four million numbers between two barriers: only a kernel that synchronises its warps without end gets
  // here. What it did so far is forgotten; later collisions are still found.
  if (next_number_ == kNumbers) forget();
  pcs_.push_back(pc);
  current = (next_number_++ << kThreadBits) | (warp * kWarpLanes);
  return current;
}

bool RaceShadow::touch(const Access& access, Touch how, std::uint32_t site, Collision& collision) {
  const std::uint32_t warp = access.place->warp;
  const Tag tag = tag_of(warp, site, access.pc);
  const Now now{barrier_, std::max(barrier_, synced_[warp]), lane_times_[warp].get()};
  const unsigned lane_shift = static_cast<unsigned>(std::countr_zero<unsigned>(
                                  std::max<unsigned>(access.width_bytes, granule_bytes_))) -
                              granule_shift_;
  const auto first = static_cast<std::uint32_t>(std::countr_zero(access.mask));
  const Mask run = access.mask >> first;
  const auto run_cells = [&](const auto& cells) {
    if (how == Touch::Read) return read(cells, now, collision);
    if (how == Touch::Write) return write(cells, now, access, collision);
    return atomic(cells, now, collision);
  };
  if (access.affine && access.stride_bytes == access.width_bytes && (run & (run + 1)) == 0 &&
      access.width_bytes >= granule_bytes_) {
    const auto lanes = static_cast<std::uint32_t>(std::popcount(access.mask));
    return run_cells(Row{static_cast<std::uint32_t>(access.address[first] >> granule_shift_),
                         lanes << lane_shift, tag + first, lane_shift});
  }
  Mask mask = access.mask;
  if (how == Touch::Read && access.affine && access.stride_bytes == 0) {
    // All lanes read one place: two of them collide with whatever any of them collides with.
    mask = (1u << first) | (0x80000000u >> std::countl_zero(access.mask));
  }
  return run_cells(List(access, tag, granule_shift_, 1u << lane_shift, mask));
}

template <class Cells>
bool RaceShadow::read(const Cells& cells, const Now& now, Collision& collision) {
  Tag* const first = read_.data();
  const Tag *const writes = write_.data(), *const others = other_read_.data();
  std::uint32_t suspect = atomics_ ? 1 : 0;  // something to look at closely
  std::uint32_t news = 0;                    // readers that `read` must make room for
  std::uint32_t kept = 0;                    // readers that `read` must keep
  std::uint32_t room = 0;                    // `other_read` is free, or of the same warp as `read`
  for (std::uint32_t k = 0; k < cells.count; ++k) {
    const std::uint32_t g = cells.granule(k);
    const Tag mine = cells.tag(k);
    const std::uint32_t keep = now.unordered(first[g], mine);
    suspect |= now.unordered(writes[g], mine);
    kept |= keep;
    news |= keep ^ 1u;
    room |= (now.unordered(others[g], mine) ^ 1u) |
            static_cast<std::uint32_t>(((others[g] ^ first[g]) & kThreadMask) < kWarpLanes);
  }
  if (suspect != 0 && collides(cells, now, Touch::Read, nullptr, collision)) return true;
  if (kept == 0) {
    for (std::uint32_t k = 0; k < cells.count; ++k) first[cells.granule(k)] = cells.tag(k);
    if constexpr (!Cells::kDistinct) remember_duplicates(cells, now);
  } else if (news != 0 || room != 0) {
    for (std::uint32_t k = 0; k < cells.count; ++k) {
      const std::uint32_t g = cells.granule(k);
      remember(first[g], other_read_[g], cells.tag(k), now);
    }
  }
  return false;
}

void RaceShadow::remember(Tag& first, Tag& other, Tag mine, const Now& now) {
  if (now.unordered(first, mine) == 0) {
    first = mine;
  } else if (now.unordered(other, mine) == 0 || ((other ^ first) & kThreadMask) < kWarpLanes) {
    other = mine;
  }
}

// Lanes that read a granule in one instruction: `read` holds the last of them, `other_read` takes one more.
void RaceShadow::remember_duplicates(const List& cells, const Now& now) {
  for (std::uint32_t k = 0; k < cells.count; ++k) {
    const std::uint32_t g = cells.granule(k);
    if (read_[g] != cells.tag(k) && now.unordered(other_read_[g], cells.tag(k)) == 0)
      other_read_[g] = cells.tag(k);
  }
}

template <class Cells>
bool RaceShadow::write(const Cells& cells, const Now& now, const Access& access, Collision& collision) {
  Tag* const writes = write_.data();
  const Tag *const reads = read_.data(), *const others = other_read_.data();
  std::uint32_t suspect = atomics_ ? 1 : 0;
  for (std::uint32_t k = 0; k < cells.count; ++k) {
    const std::uint32_t g = cells.granule(k);
    const Tag mine = cells.tag(k);
    suspect |=
        now.unordered(writes[g], mine) | now.unordered(reads[g], mine) | now.unordered(others[g], mine);
  }
  if (suspect != 0 && collides(cells, now, Touch::Write, &access, collision)) return true;
  for (std::uint32_t k = 0; k < cells.count; ++k) writes[cells.granule(k)] = cells.tag(k);
  if constexpr (Cells::kDistinct) {
    if (access.value != nullptr) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(access.mask));
      std::memcpy(&value_[access.address[lane]], access.value + std::size_t{lane} * access.width_bytes,
                  std::size_t{cells.count} * granule_bytes_);
    }
    return false;
  } else {
    if (differing_duplicates(cells, access, collision)) return true;
    for (Mask rest = access.value == nullptr ? 0 : access.mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      std::memcpy(&value_[access.address[lane]], access.value + std::size_t{lane} * access.width_bytes,
                  access.width_bytes);
    }
    return false;
  }
}

template <class Cells>
bool RaceShadow::atomic(const Cells& cells, const Now& now, Collision& collision) {
  if (collides(cells, now, Touch::Atomic, nullptr, collision)) return true;
  for (std::uint32_t k = 0; k < cells.count; ++k) {
    const std::uint32_t g = cells.granule(k);
    remember(atomic_[g], other_atomic_[g], cells.tag(k), now);
  }
  atomics_ = true;
  return false;
}

// The bytes of a granule in the value that a lane stores.
const std::byte* RaceShadow::stored(const Access& store, std::uint32_t lane, std::uint32_t granule) const {
  const std::uint64_t into_lane = (std::uint64_t{granule} << granule_shift_) - store.address[lane];
  return store.value + std::size_t{lane} * store.width_bytes + into_lane;
}

bool RaceShadow::differing_duplicates(const List& cells, const Access& store, Collision& collision) const {
  std::uint32_t overwritten = 0;
  for (std::uint32_t k = 0; k < cells.count; ++k) {
    overwritten |= static_cast<std::uint32_t>(write_[cells.granule(k)] != cells.tag(k));
  }
  for (std::uint32_t k = 0; overwritten != 0 && k < cells.count; ++k) {
    const std::uint32_t g = cells.granule(k);
    const Tag mine = cells.tag(k), winner = write_[g];
    if (winner == mine) continue;
    if (store.value != nullptr && std::memcmp(stored(store, mine % kWarpLanes, g),
                                              stored(store, winner % kWarpLanes, g), granule_bytes_) == 0) {
      continue;
    }
    collision = {mine % kWarpLanes, g, Touch::Write, thread_of(winner), store.pc, true};
    return true;
  }
  return false;
}

template <class Cells>
bool RaceShadow::collides(const Cells& cells, const Now& now, Touch how, const Access* store,
                          Collision& collision) const {
  for (std::uint32_t k = 0; k < cells.count; ++k) {
    const std::uint32_t g = cells.granule(k);
    const Tag mine = cells.tag(k);
    const auto found = [&](Tag earlier, Touch touch) {
      if (!now.collide(earlier, mine)) return false;
      const std::uint32_t pc = pcs_[(earlier >> kThreadBits) - (barrier_ >> kThreadBits)];
      collision = {mine % kWarpLanes, g, touch, thread_of(earlier), pc, false};
      return true;
    };
    const bool harmless = store != nullptr && store->value != nullptr &&
                          std::memcmp(stored(*store, mine % kWarpLanes, g),
                                      &value_[std::size_t{g} << granule_shift_], granule_bytes_) == 0;
    if (!harmless && found(write_[g], Touch::Write)) return true;
    if (how != Touch::Read && (found(read_[g], Touch::Read) || found(other_read_[g], Touch::Read)))
      return true;
    if (atomics_ && how != Touch::Atomic &&
        (found(atomic_[g], Touch::Atomic) || found(other_atomic_[g], Touch::Atomic))) {
      return true;
    }
  }
  return false;
}

}  // namespace lab::sim
