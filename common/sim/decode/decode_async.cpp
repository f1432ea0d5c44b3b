// Reads cp.async: copies from global to shared memory that a thread starts and later waits for.
#include <string>

#include "common/sim/decode/decoder.h"
#include "common/sim/execute/block.h"
#include "common/sim/execute/exec_memory.h"

namespace lab::sim {

void Decoder::decode_async_commit(const ptx::Instruction& in) {
  if (in.modifiers.size() != 2) unsupported(in);
  expect_operands(in, 0, 0);
  emit(in, exec_async_commit);
}

void Decoder::decode_async_wait(const ptx::Instruction& in) {
  if (in.modifiers.size() != 2) unsupported(in);
  std::int64_t groups = kWaitForAll;
  const std::size_t operands = in.modifiers[1] == "wait_group" ? 1 : 0;
  expect_operands(in, operands, operands);
  if (operands == 1) {
    groups = constant(in, in.operands[0]) & 0x7fffffff;
  }
  emit(in, exec_async_wait).immediate = groups;
}

// cp.async.ca.shared.global [to], [from], 4 | 8 | 16 {, bytes to read | predicate: read nothing};
void Decoder::decode_async_copy(const ptx::Instruction& in) {
  if (!ptx::has(in, "ca") && !ptx::has(in, "cg")) unsupported(in);
  bool shared = false, global = false;
  for (const std::string& m : in.modifiers) {
    shared |= space_named(m) == Space::Shared && !global;
    global |= space_named(m) == Space::Global;
    if (m != "async" && !is_hint(m) && m != "shared" && m != "shared::cta" && m != "global")
      unsupported(in, msg("the modifier .{}", m));
  }
  if (!shared || !global) unsupported(in);
  const std::size_t policy = ptx::has(in, "L2::cache_hint") ? 1 : 0;
  expect_operands(in, 3 + policy, 4 + policy);
  const std::int64_t bytes = constant(in, in.operands[2]);
  const bool size_exists = bytes == 16 || (ptx::has(in, "ca") && (bytes == 4 || bytes == 8));
  if (!size_exists) fail(in, FaultKind::BadPtx, "it copies 16 bytes, or with .ca also 4 or 8");
  const Address to = address(in, in.operands[0], Space::Shared);
  const Address from = address(in, in.operands[1], Space::Global);
  if (to.frame_relative || from.frame_relative) fail(in, FaultKind::BadPtx, "local memory takes no part");
  AsyncCopyInfo info;
  info.from = from.base;
  info.from_offset = from.offset;
  info.from_roots = roots_of(&in.operands[1]);
  info.bypass = ptx::has(in, "cg");
  if (in.operands.size() == 4 + policy) {
    const ptx::Operand& last = in.operands[3];
    info.has_ignore = last.kind == ptx::OperandKind::Register && !special_row(last.name) &&
                      register_row(in, last.name).second == ptx::Type::Pred;
    if (last.kind == ptx::OperandKind::Immediate &&
        static_cast<std::uint64_t>(constant(in, last)) > static_cast<std::uint64_t>(bytes))
      fail(in, FaultKind::BadPtx, "it reads more bytes than it copies");
    (info.has_ignore ? info.ignore : info.source_bytes) =
        source(in, last, info.has_ignore ? ptx::Type::Pred : ptx::Type::U32);
  }
  cache_policy(in);
  data_->async_copies.push_back(info);
  Inst& inst = emit_access(in, exec_async_copy, to, static_cast<std::uint32_t>(bytes));
  inst.extra = static_cast<std::uint32_t>(data_->async_copies.size() - 1);
  note_access(inst, in);
}

}  // namespace lab::sim
