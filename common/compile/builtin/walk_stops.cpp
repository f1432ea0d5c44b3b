// What is in scope where a statement begins, and where it is: for `lab step`. See walk.h,
// and code_stops.cpp for what becomes of it.
#include <bit>
#include <set>

#include "common/compile/builtin/walk.h"

namespace lab::cucc {
namespace {

constexpr int kKernelFile = 1;
constexpr std::size_t kMostPartsShown = 64;  // of a variable
constexpr const char* kCallPart = "call";    // what stands before it is of the function of that name

std::string type_word(const Type* t, Space points) {
  if (is_pointer(t)) return points == Space::Shared ? "shared" : points == Space::Local ? "local" : "pointer";
  if (held_as(t) == TypeKind::Bool) return "bool";
  const char letter = is_float(t) ? 'f' : is_signed(t) ? 's' : 'u';
  return letter + std::to_string(8 * size_of(t));
}

std::string where_of(const Leaf& leaf, const Type* t) {
  if (!leaf.known()) return leaf.reg;
  return "=" + std::to_string(is_float(t) ? std::bit_cast<std::int64_t>(leaf.d) : leaf.i);
}

// Its parts lie one behind the other: "__local_1+4".
std::vector<Leaf> leaves_in_memory(const Value& place) {
  std::vector<Leaf> leaves;
  for (const Part& part : parts_of(place.type))
    leaves.push_back({place.base + "+" + std::to_string(place.offset + part.offset)});
  return leaves;
}

}  // namespace

// From leaf `first` on. A union's members are views of what it lies in, and are left out.
void Walk::add_stop_parts(const std::string& name, const Type* t, const std::vector<Leaf>& leaves,
                          std::size_t first, Space points, std::vector<Stop::Part>& out) const {
  if (t->kind == TypeKind::Struct && t->structure->held == nullptr) {
    for (const Field& f : t->structure->fields)
      add_stop_parts(name + "." + f.name, f.type, leaves, first + f.first_part, Space::Generic, out);
  } else if (t->kind == TypeKind::Array && t->count >= 0) {
    for (std::int64_t k = 0; k < t->count; ++k)
      add_stop_parts(name + "[" + std::to_string(k) + "]", t->of, leaves,
                     first + static_cast<std::size_t>(k) * part_count(t->of), Space::Generic, out);
  } else if (is_scalar(t) && first < leaves.size()) {
    out.push_back({name, type_word(t, points), where_of(leaves[first], t)});
  }
}

void Walk::add_scope_parts(const Scope* scope, std::vector<Stop::Part>& out) const {
  std::set<std::string> inner;
  for (const Scope* s = scope; s != nullptr; s = s->up)
    for (const auto& [name, entity] : s->names) {
      const Variable* v = entity.variable;
      const bool is_hidden = !inner.insert(name).second;
      if (is_hidden || v == nullptr || name.empty() || name == " " || name == kThis) continue;
      std::size_t first = 0;
      const Type* t = v->type;
      if (v->refers) {
        const Value& to = *v->refers;
        if (to.kind == Value::Kind::InMemory && to.space == Space::Local && !to.base.starts_with("%") &&
            part_count(to.type) <= kMostPartsShown)
          add_stop_parts(name, to.type, leaves_in_memory(to), 0, Space::Generic, out);
        if (to.kind != Value::Kind::InVariable || to.is_viewed || to.variable->refers) continue;
        first = to.first, t = to.type, v = to.variable;
      }
      if (part_count(t) <= kMostPartsShown) add_stop_parts(name, t, v->leaves, first, v->points, out);
    }
}

// The function that runs, then those that called it, as far as they stand in the kernel's file. The kernel's own
// frame has no body.
void Walk::stop(Position at, Scope* scope) {
  frame_->scope = scope;
  if (!names_variables_ || at.file != kKernelFile || code_.is_dead()) return;
  Stop stop{at, frame_->call, {}};
  add_scope_parts(scope, stop.parts);
  const auto is_own = [](const Frame* f) { return f->body == nullptr || f->body->at.file == kKernelFile; };
  const Frame* own = frame_;
  for (const Frame* f = frame_; f->up != nullptr; f = f->up) {
    if (!is_own(f->up) || f->called_at.file != kKernelFile) continue;
    stop.parts.push_back({own->shown, kCallPart, std::to_string(f->called_at.line)});
    add_scope_parts(f->up->scope, stop.parts);
    own = f->up;
  }
  code_.add_stop(std::move(stop));
}

}  // namespace lab::cucc
