// Constants, registers and computations as values. See walk.h.
#include <bit>
#include <cstdio>

#include "common/compile/builtin/walk.h"

namespace lab::cucc {
namespace {

// As PTX writes it: floats by their bits.
std::string literal(const Leaf& leaf, const Type* t) {
  char text[32];
  if (t->kind == TypeKind::Float)
    std::snprintf(text, sizeof text, "0f%08X", std::bit_cast<std::uint32_t>(static_cast<float>(leaf.d)));
  else if (t->kind == TypeKind::Double)
    std::snprintf(text, sizeof text, "0d%016llX",
                  static_cast<unsigned long long>(std::bit_cast<std::uint64_t>(leaf.d)));
  else if (size_of(t) == 8 && !is_signed(t))
    return std::to_string(static_cast<std::uint64_t>(leaf.i));
  else
    return std::to_string(leaf.i);
  return text;
}

}  // namespace

const char* space_word(Space space) {
  static constexpr const char* kWords[] = {"", ".global", ".shared", ".local", ".const", ".param", ""};
  return kWords[static_cast<int>(space)];
}

Value Walk::constant(const Type* t, std::int64_t i) {
  if (is_float(t)) return real(t, static_cast<double>(i));
  return {.type = types_.plain(t), .leaves = {Leaf{"", wrapped(t, i)}}};
}

Value Walk::real(const Type* t, double d) {
  if (t->kind == TypeKind::Float) d = static_cast<float>(d);
  return {.type = types_.plain(t), .leaves = {Leaf{"", 0, d}}};
}

Value Walk::in_register(const Type* t, const std::string& reg) {
  return {.type = types_.plain(t), .leaves = {Leaf{reg}}};
}

Value Walk::nothing() { return {.type = scalar(TypeKind::Void)}; }

std::vector<Leaf> Walk::new_registers(const Type* t, bool change) {
  std::vector<Leaf> leaves;
  for (const Part& p : parts_of(t))
    leaves.push_back(Leaf{code_.new_register(register_class(p.type), change)});
  return leaves;
}

// One instruction's result, which no other instruction will change.
Value Walk::computed(const Type* t, const std::string& op, std::vector<std::string> from) {
  const Code::Computed made = code_.compute(register_class(t), op, std::move(from));
  Value v = in_register(t, made.reg);
  v.is_shared = v.is_steady = made.is_known;
  return v;
}

std::string Walk::reg_of(const Leaf& leaf, const Type* t) {
  if (!leaf.known()) return leaf.reg;
  no_alias(leaf);
  if (held_as(t) == TypeKind::Bool)
    return code_.compute("%p", "setp.eq.u32", {leaf.i != 0 ? "0" : "1", "0"}).reg;
  return code_.compute(register_class(t), move_of(t), {literal(leaf, t)}).reg;
}

std::string Walk::operand(const Leaf& leaf, const Type* t) {
  no_alias(leaf);
  return leaf.known() && held_as(t) != TypeKind::Bool ? literal(leaf, t) : reg_of(leaf, t);
}

// Gives a register that others read a new value.
void Walk::set(const std::string& reg, const Leaf& leaf, const Type* t) {
  if (leaf.known() && held_as(t) == TypeKind::Bool)
    code_.assign(reg, "setp.eq.u32", {leaf.i != 0 ? "0" : "1", "0"});
  else
    code_.assign(reg, move_of(t), {operand(leaf, t)});
}

void Walk::set_all(const std::vector<Leaf>& targets, const Value& v) {
  const std::vector<Part> parts = parts_of(v.type);
  for (std::size_t i = 0; i < parts.size(); ++i) set(targets[i].reg, v.leaves[i], parts[i].type);
}

// As set_all, but the instruction that made the value may write to the targets itself.
void Walk::set_or_retarget(const std::vector<Leaf>& targets, const Value& v) {
  const auto registers_of = [](const std::vector<Leaf>& leaves) {
    Registers registers;
    for (const Leaf& leaf : leaves) registers.push_back(leaf.reg);
    return registers;
  };
  if (v.is_shared || !code_.retarget_last(registers_of(v.leaves), registers_of(targets))) set_all(targets, v);
}

// The value as it is now, where what comes later may change the variable that it was read from.
Value Walk::settled(Value v, const Node* later) {
  if (v.kind != Value::Kind::Plain || !v.is_shared || v.is_steady) return v;
  const auto is_calm = [](const Node* n, const auto& self) -> bool {
    if (n == nullptr) return true;
    if (n->kind == Kind::Assign || n->kind == Kind::Postfix || n->kind == Kind::Call ||
        (n->kind == Kind::Unary && (n->text == "++" || n->text == "--")))
      return false;
    for (const Node* kid : n->kids)
      if (!self(kid, self)) return false;
    return true;
  };
  return is_calm(later, is_calm) ? v : copied(std::move(v));
}

// In registers that nothing else reads.
Value Walk::copied(Value v) {
  if (!v.is_shared || v.is_steady) return v;
  const std::vector<Part> parts = parts_of(v.type);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (v.leaves[i].known()) continue;
    const std::string r = code_.new_register(register_class(parts[i].type));
    code_.add(Instruction::Effect::Pure, move_of(parts[i].type), {r}, {v.leaves[i].reg});
    v.leaves[i].reg = r;
  }
  v.is_shared = false;
  return v;
}

}  // namespace lab::cucc
