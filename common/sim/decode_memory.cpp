// Reads what touches memory: ld, st, atom, red, cvta, isspacep, and the moves that are no plain copy.
#include <algorithm>
#include <array>
#include <string>

#include "common/sim/block.h"
#include "common/sim/decoder.h"
#include "common/sim/exec_memory.h"

namespace lab::sim {
namespace {

ptx::Space space_named(std::string_view m) {
  if (m == "global") return ptx::Space::Global;
  if (m == "shared" || m == "shared::cta") return ptx::Space::Shared;
  if (m == "local") return ptx::Space::Local;
  if (m == "const") return ptx::Space::Const;
  if (m == "param" || m == "param::entry" || m == "param::func") return ptx::Space::Param;
  return ptx::Space::Generic;
}

ptx::Space space_of(const ptx::Instruction& in) {
  for (const std::string& m : in.modifiers) {
    if (const ptx::Space space = space_named(m); space != ptx::Space::Generic) return space;
  }
  return ptx::Space::Generic;
}

std::uint8_t vector_length(const ptx::Instruction& in) {
  if (has_modifier(in, "v2")) return 2;
  if (has_modifier(in, "v4")) return 4;
  if (has_modifier(in, "v8")) return 8;
  return 1;
}

bool is_signed(ptx::Type t) {
  return t == ptx::Type::S8 || t == ptx::Type::S16 || t == ptx::Type::S32 || t == ptx::Type::S64;
}

// Modifiers that change neither the result nor a counter of one launch: cache hints, prefetch sizes, scopes,
// ordering.
bool is_hint(const std::string& m) {
  static const std::array<std::string_view, 30> hints{"ca",
                                                      "cg",
                                                      "cs",
                                                      "lu",
                                                      "cv",
                                                      "wb",
                                                      "wt",
                                                      "nc",
                                                      "weak",
                                                      "cta",
                                                      "gpu",
                                                      "sys",
                                                      "cluster",
                                                      "volatile",
                                                      "relaxed",
                                                      "acquire",
                                                      "release",
                                                      "acq_rel",
                                                      "sc",
                                                      "unified",
                                                      "noftz",
                                                      "L2::64B",
                                                      "L2::128B",
                                                      "L2::256B",
                                                      "mmio",
                                                      "uni",
                                                      "L1::evict_normal",
                                                      "L1::no_allocate",
                                                      "L1::evict_first",
                                                      "L1::evict_last"};
  for (const std::string_view hint : hints) {
    if (m == hint) return true;
  }
  return m.starts_with("L1::") || m.starts_with("L2::");
}

// Whether other blocks may be waiting for, or may see, this access while the launch runs.
bool talks(const ptx::Instruction& in, ptx::Space space) {
  if (space == ptx::Space::Shared || space == ptx::Space::Local || space == ptx::Space::Param) return false;
  for (const std::string& m : in.modifiers) {
    if (m == "volatile" || m == "relaxed" || m == "acquire" || m == "release" || m == "cv" || m == "mmio")
      return true;
  }
  return false;
}

Exec no_operation() {
  return [](WarpContext&, const Inst&) {};
}

template <class T>
void exec_local_address(WarpContext& w, const Inst& i) {
  T* to = w.row<T>(i.dst);
  for (int k = 0; k < kWarpLanes; ++k) {
    if (lane_in(w.mask, k)) to[k] = static_cast<T>(w.local_base + static_cast<std::uint64_t>(i.immediate));
  }
}

void exec_isspacep(WarpContext& w, const Inst& i) {
  Mask inside = 0;
  for (int k = 0; k < kWarpLanes; ++k) {
    const std::uint64_t a = lane_value(w, i.a, k);
    bool windowed = false;
    for (const std::uint64_t window : {kSharedWindow, kLocalWindow, kParamWindow})
      windowed |= a - window < kWindowBytes;
    const bool here =
        i.immediate == 0 ? !windowed : a - static_cast<std::uint64_t>(i.immediate) < kWindowBytes;
    if (here) inside |= 1u << k;
  }
  w.set_predicate(i.dst, inside);
}

// mov.b64 %rd, {%r1, %r2} and back: bytes side by side.
void exec_pack(WarpContext& w, const Inst& i) {
  const auto& rows = w.block->launch().program->vectors[i.extra];
  std::byte* to = w.row<std::byte>(i.dst);
  for (int k = 0; k < kWarpLanes; ++k) {
    if (!lane_in(w.mask, k)) continue;
    std::byte packed[16];
    for (std::size_t e = 0; e < rows.size(); ++e) {
      std::memcpy(packed + e * i.elem_bytes,
                  w.row<std::byte>(rows[e]) + rows[e].lane_bytes * static_cast<std::size_t>(k), i.elem_bytes);
    }
    std::memcpy(to + static_cast<std::size_t>(k) * i.dst.lane_bytes, packed, i.dst.lane_bytes);
  }
}

void exec_unpack(WarpContext& w, const Inst& i) {
  const auto& rows = w.block->launch().program->vectors[i.extra];
  const std::byte* from = w.row<std::byte>(i.a);
  for (int k = 0; k < kWarpLanes; ++k) {
    if (!lane_in(w.mask, k)) continue;
    std::byte packed[16];
    std::memcpy(packed, from + static_cast<std::size_t>(k) * i.a.lane_bytes, i.a.lane_bytes);
    for (std::size_t e = 0; e < rows.size(); ++e) {
      if (!is_set(rows[e])) continue;
      std::memcpy(w.row<std::byte>(rows[e]) + rows[e].lane_bytes * static_cast<std::size_t>(k),
                  packed + e * i.elem_bytes, i.elem_bytes);
    }
  }
}

}  // namespace

bool Decoder::decode_memory(const ptx::Instruction& in) {
  const std::string& op = in.opcode;
  if (op == "ld" || op == "ldu") {
    decode_load(in);
  } else if (op == "st") {
    decode_store(in);
  } else if (op == "atom" || op == "red") {
    decode_atomic(in);
  } else if (op == "cvta") {
    decode_cvta(in);
  } else if (op == "isspacep") {
    decode_isspacep(in);
  } else if (op == "mov") {
    return decode_mov(in);
  } else if (op == "membar" || op == "fence") {
    // One host thread runs the blocks of a program that talks, in order: memory is always consistent.
    emit(in, no_operation(), no_operation());
  } else if (op == "prefetch" || op == "prefetchu" || op == "nanosleep" || op == "discard" ||
             op == "applypriority" || op == "griddepcontrol" || op == "pmevent") {
    emit(in, no_operation(), no_operation());
  } else {
    return false;
  }
  return true;
}

void Decoder::note_access(Inst& inst, const ptx::Instruction& in) {
  if (inst.space == ptx::Space::Shared || inst.space == ptx::Space::Generic) {
    data_->smallest_shared_access_bytes = std::min<std::uint32_t>(
        data_->smallest_shared_access_bytes, std::uint32_t{inst.elem_bytes} * inst.vector);
  }
  if (talks(in, inst.space)) data_->blocks_talk = true;
  inst.watches_memory = talks(in, ptx::Space::Generic);
}

void Decoder::check_memory_modifiers(const ptx::Instruction& in) const {
  for (const std::string& m : in.modifiers) {
    const bool known = is_hint(m) || ptx::type_named(m) != ptx::Type::None || m == "v2" || m == "v4" ||
                       m == "v8" || space_named(m) != ptx::Space::Generic;
    if (!known) unsupported(in, "the modifier ." + m);
  }
}

void Decoder::decode_load(const ptx::Instruction& in) {
  check_memory_modifiers(in);
  expect_operands(in, 2, 3);
  const ptx::Type type = last_type(in);
  const Address from = address(in, in.operands[1], space_of(in));
  const std::uint32_t rows = vector_of(in, in.operands[0], type, false);
  std::uint32_t register_bytes = 0;
  for (const RowRef& r : data_->vectors[rows])
    register_bytes = std::max<std::uint32_t>(register_bytes, r.lane_bytes);
  const std::uint8_t vector = vector_length(in);
  if (data_->vectors[rows].size() != vector) fail(in, FaultKind::BadPtx, "the vector has the wrong length");
  for (const RowRef& r : data_->vectors[rows]) {
    if (is_set(r) && r.lane_bytes != register_bytes)
      fail(in, FaultKind::BadPtx, "the registers differ in size");
  }
  const auto bytes = static_cast<std::uint32_t>(ptx::size_bytes(type));
  const Exec handler = load_handler(bytes, register_bytes, is_signed(type));
  if (handler == nullptr) unsupported(in);
  Inst& inst = emit(in, handler, handler);
  inst.a = from.base;
  inst.immediate = from.offset;
  inst.space = from.frame_relative ? ptx::Space::Local : from.space;
  inst.frame_relative = from.frame_relative;
  inst.extra = rows;
  inst.elem_bytes = static_cast<std::uint8_t>(bytes);
  inst.vector = vector;
  note_access(inst, in);
}

void Decoder::decode_store(const ptx::Instruction& in) {
  check_memory_modifiers(in);
  expect_operands(in, 2, 3);
  const ptx::Type type = last_type(in);
  const Address to = address(in, in.operands[0], space_of(in));
  const std::uint32_t rows = vector_of(in, in.operands[1], type, true);
  const std::uint8_t vector = vector_length(in);
  if (data_->vectors[rows].size() != vector) fail(in, FaultKind::BadPtx, "the vector has the wrong length");
  // One register width an instruction: immediates take the width of the registers beside them.
  std::uint32_t register_bytes = 0;
  for (const RowRef& r : data_->vectors[rows])
    register_bytes = std::max<std::uint32_t>(register_bytes, r.lane_bytes);
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
  Inst& inst = emit(in, handler, handler);
  inst.a = to.base;
  inst.immediate = to.offset;
  inst.space = to.frame_relative ? ptx::Space::Local : to.space;
  inst.frame_relative = to.frame_relative;
  inst.extra = rows;
  inst.elem_bytes = static_cast<std::uint8_t>(bytes);
  inst.vector = vector;
  note_access(inst, in);
}

void Decoder::decode_atomic(const ptx::Instruction& in) {
  static const std::map<std::string_view, AtomicOp> operations{
      {"add", AtomicOp::Add}, {"min", AtomicOp::Min}, {"max", AtomicOp::Max},   {"and", AtomicOp::And},
      {"or", AtomicOp::Or},   {"xor", AtomicOp::Xor}, {"exch", AtomicOp::Exch}, {"cas", AtomicOp::Cas},
      {"inc", AtomicOp::Inc}, {"dec", AtomicOp::Dec}};
  AtomicInfo info;
  info.returns = in.opcode == "atom";
  bool found = false;
  for (const std::string& m : in.modifiers) {
    if (const auto it = operations.find(m); it != operations.end()) {
      info.op = it->second;
      found = true;
    }
  }
  info.type = last_type(in);
  if (!found || info.type == ptx::Type::None || vector_length(in) != 1) unsupported(in);
  const std::size_t first = info.returns ? 1 : 0;
  const std::size_t values = info.op == AtomicOp::Cas ? 2 : 1;
  expect_operands(in, first + 1 + values, first + 1 + values);
  const Address at = address(in, in.operands[first], space_of(in));
  RowRef rows[2];
  for (std::size_t k = 0; k < values; ++k) rows[k] = source(in, in.operands[first + 1 + k], info.type);
  RowRef result;
  if (info.returns) result = destination(in, in.operands[0], info.type);
  data_->atomics.push_back(info);
  Inst& inst = emit(in, exec_atomic, exec_atomic);
  inst.dst = result;
  inst.a = at.base;
  inst.b = rows[0];
  inst.c = rows[1];
  inst.immediate = at.offset;
  inst.space = at.frame_relative ? ptx::Space::Local : at.space;
  inst.frame_relative = at.frame_relative;
  inst.elem_bytes = static_cast<std::uint8_t>(ptx::size_bytes(info.type));
  inst.extra = static_cast<std::uint32_t>(data_->atomics.size() - 1);
  note_access(inst, in);
  inst.watches_memory = true;
  if (inst.space != ptx::Space::Shared && inst.space != ptx::Space::Local) data_->blocks_talk = true;
}

void Decoder::decode_cvta(const ptx::Instruction& in) {
  expect_operands(in, 2, 2);
  std::int64_t window = 0;
  if (has_modifier(in, "shared") || has_modifier(in, "shared::cta"))
    window = static_cast<std::int64_t>(kSharedWindow);
  if (has_modifier(in, "local")) window = static_cast<std::int64_t>(kLocalWindow);
  if (has_modifier(in, "param")) window = static_cast<std::int64_t>(kParamWindow);
  if (has_modifier(in, "to")) window = -window;
  const ptx::Operand& from = in.operands[1];
  const RowRef to = destination(in, in.operands[0], ptx::Type::B64);
  RowRef row;
  if (const auto slot = scope_->frame.find(from.name);
      from.kind == ptx::OperandKind::Symbol && slot != scope_->frame.end()) {
    row = allocate_row(RowFile::Reg64, 8);
    Inst& local = emit(in, exec_local_address<std::uint64_t>, exec_local_address<std::uint64_t>);
    local.dst = row;
    local.immediate = slot->second.offset_bytes + from.offset;
  } else {
    row = source(in, from, ptx::Type::B64);
  }
  const RowRef shift = constant_row(static_cast<std::uint64_t>(window), 8);
  Inst& inst = emit_form(in, "add.s64");
  inst.dst = to;
  inst.a = row;
  inst.b = shift;
}

void Decoder::decode_isspacep(const ptx::Instruction& in) {
  expect_operands(in, 2, 2);
  std::uint64_t window = 0;
  switch (space_of(in)) {
    case ptx::Space::Shared:
      window = kSharedWindow;
      break;
    case ptx::Space::Local:
      window = kLocalWindow;
      break;
    case ptx::Space::Param:
      window = kParamWindow;
      break;
    case ptx::Space::Global:
      break;
    default:
      unsupported(in);
  }
  const RowRef a = source(in, in.operands[1], ptx::Type::B64);
  const RowRef d = destination(in, in.operands[0], ptx::Type::Pred);
  Inst& inst = emit(in, exec_isspacep, exec_isspacep);
  inst.dst = d;
  inst.a = a;
  inst.immediate = static_cast<std::int64_t>(window);
}

bool Decoder::decode_mov(const ptx::Instruction& in) {
  expect_operands(in, 2, 2);
  const ptx::Operand& from = in.operands[1];
  const ptx::Type type = last_type(in);
  if (from.kind == ptx::OperandKind::Vector || in.operands[0].kind == ptx::OperandKind::Vector) {
    decode_pack(in, type);
    return true;
  }
  if (from.kind == ptx::OperandKind::Symbol) {
    const auto slot = scope_->frame.find(from.name);
    if (slot == scope_->frame.end()) return false;
    const bool wide = ptx::size_bytes(type) == 8;
    const RowRef to = destination(in, in.operands[0], type);
    const Exec handler = wide ? exec_local_address<std::uint64_t> : exec_local_address<std::uint32_t>;
    Inst& inst = emit(in, handler, handler);
    inst.dst = to;
    inst.immediate = slot->second.offset_bytes + from.offset;
    return true;
  }
  if (from.kind == ptx::OperandKind::Register &&
      (from.name.starts_with("%clock") || from.name.starts_with("%globaltimer"))) {
    const RowRef to = destination(in, in.operands[0], type);
    const Exec handler = [](WarpContext& w, const Inst& i) { w.block->read_clock(w, i); };
    Inst& inst = emit(in, handler, handler);
    inst.dst = to;
    inst.immediate = from.name == "%clock_hi" || from.name == "%globaltimer_hi" ? 32 : 0;
    return true;
  }
  return false;
}

void Decoder::decode_pack(const ptx::Instruction& in, ptx::Type type) {
  const bool packs = in.operands[1].kind == ptx::OperandKind::Vector;
  const ptx::Operand& vector = in.operands[packs ? 1 : 0];
  const int count = static_cast<int>(vector.elements.size());
  const int total = ptx::size_bytes(type);
  if (count < 2 || total % count != 0) fail(in, FaultKind::BadPtx, "the pieces do not fill the register");
  const int part = total / count;
  const ptx::Type part_type = part == 1   ? ptx::Type::B8
                              : part == 2 ? ptx::Type::B16
                              : part == 4 ? ptx::Type::B32
                                          : ptx::Type::B64;
  const std::uint32_t rows = vector_of(in, vector, part_type, packs);
  RowRef whole = packs ? destination(in, in.operands[0], type) : source(in, in.operands[1], type);
  const Exec handler = packs ? exec_pack : exec_unpack;
  Inst& inst = emit(in, handler, handler);
  (packs ? inst.dst : inst.a) = whole;
  inst.extra = rows;
  inst.elem_bytes = static_cast<std::uint8_t>(part);
}

}  // namespace lab::sim
