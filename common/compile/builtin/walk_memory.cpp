// Reading and writing places: variables in registers, and memory. See walk.h.
#include <algorithm>

#include "common/compile/builtin/walk.h"

namespace lab::cucc {
namespace {

constexpr std::size_t kMostParts = 64;  // of what one assignment copies

std::string memory_operand(const Value& m, std::int64_t more) {
  const std::int64_t offset = m.offset + more;
  return "[" + m.base + (offset == 0 ? "" : "+" + std::to_string(offset)) + "]";  // PTX writes +-4
}

// How many neighbouring parts one instruction moves.
std::size_t moved_at_once(const Type* t, const std::vector<Part>& parts) {
  for (const std::size_t n : {std::size_t{4}, std::size_t{2}}) {
    const std::int64_t each = size_of(parts[0].type), bytes = static_cast<std::int64_t>(n) * each;
    bool fits = parts.size() % n == 0 && bytes <= 16 && align_of(t) % bytes == 0;
    for (std::size_t i = 0; fits && i < parts.size(); ++i)
      fits = size_of(parts[i].type) == each && is_float(parts[i].type) == is_float(parts[0].type) &&
             held_as(parts[i].type) != TypeKind::Bool &&
             parts[i].offset == static_cast<std::int64_t>(i) * each;
    if (fits) return n;
  }
  return 1;
}

// "ld.volatile.global.v4.f32"
std::string access(const char* what, const Value& place, const std::string& cache, std::size_t n,
                   const Type* part) {
  return std::string(what) + (place.type->is_volatile && place.space != Space::Local ? ".volatile" : "") +
         space_word(place.space) + cache + (n > 1 ? ".v" + std::to_string(n) : "") + "." +
         memory_suffix(part);
}

// The leaves of a place in a variable that is not seen as another type.
std::vector<Leaf> leaves_of(const Value& place) {
  const auto begin = place.variable->leaves.begin() + static_cast<std::ptrdiff_t>(place.first);
  return {begin, begin + static_cast<std::ptrdiff_t>(part_count(place.type))};
}

bool is_empty(const Type* t) { return t->kind == TypeKind::Struct && t->structure->fields.empty(); }

}  // namespace

// Eight and more numbers of 1 or 2 bytes move at once as words, where they are aligned for it; null: they do not.
const Type* Walk::words_of_narrow(const Type* t, Position at) {
  const std::vector<Part> parts = parts_of(t);
  if (parts.empty()) return nullptr;
  const std::int64_t size = size_of(t), each = size_of(parts[0].type);
  if ((size != 8 && size != 16) || align_of(t) < size || size <= 4 * each) return nullptr;
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (size_of(parts[i].type) != each || parts[i].offset != static_cast<std::int64_t>(i) * each ||
        held_as(parts[i].type) == TypeKind::Bool)
      return nullptr;
  return static_cast<std::int64_t>(parts.size()) * each == size
             ? structure(size == 16 ? "uint4" : "uint2", at)
             : nullptr;
}

Value Walk::rvalue(const Value& v, Position at) {
  if (v.kind == Value::Kind::Functions) refuse(at, "a function as a value", "call it, or write a lambda");
  if (v.kind == Value::Kind::Lambda || v.kind == Value::Kind::Plain) return v;
  if (v.kept != nullptr) return *v.kept;
  if (v.type->kind == TypeKind::Array) return pointer_at(v, v.type->of, at);
  return load(v, at);
}

Value Walk::load(const Value& v, Position at, const std::string& cache) {
  Value r = {.type = types_.plain(v.type)};
  if (is_empty(v.type)) return r;
  if (v.kind == Value::Kind::InVariable) {
    if (v.is_viewed) return load_view(v);
    r.is_shared = true;
    r.is_steady = v.variable->is_steady;
    r.space = v.variable->points;
    r.leaves = leaves_of(v);
    return r;
  }
  if (v.space == Space::Special) return load_special(v);
  const std::vector<Part> parts = parts_of(v.type);
  if (parts.size() > kMostParts)
    refuse(at, "a copy of so large a " + v.type->name, "copy its elements in a loop");
  if (const Type* words = words_of_narrow(v.type, at); words != nullptr) {
    Value as_words = v;
    as_words.type = types_.qualified(words, false, v.type->is_volatile);
    return seen_as(load(as_words, at, cache), r.type);
  }
  const std::size_t n = moved_at_once(v.type, parts);
  const auto effect = v.type->is_volatile ? Instruction::Effect::Lasting : Instruction::Effect::Load;
  for (std::size_t i = 0; i < parts.size(); i += n) {
    std::vector<std::string> to;
    for (std::size_t k = 0; k < n; ++k)
      to.push_back(code_.new_register(
          held_as(parts[i + k].type) == TypeKind::Bool ? "%r" : register_class(parts[i + k].type)));
    code_.add(effect, access("ld", v, cache, n, parts[i].type), to, {memory_operand(v, parts[i].offset)});
    for (std::size_t k = 0; k < n; ++k) {
      const Type* t = parts[i + k].type;
      r.leaves.push_back(held_as(t) == TypeKind::Bool ? computed(t, "setp.ne.u32", {to[k], "0"}).leaves[0]
                                                      : Leaf{to[k]});
    }
  }
  return r;
}

// threadIdx and its like: read once, where the kernel begins.
Value Walk::load_special(const Value& v) {
  Value r = {.type = types_.plain(v.type), .is_shared = true, .is_steady = true};
  for (const Part& p : parts_of(v.type)) {
    const auto axis = static_cast<std::size_t>((v.offset + p.offset) / 4);
    std::string& reg = code_.at_entry[v.base + "." + "xyz"[axis]];
    if (reg.empty()) reg = code_.new_register("%r");
    r.leaves.push_back(Leaf{reg});
  }
  return r;
}

// `v` has the place's type.
void Walk::store(const Value& to, Value v, Position at, const std::string& cache) {
  if (to.owner != nullptr) note(assigned_, to.owner);
  if (!to.is_place()) fail(at, "this is no place that a value could be assigned to");
  if (is_const_all_over(to.type))
    fail(at, "this is const and cannot be assigned to: its type is {}", to.type);
  if (to.kind == Value::Kind::InVariable)
    store_to_variable(to, std::move(v), at);
  else
    store_to_memory(to, std::move(v), at, cache);
}

void Walk::store_to_variable(const Value& to, Value v, Position at) {
  Variable& variable = *to.variable;
  if (computes_store(to, v)) return;
  if (v.kind == Value::Kind::Plain && v.variable != nullptr) generic(v);
  if (variable.is_steady) note(assigned_, variable.tree);
  if (to.is_viewed) return store_view(to, v, at);
  if (v.type->kind == TypeKind::Pointer) {
    const bool is_alone = part_count(variable.type) == 1;
    if (!is_alone || variable.points == Space::Generic)
      v = generic(v);
    else if (v.space != variable.points)
      note(generic_, variable.tree);
  }
  const std::vector<Leaf> targets = leaves_of(to);
  if (std::any_of(targets.begin(), targets.end(), [](const Leaf& target) { return target.known(); })) {
    if (variable.tree == nullptr)
      refuse(at, "an assignment to " + variable.name, "copy it to a variable first");
    note(assigned_, variable.tree);
  }
  set_or_retarget(targets, v);
}

void Walk::store_to_memory(const Value& to, Value v, Position at, const std::string& cache) {
  if (to.space >= Space::Const)
    fail(at, to.space == Space::Special ? "threadIdx and its like cannot be assigned to"
                                        : "constant memory cannot be assigned to in a kernel");
  if (v.leaves.empty()) return;
  v = generic(v);
  const std::vector<Part> parts = parts_of(to.type);
  if (parts.size() > kMostParts)
    refuse(at, "a copy of so large a " + to.type->name, "copy its elements in a loop");
  if (const Type* words = words_of_narrow(to.type, at); words != nullptr) {
    Value as_words = to;
    as_words.type = types_.qualified(words, false, to.type->is_volatile);
    return store_to_memory(as_words, seen_as(v, words), at, cache);
  }
  const std::size_t n = moved_at_once(to.type, parts);
  for (std::size_t i = 0; i < parts.size(); i += n) {
    std::vector<std::string> from = {memory_operand(to, parts[i].offset)};
    for (std::size_t k = 0; k < n; ++k) {
      const std::string r = reg_of(v.leaves[i + k], parts[i + k].type);
      from.push_back(held_as(parts[i + k].type) == TypeKind::Bool
                         ? computed(u32(), "selp.u32", {"1", "0", r}).leaves[0].reg
                         : r);
    }
    code_.add(Instruction::Effect::Lasting, access("st", to, cache, n, parts[i].type), {}, from);
  }
}

// An array's elements, one after the other.
void Walk::store_all(const Value& place, const Value& v, Position at) {
  if (place.type->kind != TypeKind::Array) return store(place, v, at);
  const Type* of = place.type->of;
  const auto each = static_cast<std::ptrdiff_t>(part_count(of));
  for (std::int64_t i = 0; i < place.type->count; ++i) {
    Value element = place;
    element.type = of;
    element.offset += i * size_of(of);
    const std::vector<Leaf> leaves(v.leaves.begin() + i * each, v.leaves.begin() + (i + 1) * each);
    store_all(element, {.type = types_.plain(of), .leaves = leaves}, at);
  }
}

}  // namespace lab::cucc
