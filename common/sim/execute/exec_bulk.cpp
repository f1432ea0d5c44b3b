// cp.async.bulk: one thread has the TMA unit copy many bytes between global and shared memory.
//
// Enters: two addresses, a number of bytes, and for copies to shared memory the barrier that counts them.
// Leaves: the bytes copied at once, which is one of the moments that a GPU may choose, and the barrier told.
// Observers see what goes to shared memory as AsyncCopy, 16 bytes a piece: counters leave it out, since it is
// no request of a warp, and the checks learn who wrote what.
#include <bit>
#include <cstring>
#include <string>

#include "common/sim/execute/block.h"
#include "common/sim/execute/exec_memory.h"
#include "common/sim/execute/mbarrier.h"

namespace lab::sim {
namespace {

constexpr std::uint32_t kPiece = 16;

// The 16 bytes of one side that stand `ahead` behind the lane's address.
struct Piece {
  AddressRow row;
  std::byte* host = nullptr;
  Piece(WarpContext& w, const Inst& inst, Space space, const AddressRow& start, int lane, std::uint32_t ahead,
        Intent intent)
      : row(start) {
    row.at[lane] += ahead;
    describe_row(row, w.mask);
    host = resolve(w, inst, space, row, kPiece, intent) + row.at[lane];
  }
};

void load_piece(WarpContext& w, const Inst& inst, int lane, const Piece& to, const Piece& from) {
  if (w.block->observed()) {
    std::byte value[kPiece * kWarpLanes];
    std::memcpy(value + static_cast<std::size_t>(lane) * kPiece, from.host, kPiece);
    report_access(w, inst, Space::Global, AccessOp::AsyncCopy, from.row, kPiece, nullptr);
    report_access(w, inst, Space::Shared, AccessOp::AsyncCopy, to.row, kPiece, value);
  }
  std::memcpy(to.host, from.host, kPiece);
}

// An AsyncCopy goes to shared memory, so observers are not told of this way; who reads the bytes later must
// find them written.
void store_piece(WarpContext& w, int lane, const Piece& to, const Piece& from) {
  const Allocation* a = w.block->launch().memory->find(to.row.at[lane], kPiece);
  if (a != nullptr && a->written != nullptr) std::memset(a->written + (to.row.at[lane] - a->base), 1, kPiece);
  std::memcpy(to.host, from.host, kPiece);
}

}  // namespace

void exec_bulk_copy(WarpContext& w, const Inst& inst) {
  const BulkCopyInfo& info = w.block->launch().program->bulk_copies[inst.extra];
  AddressRow shared, global, barrier;
  compute_addresses(w, inst, shared);
  Inst other = inst;
  other.a = info.global;
  other.immediate = info.global_offset;
  compute_addresses(w, other, global);
  if (info.to_shared) {
    other.a = info.barrier;
    other.immediate = info.barrier_offset;
    shared_addresses(w, other, barrier, 8);
  }
  const Mask all = w.mask;
  for (Mask left = all; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    w.mask = left & (~left + 1);
    const auto bytes = static_cast<std::uint32_t>(lane_value(w, info.bytes, lane));
    if (bytes % kPiece != 0) {
      w.block->fault(FaultKind::Misaligned, w, inst.pc, lane, 0,
                     w.block->thread_name(w, lane) + " copies " + std::to_string(bytes) +
                         " bytes at once (cp.async.bulk), which is not a multiple of 16.");
    }
    for (std::uint32_t ahead = 0; ahead < bytes; ahead += kPiece) {
      const Piece near(w, inst, Space::Shared, shared, lane, ahead,
                       info.to_shared ? Intent::Write : Intent::Read);
      const Piece far(w, inst, Space::Global, global, lane, ahead,
                      info.to_shared ? Intent::Read : Intent::Write);
      if (info.to_shared) {
        load_piece(w, inst, lane, near, far);
      } else {
        store_piece(w, lane, far, near);
      }
    }
    if (info.to_shared) mbarrier_complete_bytes(w, inst, lane, barrier.at[lane], bytes);
  }
  w.mask = all;
}

}  // namespace lab::sim
