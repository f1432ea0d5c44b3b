// Names and sizes of the PTX types, and look-ups in a parsed module. See ptx_module.h.
#include "common/sim/ptx/ptx_module.h"

#include <array>

namespace lab::sim::ptx {
namespace {

struct TypeRow {
  Type type;
  std::string_view name;
  int size_bytes;
};

// In the order of the enumeration, so that a type is its own index.
constexpr std::array<TypeRow, 22> kTypes{{
    {Type::None, "", 0},         {Type::Pred, "pred", 0},   {Type::B8, "b8", 1},
    {Type::B16, "b16", 2},       {Type::B32, "b32", 4},     {Type::B64, "b64", 8},
    {Type::B128, "b128", 16},    {Type::U8, "u8", 1},       {Type::U16, "u16", 2},
    {Type::U32, "u32", 4},       {Type::U64, "u64", 8},     {Type::S8, "s8", 1},
    {Type::S16, "s16", 2},       {Type::S32, "s32", 4},     {Type::S64, "s64", 8},
    {Type::F16, "f16", 2},       {Type::F16x2, "f16x2", 4}, {Type::BF16, "bf16", 2},
    {Type::BF16x2, "bf16x2", 4}, {Type::F32x2, "f32x2", 8}, {Type::F32, "f32", 4},
    {Type::F64, "f64", 8},
}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kTypes.size(); ++i) {
    if (static_cast<std::size_t>(kTypes[i].type) != i) return false;
  }
  return true;
}
static_assert(in_order());

const TypeRow& row(Type type) { return kTypes[static_cast<std::size_t>(type)]; }

}  // namespace

int size_bytes(Type type) { return row(type).size_bytes; }

std::string_view name(Type type) { return row(type).name; }

Type type_named(std::string_view text) {
  if (text.empty()) return Type::None;
  for (const TypeRow& candidate : kTypes) {
    if (candidate.name == text) return candidate.type;
  }
  return Type::None;
}

void set_opcode(Instruction& in, std::string_view text) {
  std::size_t from = text.find('.');
  in.opcode = text.substr(0, from);
  in.modifiers.clear();
  while (from != std::string_view::npos) {
    const std::size_t to = text.find('.', from + 1);
    in.modifiers.emplace_back(text.substr(from + 1, to == std::string_view::npos ? to : to - from - 1));
    from = to;
  }
  in.row = &opcode_row(in.opcode, in.modifiers);
}

Instruction plain_return() {
  Instruction made;
  set_opcode(made, "ret");
  return made;
}

std::string Instruction::full_opcode() const {
  std::string text = opcode;
  for (const std::string& modifier : modifiers) {
    text += '.';
    text += modifier;
  }
  return text;
}

const Function* Module::find_function(std::string_view wanted) const {
  for (const Function& function : functions) {
    if (function.name == wanted) return &function;
  }
  return nullptr;
}

const Variable* Module::find_variable(std::string_view wanted) const {
  for (const Variable& variable : variables) {
    if (variable.name == wanted) return &variable;
  }
  return nullptr;
}

ParseError::ParseError(int at_line, int at_column, const Message& message)
    : Said(msg("PTX line {}, column {}: {}", at_line, at_column, message)),
      line(at_line),
      column(at_column) {}

}  // namespace lab::sim::ptx
