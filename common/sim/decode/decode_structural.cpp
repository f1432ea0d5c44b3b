// What the column `reader` of the table of opcodes (ptx/opcodes.h) stands for: the function that reads an
// instruction which needs memory, other lanes or the scheduler. A reader without a function does not compile.
//
// Enters: an instruction. Leaves: decoded code, or false: the table of lane-wise forms is asked.
#include <algorithm>
#include <array>

#include "common/sim/decode/decoder.h"
#include "common/sim/execute/exec_memory.h"
#include "common/sim/execute/exec_sync.h"
#include "common/sim/instructions/forms.h"

namespace lab::sim {

// Memory is always in order here, hints have no effect, and a kernel starts when the one before is done. A
// hint that writes takes away what was there.
void Decoder::decode_nothing(const ptx::Instruction& in) {
  if (in.row->is(ptx::Unit::Hint, Direction::Write)) return decode_discard(in);
  emit(in, [](WarpContext&, const Inst&) {});
}

// Nothing happens, but observers learn for how long.
void Decoder::decode_sleep(const ptx::Instruction& in) {
  expect_operands(in, 1, 1);
  const RowRef nanoseconds = source(in, in.operands[0], ptx::Type::U32);
  emit(in, exec_sleep).a = nanoseconds;
}

// Of griddepcontrol: nothing happens, but observers learn of a wait.
void Decoder::decode_dependent_kernels(const ptx::Instruction& in) {
  if (in.modifiers.empty() || in.modifiers[0] != "wait") return decode_nothing(in);
  emit(in, exec_wait_for_kernels);
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
  using D = Decoder;
  struct Reading {
    ptx::Reader reader;
    void (Decoder::*read)(const ptx::Instruction&);
  };
  static constexpr auto kReadings = std::to_array<Reading>({{None, nullptr},
                                                            {LaneWise, nullptr},
                                                            {Load, &D::decode_load},
                                                            {Store, &D::decode_store},
                                                            {Atomic, &D::decode_atomic},
                                                            {AsyncCopy, &D::decode_async_copy},
                                                            {AsyncCommit, &D::decode_async_commit},
                                                            {AsyncWait, &D::decode_async_wait},
                                                            {AsyncArrive, &D::decode_async_arrive},
                                                            {Bulk, &D::decode_bulk},
                                                            {BulkGroup, &D::decode_bulk_group},
                                                            {AsyncStore, &D::decode_async_store},
                                                            {Matrix, &D::decode_matrix},
                                                            {Transpose, &D::decode_matrix},
                                                            {Texture, &D::decode_texture},
                                                            {Surface, &D::decode_surface},
                                                            {PeerAddress, &D::decode_peer_address},
                                                            {Convert, &D::decode_cvta},
                                                            {IsSpace, &D::decode_isspacep},
                                                            {Move, nullptr},
                                                            {Fence, &D::decode_fence},
                                                            {Nothing, &D::decode_nothing},
                                                            {Sleep, &D::decode_sleep},
                                                            {DependentKernels, &D::decode_dependent_kernels},
                                                            {Policy, &D::decode_policy},
                                                            {Branch, &D::decode_branch},
                                                            {BranchIndexed, &D::decode_branch_indexed},
                                                            {Call, &D::decode_call},
                                                            {End, &D::decode_end},
                                                            {Barrier, &D::decode_barrier},
                                                            {WarpBarrier, &D::decode_warp_barrier},
                                                            {ClusterBarrier, &D::decode_cluster_barrier},
                                                            {Mbarrier, &D::decode_mbarrier},
                                                            {ActiveMask, &D::decode_activemask},
                                                            {Warp, &D::decode_warp_sync},
                                                            {Tensor, &D::decode_tensor},
                                                            {Fragment, &D::decode_fragment},
                                                            {Warpgroup, &D::decode_warpgroup}});
  static_assert(kReadings.size() == static_cast<std::size_t>(Warpgroup) + 1);
  static_assert(std::adjacent_find(kReadings.begin(), kReadings.end(),
                                   [](const Reading& a, const Reading& b) { return a.reader >= b.reader; }) ==
                kReadings.end());
  if (in.row->reader == Move) return decode_mov(in);  // most of its forms are lane-wise
  const auto read = kReadings.at(static_cast<std::size_t>(in.row->reader)).read;
  if (read != nullptr) (this->*read)(in);
  return read != nullptr;
}

}  // namespace lab::sim
