// What stores leave in global memory, where it decides whether they race. See global_shadow.h.
//
// Enters: two stores to one place. Leaves: whether the second leaves what stood there already, and whether
// its thread had seen it.
#include <bit>
#include <cstring>

#include "common/sim/base/lanes.h"
#include "common/sim/observe/global_pieces.h"

namespace lab::sim {
namespace {

// The reader: a block, one of its threads.
std::uint64_t block_key(std::uint32_t run) { return std::uint64_t{run} << 16; }
std::uint64_t thread_key(std::uint32_t run, std::uint32_t thread) { return block_key(run) | (thread + 1); }

// What lanes before this one have put there in the same store, the last of them; null: none of them.
const std::byte* put_by_lanes_before(const Access& access, std::uint32_t lane, DeviceAddress at) {
  if (access.affine && access.stride_bytes != 0) return nullptr;  // no two lanes at one place
  for (Mask rest = access.mask & ((1u << lane) - 1); rest != 0;) {
    const auto other = static_cast<std::uint32_t>(kWarpLanes - 1 - std::countl_zero(rest));
    const DeviceAddress offset = at - access.address[other];
    if (offset < access.width_bytes) return access.value + std::size_t{other} * access.width_bytes + offset;
    rest &= ~(1u << other);
  }
  return nullptr;
}

}  // namespace

// Two volatile stores to one word, where the second thread has not read the first one's value: volatile orders
// nothing, so either value may remain. A flag that a waiting thread resets is fine, and so are equal values.
bool GlobalShadow::overwrites_unread(const Epoch& earlier, DeviceAddress at, std::uint32_t thread,
                                     const Now& now) const {
  const Kind& kind = kind_of(earlier);
  if (!kind.only_stores || !now.only_stores || !(kind.is_volatile || now.is_volatile)) return false;
  const auto known = readers_.find(at);
  if (known == readers_.end()) return true;
  const bool other_block = earlier.run != now.run;
  return !known->second.who.contains(other_block ? block_key(now.run) : thread_key(now.run, thread));
}

// A volatile word that is read for its value, after another word showed that it has been written: without
// fences the old value may still come. A thread that has read the new value since does not get an older one.
bool GlobalShadow::only_announced(const Epoch& earlier, std::uint32_t earlier_thread, DeviceAddress at,
                                  std::uint32_t thread, const Now& now) const {
  if (!now.takes_data || !kind_of(earlier).only_stores) return false;
  const bool other_block = earlier.run != now.run;
  if (!other_block && earlier_thread / 32 == thread / 32) return false;
  const auto known = readers_.find(at);
  const std::uint64_t reader = other_block ? block_key(now.run) : thread_key(now.run, thread);
  if (known != readers_.end() && known->second.who.contains(reader)) return false;
  const Run& run = runs_[earlier.run];
  return now.clock.seen_relaxed(thread, run.block, earlier_thread, run.first + earlier.number);
}

void GlobalShadow::note_readers(DeviceAddress at, std::uint32_t thread, const Now& now) {
  if (now.only_stores) {
    readers_[at].who.clear();
  } else if (const auto known = readers_.find(at); known != readers_.end()) {
    known->second.who.insert(block_key(now.run));
    known->second.who.insert(thread_key(now.run, thread));
  }
}

// Whether another lane of this very store wrote there: an epoch may hold several runs of one instruction.
bool GlobalShadow::by_this_store(std::uint32_t granule, std::uint32_t tag, const Piece& piece,
                                 const Now& now) const {
  const std::uint32_t other = tag & 31u;
  const DeviceAddress at = place_of(piece, granule);
  return tag >> 5 == now.epoch && (now.access.mask >> other & 1u) != 0 &&
         at - now.access.address[other] < now.access.width_bytes;
}

// Whether a store leaves what the earlier one left.
bool GlobalShadow::same_value(std::uint32_t granule, std::uint32_t thread, std::uint32_t tag,
                              const Piece& piece, const Now& now) const {
  const Access& access = now.access;
  if (access.value == nullptr) return false;
  const std::uint32_t lane = thread - now.first_thread;
  const DeviceAddress at = place_of(piece, granule);
  const std::size_t bytes = std::size_t{1} << shift_;
  const auto stored = [&](std::uint32_t by) {
    return access.value + std::size_t{by} * access.width_bytes + (at - access.address[by]);
  };
  if (by_this_store(granule, tag, piece, now))
    return std::memcmp(stored(lane), stored(tag & 31u), bytes) == 0;
  const Allocation* a = memory_.find(at, bytes);
  return a != nullptr && std::memcmp(a->host + (at - a->base), stored(lane), bytes) == 0;
}

// Blocks that leave the same value in a place do not race: has this store changed what another block left? A
// store is reported before memory has it.
// `before`: what the block had written. `values`: null where they are not known. `by`: an access whose lanes may meet.
void GlobalShadow::note_values(LinePresent& present, const Piece& piece, std::uint32_t before,
                               const std::byte* values, const Access* by) const {
  LinePast& past = *present.past;
  if (values == nullptr) {
    past.unknown = 1;
    return;
  }
  const std::size_t bytes = std::size_t{1} << shift_;
  past.left += marks_of(piece.first, piece.count, values, bytes);
  const std::uint32_t known = piece.mask & (past.writes | before);
  if (known == 0) return;  // nothing was left here
  const Allocation* const a = memory_.find(piece.address, std::size_t{piece.count} << shift_);
  if (a == nullptr) {
    past.unknown = 1;
    return;
  }
  const std::byte* const there = a->host + (piece.address - a->base);
  for (const std::uint32_t granule : lanes_of(known)) {
    const std::size_t at = (granule - piece.first) * bytes;
    const std::byte* const put =
        by == nullptr ? nullptr
                      : put_by_lanes_before(*by, piece.thread(piece.first) - by->place->first_thread,
                                            piece.address + at);
    const std::uint32_t last = marks_of(granule, 1, put != nullptr ? put : there + at, bytes);
    past.left -= last;
    if ((past.writes >> granule & 1u) != 0)
      present.changed += marks_of(granule, 1, values + at, bytes) - last;
  }
}

}  // namespace lab::sim
