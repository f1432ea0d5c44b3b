// Makes rows of 32 lanes out of operands: registers, immediates, special registers, addresses.
#include <algorithm>
#include <cctype>
#include <cstring>

#include "common/sim/base/kernel_name.h"

#include "common/sim/decode/decoder.h"

namespace lab::sim {
namespace {

// `w.x`, of a register that is a vector.
bool is_member(const ptx::Operand& operand) { return operand.name.find('.') != std::string::npos; }

RowFile file_for(ptx::Type type) {
  if (type == ptx::Type::Pred) return RowFile::Predicate;
  switch (ptx::size_bytes(type)) {
    case 1:
    case 2:
      return RowFile::Reg16;
    case 4:
      return RowFile::Reg32;
    case 8:
      return RowFile::Reg64;
    default:
      return RowFile::Reg128;
  }
}

// Registers of 8 bits live in rows of 16.
std::uint32_t lane_bytes_for(ptx::Type type) {
  if (type == ptx::Type::Pred) return 0;
  return std::max(2, ptx::size_bytes(type));
}

}  // namespace

std::pair<RowRef, ptx::Type> Decoder::register_row(const ptx::Instruction& in, std::string_view name) {
  const auto known = scope_->rows.find(std::string(name));
  if (known != scope_->rows.end()) return known->second;
  const ptx::RegisterDeclaration* declaration = nullptr;
  if (const auto exact = scope_->declared.find(name); exact != scope_->declared.end()) {
    declaration = exact->second;
  } else {
    // %r12 of `%r<33>`: the longest prefix that was declared decides.
    std::size_t cut = name.size();
    while (cut > 0 && std::isdigit(static_cast<unsigned char>(name[cut - 1])) != 0) --cut;
    for (std::size_t k = cut; k < name.size() && declaration == nullptr; ++k) {
      const auto range = scope_->ranges.find(name.substr(0, k));
      if (range == scope_->ranges.end() || name.size() - k > 9) continue;
      const bool leading_zero = name[k] == '0' && name.size() - k > 1;
      if (!leading_zero && std::stol(std::string(name.substr(k))) < range->second->count)
        declaration = range->second;
    }
  }
  if (declaration == nullptr) {
    fail(in, FaultKind::BadPtx, msg("register `{}` is not declared in this function", name));
  }
  const std::pair<RowRef, ptx::Type> made{
      allocate_row(file_for(declaration->type), lane_bytes_for(declaration->type)), declaration->type};
  scope_->rows.emplace(std::string(name), made);
  return made;
}

RowRef Decoder::allocate_row(RowFile file, std::uint32_t lane_bytes) {
  std::uint32_t& frame = scope_->info.frame_bytes[static_cast<int>(file)];
  RowRef row;
  row.file = file;
  row.lane_bytes = static_cast<std::uint8_t>(lane_bytes);
  row.offset_bytes = frame;
  frame += file == RowFile::Predicate ? static_cast<std::uint32_t>(sizeof(Mask)) : row_bytes(lane_bytes);
  if (frame > (1u << 28)) {
    Fault fault;
    fault.kind = FaultKind::BadPtx;
    fault.message = msg("`{}` uses more registers than the simulator has room for.",
                        kernel_name_for_message(demangled(scope_->function->name)));
    throw FaultError(std::move(fault));
  }
  return row;
}

RowRef Decoder::constant_row(std::uint64_t bits, std::uint32_t lane_bytes) {
  if (lane_bytes < 8) bits &= (1ull << (8 * lane_bytes)) - 1;
  RowRef& known = constants_[{bits, lane_bytes}];
  if (is_set(known)) return known;
  known.file = RowFile::Constant;
  known.lane_bytes = static_cast<std::uint8_t>(lane_bytes);
  known.offset_bytes = static_cast<std::uint32_t>(data_->constants.size());
  data_->constants.resize(data_->constants.size() + row_bytes(lane_bytes), std::byte{0});
  std::byte* to = data_->constants.data() + known.offset_bytes;
  for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane) {
    std::memcpy(to + std::size_t{lane} * lane_bytes, &bits, std::min<std::size_t>(lane_bytes, 8));
  }
  return known;
}

RowRef Decoder::lane_constant_row(const std::uint32_t (&values)[kWarpLanes]) {
  RowRef row;
  row.file = RowFile::Constant;
  row.lane_bytes = 4;
  row.offset_bytes = static_cast<std::uint32_t>(data_->constants.size());
  data_->constants.resize(data_->constants.size() + sizeof values);
  std::memcpy(data_->constants.data() + row.offset_bytes, values, sizeof values);
  return row;
}

// A predicate row in constant memory: one Mask, kept on a row boundary of its own.
RowRef Decoder::predicate_constant(bool value) {
  RowRef row = constant_row(value ? 0xffffffffu : 0u, 4);
  row.lane_bytes = 0;
  return row;
}

std::optional<RowRef> Decoder::special_row(std::string_view name) {
  const ptx::SpecialRegister* special = ptx::special_register(name);
  if (special == nullptr) return std::nullopt;
  if (special->has_members && name == special->name) return std::nullopt;
  const std::uint32_t row =
      special->value + (special->has_members ? static_cast<std::uint32_t>(name.back() - 'x') : 0);
  data_->uses_reserved_shared |= name.starts_with("%reserved_smem_offset_");
  switch (special->kept) {
    case ptx::Kept::Warp:
      return RowRef{row * row_bytes(4), RowFile::WarpSpecial, 4};
    case ptx::Kept::Block:
      return RowRef{row * row_bytes(4), RowFile::BlockSpecial, 4};
    case ptx::Kept::Constant:
      return constant_row(special->value, 4);
    case ptx::Kept::Lanes: {
      std::uint32_t values[kWarpLanes];
      for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane) values[lane] = special->of_lane(lane);
      return lane_constant_row(values);
    }
    case ptx::Kept::BlockPredicate:
    case ptx::Kept::Clock:
      return std::nullopt;
  }
  return std::nullopt;
}

// What a conversion reads of a clock: it is moved to a register first.
RowRef Decoder::clock_row(const ptx::Instruction& in, const ptx::SpecialRegister& clock) {
  const RowRef to = clock.has_64_bits ? allocate_row(RowFile::Reg64, 8) : allocate_row(RowFile::Reg32, 4);
  ptx::Instruction plain = in;
  plain.guard.clear();
  emit_clock(plain, clock, to);
  return to;
}

RowRef Decoder::destination(const ptx::Instruction& in, const ptx::Operand& operand, ptx::Type type,
                            bool relaxed) {
  take(&operand);
  if (operand.kind == ptx::OperandKind::Sink) {
    check_dropped(in, operand);
    return allocate_row(file_for(type), lane_bytes_for(type));
  }
  if (operand.kind != ptx::OperandKind::Register) {
    fail(in, FaultKind::BadPtx, "the destination must be a register");
  }
  if (is_member(operand)) check_sum(in, ptx::Type::None);
  const auto [row, declared] = register_row(in, operand.name);
  const bool fits =
      (type == ptx::Type::Pred) == (declared == ptx::Type::Pred) &&
      (row.lane_bytes == lane_bytes_for(type) || (relaxed && row.lane_bytes >= lane_bytes_for(type)));
  if (!fits) {
    fail(in, FaultKind::BadPtx,
         msg("`{}` is declared .{}, and a .{} is needed here", operand.name, ptx::name(declared),
             ptx::name(type)));
  }
  check_kind(in, operand.name, declared, type);
  scope_->written.emplace(row.file, row.offset_bytes);
  return row;
}

// The predicate behind the first one's bar: p|q.
RowRef Decoder::second_destination(const ptx::Instruction& in) {
  ptx::Operand q;
  take(&in.operands[0].predicate_or);
  q.name = in.operands[0].predicate_or;
  if (!q.name.empty() && q.name != "_") q.kind = ptx::OperandKind::Register;
  return destination(in, q, ptx::Type::Pred);
}

RowRef Decoder::source(const ptx::Instruction& in, const ptx::Operand& operand, ptx::Type type,
                       bool relaxed) {
  if (type == ptx::Type::Pred) return predicate_source(in, operand);
  take(&operand);
  take(&operand.offset);
  switch (operand.kind) {
    case ptx::OperandKind::Immediate:
      return constant_row(immediate_bits(in, operand, type), lane_bytes_for(type));
    case ptx::OperandKind::Symbol: {
      check_source(in, operand, false, type);
      const std::optional<std::uint64_t> value = symbol_value(operand.name);
      if (!value)
        fail(in, FaultKind::BadPtx, msg("`{}` is not defined, or has no address here", operand.name));
      return constant_row(*value + static_cast<std::uint64_t>(operand.offset), lane_bytes_for(type));
    }
    case ptx::OperandKind::Register:
      break;
    default:
      fail(in, FaultKind::BadPtx, "a register or a number is needed as source");
  }
  RowRef row;
  const std::optional<RowRef> special = special_row(operand.name);
  const ptx::SpecialRegister* const clock = ptx::special_register(operand.name);
  const bool is_clock = clock != nullptr && clock->kept == ptx::Kept::Clock;
  const bool is_special = special.has_value() || is_clock;
  if (is_special) {
    check_source(in, operand, true, type);
    row = is_clock ? clock_row(in, *clock) : *special;
  } else {
    const auto [declared_row, declared] = register_row(in, operand.name);
    if (declared == ptx::Type::Pred) fail(in, FaultKind::BadPtx, msg("`{}` is a predicate", operand.name));
    check_kind(in, operand.name, declared, type);
    row = declared_row;
    if (!scope_->written.contains({row.file, row.offset_bytes})) data_->clear_registers = true;
  }
  const bool is_sum = ptx::is_sum(operand);
  if (is_sum || (!is_special && is_member(operand))) check_sum(in, type);
  if (row.lane_bytes == lane_bytes_for(type) || (relaxed && row.lane_bytes > lane_bytes_for(type)))
    return row;
  // Little-endian rows cannot be read at another width; copy once.
  const std::uint32_t wanted = lane_bytes_for(type);
  const bool packs = wanted == 4 && row.lane_bytes == 8 && ptx::has(in, "pack");
  const bool may =
      is_sum ? wanted < row.lane_bytes && takes_wide_sum(in, operand, type)
             : packs || (is_special && (wanted == 2 || ptx::special_register(operand.name)->has_64_bits));
  const Form* const other =
      may ? find_form("cvt.u" + std::to_string(8 * wanted) + ".u" + std::to_string(8 * row.lane_bytes))
          : nullptr;
  if (other != nullptr) {
    const RowRef copy = allocate_row(file_for(type), lane_bytes_for(type));
    ptx::Instruction plain = in;
    plain.guard.clear();
    Inst& inst = emit(plain, other->full, other->masked);
    inst.extra = other->variant;
    inst.is_pure = true;
    inst.dst = copy;
    inst.a = row;
    return copy;
  }
  fail(in, FaultKind::BadPtx,
       msg("`{}` has {} bits, and a .{} is needed here", operand.name.substr(0, operand.name.find('@')),
           8 * row.lane_bytes, ptx::name(type)));
}

RowRef Decoder::predicate_source(const ptx::Instruction& in, const ptx::Operand& operand) {
  take(&operand);
  take(&operand.negated);
  if (operand.kind == ptx::OperandKind::Immediate && !ptx::is_float(operand.literal))
    return predicate_constant((operand.bits != 0) != operand.negated);
  if (operand.kind != ptx::OperandKind::Register)
    fail(in, FaultKind::BadPtx, "a predicate is needed as source");
  if (const ptx::SpecialRegister* special = ptx::special_register(operand.name);
      special != nullptr && special->kept == ptx::Kept::BlockPredicate && !operand.negated)
    return {special->value * row_bytes(4), RowFile::BlockSpecial, 0};
  const auto [row, type] = register_row(in, operand.name);
  if (type != ptx::Type::Pred) fail(in, FaultKind::BadPtx, msg("`{}` is no predicate", operand.name));
  if (!scope_->written.contains({row.file, row.offset_bytes})) data_->clear_registers = true;
  if (!operand.negated) return row;
  const RowRef inverse = allocate_row(RowFile::Predicate, 0);
  ptx::Instruction plain = in;
  plain.guard.clear();
  Inst& inst = emit(plain, [](WarpContext& w, const Inst& i) { w.set_predicate(i.dst, ~w.predicate(i.a)); });
  inst.is_pure = true;
  inst.dst = inverse;
  inst.a = row;
  return inverse;
}

std::optional<std::uint64_t> Decoder::symbol_value(std::string_view name) {
  if (const auto it = shared_offsets_.find(name); it != shared_offsets_.end()) return it->second;
  if (const auto it = image_.addresses.find(name); it != image_.addresses.end()) return it->second;
  if (const auto it = scope_->parameters.find(name); it != scope_->parameters.end()) return it->second;
  for (std::size_t k = 0; k < module_.functions.size(); ++k) {
    if (module_.functions[k].name == name) return kFunctionBase + 16 * k;
  }
  return std::nullopt;
}

Decoder::Address Decoder::address(const ptx::Instruction& in, const ptx::Operand& operand, Space space) {
  if (operand.kind != ptx::OperandKind::Address)
    fail(in, FaultKind::BadPtx, "an address in [ ] is needed here");
  take(&operand);
  Address out;
  out.offset = operand.offset;
  out.space = space;
  if (operand.base_is_register) {
    const auto [row, type] = register_row(in, operand.name);
    if (row.lane_bytes != 4 && row.lane_bytes != 8)
      fail(in, FaultKind::BadPtx, "an address has 32 or 64 bits");
    check_kind(in, operand.name, type, row.lane_bytes == 4 ? ptx::Type::U32 : ptx::Type::U64);
    if (space == Space::Param && in.row->stores() && target() >= 90)
      fail(in, FaultKind::BadPtx, msg("`{}` is not defined, or has no address here", operand.name));
    const ptx::Unit unit = in.row->moves.unit;
    const bool of_generic = unit == ptx::Unit::Lanes || in.row->reader == ptx::Reader::Mbarrier;
    if (row.lane_bytes == 4 && of_generic && target() >= ptx::kOldestCompiled &&
        (space == Space::Global || space == Space::Generic))
      fail(in, FaultKind::BadPtx, "an address of global memory has 64 bits");
    // clang takes the address of a function's by-value parameter; those of functions lie in the frame.
    if (space == Space::Param && !scope_->function->is_entry) out.space = Space::Local;
    out.base = row;
    return out;
  }
  if (operand.name.empty()) {
    out.base = constant_row(0, 8);
    return out;
  }
  if (in.row->loads() || in.row->stores() || in.row->is_atomic() || in.row->reader == ptx::Reader::Nothing ||
      in.row->reader == ptx::Reader::Matrix || in.row->reader == ptx::Reader::AsyncCopy ||
      in.row->reader == ptx::Reader::AsyncArrive ||
      (in.row->reader == ptx::Reader::Bulk && space != Space::Generic) ||
      in.row->is(ptx::Unit::Hint, Direction::Write))
    check_space(in, operand.name, space);
  if (const auto slot = scope_->frame.find(operand.name); slot != scope_->frame.end()) {
    // Matrices and barriers take shared memory alone, and report any other when they run.
    const bool unfit = in.row->reader == ptx::Reader::Matrix || in.row->reader == ptx::Reader::AsyncArrive;
    out.frame_relative = !unfit;
    out.base = constant_row(unfit ? kLocalWindow : 0, 8);
    out.offset += slot->second.offset_bytes;
    return out;
  }
  const std::optional<std::uint64_t> value = symbol_value(operand.name);
  if (!value) fail(in, FaultKind::BadPtx, msg("`{}` is not defined, or has no address here", operand.name));
  std::uint64_t base = *value;
  if (space == Space::Generic && shared_offsets_.contains(operand.name)) base += kSharedWindow;
  out.base = constant_row(base, 8);
  return out;
}

// The operand of a product or a matrix; numbers may stand in what is added alone.
void Decoder::check_braces(const ptx::Instruction& in, const ptx::Operand& operand, bool numbers) const {
  const auto is_number = [](const ptx::Operand& o) { return o.kind == ptx::OperandKind::Immediate; };
  if (operand.kind != ptx::OperandKind::Vector ||
      (!numbers && std::any_of(operand.elements.begin(), operand.elements.end(), is_number)))
    fail(in, FaultKind::BadPtx, "a list of registers is needed here");
}

std::uint32_t Decoder::vector_of(const ptx::Instruction& in, const ptx::Operand& operand, ptx::Type type,
                                 bool is_source) {
  std::vector<RowRef> rows;
  const auto add = [&](const ptx::Operand& o) {
    // Loads extend into wider registers, stores take the low part of them: both are relaxed.
    const bool relaxed = in.row->reader != ptx::Reader::Move;
    if (o.kind == ptx::OperandKind::Sink && !is_source) {
      take(&o);
      rows.push_back(RowRef{});
    } else {
      rows.push_back(is_source ? source(in, o, type, relaxed) : destination(in, o, type, relaxed));
    }
  };
  if (operand.kind == ptx::OperandKind::Vector) {
    take(&operand);
    for (const ptx::Operand& e : operand.elements) add(e);
  } else {
    add(operand);
  }
  return add_list(std::move(rows));
}

std::uint32_t Decoder::whole_vector(const ptx::Instruction& in, const ptx::Operand& operand, ptx::Type type,
                                    bool is_source) {
  const std::uint32_t list = vector_of(in, operand, type, is_source);
  if (data_->vectors[list].size() != vector_length(in))
    fail(in, FaultKind::BadPtx, "the vector has the wrong length");
  return list;
}

std::uint32_t Decoder::add_list(std::vector<RowRef> rows) {
  data_->vectors.push_back(std::move(rows));
  return static_cast<std::uint32_t>(data_->vectors.size() - 1);
}

void Decoder::use_list(Inst& inst, std::uint32_t list, bool are_sources) {
  inst.extra = list;
  scope_->lists.push_back({inst.pc, list, are_sources});
}

}  // namespace lab::sim
