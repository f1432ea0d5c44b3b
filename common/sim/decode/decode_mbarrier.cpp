// Reads mbarrier instructions, and the copies of cp.async that such a barrier completes.
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

bool names_shared(std::string_view modifier) { return space_named(modifier) == Space::Shared; }

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
  flags.sleeps = in.modifiers[0] == "try_wait";
  flags.relaxed = ptx::has(in, "relaxed");
  const bool arrives = flags.op == MbarrierOp::Arrive || flags.op == MbarrierOp::ArriveDrop;
  for (std::size_t k = 1; k < in.modifiers.size(); ++k) {
    const std::string& m = in.modifiers[k];
    if (flags.op == MbarrierOp::Wait && m == "parity" && k == 1) {
      flags.parity = true;
    } else if (arrives && m == "expect_tx" && k == 1) {
      flags.expect = true;
    } else if (arrives && m == "noComplete") {
      flags.no_complete = true;
    } else if (m != "b64" && !names_shared(m) && m != "release" && m != "acquire" && m != "relaxed" &&
               m != "cta" && m != "cluster") {
      unknown = m;
      return std::nullopt;
    }
  }
  const bool ordered = ptx::has(in, "release") || ptx::has(in, "acquire") || ptx::has(in, "relaxed");
  if (ordered != (ptx::has(in, "cta") || ptx::has(in, "cluster"))) {
    unknown = ordered ? "release" : "cta";
    return std::nullopt;
  }
  return flags;
}

}  // namespace

Decoder::Address Decoder::barrier_address(const ptx::Instruction& in, const ptx::Operand& operand,
                                          Space space) {
  const Address at = address(in, operand, space);
  if (in.row->reader == ptx::Reader::Mbarrier && !operand.base_is_register && !operand.name.empty() &&
      !shared_offsets_.contains(operand.name))
    fail(in, FaultKind::BadPtx, msg("`{}` does not lie in shared memory", operand.name));
  return at;
}

void Decoder::decode_mbarrier(const ptx::Instruction& in) {
  std::string unknown;
  const auto read = flags_of(in, unknown);
  if (!read) unsupported(in, unknown.empty() ? Message() : msg("the modifier .{}", unknown));
  const MbarrierFlags flags = *read;
  const bool arrives = flags.op == MbarrierOp::Arrive || flags.op == MbarrierOp::ArriveDrop;
  const bool waits = flags.op == MbarrierOp::Wait;
  if (flags.op == MbarrierOp::Pending) {
    expect_operands(in, 2, 2);
    const RowRef state = source(in, in.operands[1], Type::U64),
                 count = destination(in, in.operands[0], Type::U32);
    Inst& inst = emit(in, exec_mbarrier);
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
  if (arrives && !needs_value && in.operands.size() > first + 1 && target() < 90)
    fail(in, FaultKind::BadPtx, "a number of arrivals needs sm_90, or .noComplete");
  const Address at = barrier_address(in, in.operands[first], barrier_space(in));
  RowRef value, result;
  if (in.operands.size() > first + 1)
    value = source(in, in.operands[first + 1], waits && !flags.parity ? Type::U64 : Type::U32);
  RowRef limit;  // of try_wait, in nanoseconds
  if (in.operands.size() > first + 2) limit = source(in, in.operands[first + 2], Type::U32);
  if (first == 1) result = destination(in, in.operands[0], waits ? Type::Pred : Type::U64);
  Inst& inst = emit_access(in, exec_mbarrier, at, 8);
  inst.b = value;
  inst.c = limit;
  inst.dst = result;
  inst.extra = flags.packed();
  inst.watches_memory = waits;
}

// cp.async.mbarrier.arrive{.noinc}{.shared{::cta}}.b64 [barrier];
void Decoder::decode_async_arrive(const ptx::Instruction& in) {
  if (in.modifiers[1] != "mbarrier" || in.modifiers[2] != "arrive") unsupported(in);
  for (std::size_t k = 3; k < in.modifiers.size(); ++k) {
    const std::string& m = in.modifiers[k];
    if (m != "noinc" && m != "b64" && space_named(m) != Space::Shared)
      unsupported(in, msg("the modifier .{}", m));
  }
  expect_operands(in, 1, 1);
  const Address at = barrier_address(in, in.operands[0], space_of(in));
  Inst& inst = emit_access(in, exec_async_arrive, at, 8);
  inst.extra = ptx::has(in, "noinc") ? 1 : 0;
}

}  // namespace lab::sim
