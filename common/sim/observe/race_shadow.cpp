// The memory of the race check, and the order of accesses.
//
// Enters: accesses. Leaves: collisions. Each access runs through two short loops over its granules, eight at
// a time: one only looks, one only stores. When the look finds something, a slow loop, one granule at a time,
// decides.
#include "common/sim/observe/race_shadow.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "common/sim/base/lanes.h"
#include "common/sim/base/vec.h"
#include "common/sim/observe/race_cells.h"
#include "common/sim/observe/race_order.h"

namespace lab::sim {
RaceShadow::RaceShadow(std::uint32_t shared_bytes, std::uint32_t granule_bytes, std::uint32_t sites)
    : granule_bytes_(granule_bytes),
      granule_shift_(static_cast<std::uint32_t>(std::countr_zero(granule_bytes))),
      kept_((shared_bytes + granule_bytes - 1) / granule_bytes, granule_shift_) {
  const std::size_t granules = (shared_bytes + granule_bytes - 1) / granule_bytes;
  for (auto* tags : {&write_, &read_, &other_read_, &atomic_, &other_atomic_}) tags->assign(granules, 0);
  value_.assign(granules * granule_bytes, std::byte{0});
  add_sites(sites);
}

void RaceShadow::add_sites(std::uint32_t sites) { current_.resize(std::size_t{sites} * kMaxWarps, 0); }

void RaceShadow::barrier(const BlockClock& clock) {
  kept_.forget();
  if (clock.next() - base_ > kNumbers / 2) return forget(clock);  // all that is forgotten lies before it
  atomics_ = false;
  others_ = false;
}

bool RaceShadow::touch(const Access& access, Touch how, const std::vector<Inst>& code, std::uint32_t site,
                       BlockClock& clock, Collision& collision) {
  const std::uint32_t warp = access.place->warp;
  const Tag tag = tag_of(warp, site, access.pc, clock);
  const KeptAccesses::Order order{tag, as_tag(clock.floor(warp)), as_tag(clock.warp_floor(warp))};
  if (kept_.complete() && how != Touch::Atomic && kept_.keep(access, order)) return false;
  const Now now{
      order.floor, order.warp_floor, &clock, base_, &code, access.pc, code[access.pc].order.is_volatile};
  if (!kept_.complete() && is_late(how, now)) {
    kept_.add(access, order);
    if (kept_.full()) put_down_kept(code, clock);
    return false;
  }
  put_down_kept(code, clock);
  return look(access, how, tag, now, collision);
}

bool RaceShadow::look(const Access& access, Touch how, Tag tag, Now now, Collision& collision) {
  now.no_writes = newest_write_ < std::min(now.floor, now.warp_floor);
  now.no_reads = newest_read_ < std::min(now.floor, now.warp_floor);
  Tag& newest = how == Touch::Read ? newest_read_ : newest_write_;
  newest = std::max(newest, tag | kThreadMask);
  const unsigned width = std::max<unsigned>(access.width_bytes, granule_bytes_);
  const unsigned shift = static_cast<unsigned>(std::countr_zero(width)) - granule_shift_;
  const auto first = static_cast<std::uint32_t>(std::countr_zero(access.mask));
  const auto touched = [&](const auto& cells) {
    if (how == Touch::Read) return read(cells, now, collision);
    if (how == Touch::Write) return write(cells, now, access, collision);
    return atomic(cells, now, collision);
  };
  const std::uint32_t count = static_cast<std::uint32_t>(std::popcount(access.mask)) << shift;
  if (access.is_one_range(access.mask, width) && count >= kVecLanes) {
    const auto granule = static_cast<std::uint32_t>(access.address[first] >> granule_shift_);
    return touched(Row{granule, count, tag + first, shift});
  }
  Mask mask = access.mask;
  if (how == Touch::Read && access.affine && access.stride_bytes == 0) {
    // All lanes read one place: two of them collide with whatever any of them collides with.
    mask = (1u << first) | (0x80000000u >> std::countl_zero(access.mask));
  }
  return with_constant(std::size_t{1} << shift, [&](auto per_lane) {
    return touched(List<static_cast<unsigned>(per_lane())>(access, tag, granule_shift_, mask));
  });
}

// Adds where plain reads and writes may be unordered, and where atomics may be.
template <class Eights, class Cells>
void RaceShadow::add_plain(Eights& suspect, const Cells& cells, std::uint32_t group, const Eights& mine,
                           const Now& now) const {
  Eights writer, reader, other;
  if (!now.no_writes) {
    cells.load(writer, write_.data(), group);
    suspect |= now.unordered(writer, mine);
  }
  if (now.no_reads) return;
  cells.load(reader, read_.data(), group);
  suspect |= now.unordered(reader, mine);
  if (!others_) return;
  cells.load(other, other_read_.data(), group);
  suspect |= now.unordered(other, mine);
}

template <class Eights, class Cells>
void RaceShadow::add_atomics(Eights& suspect, const Cells& cells, std::uint32_t group, const Eights& mine,
                             const Now& now) const {
  Eights one, other;
  cells.load(one, atomic_.data(), group);
  cells.load(other, other_atomic_.data(), group);
  suspect |= now.unordered(one, mine) | now.unordered(other, mine);
}

template <class Eights>
bool RaceShadow::is_suspect(const Eights& suspect) {
  const bool is = any(suspect);
  is_calm_ = is_calm_ && !is;
  return is;
}

template <class Cells>
bool RaceShadow::read(const Cells& cells, const Now& now, Collision& collision) {
  Vec suspect{};  // something to look at closely
  Vec kept{};     // readers that `read` must keep
  Vec news{};     // readers that `read` or `other_read` must make room for
  for (std::uint32_t group = 0; group < cells.groups(); ++group) {
    Vec mine, writer, reader, other;
    cells.tags(mine, group);
    cells.load(writer, write_.data(), group);
    cells.load(reader, read_.data(), group);
    const Vec keep = now.unordered(reader, mine);
    suspect |= now.unordered(writer, mine);
    if (atomics_) add_atomics(suspect, cells, group, mine, now);
    kept |= keep;
    if (!others_) {
      news |= ~Vec{};
      continue;
    }
    cells.load(other, other_read_.data(), group);
    const Vec of_one_warp = (Vec)(((other ^ reader) & kThreadMask) < kWarpLanes);
    news |= ~keep | ~now.unordered(other, mine) | of_one_warp;
  }
  const bool hit = is_suspect(suspect) && collides(cells, now, Touch::Read, nullptr, collision);
  if (!any(kept)) {
    put_tags(read_.data(), cells);
    if (!cells.distinct && !holds_tags(read_.data(), cells)) remember_duplicates(cells, now);
  } else if (any(news)) {
    for (std::uint32_t k = 0; k < cells.count; ++k) {
      const std::uint32_t g = cells.granule(k);
      remember(read_[g], other_read_[g], cells.tag(k), now);
    }
    others_ = true;
  }
  return hit;
}

template <class Cells>
void RaceShadow::put_tags(Tag* to, const Cells& cells) {
  const std::uint32_t groups = cells.groups();
  for (std::uint32_t group = 0; group < groups; ++group) {
    Vec mine;
    cells.tags(mine, group);
    cells.store(to, group, mine);
  }
}

// False when a later lane of the same access has overwritten a tag.
template <class Cells>
bool RaceShadow::holds_tags(const Tag* in, const Cells& cells) {
  Vec differ{};
  for (std::uint32_t group = 0; group < cells.groups(); ++group) {
    Vec mine, there;
    cells.tags(mine, group);
    cells.load(there, in, group);
    differ |= mine ^ there;
  }
  return !any(differ);
}

void RaceShadow::remember(Tag& first, Tag& other, Tag mine, const Now& now) {
  if (!now.unordered(first, mine)) {
    first = mine;
  } else if (!now.unordered(other, mine) || ((other ^ first) & kThreadMask) < kWarpLanes) {
    other = mine;
  }
}

// Lanes that read a granule in one instruction: `read` holds the last of them, `other_read` takes one more.
template <class Cells>
void RaceShadow::remember_duplicates(const Cells& cells, const Now& now) {
  for (std::uint32_t k = 0; k < cells.count; ++k) {
    const std::uint32_t g = cells.granule(k);
    if (read_[g] != cells.tag(k) && !now.unordered(other_read_[g], cells.tag(k)))
      other_read_[g] = cells.tag(k);
    others_ = true;
  }
}

template <class Cells>
bool RaceShadow::write(const Cells& cells, const Now& now, const Access& access, Collision& collision) {
  Vec suspect{};
  for (std::uint32_t group = 0; group < cells.groups(); ++group) {
    Vec mine;
    cells.tags(mine, group);
    add_plain(suspect, cells, group, mine, now);
    if (atomics_) add_atomics(suspect, cells, group, mine, now);
  }
  bool hit = is_suspect(suspect) && collides(cells, now, Touch::Write, &access, collision);
  put_tags(write_.data(), cells);
  if constexpr (Cells::kDistinct) {
    if (access.value != nullptr) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(access.mask));
      std::memcpy(&value_[access.address[lane]], access.value + std::size_t{lane} * access.width_bytes,
                  std::size_t{cells.count} * granule_bytes_);
    }
  } else {
    if (!cells.distinct && !holds_tags(write_.data(), cells)) {
      is_calm_ = false;
      hit = hit || differing_duplicates(cells, access, collision);
    }
    keep_values(access);
  }
  return hit;
}

void RaceShadow::keep_values(const Access& store) {
  if (store.value == nullptr) return;
  with_constant(store.width_bytes, [&](auto bytes) {  // a copy is one instruction then, not a call
    for (const std::uint32_t lane : lanes_of(store.mask)) {
      std::memcpy(&value_[store.address[lane]], store.value + std::size_t{lane} * bytes, bytes);
    }
  });
}

template <class Cells>
bool RaceShadow::atomic(const Cells& cells, const Now& now, Collision& collision) {
  Vec suspect{};
  for (std::uint32_t group = 0; group < cells.groups(); ++group) {
    Vec mine;
    cells.tags(mine, group);
    add_plain(suspect, cells, group, mine, now);
  }
  const bool hit = is_suspect(suspect) && collides(cells, now, Touch::Atomic, nullptr, collision);
  note_tests(cells, now);
  if (atomics_ && remembers(cells, now)) return hit;
  for (std::uint32_t k = 0; k < cells.count; ++k) {
    const std::uint32_t g = cells.granule(k);
    remember(atomic_[g], other_atomic_[g], cells.tag(k), now);
  }
  atomics_ = true;
  return hit;
}

// `remember` would leave the atomics of all these granules as they are.
template <class Cells>
bool RaceShadow::remembers(const Cells& cells, const Now& now) const {
  Vec news{};
  for (std::uint32_t group = 0; group < cells.groups(); ++group) {
    Vec mine, one, other;
    cells.tags(mine, group);
    cells.load(one, atomic_.data(), group);
    cells.load(other, other_atomic_.data(), group);
    const Vec keeps = now.unordered(one, mine);
    const Vec of_one_warp = (Vec)(((other ^ one) & kThreadMask) < kWarpLanes);
    news |= (~keeps & (one ^ mine)) | (keeps & (~now.unordered(other, mine) | of_one_warp) & (other ^ mine));
  }
  return !any(news);
}

// The bytes of a granule in the value that a lane stores.
const std::byte* RaceShadow::stored(const Access& store, std::uint32_t lane, std::uint32_t granule) const {
  const std::uint64_t into_lane = (std::uint64_t{granule} << granule_shift_) - store.address[lane];
  return store.value + std::size_t{lane} * store.width_bytes + into_lane;
}

template <class Cells>
bool RaceShadow::differing_duplicates(const Cells& cells, const Access& store, Collision& collision) const {
  for (std::uint32_t k = 0; k < cells.count; ++k) {
    const std::uint32_t g = cells.granule(k);
    const Tag mine = cells.tag(k), winner = write_[g];
    if (winner == mine) continue;
    if (store.value != nullptr && std::memcmp(stored(store, mine % kWarpLanes, g),
                                              stored(store, winner % kWarpLanes, g), granule_bytes_) == 0) {
      continue;
    }
    collision = {mine % kWarpLanes, g, Touch::Write, thread_of_tag(winner), store.pc, true};
    return true;
  }
  return false;
}

// Two strong accesses do not race. Lanes of one warp that pass values through volatile memory without
// __syncwarp rely on running in step, which nothing promises: they do. Not so a lane that watches a flag
// until another lane has set it.
bool RaceShadow::both_strong(const Now& now, Touch how, Tag mine, Tag earlier, Touch touch) const {
  const Inst& before = (*now.code)[now.clock->pc_of(base_ + (earlier >> kThreadBits))];
  const bool was_volatile = before.order.is_volatile;
  if (now.is_volatile && was_volatile) {
    const bool watched = (how == Touch::Read && !(*now.code)[now.pc].takes_data) ||
                         (touch == Touch::Read && !before.takes_data);
    return watched || ((mine ^ earlier) & kThreadMask) >= kWarpLanes;
  }
  return (now.is_volatile || how == Touch::Atomic) && (was_volatile || touch == Touch::Atomic);
}

// Plain tests that an atomic behind them repeats (global_meet.cpp has the same for global memory).
template <class Cells>
void RaceShadow::note_tests(const Cells& cells, const Now& now) {
  const auto tests = [&](std::uint32_t pc) {
    return (*now.code)[pc].tests_atomic && (*now.code)[pc].checked_by_cas;
  };
  tested_ = tested_ || tests(now.pc);
  if (!tested_) return;
  for (std::uint32_t k = 0; k < cells.count; ++k) {
    for (const Tag earlier : {atomic_[cells.granule(k)], other_atomic_[cells.granule(k)]}) {
      if (!now.collide(earlier, cells.tag(k))) continue;
      const std::uint32_t other = now.clock->pc_of(base_ + (earlier >> kThreadBits));
      if (tests(now.pc) && !tests(other)) tests_.note(now.pc, other);
      if (tests(other) && !tests(now.pc)) tests_.note(other, now.pc);
    }
  }
}

template <class Cells>
bool RaceShadow::collides(const Cells& cells, const Now& now, Touch how, const Access* store,
                          Collision& collision) const {
  bool hit = false, wide = false;  // wide: with another warp
  for (std::uint32_t k = 0; k < cells.count && !wide; ++k) {
    const std::uint32_t g = cells.granule(k);
    const Tag mine = cells.tag(k);
    const auto look = [&](Tag earlier, Touch touch) {
      if (wide || !now.collide(earlier, mine) || both_strong(now, how, mine, earlier, touch)) return;
      wide = ((mine ^ earlier) & kThreadMask) >= kWarpLanes;
      if (hit && !wide) return;
      hit = true;
      const std::uint32_t pc = now.clock->pc_of(now.base + (earlier >> kThreadBits));
      collision = {mine % kWarpLanes, g, touch, thread_of_tag(earlier), pc, false};
    };
    const bool harmless = store != nullptr && store->value != nullptr &&
                          std::memcmp(stored(*store, mine % kWarpLanes, g),
                                      &value_[std::size_t{g} << granule_shift_], granule_bytes_) == 0;
    if (!harmless) look(write_[g], Touch::Write);
    if (how != Touch::Read) {
      look(read_[g], Touch::Read);
      look(other_read_[g], Touch::Read);
    }
    if (atomics_ && how != Touch::Atomic) {
      look(atomic_[g], Touch::Atomic);
      look(other_atomic_[g], Touch::Atomic);
    }
  }
  return hit;
}

}  // namespace lab::sim
