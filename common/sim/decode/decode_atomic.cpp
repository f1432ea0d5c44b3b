// Reads atom and red. Which operation exists for which type is written down here; every other pair is
// unsupported by name.
#include <map>
#include <string>

#include "common/sim/decode/decoder.h"
#include "common/sim/execute/block.h"
#include "common/sim/execute/exec_memory.h"

namespace lab::sim {

std::optional<AtomicOp> atomic_operation(std::string_view modifier) {
  static const std::map<std::string_view, AtomicOp> operations{
      {"add", AtomicOp::Add}, {"min", AtomicOp::Min}, {"max", AtomicOp::Max},   {"and", AtomicOp::And},
      {"or", AtomicOp::Or},   {"xor", AtomicOp::Xor}, {"exch", AtomicOp::Exch}, {"cas", AtomicOp::Cas},
      {"inc", AtomicOp::Inc}, {"dec", AtomicOp::Dec}};
  const auto found = operations.find(modifier);
  return found == operations.end() ? std::nullopt : std::optional(found->second);
}

namespace {

using ptx::Type;

bool is_among(Type type, std::initializer_list<Type> types) {
  for (const Type t : types) {
    if (t == type) return true;
  }
  return false;
}

bool is_half(Type type) { return is_among(type, {Type::F16, Type::BF16, Type::F16x2, Type::BF16x2}); }

bool exists(AtomicOp op, Type type, std::uint8_t vector) {
  const bool half = is_half(type);
  if (vector > 1) {
    const bool least = op == AtomicOp::Min || op == AtomicOp::Max;
    return ((op == AtomicOp::Add && type == Type::F32) || (half && (least || op == AtomicOp::Add))) &&
           vector * ptx::size_bytes(type) <= 16;
  }
  switch (op) {
    case AtomicOp::Add:
      return half || is_among(type, {Type::U32, Type::S32, Type::U64, Type::F32, Type::F64});
    case AtomicOp::Min:
    case AtomicOp::Max:
      return is_among(type, {Type::U32, Type::S32, Type::U64, Type::S64});
    case AtomicOp::And:
    case AtomicOp::Or:
    case AtomicOp::Xor:
      return is_among(type, {Type::B32, Type::B64});
    case AtomicOp::Exch:
      return is_among(type, {Type::B32, Type::B64, Type::B128});
    case AtomicOp::Cas:
      return is_among(type, {Type::B16, Type::B32, Type::B64, Type::B128});
    default:
      return is_among(type, {Type::U32});
  }
}

}  // namespace

void Decoder::decode_atomic(const ptx::Instruction& in) {
  AtomicInfo info;
  info.returns = in.row->fetches();
  int operations = 0;
  for (const std::string& m : in.modifiers) {
    if (const auto op = atomic_operation(m)) {
      info.op = *op;
      ++operations;
    } else if (!is_hint(m) && ptx::type_named(m) == Type::None && !m.starts_with("v") &&
               space_named(m) == Space::Generic) {
      unsupported(in, msg("the modifier .{}", m));
    }
  }
  info.type = ptx::last_type(in);
  const std::uint8_t vector = vector_length(in);
  const bool shared_vector = vector > 1 && space_of(in) == Space::Shared;
  if (operations != 1 || !exists(info.op, info.type, vector) || shared_vector ||
      ptx::has(in, "noftz") != is_half(info.type) ||
      (!info.returns && info.op >= AtomicOp::Exch && info.op <= AtomicOp::Cas))
    unsupported(in);
  const std::size_t first = info.returns ? 1 : 0;
  const std::size_t values = info.op == AtomicOp::Cas ? 2 : 1;
  const std::size_t policy = ptx::has(in, "L2::cache_hint") ? 1 : 0;
  expect_operands(in, first + 1 + values + policy, first + 1 + values + policy);
  const Address at = address(in, in.operands[first], space_of(in));
  RowRef rows[2], result;
  if (vector > 1) {
    info.values = whole_vector(in, in.operands[first + 1], info.type, true);
    if (info.returns) info.results = whole_vector(in, in.operands[0], info.type, false);
  } else {
    for (std::size_t k = 0; k < values; ++k) rows[k] = source(in, in.operands[first + 1 + k], info.type);
    if (info.returns) result = destination(in, in.operands[0], info.type);
  }
  cache_policy(in);
  data_->atomics.push_back(info);
  const auto bytes = static_cast<std::uint32_t>(ptx::size_bytes(info.type));
  Inst& inst = emit_access(in, exec_atomic, at, bytes);
  inst.dst = result;
  inst.takes_ramp = true;
  inst.b = rows[0];
  inst.c = rows[1];
  inst.vector = vector;
  inst.extra = static_cast<std::uint32_t>(data_->atomics.size() - 1);
  note_access(inst, in);
  inst.may_be_narrow = info.op == AtomicOp::Cas && inst.elem_bytes == 4;
  const bool unread = scope_->unread_atomics.contains(&in);
  inst.only_stores = unread && info.op == AtomicOp::Exch;
  inst.watches_memory = info.returns && !unread;
  if (unread) inst.dst = {};
}

}  // namespace lab::sim
