// Reads the instructions of textures and surfaces: tex, tld4, suld, sust, sured.
//
// Enters: an instruction. Leaves: decoded code (exec_texture.h), or a fault that names what is missing.
#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/sim/decode/decoder.h"
#include "common/sim/execute/exec_texture.h"

namespace lab::sim {
namespace {

using ptx::Type;

template <class T, std::size_t n>
std::optional<T> word_named(const ptx::Instruction& in, const std::pair<std::string_view, T> (&words)[n]) {
  for (const auto& [word, value] : words)
    if (ptx::has(in, word)) return value;
  return std::nullopt;
}

constexpr std::pair<std::string_view, Geometry> kGeometries[] = {
    {"1d", Geometry::Line},   {"2d", Geometry::Plane},   {"3d", Geometry::Volume},
    {"a1d", Geometry::Lines}, {"a2d", Geometry::Planes}, {"cube", Geometry::Cube}};
constexpr std::pair<std::string_view, Outside> kOutsides[] = {
    {"trap", Outside::Trap}, {"clamp", Outside::Clamp}, {"zero", Outside::Zero}};
constexpr std::pair<std::string_view, std::uint8_t> kComponents[] = {{"r", 0}, {"g", 1}, {"b", 2}, {"a", 3}};

bool is_value(Type type) { return type == Type::F32 || type == Type::U32 || type == Type::S32; }

std::int64_t packed_op(const TextureOp& op) { return std::bit_cast<std::int64_t>(op); }

}  // namespace

// The object and the coordinates in its brackets, behind the value's registers.
void Decoder::emit_texture(const ptx::Instruction& in, const TextureOp& op, const ptx::Operand& place,
                           const ptx::Operand& value, Type type, Type coordinates, Exec run) {
  const bool stores = in.row->moves.unit == ptx::Unit::Surface && in.row->moves.direction != Direction::Read;
  const std::size_t count =
      static_cast<std::size_t>(dimensions_of(op.geometry)) + (is_layered(op.geometry) ? 1 : 0);
  if (place.elements.size() < count) fail(in, FaultKind::BadPtx, "it needs more coordinates");
  const Address object = address(in, place, Space::Generic);
  if (object.base.lane_bytes != 8 || object.offset != 0)
    unsupported(in, "an object that does not stand in a 64-bit register");
  std::array<RowRef, 3> at;
  for (std::size_t k = 0; k < count; ++k) {
    const bool is_layer = k == 0 && is_layered(op.geometry);
    at.at(k) = source(in, place.elements[k], is_layer ? Type::U32 : coordinates);
  }
  // Vectors of three are written as vectors of four.
  for (std::size_t k = count; k < place.elements.size(); ++k) source(in, place.elements[k], coordinates);
  const std::uint32_t rows = whole_vector(in, value, type, stores);
  const std::size_t registers = data_->vectors[rows].size();
  if (registers * static_cast<std::size_t>(ptx::size_bytes(type)) > 16)
    fail(in, FaultKind::BadPtx, "the vector has the wrong length");
  Inst& inst = emit(in, run);
  inst.a = object.base;
  inst.b = at[0];
  inst.c = at[1];
  inst.d = at[2];
  inst.immediate = packed_op(op);
  inst.elem_bytes = static_cast<std::uint8_t>(ptx::size_bytes(type));
  inst.non_coherent = in.row->moves.unit == ptx::Unit::Texture;
  // A texture's texels are as wide as its object says.
  if (!inst.non_coherent) note_global(inst, static_cast<std::uint32_t>(inst.elem_bytes * registers), stores);
  use_list(inst, rows, stores);
}

// The level, or what the coordinates change by: all of one vector, then of the other.
void Decoder::list_detail(const ptx::Instruction& in, const TextureOp& op) {
  std::vector<RowRef> rows;
  for (std::size_t k = 2; k < in.operands.size(); ++k) {
    const ptx::Operand& o = in.operands[k];
    if (op.detail == Detail::Level) {
      rows.push_back(source(in, o, op.by_number ? Type::S32 : Type::F32));
      continue;
    }
    const auto count = static_cast<std::size_t>(dimensions_of(op.geometry));
    take(&o);
    if (o.elements.size() < count) fail(in, FaultKind::BadPtx, "it needs more derivatives");
    for (std::size_t e = 0; e < count; ++e) rows.push_back(source(in, o.elements[e], Type::F32));
    for (std::size_t e = count; e < o.elements.size(); ++e) source(in, o.elements[e], Type::F32);
  }
  scope_->lists.push_back({data_->code.back().pc, add_list(std::move(rows)), true});
}

void Decoder::decode_texture(const ptx::Instruction& in) {
  if (in.modifiers.size() < 3) unsupported(in);
  const bool gathers = in.opcode == "tld4";
  const Type coordinates = ptx::type_named(in.modifiers.back()), value = ptx::made_type(in);
  const std::optional<Geometry> geometry = word_named(in, kGeometries);
  const bool known = geometry && ptx::has(in, "v4") && is_value(value) && !ptx::has(in, "base") &&
                     (coordinates == Type::F32 || (coordinates == Type::S32 && !gathers));
  if (!known) unsupported(in, "this form of a texture read");
  TextureOp op;
  op.geometry = *geometry;
  op.by_number = coordinates == Type::S32;
  if (gathers) {
    const auto component = word_named(in, kComponents);
    if (!component || dimensions_of(*geometry) != 2) unsupported(in, "this form of a texture gather");
    op.component = *component;
  }
  expect_operands(in, 2, 6);
  op.detail = ptx::has(in, "level") ? Detail::Level : ptx::has(in, "grad") ? Detail::Steps : Detail::First;
  const std::size_t wanted = op.detail == Detail::Level ? 3 : op.detail == Detail::Steps ? 4 : 2;
  if (in.operands.size() > wanted) unsupported(in, "a texture read with an offset");
  if (in.operands.size() < wanted) fail(in, FaultKind::BadPtx, "it needs a level or derivatives");
  emit_texture(in, op, in.operands[1], in.operands[0], value, coordinates,
               gathers ? exec_texture_gather : exec_texture);
  for (const RowRef& row : data_->vectors[data_->code.back().extra])
    if (is_set(row) && row.lane_bytes != 4) fail(in, FaultKind::BadPtx, "the registers differ in size");
  if (op.detail != Detail::First) list_detail(in, op);
}

// sured: operations as those of atom, of 32 bits, and of 64 for the least and the largest; in formatted surfaces the type is theirs.
void Decoder::read_reduction(const ptx::Instruction& in, TextureOp& op) const {
  std::optional<AtomicOp> operation;
  for (const std::string& m : in.modifiers)
    if (const auto found = atomic_operation(m)) operation = found;
  const bool bits = operation == AtomicOp::And || operation == AtomicOp::Or;
  const bool least = operation == AtomicOp::Min || operation == AtomicOp::Max;
  const auto is = [&](std::initializer_list<Type> types) {
    return std::find(types.begin(), types.end(), op.type) != types.end();
  };
  const bool fits = op.formatted ? is({Type::B32})
                    : bits       ? is({Type::B32})
                    : least      ? is({Type::U32, Type::S32, Type::U64, Type::S64})
                                 : operation == AtomicOp::Add && is({Type::U32, Type::S32, Type::U64});
  if (!fits || !(bits || least || operation == AtomicOp::Add)) unsupported(in, "this reduction");
  op.reduction = *operation;
}

void Decoder::decode_surface(const ptx::Instruction& in) {
  const Direction direction = in.row->moves.direction;
  const bool loads = direction == Direction::Read;
  const std::optional<Geometry> geometry = word_named(in, kGeometries);
  const std::optional<Outside> outside = word_named(in, kOutsides);
  TextureOp op;
  op.type = ptx::last_type(in);
  op.formatted = ptx::has(in, "p") && !loads;
  const std::string first = in.modifiers.empty() ? std::string() : in.modifiers[0];
  if ((loads ? !ptx::has(in, "b") : first != "b" && first != "p") || !geometry ||
      *geometry == Geometry::Cube || !outside || op.type == Type::None ||
      (op.formatted && op.type != Type::B32))
    unsupported(in, "this form of a surface access");
  expect_operands(in, 2, 2);
  op.geometry = *geometry;
  op.outside = *outside;
  if (direction == Direction::Update) read_reduction(in, op);
  const ptx::Operand &place = in.operands[loads ? 1 : 0], &value = in.operands[loads ? 0 : 1];
  emit_texture(in, op, place, value, op.type, Type::S32,
               loads                            ? exec_surface_load
               : direction == Direction::Update ? exec_surface_reduce
               : op.formatted                   ? exec_texel_store
                                                : exec_surface_store);
}

}  // namespace lab::sim
