// cp.async.bulk: one thread has the TMA unit copy many bytes between global and shared memory.
//
// Enters: two addresses, a number of bytes, and for copies to shared memory the barrier that counts them.
// Leaves: the bytes copied at once, which is one of the moments that a GPU may choose, and the barrier told.
// Observers see the bytes 16 a piece, on both sides and in both directions, and the copy as a whole, which
// has the cost: it is no request of a warp, so pieces are not priced one by one.
#include <bit>
#include <cstring>
#include <string>

#include "common/sim/execute/block.h"
#include "common/sim/execute/exec_memory.h"
#include "common/sim/execute/mbarrier.h"

namespace lab::sim {
namespace {

constexpr std::uint32_t kPiece = 16;
constexpr std::uint64_t kWorkOfPiece = 60;  // program/work.h

// The 16 bytes of one side that stand `ahead` behind the lane's address.
struct Piece {
  AddressRow row;
  std::byte* host = nullptr;
  Piece(WarpContext& w, const Inst& inst, Space space, const AddressRow& start, int lane, std::uint32_t ahead,
        Direction direction)
      : row(start) {
    row.at[lane] += ahead;
    describe_row(row, w.mask);
    host = resolve(w, inst, space, row, kPiece, direction) + row.at[lane];
  }
};

// What is moved is observed before it is written: an observer that stops the launch leaves memory as it was.
void move_piece(WarpContext& w, const Inst& inst, int lane, const Copy& copy, const Piece& to,
                const Piece& from) {
  if (w.block->observed()) {
    std::byte value[kPiece * kWarpLanes];
    std::memcpy(value + static_cast<std::size_t>(lane) * kPiece, from.host, kPiece);
    report_access(w, inst, info(copy.read).space, copy.read, from.row, kPiece, value);
    report_access(w, inst, info(copy.written).space, copy.written, to.row, kPiece, value);
  }
  std::memcpy(to.host, from.host, kPiece);
}

Copy copy_of(const Inst& inst, Mask lane, std::uint32_t bytes, const AddressRow& from, const AddressRow& to,
             bool to_shared) {
  Copy copy{.pc = inst.pc, .width_bytes = bytes, .mask = lane, .reads = lane, .whole = lane};
  copy.from = from.at;
  copy.to = to.at;
  copy.read_bytes = bytes;
  copy.read = to_shared ? Path::GlobalBulkLoad : Path::SharedBulkLoad;
  copy.written = to_shared ? Path::SharedBulkStore : Path::GlobalBulkStore;
  return copy;
}

}  // namespace

void exec_bulk_copy(WarpContext& w, const Inst& inst) {
  const BulkCopyInfo& bulk = w.block->launch().program->bulk_copies[inst.extra];
  AddressRow shared, global, barrier;
  compute_addresses(w, inst, shared);
  Inst other = inst;
  other.a = bulk.global;
  other.immediate = bulk.global_offset;
  compute_addresses(w, other, global);
  if (bulk.to_shared) {
    other.a = bulk.barrier;
    other.immediate = bulk.barrier_offset;
    shared_addresses(w, other, barrier, 8);
  }
  const Mask all = w.mask;
  for (Mask left = all; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    w.mask = left & (~left + 1);
    const auto bytes = static_cast<std::uint32_t>(lane_value(w, bulk.bytes, lane));
    if (bytes % kPiece != 0) {
      w.block->fault(FaultKind::Misaligned, w, inst.pc, lane, 0,
                     w.block->thread_name(w, lane) + " copies " + std::to_string(bytes) +
                         " bytes at once (cp.async.bulk), which is not a multiple of 16.");
    }
    const Copy copy = copy_of(inst, w.mask, bytes, bulk.to_shared ? global : shared,
                              bulk.to_shared ? shared : global, bulk.to_shared);
    if (w.block->observed() && bytes != 0) w.block->report(copy);
    for (std::uint32_t ahead = 0; ahead < bytes; ahead += kPiece) {
      w.block->charge(w, inst, kWorkOfPiece);
      const Piece near(w, inst, Space::Shared, shared, lane, ahead,
                       bulk.to_shared ? Direction::Write : Direction::Read);
      const Piece far(w, inst, Space::Global, global, lane, ahead,
                      bulk.to_shared ? Direction::Read : Direction::Write);
      move_piece(w, inst, lane, copy, bulk.to_shared ? near : far, bulk.to_shared ? far : near);
    }
    if (bulk.to_shared) mbarrier_complete_bytes(w, inst, lane, barrier.at[lane], bytes);
  }
  w.mask = all;
}

}  // namespace lab::sim
