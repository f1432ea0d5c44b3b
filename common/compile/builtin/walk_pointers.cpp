// Pointers: what they point to, and elements. See walk.h.
//
// A pointer knows the space that it points to as long as that is clear, so accesses name it (ld.global); it
// becomes a generic one where that is not. A pointer to a variable in registers is no number at all until
// something asks for one.
#include "common/compile/builtin/walk.h"

namespace lab::cucc {

// A fact for the next walk of this kernel.
void Walk::note(std::set<const Node*>& facts, const Node* fact) {
  if (code_.is_dead() || frame_->is_finished) throw Unchecked{};
  facts.insert(fact);
  throw Restart{};
}

std::string Walk::address_of(const Value& m) {
  const std::string base = m.base[0] == '%' ? m.base : code_.compute("%rd", "mov.u64", {m.base}).reg;
  return m.offset == 0 ? base : code_.compute("%rd", "add.s64", {base, std::to_string(m.offset)}).reg;
}

Value Walk::pointer_at(const Value& place, const Type* of, Position at) {
  if (place.kind == Value::Kind::InVariable) {
    if (place.variable->tree == nullptr)
      refuse(at, "the address of this value", "copy it to a variable first");
    return {.type = types_.pointer_to(of), .variable = place.variable, .offset = place.offset};
  }
  if (place.owner != nullptr) note(assigned_, place.owner);
  if (place.kind != Value::Kind::InMemory)
    fail(at, "this value has no address: & takes a variable, an element or a member");
  if (place.space == Space::Special)
    refuse(at, "the address of threadIdx and its like", "copy it to a variable first");
  Value p = in_register(types_.pointer_to(of), address_of(place));
  p.space = place.space;
  return p;
}

Value Walk::at_pointer(const Value& p, Position at) {
  if (p.type->kind != TypeKind::Pointer) fail(at, "a {} is no pointer: * takes one", p.type);
  if (p.type->of->kind == TypeKind::Void)
    fail(at, "a 'void*' does not say what it points to: cast it to a 'float*' or the like first");
  if (p.variable != nullptr)
    return {.kind = Value::Kind::InVariable,
            .type = p.type->of,
            .variable = p.variable,
            .is_viewed = true,
            .offset = p.offset};
  return in_memory(p.type->of, p.space, reg_of(p.leaves[0], p.type));
}

Value Walk::generic(Value p) {
  if (p.kind == Value::Kind::Plain && p.variable != nullptr) note(in_memory_, p.variable->tree);
  if (p.type->kind != TypeKind::Pointer || p.space == Space::Generic) return p;
  return computed(p.type, std::string("cvta") + space_word(p.space) + ".u64", {reg_of(p.leaves[0], p.type)});
}

Value Walk::element(Value array, const Value& index, Position at) {
  const bool is_index = is_numeric(index.type) && !is_float(index.type);
  if (!is_index) fail(at, "an index is an integer, and this is a {}", index.type);
  if (!array.is_place() || array.type->kind != TypeKind::Array) {
    if (array.kind == Value::Kind::Plain && array.type->kind == TypeKind::Array)
      refuse(at, "an element of an array that is no variable", "copy it to a variable first");
    const Value p = rvalue(array, at);
    if (p.type->kind != TypeKind::Pointer)
      fail(at, "a {} has no elements: [ ] takes an array or a pointer", p.type);
    return moved(at_pointer(p, at), index, size_of(p.type->of));
  }
  const Type* of = array.type->of;
  if (array.kind == Value::Kind::InVariable && !array.is_viewed) {
    const bool is_inside = index.known() && index.leaves[0].i >= 0 && index.leaves[0].i < array.type->count;
    if (!is_inside && array.variable->tree == nullptr)
      refuse(at, "this array with an index that is no constant", "copy it to an array of the kernel first");
    if (!is_inside) note(in_memory_, array.variable->tree);
    array.first += static_cast<std::size_t>(index.leaves[0].i) * part_count(of);
    array.offset += index.leaves[0].i * size_of(of);
    array.type = of;
    return array;
  }
  array.type = of;
  return moved(array, index, size_of(of));
}

// The place `index` steps further on.
Value Walk::moved(Value m, const Value& index, std::int64_t step) {
  if (m.kind == Value::Kind::InVariable && !index.known()) note(in_memory_, m.variable->tree);
  m.kept = nullptr;
  if (index.known()) {
    m.offset += index.leaves[0].i * step;
    return m;
  }
  Value at = m;
  at.offset = 0;
  const std::string base = address_of(at);
  const Value wide = size_of(index.type) < 4 || index.type->kind == TypeKind::Enum
                         ? converted(index, types_.promoted(index.type), {})
                         : index;
  const bool is_long = size_of(wide.type) == 8;
  const Value by = constant(scalar(TypeKind::Long), step);
  const std::optional<Value> shifted = is_long ? by_power_of_two("*", wide, by, by.type) : std::nullopt;
  const std::string product = is_long ? "mul.lo.s64" : "mul.wide." + register_suffix(wide.type);
  const Value bytes = shifted ? *shifted : computed(u64(), product, {operand(wide), std::to_string(step)});
  m.base = code_.compute("%rd", "add.s64", {base, operand(bytes)}).reg;
  return m;
}

}  // namespace lab::cucc
