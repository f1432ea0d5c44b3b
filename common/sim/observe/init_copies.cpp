// Asynchronous copies, as the check of uninitialised reads sees them: what they read has values, what they
// write is written from their start on.
//
// Enters: copies of threads (cp.async) and of the TMA unit. Leaves: marks for what they write, FaultError for
// what was never written.
#include <algorithm>
#include <cstring>

#include "common/sim/base/lanes.h"
#include "common/sim/observe/init_check.h"
#include "common/sim/observe/init_marks.h"

namespace lab::sim {

void InitCheck::copy(std::uint32_t slot, const Copy& copy) {
  Slot& s = slots_[slot];
  const std::size_t granules = std::max<std::size_t>(1, copy.width_bytes >> granule_shift_);
  for (const int lane : lanes_of<int>(copy.mask))
    std::memset(s.written_by.data() + (copy.to[lane] >> granule_shift_), s.block, granules);
}

// Copies of the TMA unit: what it reads of either memory; what it writes of global memory.
void InitCheck::bulk(std::uint32_t slot, const BulkCopy& copy) {
  constexpr std::uint32_t kChunk = 16;
  std::uint64_t address[kWarpLanes] = {};
  Access access;
  access.pc = copy.pc;
  access.mask = Mask{1} << copy.lane;
  access.address = address;
  access.place = copy.place;
  const bool loads = copy.read == Path::GlobalBulkLoad;
  const Slot& s = slots_[slot];
  for (const BulkPiece& piece : copy.pieces) {
    if (piece.last == piece.first) continue;
    const std::uint64_t bytes = piece.last - piece.first;
    const Allocation* a = allocation_of(access, piece.global + piece.first, bytes);
    if (a == nullptr || a->written == nullptr) continue;
    std::uint8_t* const marks = a->written + (piece.global + piece.first - a->base);
    const bool poisoned = (loads || copy.written == Path::GlobalBulkReduce) && !all_set(marks, bytes);
    if (poisoned) report_global(access, copy.lane, *a, marks, s);
    if (!loads) std::memset(marks, Allocation::kWritten, bytes);
    if (!loads) note_width(*a, kChunk);
  }
  if (loads) return;
  const auto check = [&](std::uint32_t low, std::uint32_t bytes) {
    const std::size_t all = (bytes + kChunk - 1) / kChunk * kChunk >> granule_shift_;
    if (all_equal(s.written_by.data() + (low >> granule_shift_), all, s.block)) return;
    for (std::uint32_t at = low; at < low + bytes; at += kChunk) {
      const std::uint8_t* const own = s.written_by.data() + (at >> granule_shift_);
      const std::size_t granules = std::max<std::size_t>(1, kChunk >> granule_shift_);
      const bool whole = std::all_of(own, own + granules, [&](std::uint8_t by) { return by == s.block; });
      if (!whole) report_shared(access, copy.lane, own, s);
    }
  };
  for (const BulkPiece& piece : copy.pieces) {
    const std::uint32_t first = piece.first / kChunk * kChunk;
    if (piece.last != piece.first && !copy.swizzled) check(piece.shared + first, piece.last - first);
  }
  if (copy.pieces.empty()) check(copy.shared_low, copy.shared_bytes);
}

void InitCheck::engine(std::uint32_t slot, const EngineEvent& event) {
  if (event.act != EngineEvent::Act::Start || !event.writes) return;
  Slot& s = slots_[slot];
  const std::size_t first = event.low >> granule_shift_,
                    last = (event.low + event.bytes + (1u << granule_shift_) - 1) >> granule_shift_;
  std::memset(s.written_by.data() + first, s.block, std::min(last, s.written_by.size()) - first);
}

}  // namespace lab::sim
