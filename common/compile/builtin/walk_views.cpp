// Variables in registers, read and written as another type: reinterpret_cast, and pointers to members. See
// walk.h.
//
// As long as every access falls on one register, on neighbouring ones or inside of one, the variable stays
// where it is.
#include <array>

#include "common/compile/builtin/walk.h"

namespace lab::cucc {
namespace {

constexpr std::int64_t kTwoHalves = -1;  // in place of a byte's number: 8 bytes over two registers of 4 …
constexpr std::int64_t kGathered = -2;   // … a word over narrower ones

// Bytes `size` from part `first` on are whole parts, numbers of one size that is less.
bool is_gathered(const std::vector<Part>& parts, std::size_t first, std::int64_t size) {
  const std::int64_t own = size_of(parts[first].type);
  if (size > 4 || own >= size) return false;
  for (std::int64_t k = 0; k < size / own; ++k) {
    const std::size_t i = first + static_cast<std::size_t>(k);
    const bool follows = i < parts.size() && parts[i].offset == parts[first].offset + k * own &&
                         size_of(parts[i].type) == own && held_as(parts[i].type) != TypeKind::Bool;
    if (!follows) return false;
  }
  return true;
}

}  // namespace

// The part of the variable that holds the part of the view, and the byte in it where that begins.
std::size_t Walk::leaf_at(const Value& v, const Part& part, std::int64_t& within) {
  const std::vector<Part> parts = parts_of(v.variable->type);
  const std::int64_t offset = v.offset + part.offset, size = size_of(part.type);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::int64_t own = size_of(parts[i].type);
    const bool has_next =
        i + 1 < parts.size() && size_of(parts[i + 1].type) == 4 && parts[i + 1].offset == parts[i].offset + 4;
    if (size == 8 && own == 4 && parts[i].offset == offset && has_next) {
      within = kTwoHalves;
      return i;
    }
    within = offset - parts[i].offset;
    const bool is_bool = held_as(part.type) == TypeKind::Bool,
               holds_bool = held_as(parts[i].type) == TypeKind::Bool;
    if (within == 0 && held_as(part.type) != TypeKind::Bool && is_gathered(parts, i, size)) {
      within = kGathered;
      return i;
    }
    const bool exact = within == 0 && own == size && is_bool == holds_bool;
    const bool inside = within >= 0 && within + size <= own && own == 4 && !is_bool && !holds_bool;
    const bool is_half = own == 8 && size == 4 && (within == 0 || within == 4) && !is_pointer(parts[i].type);
    if (exact || inside || is_half) return i;
  }
  if (v.variable->tree == nullptr) refuse({}, "this part of a union", "copy the union to a variable first");
  note(in_memory_, v.variable->tree);
}

// Both words of a leaf of 8 bytes.
std::array<std::string, 2> Walk::halves_of(const Leaf& leaf, const Type* from) {
  std::array<std::string, 2> words = {code_.new_register("%r"), code_.new_register("%r")};
  code_.add(Instruction::Effect::Pure, "mov.b64", {words[0], words[1]}, {reg_of(leaf, from)});
  return words;
}

// The bits of a leaf as another type; of a smaller one those from the byte `within` on.
Value Walk::bits_as(const Leaf& leaf, const Type* from, const Type* to, std::int64_t within) {
  if (size_of(from) == size_of(to)) {
    Value v = {.type = types_.plain(from), .leaves = {leaf}, .is_shared = true};
    if (is_float(from) != is_float(to)) return computed(to, "mov." + bits_suffix(to), {reg_of(leaf, from)});
    if (is_float(from) || is_pointer(from) != is_pointer(to)) {
      v.type = types_.plain(to);
      return v;
    }
    return converted(v, types_.plain(to), {}, true);
  }
  if (size_of(from) == 8 && size_of(to) == 4)
    return bits_as(Leaf{halves_of(leaf, from)[within == 0 ? 0 : 1]}, u32(), to, 0);
  const Value word = is_float(from) ? bits_as(leaf, from, u32(), 0) : in_register(u32(), reg_of(leaf, from));
  return converted(binary(">>", word, constant(scalar(TypeKind::Int), 8 * within), {}), types_.plain(to), {},
                   true);
}

// The word of type `t` that narrow numbers are together; they lie in the registers of `parts` from `first` on.
Value Walk::gathered(const std::vector<Leaf>& leaves, const std::vector<Part>& parts, std::size_t first,
                     const Type* t) {
  const std::int64_t own = size_of(parts[first].type);
  std::string word = reg_of(leaves[first], parts[first].type);
  for (std::int64_t k = 1; k < size_of(t) / own; ++k) {
    const std::size_t i = first + static_cast<std::size_t>(k);
    word = computed(
               u32(), "bfi.b32",
               {reg_of(leaves[i], parts[i].type), word, std::to_string(8 * own * k), std::to_string(8 * own)})
               .leaves[0]
               .reg;
  }
  return bits_as(Leaf{word}, u32(), t, 0);
}

// A value's bytes as another type.
Value Walk::seen_as(const Value& v, const Type* t) {
  Variable& whole = new_variable("value", v.type, nullptr);
  whole.leaves = v.leaves;
  return load_view({.kind = Value::Kind::InVariable, .type = t, .variable = &whole, .is_viewed = true});
}

Value Walk::load_view(const Value& v) {
  Value r = {.type = types_.plain(v.type), .is_shared = true};
  const std::vector<Part> whole = parts_of(v.variable->type);
  for (const Part& part : parts_of(v.type)) {
    std::int64_t within = 0;
    const std::size_t i = leaf_at(v, part, within);
    const std::vector<Leaf>& leaves = v.variable->leaves;
    if (within == kGathered) {
      r.leaves.push_back(gathered(leaves, whole, i, part.type).leaves[0]);
      continue;
    }
    if (within != kTwoHalves) {
      r.leaves.push_back(bits_as(leaves[i], whole[i].type, part.type, within).leaves[0]);
      continue;
    }
    r.leaves.push_back(computed(part.type, "mov.b64",
                                {reg_of(leaves[i], whole[i].type), reg_of(leaves[i + 1], whole[i + 1].type)})
                           .leaves[0]);
  }
  return r;
}

void Walk::store_view(const Value& to, const Value& v, Position at) {
  const std::vector<Part> parts = parts_of(to.type), whole = parts_of(to.variable->type);
  const auto store_part = [&](std::size_t i, const Value& value) {
    Value place = to;
    place.is_viewed = false;
    place.type = types_.plain(whole[i].type);
    place.first = i;
    store(place, value, at);
  };
  for (std::size_t k = 0; k < parts.size(); ++k) {
    std::int64_t within = 0;
    const std::size_t i = leaf_at(to, parts[k], within);
    const Type* own = types_.plain(whole[i].type);
    if (within == kTwoHalves) {
      const Type* next = whole[i + 1].type;
      const std::string low = code_.new_register(register_class(own)),
                        high = code_.new_register(register_class(next));
      code_.add(Instruction::Effect::Pure, "mov.b64", {low, high}, {reg_of(v.leaves[k], parts[k].type)});
      store_part(i, in_register(own, low));
      store_part(i + 1, in_register(next, high));
    } else if (within == kGathered) {
      for (std::int64_t n = 0; n < size_of(parts[k].type) / size_of(own); ++n)
        store_part(i + static_cast<std::size_t>(n),
                   bits_as(v.leaves[k], parts[k].type, whole[i + static_cast<std::size_t>(n)].type,
                           n * size_of(own)));
    } else if (size_of(own) == 8 && size_of(parts[k].type) == 4) {
      std::array<std::string, 2> words = halves_of(to.variable->leaves[i], own);
      words[within == 0 ? 0 : 1] = reg_of(bits_as(v.leaves[k], parts[k].type, u32(), 0).leaves[0], u32());
      store_part(i, computed(own, "mov.b64", {words[0], words[1]}));
    } else if (size_of(own) == size_of(parts[k].type)) {
      store_part(i, bits_as(v.leaves[k], parts[k].type, own, 0));
    } else {
      if (to.variable->leaves[i].known()) note(assigned_, to.variable->tree);
      const std::string old = is_float(own) ? bits_as(to.variable->leaves[i], own, u32(), 0).leaves[0].reg
                                            : to.variable->leaves[i].reg;
      Value changed = computed(u32(), "bfi.b32",
                               {reg_of(v.leaves[k], parts[k].type), old, std::to_string(8 * within),
                                std::to_string(8 * size_of(parts[k].type))});
      if (is_float(own))
        changed = bits_as(changed.leaves[0], u32(), own, 0);
      else
        changed.type = own;
      store_part(i, changed);
    }
  }
}

}  // namespace lab::cucc
