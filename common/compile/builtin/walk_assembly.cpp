// asm("…" : outputs : inputs): the text as it stands, registers put in for %0, %1, … See walk.h.
#include <algorithm>
#include <cctype>
#include <map>

#include "common/compile/builtin/walk.h"

namespace lab::cucc {
namespace {

bool is_whole(const Type* t) { return is_integer(t) || t->kind == TypeKind::Enum; }

// What a letter takes, and as what it hands it over.
struct Constraint {
  TypeKind kind;
  bool (*fits)(const Type*);
};
const std::map<char, Constraint> kConstraints = {
    {'r', {TypeKind::UnsignedInt, [](const Type* t) { return is_whole(t) && size_of(t) <= 4; }}},
    {'l',
     {TypeKind::UnsignedLong,
      [](const Type* t) { return (is_integer(t) || is_pointer(t)) && size_of(t) == 8; }}},
    {'f', {TypeKind::Float, [](const Type* t) { return t->kind == TypeKind::Float; }}},
    {'d', {TypeKind::Double, [](const Type* t) { return t->kind == TypeKind::Double; }}},
    {'h', {TypeKind::UnsignedShort, [](const Type* t) { return is_integer(t) && size_of(t) == 2; }}},
    {'n', {TypeKind::Long, is_whole}}};

}  // namespace

void Walk::assembly(const Node* n, Scope* scope) {
  std::vector<std::string> names;
  std::vector<AssemblyOutput> outputs;
  for (std::size_t i = 0; i < n->operands.size(); ++i)
    names.push_back(assembly_operand(n, i, scope, outputs));
  std::string text;
  for (std::size_t i = 0; i < n->text.size(); ++i) {
    const char c = n->text[i];
    const char next = i + 1 < n->text.size() ? n->text[i + 1] : '\0';
    if (c != '%') {
      text += c;
    } else if (next == '%') {
      text += '%', ++i;
    } else {
      std::size_t number = 0, digits = 0;
      for (; i + 1 < n->text.size() && std::isdigit(static_cast<unsigned char>(n->text[i + 1])) != 0 &&
             digits < 4;
           ++i, ++digits)
        number = number * 10 + static_cast<std::size_t>(n->text[i + 1] - '0');
      if (digits == 0 || number >= names.size())
        fail(n->at, digits == 0 ? "a % in the text of asm is %% or %0, %1, …"
                                : "this asm has no operand %" + std::to_string(number));
      text += names[number];
    }
  }
  const bool is_own = !is_toolkit(n->at);
  if (is_own && !n->operands.empty()) locate(n->operands.back().tree->at);  // as NVRTC has it
  // Without outputs, with volatile, or with several instructions it may do anything.
  const bool is_pure = n->names.empty() && n->outputs > 0 && text.find_first_of("{\n") == std::string::npos &&
                       text.find("ld.") == std::string::npos && text.find("st.") == std::string::npos;
  std::vector<std::string> to;
  for (const AssemblyOutput& o : outputs) to.push_back(o.reg);
  code_.add_assembly(text, to, is_pure);
  for (const AssemblyOutput& o : outputs) {
    if (o.is_own) continue;
    const Value v = o.constraint == 'h' ? computed(scalar(TypeKind::UnsignedShort), "cvt.u32.u16", {o.reg})
                                        : in_register(scalar(kConstraints.at(o.constraint).kind), o.reg);
    store(o.place, converted(v, types_.plain(o.place.type), n->at, true), n->at);
  }
}

// The name that stands for an operand; what is written comes back in `outputs`.
std::string Walk::assembly_operand(const Node* n, std::size_t number, Scope* scope,
                                   std::vector<AssemblyOutput>& outputs) {
  const auto& [constraint, tree] = n->operands[number];
  const bool is_output = number < n->outputs, reads = !is_output || constraint[0] == '+';
  const bool has_sign = !constraint.empty() && (constraint[0] == '=' || constraint[0] == '+');
  const char letter = constraint.size() == (has_sign ? 2U : 1U) ? constraint.back() : '\0';
  if (!kConstraints.contains(letter) || has_sign != is_output)
    refuse(tree->at, "the constraint \"" + constraint + "\" of asm",
           is_output ? "write \"=r\", \"=l\", \"=f\", \"=d\" or \"=h\""
                     : "write \"r\", \"l\", \"f\", \"d\", \"h\" or \"n\"");
  const Type* t = scalar(kConstraints.at(letter).kind);
  const Value place = expression(tree, scope);
  const Type* own = place.type->kind == TypeKind::Array ? types_.pointer_to(place.type->of) : place.type;
  if (!kConstraints.at(letter).fits(own))
    fail(tree->at, "a {} does not fit the constraint \"{}\" of asm", own, constraint);
  if (std::string own = is_output && reads && letter != 'h' ? own_register(place) : "";
      letters_of(own) == register_class(t)) {
    outputs.push_back({place, own, letter, true});
    return own;
  }
  std::string name;
  if (reads) {
    Value v = generic(rvalue(place, tree->at));
    if (letter == 'n') {
      if (!v.known()) fail(tree->at, "an operand \"n\" of asm must be a constant");
      return std::to_string(v.leaves[0].i);
    }
    if (held_as(v.type) == TypeKind::Bool) v = converted(v, u32(), tree->at);
    name = reg_of(v.leaves[0], v.type);
  }
  const bool is_written =
      std::any_of(outputs.begin(), outputs.end(), [&](const auto& o) { return o.reg == name; });
  if (!is_output && letter != 'h' && !is_written) return name;
  const std::string reg = code_.new_register(letter == 'h' ? "%rs" : register_class(t), true);
  if (!name.empty())
    code_.add(Instruction::Effect::Assign, letter == 'h' ? "cvt.u16.u32" : move_of(t), {reg}, {name});
  if (is_output) outputs.push_back({place, reg, letter});
  return reg;
}

// The register of a variable that the text may write to in place. "" where it does not lie in one register.
std::string Walk::own_register(const Value& place) {
  if (place.kind != Value::Kind::InVariable || !is_scalar(place.type)) return "";
  if (place.variable->points != Space::Generic) return "";  // assembly sees generic addresses
  std::size_t leaf = place.first;
  if (place.is_viewed) {
    std::int64_t within = 0;
    leaf = leaf_at(place, {place.type, 0}, within);
    if (within != 0 || size_of(parts_of(place.variable->type)[leaf].type) != size_of(place.type)) return "";
  }
  const Leaf& target = place.variable->leaves[leaf];
  if (is_const_all_over(place.type) || target.known() || place.variable->is_steady) return "";
  return target.reg;
}

}  // namespace lab::cucc
