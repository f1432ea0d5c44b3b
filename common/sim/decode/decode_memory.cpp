// Reads loads and stores: operands become rows, and a handler is chosen. memory_words.cpp says what their
// modifiers mean; atomics, copies and barriers have files of their own.
#include <algorithm>
#include <cstring>
#include <string>

#include "common/sim/decode/decoder.h"
#include "common/sim/execute/block.h"
#include "common/sim/execute/exec_memory.h"

namespace lab::sim {
namespace {

std::uint32_t widest(const std::vector<RowRef>& rows) {
  std::uint32_t bytes = 0;
  for (const RowRef& row : rows) bytes = std::max<std::uint32_t>(bytes, row.lane_bytes);
  return bytes;
}

}  // namespace

// Where in the kernel's parameters this is, when that is a constant and nothing is wrong with it.
std::optional<std::int64_t> Decoder::parameter_offset(const Address& from, std::uint64_t size_bytes) const {
  const bool constant = from.space == Space::Param && !from.frame_relative &&
                        from.base.file == RowFile::Constant && from.base.lane_bytes == 8;
  if (!constant) return std::nullopt;
  std::uint64_t at = 0;
  std::memcpy(&at, data_->constants.data() + from.base.offset_bytes, sizeof at);
  at += static_cast<std::uint64_t>(from.offset);
  if (at % size_bytes != 0 || at > data_->parameter_bytes || size_bytes > data_->parameter_bytes - at)
    return std::nullopt;
  return static_cast<std::int64_t>(at);
}

void Decoder::decode_load(const ptx::Instruction& in) {
  check_memory_modifiers(in);
  const ptx::Type type = ptx::last_type(in);
  const Address from = address(in, in.operands[1], space_of(in));
  const std::uint32_t rows = whole_vector(in, in.operands[0], type, false);
  const std::uint32_t register_bytes = widest(data_->vectors[rows]);
  const std::uint8_t vector = vector_length(in);
  for (const RowRef& r : data_->vectors[rows]) {
    if (is_set(r) && r.lane_bytes != register_bytes)
      fail(in, FaultKind::BadPtx, "the registers differ in size");
  }
  const auto bytes = static_cast<std::uint32_t>(ptx::size_bytes(type));
  const std::optional<std::int64_t> parameter = parameter_offset(from, std::uint64_t{bytes} * vector);
  const Exec handler = load_handler(bytes, register_bytes, is_signed(type), parameter.has_value());
  if (handler == nullptr) unsupported(in);
  Inst& inst = emit_access(in, handler, from, bytes);
  inst.takes_ramp = true;
  inst.is_pure = parameter.has_value();
  inst.immediate = parameter.value_or(from.offset);
  inst.passes_argument = from.frame_relative && from.space == Space::Param;
  use_list(inst, rows, false);
  inst.vector = vector;
  const bool tests = scope_->tests.contains(&in);
  inst.checked_by_cas = tests || scope_->cas_reads.contains(&in);
  note_access(inst, in);
  const bool half = bytes == 2 && inst.order.strong() && !inst.order.is_volatile;
  inst.may_be_narrow = vector == 1 && (half || (bytes == 4 && scope_->cas_reads.contains(&in)));
  inst.takes_data = scope_->data_reads.contains(&in);
  inst.non_coherent = ptx::has(in, "nc");
  inst.updates = scope_->updates.contains(&in);
  // A number that the atomic would have returned is no test: it is not checked again.
  inst.tests_atomic =
      (tests || scope_->numbers.contains(&in)) && !inst.order.strong() && !scope_->cas_reads.contains(&in);
}

void Decoder::decode_discard(const ptx::Instruction& in) {
  expect_operands(in, 2, 2);
  const Address at = address(in, in.operands[0], space_of(in));
  if (at.space != Space::Global && at.space != Space::Generic)
    fail(in, FaultKind::BadPtx, "the address must be a global one");
  if (constant(in, in.operands[1]) != 128) fail(in, FaultKind::BadPtx, "it discards 128 bytes");
  Inst& inst = emit(in, exec_discard);
  inst.writes_global = true;  // what it loses was written
  inst.a = at.base;
  inst.takes_ramp = true;
  inst.immediate = at.offset;
  inst.space = Space::Global;
}

// st.bulk{.weak}{.shared::cta} [to], size, 0;
void Decoder::decode_fill(const ptx::Instruction& in) {
  for (const std::string& m : in.modifiers)
    if (m != "bulk" && m != "weak" && m != "shared::cta") unsupported(in, msg("the modifier .{}", m));
  expect_operands(in, 3, 3);
  const Address to = address(in, in.operands[0], space_of(in));
  const ptx::Operand& size = in.operands[1];
  if (size.kind == ptx::OperandKind::Immediate && constant(in, size) % 8 != 0)
    fail(in, FaultKind::BadPtx, "the size is a multiple of 8");
  const RowRef bytes = source(in, size, ptx::Type::B64);
  if (constant(in, in.operands[2]) != 0) fail(in, FaultKind::BadPtx, "it stores zeros alone");
  Inst& inst = emit_access(in, exec_fill, to, 8);
  inst.b = bytes;
  use_list(inst, add_list({constant_row(0, 8)}), true);
  note_access(inst, in);
}

void Decoder::decode_store(const ptx::Instruction& in) {
  if (in.row->moves.unit == ptx::Unit::Hint) return decode_fill(in);
  check_memory_modifiers(in);
  const ptx::Type type = ptx::last_type(in);
  const Address to = address(in, in.operands[0], space_of(in));
  const std::uint32_t rows = whole_vector(in, in.operands[1], type, true);
  // One register width an instruction: immediates take the width of the registers beside them.
  const std::uint32_t register_bytes = widest(data_->vectors[rows]);
  for (std::size_t e = 0; e < data_->vectors[rows].size(); ++e) {
    RowRef& r = data_->vectors[rows][e];
    if (r.lane_bytes == register_bytes) continue;
    const ptx::Operand& element = in.operands[1].elements.at(e);
    if (element.kind != ptx::OperandKind::Immediate)
      fail(in, FaultKind::BadPtx, "the registers differ in size");
    r = constant_row(immediate_bits(in, element, type), register_bytes);
  }
  const auto bytes = static_cast<std::uint32_t>(ptx::size_bytes(type));
  const Exec handler = store_handler(bytes, register_bytes);
  if (handler == nullptr) unsupported(in);
  Inst& inst = emit_access(in, handler, to, bytes);
  inst.takes_ramp = true;
  inst.passes_argument = to.frame_relative && to.space == Space::Param;
  use_list(inst, rows, true);
  inst.vector = vector_length(in);
  note_access(inst, in);
  inst.updates = scope_->updates.contains(&in);
}

}  // namespace lab::sim
