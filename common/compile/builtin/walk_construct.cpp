// Structs that constructors make, and names for the members of one (auto [row, col] = …). See walk.h.
//
// The object is a variable while its constructor is walked: members first, in their order, then the body.
#include <algorithm>

#include "common/compile/builtin/walk.h"

namespace lab::cucc {

// From a value of its own type, or by the constructor that takes the values.
void Walk::fill_constructed(const Type* t, const Node* initial, Scope* scope, std::vector<Leaf>& out,
                            Position at) {
  std::vector<Node*> trees;
  if (initial != nullptr && initial->kind == Kind::List)
    trees = initial->kids;
  else if (initial != nullptr)
    trees = {const_cast<Node*>(initial)};
  if (initial != nullptr && initial->kind == Kind::List)
    for (const std::string& name : initial->names)
      if (!name.empty()) fail(initial->at, "{} has constructors, which take values without names", t);
  std::vector<Argument> arguments;
  for (const Node* tree : trees)
    arguments.push_back({tree, tree->kind == Kind::List ? Value() : expression(tree, scope), scope});
  const auto is_own = [&](const Argument& a) {
    return a.value.type != nullptr && a.value.kind != Value::Kind::Functions &&
           types_.plain(a.value.type) == types_.plain(t);
  };
  const Value v = arguments.size() == 1 && is_own(arguments[0]) ? copied(rvalue(arguments[0].value, at))
                                                                : constructed(t, arguments, scope, at);
  out.insert(out.end(), v.leaves.begin(), v.leaves.end());
}

Value Walk::constructed(const Type* t, const std::vector<Argument>& arguments, Scope* scope, Position at) {
  const StructType& s = *t->structure;
  if (s.held != nullptr) refuse(at, "a constructor of a union", "assign to its members");
  const auto is_plain = [](const Function* f) { return f->is_defaulted && f->parameters.empty(); };
  if (arguments.empty() && std::any_of(s.tree->constructors.begin(), s.tree->constructors.end(), is_plain)) {
    Value v = {.type = types_.plain(t)};
    for (const Field& f : s.fields) fill_standard(t, f, v.leaves, at);
    return v;
  }
  Node* name = make(Kind::Name, at, s.tree->name);
  Value all = functions(s.tree->constructors, name);
  all.scope = s.scope;
  Scope* inner = nullptr;
  const Function* best = best_of(all, arguments, name, scope, inner);
  if (constant_frame_ == frame_ && !best->storage.is_constexpr)
    fail(at, "'{}' is no constant: write constexpr before the function", best->name);
  walked_.insert(best->written_from != nullptr ? best->written_from : best);
  Variable& object = new_variable(best->name, types_.plain(t), best->body);
  const Restored computes(computes_, computes_ || constant_frame_ == frame_);
  object.is_computed = computes_;
  if (in_memory_.contains(best->body) && !computes_)
    put_in_memory(object, nullptr, inner, at);
  else
    object.leaves.resize(part_count(t));
  inner->up = inside_of(value_in(object));
  pass_all(best->parameters, arguments, inner);
  {
    Frame frame;  // of what stands behind the `:`
    frame.up = frame_, frame.name = best->name, frame.body = best->body, frame.call = frame_->call;
    frame.returns = scalar(TypeKind::Void), frame.called_at = at_;
    check_recursion(best->body, best->name, at);
    const Restored inside(frame_, &frame);
    begin_members(object, *best, inner, at);
  }
  if (!object.refers && !object.is_computed) {
    object.is_steady = !assigned_.contains(best->body);
    if (!object.is_steady) {
      const Value begun = {.type = object.type, .leaves = object.leaves};
      object.leaves = new_registers(object.type, true);
      set_all(object.leaves, begun);
    }
  }
  if (!best->body->kids.empty()) {
    Node* call = make(Kind::Call, at, "", {name});
    walk_body(best->body, instance_name(*best, inner), scalar(TypeKind::Void), inner, call);
  }
  return copied(rvalue(value_in(object), at));
}

void Walk::begin_members(Variable& object, const Function& f, Scope* inner, Position at) {
  const StructType& s = *object.type->structure;
  const auto set = [&](const Field& field, const std::vector<Leaf>& leaves) {
    if (object.refers) {
      Value place = *object.refers;
      place.type = types_.plain(field.type), place.offset += field.offset;
      store_all(place, {.type = types_.plain(field.type), .leaves = leaves}, at);
    } else {
      std::copy(leaves.begin(), leaves.end(),
                object.leaves.begin() + static_cast<std::ptrdiff_t>(field.first_part));
    }
  };
  if (f.initials.size() == 1 && f.initials[0]->text == s.tree->name) {  // another constructor does it
    std::vector<Leaf> leaves;
    fill_constructed(object.type, list_written_out(f.initials[0]->kids[0], inner), inner, leaves, at);
    for (const Field& field : s.fields) {
      const auto first = leaves.begin() + static_cast<std::ptrdiff_t>(field.first_part);
      set(field, {first, first + static_cast<std::ptrdiff_t>(part_count(field.type))});
    }
    return;
  }
  for (const Node* initial : f.initials)
    if (std::none_of(s.fields.begin(), s.fields.end(),
                     [&](const Field& one) { return one.name == initial->text; }))
      fail(initial->at, "{} has no member '{}'", object.type, initial->text);
  for (const Field& field : s.fields) {
    std::vector<Leaf> leaves;
    const auto own = std::find_if(f.initials.begin(), f.initials.end(),
                                  [&](const Node* initial) { return initial->text == field.name; });
    if (own != f.initials.end())
      fill_member(field, (*own)->kids[0], inner, leaves, at);
    else if (field.standard != nullptr)
      fill_member(field, field.standard, inner->up, leaves, at);
    else if (has_standards(field.type))
      fill(field.type, nullptr, inner, leaves, at);
    else
      leaves = computes_ ? std::vector<Leaf>(part_count(field.type)) : unwritten(field.type);
    set(field, leaves);
  }
}

// Registers that nothing has written.
std::vector<Leaf> Walk::unwritten(const Type* t) {
  const std::vector<Leaf> leaves = new_registers(t, true);
  Registers registers;
  for (const Leaf& leaf : leaves) registers.push_back(leaf.reg);
  code_.note_unwritten(std::move(registers));
  return leaves;
}

// What such a member refers to, where that lies in registers.
const Value* Walk::alias_of(const Leaf& leaf) const {
  const std::int64_t k = leaf.i - kFirstAlias;
  return leaf.known() && k >= 0 && k < std::ssize(aliases_) ? &aliases_[static_cast<std::size_t>(k)]
                                                            : nullptr;
}

// Where an address is needed, the variable lies in memory.
void Walk::no_alias(const Leaf& leaf) {
  if (const Value* alias = alias_of(leaf); alias != nullptr) note(in_memory_, alias->variable->tree);
}

// A member that is a reference holds the address of what it refers to.
void Walk::fill_member(const Field& f, const Node* initial, Scope* scope, std::vector<Leaf>& out,
                       Position at) {
  if (!f.is_reference) return fill(f.type, initial, scope, out, at);
  while (initial != nullptr && initial->kind == Kind::List && initial->kids.size() == 1)
    initial = initial->kids[0];
  if (initial == nullptr || initial->kind == Kind::List)
    fail(at, "the reference '{}' needs something to refer to: write = and a variable behind it", f.name);
  const Value place = expression(initial, scope);
  if (!place.is_place())
    fail(initial->at, "a reference to a value: return a variable, an element or a member");
  const Type* of = place.type->kind == TypeKind::Array ? place.type : f.type->of;
  if (types_.plain(place.type) != types_.plain(f.type->of))
    fail(initial->at, "a reference to a {} cannot refer to a {}", f.type->of, place.type);
  if (is_const_all_over(place.type) && !is_const_all_over(f.type->of))
    fail(initial->at, "this is const, so a reference to it is too: write 'const {}&'",
         types_.plain(f.type->of)->name);
  if (place.kind == Value::Kind::InVariable && place.variable->tree != nullptr && !place.is_viewed) {
    aliases_.push_back(place);
    return out.push_back(Leaf{"", kFirstAlias + static_cast<std::int64_t>(aliases_.size() - 1)});
  }
  const Value address = copied(generic(pointer_at(place, of, initial->at)));
  out.insert(out.end(), address.leaves.begin(), address.leaves.end());
}

// The members, or elements, of what was declared under a name that cannot be written.
void Walk::bind_names(const Node* v, Scope* scope) {
  const Value whole = value_in(*scope->names.at(v->text).variable);
  const bool is_array = whole.type->kind == TypeKind::Array;
  if (!is_array && (whole.type->kind != TypeKind::Struct || whole.type->structure->held != nullptr))
    fail(v->at,
         "names in [ ] stand for the members of a struct or the elements of an array, and this is a {}",
         whole.type);
  const std::size_t count =
      is_array ? static_cast<std::size_t>(whole.type->count) : whole.type->structure->fields.size();
  if (count != v->names.size()) fail(v->at, "here are {} names for {} members", v->names.size(), count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string& name = v->names[i];
    if (scope->names.contains(name))
      fail(v->at, "'{}' is declared twice in this block: give one of them another name", name);
    const Value part =
        is_array ? element(whole, constant(scalar(TypeKind::Int), static_cast<std::int64_t>(i)), v->at)
                 : member(whole, make(Kind::Member, v->at, whole.type->structure->fields[i].name));
    refer(name, part, v, scope);
  }
}

}  // namespace lab::cucc
