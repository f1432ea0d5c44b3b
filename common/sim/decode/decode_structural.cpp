// The column that decode adds to structural_forms(): the function that reads an instruction which needs
// memory, other lanes or the scheduler. The compiler refuses a kind of row that has no function here.
//
// Enters: an instruction. Leaves: decoded code, or false: the table of lane-wise forms is asked.
#include "common/sim/decode/decoder.h"
#include "common/sim/execute/exec_memory.h"
#include "common/sim/instructions/forms.h"

namespace lab::sim {

// Memory is always in order here, hints have no effect, and a kernel starts when the one before is done.
void Decoder::decode_nothing(const ptx::Instruction& in) {
  const Exec nothing = [](WarpContext&, const Inst&) {};
  emit(in, nothing, nothing);
}

// Nothing happens, but those who watch are told for how long.
void Decoder::decode_sleep(const ptx::Instruction& in) {
  expect_operands(in, 1, 1);
  const RowRef nanoseconds = source(in, in.operands[0], ptx::Type::U32);
  emit(in, exec_sleep, exec_sleep).a = nanoseconds;
}

// Of griddepcontrol: nothing happens, but those who watch are told of a wait.
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
  const FamilyRow* row = find_structural(in.opcode);
  if (row == nullptr) return false;
  switch (row->reader) {
    case Reader::Load:
      decode_load(in);
      break;
    case Reader::Store:
      decode_store(in);
      break;
    case Reader::Atomic:
      decode_atomic(in);
      break;
    case Reader::Async:
      decode_async(in);
      break;
    case Reader::Convert:
      decode_cvta(in);
      break;
    case Reader::IsSpace:
      decode_isspacep(in);
      break;
    case Reader::Move:
      return decode_mov(in);  // most of its forms are lane-wise
    case Reader::Nothing:
      if (in.opcode == "nanosleep")
        decode_sleep(in);
      else if (in.opcode == "griddepcontrol")
        decode_dependent_kernels(in);
      else
        decode_nothing(in);
      break;
    case Reader::Policy:
      decode_policy(in);
      break;
    case Reader::Branch:
      decode_branch(in);
      break;
    case Reader::BranchIndexed:
      decode_branch_indexed(in);
      break;
    case Reader::Call:
      decode_call(in);
      break;
    case Reader::End:
      decode_end(in);
      break;
    case Reader::Barrier:
      decode_barrier(in);
      break;
    case Reader::Mbarrier:
      decode_mbarrier(in);
      break;
    case Reader::Fence:
      decode_fence(in);
      break;
    case Reader::Matrix:
      decode_matrix(in);
      break;
    case Reader::Tensor:
      decode_tensor(in);
      break;
    case Reader::Warpgroup:
      decode_warpgroup(in);
      break;
    case Reader::Texture:
      decode_texture(in);
      break;
    case Reader::Peer:
      decode_peer_address(in);
      break;
    case Reader::ActiveMask:
      decode_activemask(in);
      break;
    case Reader::Warp:
      decode_warp_sync(in);
      break;
  }
  return true;
}

}  // namespace lab::sim
