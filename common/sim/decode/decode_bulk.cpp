// Reads the copies of the TMA unit: of many bytes, of boxes of tensors, reductions, prefetches, and the
// groups that they form (cp.async.bulk, cp.async.bulk.tensor, cp.reduce.async.bulk).
#include <optional>
#include <string>
#include <string_view>

#include "common/sim/decode/decoder.h"
#include "common/sim/execute/mbarrier.h"

namespace lab::sim {
namespace {

using ptx::Type;
using Way = BulkCopyInfo::Way;

std::uint32_t dimensions_of(std::string_view m) {
  return m.size() == 2 && m[1] == 'd' && m[0] >= '1' && m[0] <= '5' ? static_cast<std::uint32_t>(m[0] - '0')
                                                                    : 0;
}

// What stands behind `cp`, word by word.
struct Words {
  bool reduces = false, tensor = false, prefetch = false, multicast = false, hint = false, group = false,
       barrier = false;
  std::string_view to, from;  // spaces, in the order of the text
  std::uint32_t dimensions = 0;
  std::optional<AtomicOp> operation;
  Type type = Type::None;
  std::string unknown;  // the first word that is not simulated
};

Words words_of(const ptx::Instruction& in) {
  Words w;
  for (const std::string& m : in.modifiers) {
    if (m == "async" || m == "bulk" || m == "tile" || m == "L2" || m == "noftz") continue;
    if (m == "reduce") {
      w.reduces = true;
    } else if (m == "tensor") {
      w.tensor = true;
    } else if (m == "prefetch") {
      w.prefetch = true;
    } else if (m == "multicast::cluster") {
      w.multicast = true;
    } else if (m == "L2::cache_hint") {
      w.hint = true;
    } else if (m == "bulk_group") {
      w.group = true;
    } else if (m == "mbarrier::complete_tx::bytes") {
      w.barrier = true;
    } else if (m == "global" || m == "shared::cluster" || m == "shared::cta") {
      (w.to.empty() ? w.to : w.from) = m;
    } else if (const std::uint32_t d = dimensions_of(m); d != 0) {
      w.dimensions = d;
    } else if (const auto op = atomic_operation(m)) {
      w.operation = op;
    } else if (const Type t = ptx::type_named(m); t != Type::None) {
      w.type = t;
    } else if (w.unknown.empty()) {
      w.unknown = m;
    }
  }
  return w;
}

std::optional<Way> way_of(const Words& w) {
  if (w.prefetch)
    return w.to == "global" && w.from.empty() && !w.reduces ? std::optional(Way::Prefetch) : std::nullopt;
  if (w.to == "global" && w.from == "shared::cta" && w.group) return Way::Store;
  if (w.reduces && w.from != "shared::cta") return std::nullopt;
  if (w.to.starts_with("shared::") && w.from == "global" && w.barrier) return Way::Load;
  if (w.to == "shared::cluster" && w.from == "shared::cta" && w.barrier && !w.tensor) return Way::ToPeer;
  return std::nullopt;
}

}  // namespace

void Decoder::decode_bulk_group(const ptx::Instruction& in) {
  const bool waits = ptx::has(in, "wait_group");
  expect_operands(in, waits ? 1 : 0, waits ? 1 : 0);
  if (!waits) {
    emit(in, exec_bulk_commit);
    return;
  }
  const std::int64_t groups = constant(in, in.operands[0]);
  // A copy has read and written when its instruction is done: .read makes a difference to observers alone.
  Inst& inst = emit(in, exec_engine_event);
  inst.extra =
      static_cast<std::uint32_t>(ptx::has(in, "read") ? EngineEvent::Act::Read : EngineEvent::Act::Waited);
  inst.immediate = groups & 0x7fffffff;
}

void Decoder::decode_bulk(const ptx::Instruction& in) {
  const Words words = words_of(in);
  if (words.unknown.starts_with("im2col")) unsupported(in, "the im2col mode of the TMA unit");
  if (!words.unknown.empty()) unsupported(in, msg("the modifier .{}", words.unknown));
  const std::optional<Way> way = way_of(words);
  const bool apart = words.reduces && words.tensor && in.modifiers[3] != "tensor";
  if (!way || apart || words.tensor != (words.dimensions != 0) ||
      words.reduces != words.operation.has_value())
    unsupported(in, "this copy of the TMA unit");
  BulkCopyInfo info;
  info.way = *way;
  info.dimensions = words.dimensions;
  info.reduces = words.reduces;
  if (words.reduces) info.reduction = bulk_reduction(in, *words.operation, words.type, words.tensor);
  // The order of operands: where to, where from, how many bytes, the barrier, the mask, the policy.
  std::size_t k = 0;
  const auto next = [&]() -> const ptx::Operand& {
    if (k >= in.operands.size()) fail(in, FaultKind::BadPtx, "an operand is missing");
    return in.operands[k++];
  };
  const auto far = [&](const ptx::Operand& operand) {
    const bool is_map = info.dimensions != 0;
    const Address a = address(in, operand,
                              is_map                ? Space::Generic
                              : *way == Way::ToPeer ? Space::Shared
                                                    : Space::Global);
    if (a.frame_relative) fail(in, FaultKind::BadPtx, "local memory takes no part");
    info.far = a.base;
    info.far_offset = a.offset;
    if (!is_map && *way != Way::ToPeer) info.far_roots = roots_of(&operand);
    if (!is_map) return;
    if (operand.elements.size() != info.dimensions)
      fail(in, FaultKind::BadPtx, "it needs a coordinate for each of its dimensions");
    for (std::size_t c = 0; c < operand.elements.size(); ++c)
      info.coordinates[c] = source(in, operand.elements[c], Type::S32);
  };
  Address near{{}, 0, Space::Shared};
  std::uint16_t near_roots = 0;
  // The address of a box's elements, and of its barrier, may lack the brackets; of another copy's barrier what
  // has 64 bits, and a number.
  const auto bracketed = [&](const ptx::Operand& operand, bool is_barrier) {
    take(&operand);
    ptx::Operand made = operand;
    const bool bare = operand.kind == ptx::OperandKind::Register && !special_row(operand.name) &&
                      !is_float(register_row(in, operand.name).second) &&
                      (words.tensor || (is_barrier && register_row(in, operand.name).first.lane_bytes == 8));
    const bool variable = words.tensor && operand.kind == ptx::OperandKind::Symbol &&
                          shared_offsets_.contains(operand.name) && !ptx::is_sum(operand);
    const bool number = !words.tensor && is_barrier && operand.kind == ptx::OperandKind::Immediate &&
                        !is_float(operand.literal);
    if (number) made.offset = constant(in, operand);
    if (bare || variable || number) made.kind = ptx::OperandKind::Address, made.base_is_register = bare;
    return made;
  };
  // A real number there is an address too: `ptxas` makes the integer below it.
  const auto floored = [&](const ptx::Operand& operand) -> std::optional<Address> {
    const Type type =
        operand.kind == ptx::OperandKind::Immediate ? operand.literal
        : operand.kind == ptx::OperandKind::Register && !ptx::is_sum(operand) && !special_row(operand.name)
            ? register_row(in, operand.name).second
            : Type::None;
    if (!words.tensor || (type != Type::F32 && type != Type::F64)) return std::nullopt;
    const RowRef from = source(in, operand, type), to = allocate_row(RowFile::Reg32, 4);
    Inst& inst = emit_form(in, type == Type::F32 ? "cvt.rmi.s32.f32" : "cvt.rmi.s32.f64");
    inst.dst = to;
    inst.a = from;
    return Address{to, 0, Space::Shared};
  };
  const auto own = [&](const ptx::Operand& operand) {
    const std::optional<Address> number = floored(operand);
    near = number ? *number : address(in, bracketed(operand, false), Space::Shared);
    near_roots = roots_of(&operand);
    if (near.frame_relative) fail(in, FaultKind::BadPtx, "local memory takes no part");
  };
  const bool loads = *way == Way::Load;
  if (loads) own(next());
  far(next());
  if (*way == Way::Store || *way == Way::ToPeer) own(next());
  if (info.dimensions == 0) {
    const ptx::Operand& bytes = next();
    if (bytes.kind == ptx::OperandKind::Immediate &&
        (constant(in, bytes) < 0 || constant(in, bytes) % 16 != 0))
      fail(in, FaultKind::BadPtx, "it copies a multiple of 16 bytes");
    info.bytes = source(in, bytes, Type::U32);
  }
  if (loads || *way == Way::ToPeer) {
    const ptx::Operand& named = next();
    const std::optional<Address> number = floored(named);
    const Address barrier = number ? *number : barrier_address(in, bracketed(named, true), Space::Shared);
    info.barrier = barrier.base;
    info.barrier_offset = barrier.offset;
  }
  if (words.multicast) info.mask = source(in, next(), Type::B16);
  if (words.hint) source(in, next(), Type::B64);
  expect_operands(in, k, k);
  data_->bulk_copies.push_back(info);
  data_->uses_engine = true;
  if (*way == Way::Prefetch) near.base = constant_row(0, 8);
  Inst& inst = emit_access(in, exec_bulk_copy, near, 16);
  inst.extra = static_cast<std::uint32_t>(data_->bulk_copies.size() - 1);
  note_access(inst, in);
  note_blocks(in, *way == Way::Store ? Space::Global : Space::Shared);
  inst.roots = near_roots;
}

AtomicInfo Decoder::bulk_reduction(const ptx::Instruction& in, AtomicOp op, Type type, bool tensor) const {
  AtomicInfo info;
  info.op = op;
  info.type = type;
  if (op == AtomicOp::Exch || op == AtomicOp::Cas) unsupported(in);
  const bool half = type == Type::F16 || type == Type::BF16;
  const bool real = half || type == Type::F32 || type == Type::F64;
  const bool untyped = type == Type::B32 || type == Type::B64;
  const bool to_peer = ptx::has(in, "mbarrier::complete_tx::bytes");
  const bool arithmetic = !untyped && ((op == AtomicOp::Add && type != Type::S64) ||
                                       ((op == AtomicOp::Min || op == AtomicOp::Max) && !(real && !half)));
  const bool bits = (untyped || tensor) && (op == AtomicOp::And || op == AtomicOp::Or || op == AtomicOp::Xor);
  const bool wraps = (op == AtomicOp::Inc || op == AtomicOp::Dec) && type == Type::U32;
  const bool exists = tensor ? type == Type::None : real ? arithmetic : bits || wraps || arithmetic;
  const bool at_peer = !real && (ptx::size_bytes(type) == 4 || (op == AtomicOp::Add && type == Type::U64));
  if (!exists || (!tensor && type == Type::None) || (to_peer && !at_peer) ||
      ptx::has(in, "noftz") != (half && op == AtomicOp::Add))
    unsupported(in, "this reduction");
  return info;
}

}  // namespace lab::sim
