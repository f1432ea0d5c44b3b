// Reads what makes and takes apart addresses and registers: cvta, isspacep, and the moves that are no plain
// copy (packs of vectors, clocks, addresses of local variables).
#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>

#include "common/sim/base/lanes.h"
#include "common/sim/decode/decoder.h"
#include "common/sim/execute/cluster.h"

namespace lab::sim {
namespace {

template <class T>
void exec_local_address(WarpContext& w, const Inst& i) {
  T* to = w.row<T>(i.dst);
  for (const int k : lanes_of<int>(w.mask))
    to[k] = static_cast<T>(w.local_base + static_cast<std::uint64_t>(i.immediate));
}

// cvta.local, and back: an address says which thread's variable it means (memory.h).
void exec_to_local_window(WarpContext& w, const Inst& i) {
  std::uint64_t* to = w.row<std::uint64_t>(i.dst);
  for (const int k : lanes_of<int>(w.mask))
    to[k] = lane_value(w, i.a, k) + local_base(w.place->first_thread + static_cast<std::uint32_t>(k));
}
void exec_from_local_window(WarpContext& w, const Inst& i) {
  std::uint64_t* to = w.row<std::uint64_t>(i.dst);
  for (const int k : lanes_of<int>(w.mask))
    to[k] = local_offset(lane_value(w, i.a, k), w.place->first_thread + static_cast<std::uint32_t>(k));
}

void exec_isspacep(WarpContext& w, const Inst& i) {
  Mask inside = 0;
  for (int k = 0; k < kWarpLanes; ++k) {
    const std::uint64_t a = lane_value(w, i.a, k);
    bool windowed = in_local_window(a);
    for (const std::uint64_t window : {kSharedWindow, kParamWindow}) windowed |= a - window < kWindowBytes;
    const std::uint64_t size = i.extra != 0 ? std::uint64_t{1} << kPeerShift : kWindowBytes;
    const auto window = static_cast<std::uint64_t>(i.immediate);
    const bool here = window == 0              ? !windowed
                      : window == kLocalWindow ? in_local_window(a)
                                               : a - window < size;
    if (here) inside |= 1u << k;
  }
  w.set_predicate(i.dst, inside);
}

// mov.b64 %rd, {%r1, %r2} and back: bytes side by side.
void exec_pack(WarpContext& w, const Inst& i) {
  const auto& rows = w.block->launch().program->vectors[i.extra];
  std::byte* to = w.row<std::byte>(i.dst);
  for (const int k : lanes_of<int>(w.mask)) {
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
  for (const int k : lanes_of<int>(w.mask)) {
    std::byte packed[16];
    std::memcpy(packed, from + static_cast<std::size_t>(k) * i.a.lane_bytes, i.a.lane_bytes);
    for (std::size_t e = 0; e < rows.size(); ++e) {
      if (!is_set(rows[e])) continue;
      std::uint64_t part = 0;
      std::memcpy(&part, packed + e * i.elem_bytes, i.elem_bytes);
      std::memcpy(w.row<std::byte>(rows[e]) + rows[e].lane_bytes * static_cast<std::size_t>(k), &part,
                  rows[e].lane_bytes);
    }
  }
}

}  // namespace

void Decoder::decode_cvta(const ptx::Instruction& in) {
  expect_operands(in, 2, 2);
  std::int64_t window = 0;
  if (space_of(in) == Space::Shared) window = static_cast<std::int64_t>(kSharedWindow);
  const bool local = ptx::has(in, "local");
  if (ptx::has(in, "param")) window = static_cast<std::int64_t>(kParamWindow);
  if (ptx::has(in, "to")) window = -window;
  const ptx::Operand& from = in.operands[1];
  if (from.kind == ptx::OperandKind::Symbol) {
    if (ptx::has(in, "to")) fail(in, FaultKind::BadPtx, "a register is needed as source");
    check_space(in, from.name, space_of(in));
  }
  const RowRef to = destination(in, in.operands[0], ptx::Type::U64);
  RowRef row;
  if (const auto slot = scope_->frame.find(from.name);
      from.kind == ptx::OperandKind::Symbol && slot != scope_->frame.end()) {
    take(&from);
    take(&from.offset);
    row = allocate_row(RowFile::Reg64, 8);
    Inst& local = emit(in, exec_local_address<std::uint64_t>);
    local.dst = row;
    local.immediate = slot->second.offset_bytes + from.offset;
  } else {
    row = source(in, from, ptx::Type::U64);
  }
  if (local) {
    Inst& inst = emit(in, ptx::has(in, "to") ? exec_from_local_window : exec_to_local_window);
    inst.dst = to;
    inst.a = row;
    return;
  }
  const RowRef shift = constant_row(static_cast<std::uint64_t>(window), 8);
  Inst& inst = emit_form(in, "add.s64");
  inst.dst = to;
  inst.a = row;
  inst.b = shift;
}

void Decoder::decode_isspacep(const ptx::Instruction& in) {
  expect_operands(in, 2, 2);
  // A register of 32 bits is an address with zeros above, as `ptxas` makes it.
  const ptx::Operand& from = in.operands[1];
  const bool narrow = from.kind == ptx::OperandKind::Register && !special_row(from.name) &&
                      register_row(in, from.name).first.lane_bytes == 4;
  const ptx::Type type = narrow ? ptx::Type::U32 : ptx::Type::U64;
  std::uint64_t window = 0;
  switch (space_of(in)) {
    case Space::Shared:
      window = kSharedWindow;
      break;
    case Space::Local:
      window = kLocalWindow;
      break;
    case Space::Param:
      window = kParamWindow;
      break;
    case Space::Global:
      break;
    case Space::Const: {
      // Constant variables lie among the global ones here, and no kernel can notice.
      source(in, in.operands[1], type);
      const RowRef never = destination(in, in.operands[0], ptx::Type::Pred);
      emit(in, [](WarpContext& w, const Inst& i) { w.set_predicate(i.dst, 0); }).dst = never;
      return;
    }
    default:
      unsupported(in);
  }
  const RowRef a = source(in, in.operands[1], type);
  const RowRef d = destination(in, in.operands[0], ptx::Type::Pred);
  Inst& inst = emit(in, exec_isspacep);
  inst.dst = d;
  inst.a = a;
  inst.immediate = static_cast<std::int64_t>(window);
  // Shared memory is the block's own part, unless the cluster's is named.
  inst.extra = window == kSharedWindow && !ptx::has(in, "shared::cluster") ? 1 : 0;
}

void Decoder::emit_clock(const ptx::Instruction& in, const ptx::SpecialRegister& clock, RowRef to) {
  Inst& inst = emit(in, [](WarpContext& w, const Inst& i) { w.block->read_clock(w, i); });
  inst.dst = to;
  data_->reads_clock = true;
  inst.immediate = clock.value;
}

bool Decoder::decode_mov(const ptx::Instruction& in) {
  expect_operands(in, 2, 2);
  const ptx::Operand& from = in.operands[1];
  const ptx::Type type = ptx::last_type(in);
  if (vector_length(in) > 1) return decode_vector_move(in, type), true;
  if (type == ptx::Type::B128 && from.kind == ptx::OperandKind::Register &&
      in.operands[0].kind == ptx::OperandKind::Register) {
    const std::uint32_t list = vector_of(in, from, type, true);
    const RowRef to = destination(in, in.operands[0], type);
    Inst& inst = emit(in, exec_pack);
    inst.dst = to;
    use_list(inst, list, true);
    inst.elem_bytes = 16;
    return true;
  }
  if (from.kind == ptx::OperandKind::Vector || in.operands[0].kind == ptx::OperandKind::Vector) {
    decode_pack(in, type);
    return true;
  }
  if (from.kind == ptx::OperandKind::Symbol) {
    if (type == ptx::Type::Pred) fail(in, FaultKind::BadPtx, "a predicate is needed as source");
    const auto slot = scope_->frame.find(from.name);
    if (slot == scope_->frame.end()) return false;
    const auto& declared = scope_->function->variables;
    if (std::any_of(declared.begin(), declared.end(),
                    [&](const ptx::Variable& v) { return v.name == from.name && v.space == Space::Param; }))
      fail(in, FaultKind::BadPtx, msg("`{}` is not defined, or has no address here", from.name));
    take(&from);
    take(&from.offset);
    const bool wide = ptx::size_bytes(type) == 8;
    const RowRef to = destination(in, in.operands[0], type);
    Inst& inst = emit(in, wide ? exec_local_address<std::uint64_t> : exec_local_address<std::uint32_t>);
    inst.dst = to;
    inst.immediate = slot->second.offset_bytes + from.offset;
    return true;
  }
  const ptx::SpecialRegister* special = ptx::special_register(from.name);
  if (from.kind != ptx::OperandKind::Register || special == nullptr || type == ptx::Type::Pred) return false;
  // The first GPUs had these in 16 bits, and %gridid in 32; no other is read at that width.
  constexpr std::string_view kNarrow[] = {"%tid", "%ntid", "%ctaid", "%nctaid", "%gridid"};
  const int bits = special->has_64_bits ? 64 : 32, wanted = 8 * ptx::size_bytes(type);
  const bool fits = wanted == 16 ? std::any_of(std::begin(kNarrow), std::end(kNarrow),
                                               [&](auto name) { return from.name.starts_with(name); })
                                 : wanted == bits || from.name == "%gridid";
  if (!fits)
    fail(in, FaultKind::BadPtx,
         msg("`{}` has {} bits, and a .{} is needed here", from.name, bits, ptx::name(type)));
  check_kind(in, from.name, ptx::Type::U32, type);
  if (special->kept == ptx::Kept::Clock) {
    take(&from);
    emit_clock(in, *special, destination(in, in.operands[0], type));
    return true;
  }
  return false;
}

// mov.v2.b32 {%r1, %r2}, {%r3, %r4}: through a register that holds them all, since either may name the other's.
void Decoder::decode_vector_move(const ptx::Instruction& in, ptx::Type type) {
  const int bytes = vector_length(in) * ptx::size_bytes(type);
  if (type == ptx::Type::None || bytes > 16) unsupported(in);
  // One value in place of a vector: `ptxas` spreads its bits over the elements, with zeros above.
  const int part = ptx::size_bytes(type) / static_cast<int>(vector_length(in));
  const ptx::Operand& one = in.operands[1];
  if (one.kind != ptx::OperandKind::Vector && part > 0 && !is_float(type)) {
    const ptx::SpecialRegister* const special = ptx::special_register(one.name);
    if (special != nullptr && special->has_64_bits)
      fail(in, FaultKind::BadPtx, msg("`{}` must be moved to a register first", one.name));
    const RowRef value = source(in, one, type);
    const std::uint32_t list = whole_vector(in, in.operands[0], type, false);
    Inst& inst = emit(in, exec_unpack);
    inst.a = value;
    use_list(inst, list, false);
    inst.elem_bytes = static_cast<std::uint8_t>(part);
    return;
  }
  const std::uint32_t from = whole_vector(in, in.operands[1], type, true),
                      to = whole_vector(in, in.operands[0], type, false);
  const RowRef whole = allocate_row(RowFile::Reg128, 16);
  for (const bool packs : {true, false}) {
    Inst& inst = emit(in, packs ? exec_pack : exec_unpack);
    (packs ? inst.dst : inst.a) = whole;
    use_list(inst, packs ? from : to, packs);
    inst.elem_bytes = static_cast<std::uint8_t>(ptx::size_bytes(type));
  }
}

void Decoder::decode_pack(const ptx::Instruction& in, ptx::Type type) {
  const bool packs = in.operands[1].kind == ptx::OperandKind::Vector;
  const ptx::Operand& vector = in.operands[packs ? 1 : 0];
  const int count = static_cast<int>(vector.elements.size());
  const int total = ptx::size_bytes(type);
  const bool of_bits =
      type == ptx::Type::B16 || type == ptx::Type::B32 || type == ptx::Type::B64 || type == ptx::Type::B128;
  if (packs && count > 0 && ptx::special_register(vector.elements[0].name) != nullptr)
    fail(in, FaultKind::BadPtx, msg("`{}` must be moved to a register first", vector.elements[0].name));
  if (count < 1 || count > 4 || total % count != 0 || total / count > 8 || !of_bits)
    fail(in, FaultKind::BadPtx, "the pieces do not fill the register");
  const int part = total / count;
  const ptx::Type part_type = part == 1   ? ptx::Type::B8
                              : part == 2 ? ptx::Type::B16
                              : part == 4 ? ptx::Type::B32
                                          : ptx::Type::B64;
  const std::uint32_t rows = vector_of(in, vector, part_type, packs);
  RowRef whole = packs ? destination(in, in.operands[0], type) : source(in, in.operands[1], type);
  Inst& inst = emit(in, packs ? exec_pack : exec_unpack);
  (packs ? inst.dst : inst.a) = whole;
  use_list(inst, rows, packs);
  inst.elem_bytes = static_cast<std::uint8_t>(part);
}

}  // namespace lab::sim
