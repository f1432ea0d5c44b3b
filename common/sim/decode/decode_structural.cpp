// What the column `reader` of the table of opcodes (ptx/opcodes.h) stands for: the function that reads an
// instruction which needs memory, other lanes or the scheduler. A reader without a function does not compile.
//
// Enters: an instruction. Leaves: decoded code, or false: the table of lane-wise forms is asked.
#include "common/sim/decode/decoder.h"
#include "common/sim/execute/exec_memory.h"
#include "common/sim/execute/exec_sync.h"
#include "common/sim/instructions/forms.h"

namespace lab::sim {

// Memory is always in order here, hints have no effect, and a kernel starts when the one before is done. A
// hint that writes takes away what was there.
void Decoder::decode_nothing(const ptx::Instruction& in) {
  if (in.row->is(ptx::Unit::Hint, Direction::Write)) return decode_discard(in);
  const Exec nothing = [](WarpContext&, const Inst&) {};
  emit(in, nothing, nothing);
}

// Nothing happens, but observers learn for how long.
void Decoder::decode_sleep(const ptx::Instruction& in) {
  expect_operands(in, 1, 1);
  const RowRef nanoseconds = source(in, in.operands[0], ptx::Type::U32);
  emit(in, exec_sleep, exec_sleep).a = nanoseconds;
}

// Of griddepcontrol: nothing happens, but observers learn of a wait.
void Decoder::decode_dependent_kernels(const ptx::Instruction& in) {
  if (in.modifiers.empty() || in.modifiers[0] != "wait") return decode_nothing(in);
  emit(in, exec_wait_for_kernels, exec_wait_for_kernels);
}

// What it gives goes to cache hints alone, which have no effect.
void Decoder::decode_policy(const ptx::Instruction& in) {
  expect_operands(in, 2, 4);
  const RowRef to = destination(in, in.operands[0], ptx::Type::B64), policy = constant_row(0, 8);
  Inst& inst = emit_form(in, "mov.b64");
  inst.dst = to;
  inst.a = policy;
}

bool Decoder::decode_structural(const ptx::Instruction& in) {
  using enum ptx::Reader;
  using Read = void (Decoder::*)(const ptx::Instruction&);
  const auto read_by = [&](Read read) {
    (this->*read)(in);
    return true;
  };
  switch (in.row->reader) {
    case None:
    case LaneWise:
      return false;
    case Move:
      return decode_mov(in);  // most of its forms are lane-wise
    case Load:
      return read_by(&Decoder::decode_load);
    case Store:
      return read_by(&Decoder::decode_store);
    case Atomic:
      return read_by(&Decoder::decode_atomic);
    case AsyncCopy:
      return read_by(&Decoder::decode_async_copy);
    case AsyncCommit:
      return read_by(&Decoder::decode_async_commit);
    case AsyncWait:
      return read_by(&Decoder::decode_async_wait);
    case AsyncArrive:
      return read_by(&Decoder::decode_async_arrive);
    case Bulk:
      return read_by(&Decoder::decode_bulk);
    case BulkGroup:
      return read_by(&Decoder::decode_bulk_group);
    case AsyncStore:
      return read_by(&Decoder::decode_async_store);
    case Matrix:
    case Transpose:
      return read_by(&Decoder::decode_matrix);
    case Texture:
      return read_by(&Decoder::decode_texture);
    case Surface:
      return read_by(&Decoder::decode_surface);
    case PeerAddress:
      return read_by(&Decoder::decode_peer_address);
    case Convert:
      return read_by(&Decoder::decode_cvta);
    case IsSpace:
      return read_by(&Decoder::decode_isspacep);
    case Fence:
      return read_by(&Decoder::decode_fence);
    case Nothing:
      return read_by(&Decoder::decode_nothing);
    case Sleep:
      return read_by(&Decoder::decode_sleep);
    case DependentKernels:
      return read_by(&Decoder::decode_dependent_kernels);
    case Policy:
      return read_by(&Decoder::decode_policy);
    case Branch:
      return read_by(&Decoder::decode_branch);
    case BranchIndexed:
      return read_by(&Decoder::decode_branch_indexed);
    case Call:
      return read_by(&Decoder::decode_call);
    case End:
      return read_by(&Decoder::decode_end);
    case Barrier:
      return read_by(&Decoder::decode_barrier);
    case WarpBarrier:
      return read_by(&Decoder::decode_warp_barrier);
    case ClusterBarrier:
      return read_by(&Decoder::decode_cluster_barrier);
    case Mbarrier:
      return read_by(&Decoder::decode_mbarrier);
    case ActiveMask:
      return read_by(&Decoder::decode_activemask);
    case Warp:
      return read_by(&Decoder::decode_warp_sync);
    case Tensor:
      return read_by(&Decoder::decode_tensor);
    case Fragment:
      return read_by(&Decoder::decode_fragment);
    case Warpgroup:
      return read_by(&Decoder::decode_warpgroup);
  }
  return false;
}

}  // namespace lab::sim
