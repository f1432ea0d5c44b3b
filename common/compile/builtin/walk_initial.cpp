// What variables begin with: values, and lists in braces. See walk.h.
#include "common/compile/builtin/walk.h"

namespace lab::cucc {

Value Walk::filled(const Type* t, const Node* initial, Scope* scope, Position at) {
  Value v = {.type = types_.plain(t)};
  fill(t, initial, scope, v.leaves, at);
  return v;
}

// Adds the leaves of a `t` made from `initial`; null: what it has without.
void Walk::fill(const Type* t, const Node* initial, Scope* scope, std::vector<Leaf>& out, Position at) {
  initial = list_written_out(initial, scope);
  if (has_constructors(t)) return fill_constructed(t, initial, scope, out, at);
  if (initial != nullptr && initial->kind != Kind::List)
    return fill_from_value(t, initial, scope, out, false);
  if (t->kind == TypeKind::Struct) return fill_struct(t, initial, scope, out, at);
  if (t->kind == TypeKind::Array) return fill_array(t, initial, scope, out, at);
  const std::size_t count = initial == nullptr ? 0 : initial->kids.size();
  if (count > 1) fail(initial->kids[1]->at, "a {} takes one value, and here are {}", t, count);
  if (count == 0) return out.push_back(Leaf{});
  if (initial->kids[0]->kind == Kind::List) return fill(t, initial->kids[0], scope, out, at);
  fill_from_value(t, initial->kids[0], scope, out, initial->text != "(");
}

void Walk::fill_from_value(const Type* t, const Node* initial, Scope* scope, std::vector<Leaf>& out,
                           bool in_braces) {
  if (initial->kind == Kind::String) refuse(initial->at, "strings", "use numbers");
  Value v = value_of(initial, scope);
  if (in_braces) check_narrowing(v, t, initial->at);
  v = copied(generic(converted(v, t, initial->at)));
  out.insert(out.end(), v.leaves.begin(), v.leaves.end());
}

// T{other} of the same type is a copy; true if it was one.
bool Walk::fill_from_same(const Type* t, const Node* list, Scope* scope, std::vector<Leaf>& out) {
  if (list == nullptr || list->kids.size() != 1 || !list->names[0].empty() ||
      list->kids[0]->kind == Kind::List)
    return false;
  const Code::Mark before = code_.mark();
  const Value v = expression(list->kids[0], scope);
  if (v.type->kind != TypeKind::Struct || types_.plain(v.type) != types_.plain(t)) {
    code_.back_to(before);
    return false;
  }
  const Value r = copied(rvalue(v, list->kids[0]->at));
  out.insert(out.end(), r.leaves.begin(), r.leaves.end());
  return true;
}

// A member's own value, which may name the members before it.
void Walk::fill_standard(const Type* t, const Field& f, std::vector<Leaf>& out, Position at) {
  if (f.standard == nullptr) return fill_member(f, nullptr, t->structure->scope, out, at);
  Variable& so_far = new_variable(t->name, types_.plain(t), nullptr);
  so_far.leaves.assign(out.end() - static_cast<std::ptrdiff_t>(f.first_part), out.end());
  so_far.leaves.resize(part_count(t));
  Scope* scope = new_scope(t->structure->scope, t->structure->space);
  for (const Field& before : t->structure->fields)
    refer(before.name, member(value_in(so_far), make(Kind::Member, at, before.name)), nullptr, scope);
  fill_member(f, f.standard, scope, out, at);
}

void Walk::fill_struct(const Type* t, const Node* list, Scope* scope, std::vector<Leaf>& out, Position at) {
  if (fill_from_same(t, list, scope, out)) return;
  if (t->structure->held != nullptr) return fill_union(t, list, scope, out, at);
  const std::size_t count = list == nullptr ? 0 : list->kids.size();
  std::size_t next = 0;
  for (const Field& f : t->structure->fields) {
    if (next < count && (list->names[next].empty() || list->names[next] == f.name))
      f.is_reference ? fill_member(f, list->kids[next++], scope, out, at)
                     : fill_next(f.type, list, next, scope, out);
    else
      fill_standard(t, f, out, at);
  }
  if (next == count) return;
  const std::string& name = list->names[next];
  if (name.empty()) fail(list->kids[next]->at, "here are more values than {} has members", t);
  for (const Field& f : t->structure->fields)
    if (f.name == name)
      fail(list->kids[next]->at,
           "'.{}' stands behind a member that comes after it: write them in the order of {}", name, t);
  fail(list->kids[next]->at, "{} has no member '{}'", t, name);
}

// A value for the first member, or for the one that is named.
void Walk::fill_union(const Type* t, const Node* list, Scope* scope, std::vector<Leaf>& out, Position at) {
  const Type* held = t->structure->held;
  if (list == nullptr || list->kids.empty()) return fill(held, nullptr, scope, out, at);
  if (list->kids.size() > 1)
    fail(list->kids[1]->at, "a union takes one value, and here are {}", list->kids.size());
  for (const Field& f : t->structure->fields) {
    if (!list->names[0].empty() && list->names[0] != f.name) continue;
    if (size_of(f.type) != size_of(t))
      refuse(at, "a value for a member that is smaller than its union", "assign to the member");
    const Value first = filled(f.type, list->kids[0], scope, list->kids[0]->at);
    const std::vector<Leaf> leaves = seen_as(first, held).leaves;
    return void(out.insert(out.end(), leaves.begin(), leaves.end()));
  }
  fail(at, "{} has no member '{}'", t, list->names[0]);
}

void Walk::fill_array(const Type* t, const Node* list, Scope* scope, std::vector<Leaf>& out, Position at) {
  const std::size_t count = list == nullptr ? 0 : list->kids.size();
  std::size_t next = 0;
  for (std::int64_t i = 0; i < t->count; ++i) {
    if (next < count)
      fill_next(t->of, list, next, scope, out);
    else
      fill(t->of, nullptr, scope, out, at);
  }
  if (next < count)
    fail(list->kids[next]->at, "here are more values than the array has elements: {}", t->count);
}

// A member or an element from the next value of a list: of several, where it is made of parts and has no braces.
void Walk::fill_next(const Type* t, const Node* list, std::size_t& next, Scope* scope,
                     std::vector<Leaf>& out) {
  const Node* value = list->kids[next];
  const bool is_record = t->kind == TypeKind::Struct && t->structure->held == nullptr && !has_constructors(t);
  const bool has_parts =
      value->kind != Kind::List && (is_record || t->kind == TypeKind::Array) && !is_of_struct(value, scope);
  const auto part = [&](const Type* of, const Node* standard, Scope* own) {
    if (next < list->kids.size() && list->names[next].empty())
      fill_next(of, list, next, scope, out);
    else
      fill(of, standard, own, out, value->at);
  };
  if (has_parts && is_record) {
    for (const Field& f : t->structure->fields) part(f.type, f.standard, t->structure->scope);
  } else if (has_parts) {
    for (std::int64_t i = 0; i < t->count; ++i) part(t->of, nullptr, scope);
  } else {
    ++next;
    if (value->kind != Kind::List && is_scalar(t))
      fill_from_value(t, value, scope, out, list->text != "(");
    else
      fill(t, value, scope, out, value->at);
  }
}

bool Walk::is_of_struct(const Node* n, Scope* scope) {
  return tried([&] {
    const Type* t = value_of(n, scope).type;
    return t != nullptr && t->kind == TypeKind::Struct;
  });
}

}  // namespace lab::cucc
