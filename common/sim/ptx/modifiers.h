// Questions about one instruction that its row (opcodes.h) and its own modifiers answer together: `.global`,
// `.relaxed`, `.v4` stand between an instruction's name and its operands.
#pragma once

#include <algorithm>
#include <string_view>

#include "common/sim/ptx/ptx_module.h"

namespace lab::sim::ptx {

inline bool has(const Instruction& in, std::string_view modifier) {
  return std::find(in.modifiers.begin(), in.modifiers.end(), modifier) != in.modifiers.end();
}

// The type of what it computes or moves: the last modifier that names one (`rcp.approx.f32.ftz` stands in
// cuRAND's headers). None: it names none.
inline Type last_type(const Instruction& in) {
  const auto at = std::find_if(in.modifiers.rbegin(), in.modifiers.rend(),
                               [](std::string_view m) { return type_named(m) != Type::None; });
  return at == in.modifiers.rend() ? Type::None : type_named(*at);
}

// What a conversion, or a texture load, makes of that type: the type before it.
inline Type made_type(const Instruction& in) {
  const auto is_type = [](std::string_view m) { return type_named(m) != Type::None; };
  const auto last = std::find_if(in.modifiers.rbegin(), in.modifiers.rend(), is_type);
  if (last == in.modifiers.rend()) return Type::None;
  const auto made = std::find_if(last + 1, in.modifiers.rend(), is_type);
  if (made != in.modifiers.rend()) return type_named(*made);
  return in.modifiers.size() < 2 ? Type::None : type_named(in.modifiers[in.modifiers.size() - 2]);
}

// Other threads may see it, and it may see theirs, while the launch runs; all atomics are so too.
inline bool is_strong(const Instruction& in) {
  return std::any_of(in.modifiers.begin(), in.modifiers.end(), [](std::string_view m) {
    return m == "volatile" || m == "relaxed" || m == "acquire" || m == "release" || m == "cv" || m == "mmio";
  });
}

// The first address that an instruction names; null: none.
inline const Operand* address_operand(const Instruction& in) {
  const auto at = std::find_if(in.operands.begin(), in.operands.end(),
                               [](const Operand& operand) { return operand.kind == OperandKind::Address; });
  return at == in.operands.end() ? nullptr : &*at;
}

// `%r1+8` and `tab+4` as values; a register's was written out (ptx_parser_short.cpp).
inline bool is_sum(const Operand& operand) {
  return operand.kind == OperandKind::Symbol ? operand.offset != 0
                                             : operand.name.find('+') != std::string::npos;
}

// Each name in an operand: of registers, and of variables and labels where it has such.
template <class Body>
void for_names(const Operand& operand, const Body& body) {
  if (!operand.name.empty()) body(std::string_view(operand.name));
  if (!operand.predicate_or.empty()) body(std::string_view(operand.predicate_or));
  for (const Operand& element : operand.elements) for_names(element, body);
}

// The operand whose registers it writes (OpcodeRow::writes); null when there is none.
inline const Operand* written_operand(const Instruction& in) {
  const bool writes = in.row->writes != Writes::Nothing && !in.operands.empty() &&
                      in.operands[0].kind != OperandKind::Address;
  return writes ? &in.operands[0] : nullptr;
}

// Memory of the thread's own, or an argument: no other thread sees what is stored there.
inline bool names_own_memory(const Instruction& in) {
  return has(in, "local") || has(in, "param") || has(in, "param::func");
}

}  // namespace lab::sim::ptx
