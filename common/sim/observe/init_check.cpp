// The check of uninitialised reads.
//
// Enters: accesses. Leaves: marks for writes, FaultError for reads of unmarked memory.
#include "common/sim/observe/init_check.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>
#include <utility>

#include "common/sim/base/lanes.h"
#include "common/sim/observe/changed_parts.h"
#include "common/sim/observe/init_marks.h"
#include "common/sim/program/program_data.h"

namespace lab::sim {
namespace {

// The first byte that lanes touch, and the one behind the last.
std::pair<std::uint64_t, std::uint64_t> ends_of(const Access& access) {
  const auto first = static_cast<unsigned>(std::countr_zero(access.mask));
  const auto last = 31u - static_cast<unsigned>(std::countl_zero(access.mask));
  std::uint64_t low = std::min(access.address[first], access.address[last]);
  std::uint64_t high = std::max(access.address[first], access.address[last]);
  constexpr Mask kMiddle = Mask{3} << (kHalfWarp - 1);
  for (const std::uint32_t lane : lanes_of(access.affine ? 0 : access.halves ? kMiddle : access.mask)) {
    low = std::min(low, access.address[lane]);
    high = std::max(high, access.address[lane]);
  }
  return {low, high + access.width_bytes};
}

bool inside(const Allocation* a, std::uint64_t address, std::uint64_t size_bytes) {
  if (a == nullptr) return false;
  const std::uint64_t offset = address - a->base;
  return offset <= a->size_bytes && size_bytes <= a->size_bytes - offset;
}

}  // namespace

std::unique_ptr<Observer> InitCheck::clone() const { return std::make_unique<InitCheck>(memory_); }

void InitCheck::launch_begin(const LaunchInfo& info) {
  launch_ = info;
  launch_.shared_bytes = (launch_.shared_bytes + 3) / 4 * 4;  // a word may be swapped around the last byte
  granule_shift_ = static_cast<unsigned>(std::countr_zero(std::max(1u, info.smallest_shared_access_bytes)));
  slots_.clear();
  last_.assign(info.program->instruction_count(), nullptr);
  last_low_.assign(info.program->instruction_count(), 0);
}

void InitCheck::block_begin(std::uint32_t slot, const WarpPlace& /*place*/) {
  if (slot >= slots_.size()) slots_.resize(slot + 1);
  Slot& s = slots_[slot];
  s.synchronised = false;
  s.whole = 0;
  s.passed_on.clear();
  s.passed_on_global.clear();
  for (std::vector<Mask>& words : s.local) std::fill(words.begin(), words.end(), 0);
  if (++s.block == 0 || s.written_by.empty()) {
    s.written_by.assign((launch_.shared_bytes + (1u << granule_shift_) - 1) >> granule_shift_, 0);
    s.block = 1;
  }
}

// Mostly a block fills its shared memory before its first barrier. What is written stays so, unless what is
// stored has no value.
void InitCheck::synchronise(Slot& slot) {
  constexpr std::size_t kStep = 32;
  slot.synchronised = true;
  const std::vector<std::uint8_t>& marks = slot.written_by;
  while (slot.whole < marks.size()) {
    const std::size_t step = std::min(kStep, marks.size() - slot.whole);
    if (!all_equal(marks.data() + slot.whole, step, slot.block)) return;
    slot.whole += step;
  }
}

// Buffers that were written as a whole, as long as they are: they carry no marks, or the launch only reads them, or
// nothing has been stored there that has no value.
Beginnings InitCheck::ignored_range(std::uint32_t /*pc*/, Space space, std::uint32_t width_bytes,
                                    std::uint64_t at) {
  const Allocation* a = space == Space::Global ? memory_.find(at, width_bytes) : nullptr;
  const auto changes = [&] {
    const std::vector<std::uint64_t>& list = launch_.may_write;
    return !launch_.knows_written || std::find(list.begin(), list.end(), a->base) != list.end();
  };
  if (a == nullptr || !a->is_whole()) return {};
  Beginnings all = beginnings_in(a->base, a->size_bytes, width_bytes);
  if (a->written != nullptr && changes()) all.while_set = &a->whole();
  return all;
}

void InitCheck::access(std::uint32_t slot, const Access& access) {
  if (access.old_value != nullptr) return updated(slot, access);
  by_space(slot, access);
}

[[gnu::noinline]] void InitCheck::updated(std::uint32_t slot, const Access& access) {
  if (may_be_narrow(access)) return swap_part(slots_[slot], access);
  by_space(slot, access);
}

inline void InitCheck::by_space(std::uint32_t slot, const Access& access) {
  if (access.space == Space::Shared || access.space == Space::Cluster) {
    const bool reserved =
        launch_.reserved_at != 0 && access.address[std::countr_zero(access.mask)] >= launch_.reserved_at;
    if (!reserved) shared(slots_[slot], access);
  } else if (access.space == Space::Global) {
    global(slots_[slot], access);
  } else if (access.space == Space::Local) {
    local(slots_[slot], access);
  }
}

// Whether the access may mean a part of what it touches, of which others may have no value.
[[gnu::noinline]] bool InitCheck::may_be_narrow(const Access& access) const {
  const std::uint32_t least = access.space == Space::Global ? launch_.smallest_global_access_bytes
                                                            : launch_.smallest_shared_access_bytes;
  return launch_.program->data().code[access.pc].may_be_narrow && least != 0 && access.width_bytes > least;
}

// What it changes it writes. That it reads the rest means nothing, nor what it takes the place of: a store of
// a byte is such a swap too.
[[gnu::noinline]] void InitCheck::swap_part(Slot& slot, const Access& access) {
  Access whole = access;
  const auto write = [&](Access part) {
    whole.mask &= ~part.mask;
    part.undefined = nullptr;
    part.path = access.space == Space::Global ? Path::GlobalStore : Path::SharedStore;
    if (access.space == Space::Global) return global(slot, part);
    if (access.space != Space::Local) shared(slot, part);
  };
  for_changed_parts(access, 1, write);
  if (whole.mask != 0) write(whole);
}

bool InitCheck::needs_values(const Access& access) const {
  return sim::reads(access.path) && !launch_.program->data().code[access.pc].only_stores;
}

void InitCheck::frame(std::uint32_t slot, std::uint32_t warp, Mask lanes, const LocalFrame& made) {
  std::vector<std::vector<Mask>>& local = slots_[slot].local;
  if (local.size() <= warp) local.resize(warp + 1);
  std::vector<Mask>& words = local[warp];
  const std::size_t last = (std::size_t{made.low} + made.bytes + 3) / 4;
  if (words.size() < last) words.resize(last);
  for (std::size_t word = (made.low + (made.holds_arguments ? 0 : 3)) / 4; word < last; ++word)
    words[word] = made.holds_arguments ? words[word] | lanes : words[word] & ~lanes;
}

void InitCheck::local(Slot& slot, const Access& access) const {
  if (slot.local.size() <= access.place->warp) slot.local.resize(access.place->warp + 1);
  std::vector<Mask>& words = slot.local[access.place->warp];
  const bool writes = sim::writes(access.path);
  // Which of these lanes read what they have not written, all from the same place.
  const auto look = [&](std::uint64_t at, Mask lanes) {
    const std::uint64_t last = (at + access.width_bytes - 1) / 4;
    if (last >= words.size()) words.resize(last + 1);
    Mask missing = 0;
    for (std::uint64_t word = at / 4; word <= last; ++word) {
      missing |= lanes & ~words[word];
      if (writes) words[word] |= lanes;
    }
    return writes ? 0 : missing;
  };
  Mask missing = 0;
  if (access.affine && access.stride_bytes == 0)
    missing = look(access.address[std::countr_zero(access.mask)], access.mask);
  else
    for (const std::uint32_t lane : lanes_of(access.mask)) missing |= look(access.address[lane], 1u << lane);
  for (const std::uint32_t lane : lanes_of(missing)) {
    std::array<std::uint8_t, UndefinedRead::kMostLaneBytes> written{};
    const std::uint64_t first = access.address[lane] / 4;
    for (std::uint64_t word = first; word <= (access.address[lane] + access.width_bytes - 1) / 4; ++word)
      written.at(word - first) = static_cast<std::uint8_t>(words[word] >> lane & 1u);
    if (access.undefined == nullptr) throw FaultError(local_fault(access, lane));
    carry(access, lane, written.data(), 1, 4, [&] { return local_fault(access, lane); });
  }
  if (!writes) return;
  for_valueless(access, 4, [&](std::uint32_t lane, std::size_t k) {
    words[(access.address[lane] + k) / 4] &= ~(Mask{1} << lane);
  });
}

void InitCheck::pass_on(Slot& slot, const Access& access) const {
  if (access.undefined == nullptr || access.undefined->source == nullptr) return;
  const auto source = std::make_shared<const Fault>(*access.undefined->source);
  for (const int lane : lanes_of<int>(access.mask & access.undefined->lanes)) {
    const std::uint64_t first = access.address[lane];
    for (std::uint64_t k = first; k < first + access.width_bytes; k += std::uint64_t{1} << granule_shift_)
      slot.passed_on[k >> granule_shift_] = source;
  }
}

// A block that copies many structs with their padding notes the first few of it.
void InitCheck::pass_on_global(Slot& slot, const Access& access) const {
  constexpr std::size_t kMost = 256;
  if (access.undefined == nullptr || access.undefined->source == nullptr) return;
  const auto source = std::make_shared<const Fault>(*access.undefined->source);
  for_valueless(access, 1, [&](std::uint32_t lane, std::size_t k) {
    if (slot.passed_on_global.size() < kMost) slot.passed_on_global[access.address[lane] + k] = source;
  });
}

// A matrix takes rows along that no lane may need: stored without a value they follow it, never stored they are a hole
// in the tile.
bool InitCheck::holds_stored(const Slot& slot, std::uint64_t address, std::size_t granules) const {
  const std::uint64_t first = address >> granule_shift_;
  for (std::uint64_t at = first; at < first + granules; ++at)
    if (slot.written_by[at] != slot.block && !slot.passed_on.contains(at)) return false;
  return true;
}

void InitCheck::shared(Slot& slot, const Access& access) const {
  const bool gives_up = access.undefined != nullptr && access.undefined->lanes != 0;
  if (slot.whole == slot.written_by.size() && !gives_up) return;
  if (gives_up) slot.whole = 0;
  const bool reads = needs_values(access), writes = sim::writes(access.path);
  const auto first = static_cast<unsigned>(std::countr_zero(access.mask));
  std::uint8_t* const marks = slot.written_by.data();
  const auto give_up = [&] {
    pass_on(slot, access);
    take_back(access, std::size_t{1} << granule_shift_, static_cast<std::uint8_t>(slot.block - 1),
              [&](std::uint32_t lane) { return marks + (access.address[lane] >> granule_shift_); });
  };
  if (access.is_one_range(access.mask, access.width_bytes)) {
    const std::size_t bytes = static_cast<std::size_t>(std::popcount(access.mask)) * access.width_bytes;
    std::uint8_t* const range = marks + (access.address[first] >> granule_shift_);
    const std::size_t count = std::max<std::size_t>(1, bytes >> granule_shift_);
    if (!reads || all_equal(range, count, slot.block)) {
      if (writes) {
        std::memset(range, slot.block, count);
        give_up();
      }
      return;
    }
  }
  with_constant(std::max<std::size_t>(1, access.width_bytes >> granule_shift_), [&](auto per_lane) {
    // One question for all lanes; only a wrong answer asks which.
    if (reads && access.mask == kFullMask && per_lane == 1) {
      std::uint8_t differ = 0;
      const auto look = [&](std::uint64_t granule) {
        differ |= static_cast<std::uint8_t>(marks[granule] ^ slot.block);
      };
      const std::int64_t step = access.stride_bytes >> granule_shift_;
      if (access.affine && step << granule_shift_ == access.stride_bytes) {
        const std::uint64_t start = access.address[0] >> granule_shift_;
        for (std::uint64_t k = 0; k < kWarpLanes; ++k) look(start + k * static_cast<std::uint64_t>(step));
      } else {
        for (const std::uint64_t at : std::span(access.address, kWarpLanes)) look(at >> granule_shift_);
      }
      if (differ == 0 && !writes) return;
    }
    for (const std::uint32_t lane : lanes_of(reads ? access.mask : 0)) {
      const std::uint8_t* const own = marks + (access.address[lane] >> granule_shift_);
      if (lane_has<per_lane>(own, slot.block) || may_be_narrow(access)) continue;
      const bool follows =
          access.undefined != nullptr &&
          (access.path != Path::SharedMatrixLoad || holds_stored(slot, access.address[lane], per_lane));
      if (!follows) report_shared(access, lane, own, slot);
      carry(access, lane, own, slot.block, std::size_t{1} << granule_shift_,
            [&] { return shared_fault(access, lane, own, slot); });
    }
    for (const int lane : lanes_of<int>(writes ? access.mask : 0)) {
      std::memset(marks + (access.address[lane] >> granule_shift_), slot.block, per_lane);
    }
  });
  if (writes) give_up();
}

const Allocation* InitCheck::allocation_of(const Access& access, std::uint64_t address,
                                           std::uint64_t size_bytes) {
  const Allocation*& last = last_[access.pc];
  if (!inside(last, address, size_bytes)) {
    if (const Allocation* found = memory_.find(address, size_bytes)) {
      last = found;
    } else {
      return nullptr;
    }
  }
  return last;
}

void InitCheck::global(Slot& slot, const Access& access) {
  const bool reads = needs_values(access), writes = sim::writes(access.path);
  const std::uint64_t width = access.width_bytes;
  const std::pair<std::uint64_t, std::uint64_t> ends = ends_of(access);
  const std::uint64_t low = ends.first, high = ends.second;
  const Allocation* const all = allocation_of(access, low, high - low);
  const Shortcuts shortcuts = launch_.program->data().shortcuts;
  const bool loses = writes && access.undefined != nullptr && access.undefined->lanes != 0;
  if (all != nullptr && all->written == nullptr) return;
  if (all != nullptr && all->is_whole() && !loses && shortcuts == Shortcuts::On) {
    if (writes) note_width(*all, access.width_bytes);
    return;
  }
  if (all != nullptr && access.is_one_range(access.mask, access.width_bytes)) {
    std::uint8_t* const marks = all->written + (low - all->base);
    // As for the data themselves (address.cpp): the marks that the next warp will want.
    DeviceAddress& last_low = last_low_[access.pc];
    const std::uint64_t next = low + (low - last_low) - all->base;
    last_low = low;
    if (next < all->size_bytes) {
      __builtin_prefetch(all->written + next);
      __builtin_prefetch(all->written + next + 64);
    }
    if (!reads || all_set(marks, high - low)) {
      if (writes) {
        std::memset(marks, Allocation::kWritten, high - low);
        note_width(*all, access.width_bytes);
        pass_on_global(slot, access);
        take_back(access, 1, Allocation::kValueless, [&](std::uint32_t lane) {
          all->whole() = 0;
          return marks + (access.address[lane] - low);
        });
      }
      return;
    }
  }
  with_constant(width, [&](auto bytes) {
    const Allocation* a = last_[access.pc];
    // The marks of a lane's bytes; null: nothing to ask or to note there.
    const auto marks_of = [&](std::uint32_t lane) -> std::uint8_t* {
      const std::uint64_t address = access.address[lane];
      if (!inside(a, address, bytes)) {
        a = allocation_of(access, address, bytes);
        if (a == nullptr) return nullptr;
      }
      return a->written == nullptr ? nullptr : a->written + (address - a->base);
    };
    for (const std::uint32_t lane : lanes_of(reads ? access.mask : 0)) {
      const std::uint8_t* const own = marks_of(lane);
      if (own == nullptr || lane_has<bytes>(own, Allocation::kWritten) || may_be_narrow(access)) continue;
      if (access.undefined == nullptr) report_global(access, lane, *a, own, slot);
      carry(access, lane, own, Allocation::kWritten, 1,
            [&] { return global_fault(access, lane, *a, own, slot); });
    }
    // A second round, so that an atomic does not find what another lane of the same instruction has written.
    for (const std::uint32_t lane : lanes_of(writes ? access.mask : 0)) {
      std::uint8_t* const own = marks_of(lane);
      if (own == nullptr) continue;
      std::memset(own, Allocation::kWritten, bytes);
      note_width(*a, access.width_bytes);
    }
    if (!writes) return;
    pass_on_global(slot, access);
    take_back(access, 1, Allocation::kValueless, [&](std::uint32_t lane) {
      std::uint8_t* const own = marks_of(lane);
      if (own != nullptr) a->whole() = 0;
      return own;
    });
  });
}

}  // namespace lab::sim
