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
  check_hint(in);
  if (in.row->is(ptx::Unit::Hint, Direction::Write)) return decode_discard(in);
  if (in.opcode == "pmevent" &&
      static_cast<std::uint64_t>(constant(in, in.operands[0])) > (ptx::has(in, "mask") ? 0xffff : 15))
    fail(in, FaultKind::BadPtx, "events have the numbers 0 to 15");
  const bool names_memory = in.row->moves_bytes() || in.row->reader == ptx::Reader::Fence;
  for (const ptx::Operand& operand : in.operands) {
    if (names_memory && &operand == in.operands.data()) {
      address(in, operand, space_of(in));
    } else if (const std::int64_t number = constant(in, operand); names_memory && number != 128) {
      fail(in, FaultKind::BadPtx, "it is for 128 bytes");
    } else if (in.opcode == "setmaxnreg" && (number < 24 || number > 256 || number % 8 != 0)) {
      fail(in, FaultKind::BadPtx, "a multiple of 8 from 24 to 256 is needed here");
    }
  }
  emit(in, [](WarpContext&, const Inst&) {});
}

// Hints have few forms each; nothing else tells them apart.
void Decoder::check_hint(const ptx::Instruction& in) const {
  struct Hint {
    std::string_view opcode, modifiers;
    std::size_t operands;
  };
  static constexpr Hint kHints[] = {{"prefetch", "L1 L2 global local", 1},
                                    {"prefetchu", "L1", 1},
                                    {"discard", "global L2", 2},
                                    {"applypriority", "global L2::evict_normal", 2},
                                    {"setmaxnreg", "inc dec sync aligned u32", 1},
                                    {"pmevent", "mask", 1},
                                    {"membar", "gl cta sys", 0},
                                    {"griddepcontrol", "wait launch_dependents", 0}};
  for (const Hint& hint : kHints) {
    if (hint.opcode != in.opcode) continue;
    expect_operands(in, hint.operands, hint.operands);
    if (in.opcode == "setmaxnreg" &&
        (in.modifiers.empty() || (in.modifiers[0] != "inc" && in.modifiers[0] != "dec")))
      fail(in, FaultKind::BadPtx, "the order of its modifiers");
    for (const std::string& m : in.modifiers) {
      const bool known = (" " + std::string(hint.modifiers) + " ").find(" " + m + " ") != std::string::npos;
      const bool of_map = ptx::has(in, "tensormap") && (m == "tensormap" || m == "param" || m == "const");
      const bool hint_of_prefetch = in.opcode == "prefetch" && (m.starts_with("L2::evict") || of_map);
      if (!known && !hint_of_prefetch) unsupported(in, msg("the modifier .{}", m));
    }
  }
}

// Nothing happens, but observers learn for how long.
void Decoder::decode_sleep(const ptx::Instruction& in) {
  expect_operands(in, 1, 1);
  if (in.full_opcode() != "nanosleep.u32") unsupported(in);
  const RowRef nanoseconds = source(in, in.operands[0], ptx::Type::U32);
  emit(in, exec_sleep).a = nanoseconds;
}

// griddepcontrol does nothing here, but observers learn of a wait.
void Decoder::decode_dependent_kernels(const ptx::Instruction& in) {
  data_->lets_next_begin |= !in.modifiers.empty() && in.modifiers[0] == "launch_dependents";
  if (in.modifiers.empty() || in.modifiers[0] != "wait") return decode_nothing(in);
  emit(in, exec_wait_for_kernels);
}

// What it gives goes to cache hints alone, which have no effect.
void Decoder::decode_policy(const ptx::Instruction& in) {
  // All of it, where no fraction is named.
  if (in.modifiers.empty() ||
      (in.modifiers[0] != "fractional" && in.modifiers[0] != "range" && in.modifiers[0] != "cvt"))
    unsupported(in);
  const std::size_t most = ptx::has(in, "range") ? 4 : 2;
  expect_operands(in, ptx::has(in, "fractional") ? 1 : most, most);
  const RowRef to = destination(in, in.operands[0], ptx::Type::U64), policy = constant_row(0, 8);
  // A policy to convert; or how much of the accesses it is for, or a range of addresses and two sizes.
  for (std::size_t k = 1; k < in.operands.size(); ++k) {
    const ptx::Operand& operand = in.operands[k];
    constexpr std::uint64_t kOne = 0x3f800000;  // numbers above zero stand in the order of their bits
    if (ptx::has(in, "fractional") && operand.kind == ptx::OperandKind::Immediate &&
        immediate_bits(in, operand, ptx::Type::F32) - 1 >= kOne)
      fail(in, FaultKind::BadPtx, "a fraction is above 0 and at most 1");
    if (ptx::has(in, "range") && k == 1)
      address(in, operand, space_of(in));
    else
      source(in, operand,
             ptx::has(in, "fractional") ? ptx::Type::F32
             : ptx::has(in, "cvt")      ? ptx::Type::U64
                                        : ptx::Type::U32);
  }
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
                                                            {TensorMap, &D::decode_tensor_map},
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
