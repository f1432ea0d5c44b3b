// Reads mbarrier instructions, and the copies of the TMA unit that such a barrier or a bulk group completes.
#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "common/sim/decode/decoder.h"
#include "common/sim/execute/block.h"
#include "common/sim/execute/exec_memory.h"
#include "common/sim/execute/mbarrier.h"

namespace lab::sim {
namespace {

using ptx::Type;

// A block is a cluster of its own here: the shared memory of the cluster is that of the block.
bool names_shared(std::string_view modifier) {
  return space_named(modifier) == Space::Shared || modifier == "shared::cluster";
}

Space barrier_space(const ptx::Instruction& in) {
  const bool shared = std::any_of(in.modifiers.begin(), in.modifiers.end(), names_shared);
  return shared ? Space::Shared : Space::Generic;
}

// What its modifiers say; nothing when one of them is unknown, which `unknown` then names.
std::optional<MbarrierFlags> flags_of(const ptx::Instruction& in, std::string& unknown) {
  static const std::map<std::string_view, MbarrierOp> operations{{"init", MbarrierOp::Init},
                                                                 {"inval", MbarrierOp::Inval},
                                                                 {"arrive", MbarrierOp::Arrive},
                                                                 {"arrive_drop", MbarrierOp::ArriveDrop},
                                                                 {"expect_tx", MbarrierOp::ExpectBytes},
                                                                 {"complete_tx", MbarrierOp::CompleteBytes},
                                                                 {"test_wait", MbarrierOp::Wait},
                                                                 {"try_wait", MbarrierOp::Wait},
                                                                 {"pending_count", MbarrierOp::Pending}};
  const auto found = in.modifiers.empty() ? operations.end() : operations.find(in.modifiers[0]);
  if (found == operations.end()) return std::nullopt;
  MbarrierFlags flags;
  flags.op = found->second;
  const bool arrives = flags.op == MbarrierOp::Arrive || flags.op == MbarrierOp::ArriveDrop;
  for (std::size_t k = 1; k < in.modifiers.size(); ++k) {
    const std::string& m = in.modifiers[k];
    if (flags.op == MbarrierOp::Wait && m == "parity") {
      flags.parity = true;
    } else if (arrives && m == "expect_tx") {
      flags.expect = true;
    } else if (arrives && m == "noComplete") {
      flags.no_complete = true;
    } else if (m != "b64" && !names_shared(m) && m != "release" && m != "acquire" && m != "relaxed" &&
               m != "cta" && m != "cluster") {
      unknown = m;
      return std::nullopt;
    }
  }
  return flags;
}

}  // namespace

void Decoder::decode_mbarrier(const ptx::Instruction& in) {
  std::string unknown;
  const auto read = flags_of(in, unknown);
  if (!read) unsupported(in, unknown.empty() ? "" : "the modifier ." + unknown);
  const MbarrierFlags flags = *read;
  const bool arrives = flags.op == MbarrierOp::Arrive || flags.op == MbarrierOp::ArriveDrop;
  const bool waits = flags.op == MbarrierOp::Wait;
  if (flags.op == MbarrierOp::Pending) {
    expect_operands(in, 2, 2);
    const RowRef state = source(in, in.operands[1], Type::B64),
                 count = destination(in, in.operands[0], Type::U32);
    Inst& inst = emit(in, exec_mbarrier, exec_mbarrier);
    inst.b = state;
    inst.dst = count;
    inst.extra = flags.packed();
    return;
  }
  const std::size_t first = arrives || waits ? 1 : 0;
  const bool needs_value = flags.expect || flags.no_complete || (!arrives && flags.op != MbarrierOp::Inval);
  const std::size_t most =
      first + (flags.op == MbarrierOp::Inval ? 1 : 2) + (waits && in.modifiers[0] == "try_wait");
  expect_operands(in, first + (needs_value ? 2 : 1), most);
  const Address at = address(in, in.operands[first], barrier_space(in));
  if (at.frame_relative) fail(in, FaultKind::BadPtx, "a barrier cannot lie in local memory");
  RowRef value, result;
  if (in.operands.size() > first + 1)
    value = source(in, in.operands[first + 1], waits && !flags.parity ? Type::B64 : Type::U32);
  if (first == 1) result = destination(in, in.operands[0], waits ? Type::Pred : Type::B64);
  Inst& inst = emit(in, exec_mbarrier, exec_mbarrier);
  inst.a = at.base;
  inst.immediate = at.offset;
  inst.space = at.space;
  inst.elem_bytes = 8;
  inst.b = value;
  inst.dst = result;
  inst.extra = flags.packed();
  inst.watches_memory = waits;
}

// cp.async.mbarrier.arrive{.noinc}{.shared{::cta}}.b64 [barrier];
void Decoder::decode_async_arrive(const ptx::Instruction& in) {
  for (std::size_t k = 3; k < in.modifiers.size(); ++k) {
    const std::string& m = in.modifiers[k];
    if (m != "noinc" && m != "b64" && space_named(m) != Space::Shared) unsupported(in, "the modifier ." + m);
  }
  expect_operands(in, 1, 1);
  const Address at = address(in, in.operands[0], space_of(in));
  if (at.frame_relative) fail(in, FaultKind::BadPtx, "a barrier cannot lie in local memory");
  Inst& inst = emit(in, exec_async_arrive, exec_async_arrive);
  inst.a = at.base;
  inst.immediate = at.offset;
  inst.space = at.space;
  inst.elem_bytes = 8;
  inst.extra = has_modifier(in, "noinc") ? 1 : 0;
}

// cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [to], [from], bytes, [barrier] {,
// policy}; cp.async.bulk.global.shared::cta.bulk_group [to], [from], bytes {, policy};
// cp.async.bulk.commit_group;  cp.async.bulk.wait_group{.read} n;
void Decoder::decode_bulk(const ptx::Instruction& in) {
  const auto has = [&](std::string_view m) { return has_modifier(in, m); };
  const auto nothing = [](WarpContext&, const Inst&) {};
  if (has("commit_group") || has("wait_group")) {
    // Such a copy is done when its instruction is: nobody has to wait for it.
    expect_operands(in, has("wait_group") ? 1 : 0, has("wait_group") ? 1 : 0);
    emit(in, nothing, nothing);
    return;
  }
  const bool in_place = in.modifiers.size() >= 5 && in.modifiers[0] == "async" && in.modifiers[1] == "bulk";
  const bool loads = in_place && names_shared(in.modifiers[2]) && in.modifiers[3] == "global" &&
                     in.modifiers[4] == "mbarrier::complete_tx::bytes";
  const bool stores = in_place && in.modifiers[2] == "global" && in.modifiers[3] == "shared::cta" &&
                      in.modifiers[4] == "bulk_group";
  if (!loads && !stores) unsupported(in, "this copy of the TMA unit");
  for (std::size_t k = 5; k < in.modifiers.size(); ++k) {
    if (!is_hint(in.modifiers[k])) unsupported(in, "the modifier ." + in.modifiers[k]);
  }
  const std::size_t operands = (loads ? 4u : 3u) + (has("L2::cache_hint") ? 1 : 0);
  expect_operands(in, operands, operands);
  const Address to = address(in, in.operands[0], loads ? Space::Shared : Space::Global);
  const Address from = address(in, in.operands[1], loads ? Space::Global : Space::Shared);
  BulkCopyInfo info;
  info.to_shared = loads;
  info.global = loads ? from.base : to.base;
  info.global_offset = loads ? from.offset : to.offset;
  info.bytes = source(in, in.operands[2], Type::U32);
  bool local = to.frame_relative || from.frame_relative;
  if (loads) {
    const Address barrier = address(in, in.operands[3], Space::Shared);
    info.barrier = barrier.base;
    info.barrier_offset = barrier.offset;
    local |= barrier.frame_relative;
  }
  if (local) fail(in, FaultKind::BadPtx, "local memory takes no part");
  data_->bulk_copies.push_back(info);
  Inst& inst = emit(in, exec_bulk_copy, exec_bulk_copy);
  inst.a = loads ? to.base : from.base;
  inst.immediate = loads ? to.offset : from.offset;
  inst.space = Space::Shared;
  inst.elem_bytes = 16;
  inst.extra = static_cast<std::uint32_t>(data_->bulk_copies.size() - 1);
  note_access(inst, in);
  inst.writes_global = stores;
  data_->writes_global = data_->writes_global || stores;
}

}  // namespace lab::sim
