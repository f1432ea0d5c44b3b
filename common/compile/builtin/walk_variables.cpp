// Variables of functions: in registers, in local memory, or only another name. See walk.h.
#include <algorithm>

#include "common/compile/builtin/walk.h"

namespace lab::cucc {
namespace {

constexpr std::size_t kMostInRegisters = 256;  // parts of a variable
constexpr std::size_t kMostInitial = 4096;     // parts that begin with values

}  // namespace

bool Walk::changes(const Variable& v) const {
  const bool inside =
      v.type->kind != TypeKind::Pointer && program_.changed_inside.contains({v.tree->item, v.tree->text});
  return inside || assigned_.contains(v.tree) || program_.changed.contains({v.tree->item, v.tree->text});
}

Variable& Walk::new_variable(const std::string& name, const Type* t, const Node* tree) {
  Variable& v = variables_.emplace_back();
  v.name = name, v.type = t, v.tree = tree;
  return v;
}

// A name for what lies somewhere else.
Variable& Walk::refer(const std::string& name, const Value& to, const Node* tree, Scope* scope) {
  Variable& v = new_variable(name, to.type, tree);
  v.refers = to;
  scope->names[name] = {&v, nullptr};
  return v;
}

std::int64_t Walk::alignment(const Node* v, const Type* t, Scope* scope) {
  const std::int64_t own = align_of(t);
  return v->storage.align == nullptr ? own
                                     : std::max(own, constant_of(v->storage.align, scope, "an alignment"));
}

std::int64_t Walk::constant_of(const Node* n, Scope* scope, const std::string& what) {
  const Restored<const Frame*> constant(constant_frame_, frame_);
  const Value v = value_of(n, scope);
  if (!v.known() || is_float(v.type) || is_pointer(v.type))
    fail(n->at, "{} must be a constant: a number, or a constexpr int", what);
  return v.leaves[0].i;
}

void Walk::variable(const Node* v, Scope* scope) {
  if (!v->names.empty() && !scope->names.contains(v->text)) {
    Node* whole = make(Kind::Variable, v->at, v->text);
    *whole = *v;
    whole->names.clear();
    Node*& kept = elements_[{v, 0}];
    if (kept == nullptr) kept = whole;
    variable(kept, scope);
    return bind_names(v, scope);
  }
  const bool is_above = scope->continues && scope->up->names.contains(v->text) &&
                        scope->up->names.at(v->text).variable != nullptr &&
                        scope->up->names.at(v->text).variable->tree != nullptr;
  if (scope->names.contains(v->text) || is_above)
    fail(v->at, "'{}' is declared twice in this block: give one of them another name", v->text);
  const Storage& s = v->storage;
  if (s.is_shared) return void(refer(v->text, shared(v, scope, ""), v, scope));
  const Type* t = resolve(v->type, scope);
  if (s.is_static && !s.is_constexpr && !is_const_all_over(t))
    refuse(v->at, "static variables of a function", "declare it outside, with __device__");
  if (s.is_constant || s.is_device || s.is_extern)
    refuse(v->at, "this kind of variable inside of a function", "declare it outside");
  if (t->kind == TypeKind::Reference) return reference(v, t->of, scope);
  if (t->kind == TypeKind::Auto || (t->kind == TypeKind::Pointer && t->of->kind == TypeKind::Auto))
    return auto_variable(v, t, scope);
  plain_variable(v, t, scope);
}

Value Walk::value_for_auto(const Node* v, Scope* scope) {
  const Node* initial = v->kids.empty() ? nullptr : v->kids[0];
  if (initial != nullptr && initial->kind == Kind::List && initial->kids.size() == 1)
    initial = initial->kids[0];
  if (initial == nullptr || initial->kind == Kind::List)
    fail(v->at, "'auto' takes its type from a value: write = and one behind '{}'", v->text);
  Value value = value_of(initial, scope);
  if (value.kind != Value::Kind::Lambda && value.type->kind == TypeKind::Void)
    fail(initial->at, "this function returns nothing, so 'auto' finds no type");
  return value;
}

// The type with as many elements as there are values, where it says none.
const Type* Walk::counted(const Type* t, const Node* v, Scope* scope) {
  if (t->kind != TypeKind::Array || t->count != kUnknownCount) return t;
  if (v->kids.empty() || v->kids[0]->kind != Kind::List)
    fail(v->at, "the array '{}' needs a size in [ ]", v->text);
  const Node* list = list_written_out(v->kids[0], scope);
  return types_.array_of(t->of, static_cast<std::int64_t>(list->kids.size()));
}

void Walk::auto_variable(const Node* v, const Type* t, Scope* scope) {
  const Value value = value_for_auto(v, scope);
  if (value.kind == Value::Kind::Lambda) return void(refer(v->text, value, v, scope));
  if (t->kind == TypeKind::Pointer && value.type->kind != TypeKind::Pointer)
    fail(v->kids[0]->at, "'auto*' takes a pointer, and this is a {}", value.type);
  check_known(v, value);
  declare(v->text, types_.qualified(value.type, t->is_const || v->storage.is_constexpr, t->is_volatile), v,
          &value, scope, v->at);
}

void Walk::plain_variable(const Node* v, const Type* t, Scope* scope) {
  const Node* initial = v->kids.empty() ? nullptr : v->kids[0];
  if (t->kind == TypeKind::Void)
    fail(v->at, "a variable cannot be of type void: write int, float or another type");
  t = counted(t, v, scope);
  if (initial == nullptr && !has_standards(t)) {
    if (t->is_const || v->storage.is_constexpr)
      fail(v->at, "'{}' is const and needs a value: write = and one behind it", v->text);
    declare(v->text, t, v, nullptr, scope, v->at);
    return;
  }
  const bool is_fixed = v->storage.is_constexpr || v->storage.is_static;
  Value value;
  {
    const Restored<const Frame*> must_be_known(constant_frame_,
                                               v->storage.is_constexpr ? frame_ : constant_frame_);
    if (initial != nullptr && initial->kind != Kind::List && !has_constructors(t)) {
      value = converted(value_of(initial, scope), t, initial->at);
    } else {
      if (part_count(t) > kMostInitial)
        refuse(v->at, "values for so large an array", "give it values in a loop");
      fill(t, initial, scope, value.leaves, v->at);
    }
  }
  value.type = t->kind == TypeKind::Array ? t : types_.plain(t);
  check_known(v, value);
  if (is_fixed) t = types_.qualified(t, true, false);
  const bool is_table = is_const_all_over(t) && !t->is_volatile && value.all_known();
  if (is_table && in_memory_.contains(v)) {  // all threads share it
    const std::string symbol =
        v->text + "_" + std::to_string(v->at.line) + "_" + std::to_string(v->at.column);
    define(".global", t, alignment(v, t, scope), symbol, bytes_of(t, value.leaves, v->at));
    return void(refer(v->text, in_memory(t, Space::Global, symbol), v, scope));
  }
  declare(v->text, t, v, &value, scope, v->at);
}

void Walk::check_known(const Node* v, const Value& value) {
  if (v->storage.is_static && !value.all_known())
    fail(v->at, "a static variable of a function begins with a constant: leave out 'static'");
  if (v->storage.is_constexpr && !value.all_known())
    fail(v->at, "'{}' is constexpr, and its value is known only when the kernel runs: write const", v->text);
}

// A variable that begins as `value`, which has its type; without one, as nothing.
Variable& Walk::declare(const std::string& name, const Type* t, const Node* tree, const Value* value,
                        Scope* scope, Position at) {
  Variable& v = new_variable(name, t, tree);
  scope->names[name] = {&v, nullptr};
  if (computes_variable(v, value)) return v;
  // As with NVRTC, `volatile` means nothing for what only one thread has.
  if (in_memory_.contains(tree) || part_count(t) > kMostInRegisters)
    put_in_memory(v, value, scope, at);
  else if (value != nullptr)
    put_in_registers(v, *value);
  else
    begin_as_nothing(v, t);
  return v;
}

void Walk::begin_as_nothing(Variable& v, const Type* t) { v.leaves = unwritten(t); }

void Walk::put_in_memory(Variable& v, const Value* value, Scope* scope, Position at) {
  const std::string symbol = "__local_" + std::to_string(++locals_);
  const std::int64_t align = std::max<std::int64_t>(alignment(v.tree, v.type, scope), 4);
  local_variables_ += "\t.local " + bytes(align, symbol, size_of(v.type)) + ";\n";
  Value place = in_memory(v.type, Space::Local, symbol);
  if (value != nullptr) {
    Type open = *types_.plain(v.type);
    if (v.type->kind != TypeKind::Array) open.is_volatile = v.type->is_volatile;
    place.type = types_.unique(open);
    store_all(place, *value, at);
    place.type = v.type;
  }
  v.refers = place;
}

void Walk::put_in_registers(Variable& v, Value value) {
  if (value.variable != nullptr && !assigned_.contains(v.tree)) {  // a pointer to a variable, which stays one
    value.owner = v.tree;
    value.type = v.type;
    v.refers = value;
    return;
  }
  if (value.variable != nullptr) generic(value);
  if (value.type->kind == TypeKind::Pointer && generic_.contains(v.tree)) value = generic(value);
  v.is_steady = !changes(v);
  v.points = value.space;
  v.leaves = v.is_steady ? copied(value).leaves : new_registers(v.type, true);
  if (!v.is_steady) set_or_retarget(v.leaves, value);
}

void Walk::reference(const Node* v, const Type* to, Scope* scope) {
  if (v->kids.empty())
    fail(v->at, "the reference '{}' needs something to refer to: write = and a variable behind it", v->text);
  bind(v->text, to, v, expression(v->kids[0], scope), scope, v->kids[0]->at);
}

// A reference is another name for a place; for a value it is a variable of its own.
void Walk::bind(const std::string& name, const Type* to, const Node* tree, Value v, Scope* scope,
                Position at) {
  if (v.kind == Value::Kind::Lambda) return void(refer(name, v, tree, scope));
  v.kept = nullptr;
  if (to->kind == TypeKind::Auto) to = types_.qualified(v.type, to->is_const, to->is_volatile);
  const bool is_rvalue_reference = tree->type != nullptr && tree->type->text == "&&";
  if (v.is_place() && types_.plain(v.type) == types_.plain(to)) {
    if (is_const_all_over(v.type) && !is_const_all_over(to))
      fail(at, "this is const, so a reference to it is too: write 'const {}&'", types_.plain(to)->name);
    if (to->kind != TypeKind::Array) v.type = to;
    return void(refer(name, v, tree, scope));
  }
  if (!is_const_all_over(to) && !is_rvalue_reference)
    fail(at, v.is_place() ? "a reference to a " + shown(to) + " cannot refer to a " + shown(v.type)
                          : "a reference to a value, which is no variable, must be const: write 'const " +
                                types_.plain(to)->name + "&'");
  const Value value = converted(rvalue(v, at), to, at);
  declare(name, to, tree, &value, scope, at);
}

}  // namespace lab::cucc
