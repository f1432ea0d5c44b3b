// Expressions, one function for each form. See walk.h.
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>

#include "common/compile/builtin/walk.h"

namespace lab::cucc {

// Expressions and structs inside of each other: what names itself ends here and not with the stack.
int Walk::deeper(Position at) const {
  constexpr int kDeepest = 500;
  if (depth_ == kDeepest)
    throw Fatal{{at, "this is nested too deep, or needs itself: give it a value that ends"}};
  return depth_ + 1;
}

Value Walk::expression(const Node* n, Scope* scope) {
  using Form = Value (Walk::*)(const Node*, Scope*);
  static const std::map<Kind, Form> kForms = {{Kind::Number, &Walk::number},
                                              {Kind::Name, &Walk::named},
                                              {Kind::Index, &Walk::index},
                                              {Kind::Call, &Walk::call},
                                              {Kind::Unary, &Walk::unary},
                                              {Kind::Postfix, &Walk::postfix},
                                              {Kind::Binary, &Walk::binary_expression},
                                              {Kind::Assign, &Walk::assign},
                                              {Kind::Conditional, &Walk::conditional},
                                              {Kind::Cast, &Walk::cast},
                                              {Kind::SizeOf, &Walk::size_of_expression},
                                              {Kind::Fold, &Walk::fold},
                                              {Kind::Lambda, &Walk::lambda}};
  const Restored depth(depth_, deeper(n->at));
  if (const auto form = kForms.find(n->kind); form != kForms.end()) return (this->*form->second)(n, scope);
  if (n->kind == Kind::Member) return member(expression(n->kids[0], scope), n);
  if (n->kind == Kind::String) return text(n->text);
  if (n->kind == Kind::Expansion) fail(n->at, "'...' belongs behind an argument or a value of a list");
  if (n->kind != Kind::Character)
    refuse(n->at, "a list in braces here", "write its type before it, such as float4{…}");
  if (n->text.size() != 1) fail(n->at, "a character in ' ' is one letter");
  return constant(scalar(TypeKind::Char), n->text[0]);
}

namespace {

// The type of a number without a point, by suffixes and size. One in base 16, 8 or 2 may lack its sign.
TypeKind kind_of_whole(std::uint64_t i, bool has_u, int longs, bool is_decimal) {
  if (longs == 2) return has_u || i > INT64_MAX ? TypeKind::UnsignedLongLong : TypeKind::LongLong;
  if (longs == 0 && !has_u && i <= INT32_MAX) return TypeKind::Int;
  if (longs == 0 && (has_u || !is_decimal) && i <= UINT32_MAX) return TypeKind::UnsignedInt;
  return has_u || i > INT64_MAX ? TypeKind::UnsignedLong : TypeKind::Long;
}

// Where a name first stands in a body: a use, or a variable of that name declared there. A size is no use.
const Node* first_use(const Node& n, const std::string& name) {
  if (n.kind == NodeKind::SizeOf) return nullptr;
  const bool is_it = (n.kind == NodeKind::Name || n.kind == NodeKind::Variable) && n.text == name;
  const Node* found = is_it ? &n : nullptr;
  for_each_below(n, [&](const Node* below) {
    if (found == nullptr && below != nullptr) found = first_use(*below, name);
  });
  return found;
}

}  // namespace

Value Walk::number(const Node* n, Scope* /*scope*/) {
  std::string text = n->text;
  const auto starts = [&](const char* a, const char* b) {
    return text.starts_with(a) || text.starts_with(b);
  };
  const bool is_hex = starts("0x", "0X"), is_binary = starts("0b", "0B");
  const bool is_real = text.find_first_of(is_hex ? "pP" : ".eE") != std::string::npos;
  bool has_u = false, has_f = false;
  int longs = 0;
  while (!text.empty() && std::strchr(is_hex && !is_real ? "uUlL" : "uUlLfF", text.back()) != nullptr) {
    has_u |= text.back() == 'u' || text.back() == 'U';
    has_f |= text.back() == 'f' || text.back() == 'F';
    longs += text.back() == 'l' || text.back() == 'L' ? 1 : 0;
    text.pop_back();
  }
  const std::string wrong = "'" + n->text + "' is no number";
  char* end = nullptr;
  if (is_real) {
    const double d = has_f ? std::strtof(text.c_str(), &end) : std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || has_u || longs > 0) fail(n->at, wrong);
    return real(scalar(has_f ? TypeKind::Float : TypeKind::Double), d);
  }
  if (has_f) fail(n->at, wrong, "a float has a point, as in " + text + ".0f");
  errno = 0;
  const bool is_octal = text.size() > 1 && text[0] == '0' && !is_hex && !is_binary;
  const int base = is_binary ? 2 : is_hex ? 16 : is_octal ? 8 : 10;
  const std::uint64_t i = std::strtoull(text.c_str() + (is_binary ? 2 : 0), &end, base);
  if (text.empty() || *end != '\0' || errno != 0 || longs > 2)
    fail(n->at, wrong,
         std::isalpha(static_cast<unsigned char>(n->text.back())) != 0 ? "a name does not begin with a digit"
                                                                       : "");
  return constant(scalar(kind_of_whole(i, has_u, longs, base == 10)), static_cast<std::int64_t>(i));
}

Value Walk::index(const Node* n, Scope* scope) {
  const Value array = settled(expression(n->kids[0], scope), n->kids[1]);
  if (n->kids[1]->kind == Kind::Binary && n->kids[1]->text == "," && !n->kids[1]->in_brackets)
    fail(n->kids[1]->at, "an element of two dimensions is written [y][x], not [y, x]");
  if (array.type->kind == TypeKind::Struct)
    return call_function(
        function_of(array, "operator[]", n),
        {{n->kids[1], n->kids[1]->kind == Kind::List ? Value() : expression(n->kids[1], scope), scope}}, n,
        scope);
  return element(array, value_of(n->kids[1], scope), n->at);
}

Value Walk::member(Value v, const Node* n) {
  if (v.kind == Value::Kind::Functions) fail(n->at, "a function has no members: call it with ( ) first");
  if (v.type->kind != TypeKind::Struct) {
    const bool points = v.type->kind == TypeKind::Pointer && v.type->of->kind == TypeKind::Struct;
    fail(n->at, "a {} has no member '{}'", v.type, n->text, points ? "behind a pointer stands ->" : "");
  }
  for (const Field& f : v.type->structure->fields) {
    if (f.name != n->text) continue;
    const auto first = static_cast<std::ptrdiff_t>(f.first_part),
               count = static_cast<std::ptrdiff_t>(part_count(f.type));
    v.kept = nullptr;
    if (f.is_reference) {
      Node as_pointer = *n;
      as_pointer.member = "address";
      if (n->member != "address") {
        const Value p = rvalue(member(v, &as_pointer), n->at);
        const Value* alias = alias_of(p.leaves[0]);
        return alias != nullptr ? *alias : at_pointer(p, n->at);
      }
    }
    const bool is_union = v.type->structure->held != nullptr;
    if (is_union && v.kind == Value::Kind::Plain) return seen_as(v, f.type);
    if (is_union && v.kind == Value::Kind::InVariable)
      v.is_viewed = true;
    else if (v.kind == Value::Kind::Plain)
      v.leaves = std::vector<Leaf>(v.leaves.begin() + first, v.leaves.begin() + first + count);
    else if (v.kind == Value::Kind::InVariable && !v.is_viewed)
      v.first += f.first_part;
    if (v.is_place()) v.offset += f.offset;
    v.type = v.type->is_const || v.type->is_volatile
                 ? types_.qualified(f.type, v.type->is_const, v.type->is_volatile)
                 : f.type;
    return v;
  }
  std::string all;
  for (const Field& f : v.type->structure->fields) all += (all.empty() ? "" : ", ") + f.name;
  fail(n->at, "{} has no member '{}'; it has {}", types_.plain(v.type), n->text, all);
}

Value Walk::unary(const Node* n, Scope* scope) {
  const std::string& sign = n->text;
  Value v = expression(n->kids[0], scope);
  if (sign == "&") {
    if (v.kind == Value::Kind::Functions)
      refuse(n->at, "pointers to functions", "write a lambda, or a template");
    return pointer_at(v, v.type, n->at);
  }
  const auto has = [&](const std::string& word) {
    return v.type->structure->tree->functions.contains(word) || !global_name(word, scope->space).empty();
  };
  if (is_struct(v.type) && v.kind != Value::Kind::Functions) {
    if (n->member == "->" && has("operator->"))
      return at_pointer(rvalue(call_function(function_of(v, "operator->", n), {}, n, scope), n->at), n->at);
    if (n->member != "->" && (sign != "*" || has("operator*")))
      return own_operator(sign, {{n->kids[0], v}}, n, scope);
  }
  if (sign == "++" || sign == "--") {
    step(v, rvalue(v, n->at), sign, n->at);
    return v;
  }
  v = rvalue(v, n->at);
  if (sign == "*") return at_pointer(v, n->at);
  if (sign == "!") {
    const Value c = truth(v, n->at);
    return c.known() ? constant(c.type, c.leaves[0].i == 0 ? 1 : 0)
                     : computed(c.type, "not.pred", {c.leaves[0].reg});
  }
  const bool takes = is_numeric(v.type);
  if (!takes || (sign == "~" && is_float(v.type))) fail(n->at, "'{}' does not take a {}", sign, v.type);
  const Type* t = types_.promoted(v.type);
  v = converted(v, t, n->at);
  if (sign == "+") return v;
  if (v.known()) {
    if (is_float(t)) return real(t, -v.leaves[0].d);
    return constant(t, sign == "-" ? static_cast<std::int64_t>(-static_cast<std::uint64_t>(v.leaves[0].i))
                                   : ~v.leaves[0].i);
  }
  if (sign == "~") return computed(t, "not." + bits_suffix(t), {operand(v)});
  return computed(t,
                  is_float(t)       ? "neg." + register_suffix(t)
                  : size_of(t) == 8 ? "neg.s64"
                                    : "neg.s32",
                  {operand(v)});
}

Value Walk::postfix(const Node* n, Scope* scope) {
  const Value place = expression(n->kids[0], scope);
  if (is_struct(place.type)) {
    Node* zero = make(Kind::Number, n->at, "0");
    return own_operator(n->text, {{n->kids[0], place}, {zero, constant(scalar(TypeKind::Int), 0)}}, n, scope);
  }
  Value old = rvalue(place, n->at);
  if (old.is_shared && !(place.variable != nullptr && place.variable->is_computed)) {
    if (place.kind == Value::Kind::InVariable && !old.leaves.empty() && old.leaves[0].known())
      note(assigned_, place.variable->tree);
    old.is_steady = false;
    old = copied(old);
  }
  if (old.variable != nullptr && place.owner == nullptr && place.kind == Value::Kind::InVariable)
    generic(old);
  step(place, old, n->text, n->at);
  return old;
}

void Walk::step(const Value& place, const Value& old, const std::string& sign, Position at) {
  const bool takes =
      is_scalar(place.type) && held_as(place.type) != TypeKind::Bool && place.type->kind != TypeKind::Enum;
  if (!takes) fail(at, "'{}' does not take a {}", sign, place.type);
  store(place,
        converted(binary(sign.substr(1), old, constant(scalar(TypeKind::Int), 1), at),
                  types_.plain(place.type), at),
        at);
}

Value Walk::binary_expression(const Node* n, Scope* scope) {
  if (n->text == "&&" || n->text == "||") return logical(n, scope);
  if (n->text == ",") {
    discard(n->kids[0], scope);
    return expression(n->kids[1], scope);
  }
  const Value left = settled(rvalue(expression(n->kids[0], scope), n->at), n->kids[1]);
  const Value right = rvalue(expression(n->kids[1], scope), n->at);
  const bool is_own = left.type->kind == TypeKind::Struct || right.type->kind == TypeKind::Struct;
  // `a = b` and `*p = c` below it: no product is meant.
  if (n->begins_line && (n->text == "*" || n->text == "&") && (is_own || is_pointer(right.type)))
    fail(n->end, "expected ';' after expression");
  if (!is_own) return binary(n->text, left, right, n->at);
  return own_operator(n->text, {{n->kids[0], left}, {n->kids[1], right}}, n, scope);
}

// An operator that the file declares, for a struct: of the struct itself, or for both.
Value Walk::own_operator(const std::string& sign, const std::vector<Argument>& sides, const Node* n,
                         Scope* scope) {
  const Type *left = sides[0].value.type, *right = sides.back().value.type;
  const std::string word = "operator" + sign;
  if (left->kind == TypeKind::Struct && left->structure->tree->functions.contains(word)) {
    if (left->structure->tree->functions.at(word)[0]->is_defaulted)
      return all_members_equal(sides[0].value, sides[1].value, n->at);
    return call_function(function_of(sides[0].value, word, n), {sides.begin() + 1, sides.end()}, n, scope);
  }
  std::string q = global_name(word, scope->space);
  if (q.empty() && left->kind == TypeKind::Struct) q = global_name(word, left->structure->space);
  if (q.empty() && sign == "!=") {  // as C++20 has it: not ==
    const Value same = truth(rvalue(own_operator("==", sides, n, scope), n->at), n->at);
    return same.known() ? constant(same.type, same.leaves[0].i == 0 ? 1 : 0)
                        : computed(same.type, "not.pred", {same.leaves[0].reg});
  }
  if (q.empty() && sides.size() == 1) fail(n->at, "'{}' does not take a {}", sign, left);
  if (q.empty()) fail(n->at, "'{}' does not take a {} and a {}: write it for each member", sign, left, right);
  return call_function(global_functions(q, make(Kind::Name, n->at, word)), sides, n, scope);
}

Value Walk::assign(const Node* n, Scope* scope) {
  const Node* r = n->kids[1];
  Value right;
  if (r->kind != Kind::List) right = value_of(r, scope);
  if (n->kids[0]->kind == Kind::Conditional && r->kind != Kind::List)
    return assign_to_either(n, right, scope);
  const Value place = expression(n->kids[0], scope);
  if (place.kind == Value::Kind::Functions || place.kind == Value::Kind::Lambda)
    fail(n->at, "a function cannot be assigned to");
  if (r->kind == Kind::List) {
    right = filled(types_.plain(place.type), r, scope, r->at);
  }
  if (place.kind == Value::Kind::Plain && place.owner == nullptr)
    fail(n->at, "what stands before '{}=' is a value: a variable, an element or a member belongs there",
         n->text);
  if (place.owner != nullptr) note(assigned_, place.owner);
  if (place.type->kind == TypeKind::Array)
    fail(n->at, "an array cannot be assigned to as a whole: assign its elements in a loop");
  if (!n->text.empty() && place.type->kind == TypeKind::Struct)
    return own_operator(n->text + "=", {{n->kids[0], place}, {r, right}}, n, scope);
  if (!n->text.empty()) right = binary(n->text, rvalue(place, n->at), right, n->at);
  right = converted(right, types_.plain(place.type), n->at,
                    !n->text.empty() && is_arithmetic(place.type) && is_arithmetic(right.type));
  store(place, right, n->at);
  if (place.kind != Value::Kind::InMemory || place.type->is_volatile) return place;
  Value stored = place;
  right.is_shared = true;
  stored.kept = std::make_shared<Value>(right);
  return stored;
}

// (condition ? a : b) = right
Value Walk::assign_to_either(const Node* n, const Value& right, Scope* scope) {
  const Node* either = n->kids[0];
  Scope* inner = new_scope(scope, scope->space);
  Node* name = make(Kind::Name, n->at, "the right side");
  declare(name->text, types_.plain(right.type), name, &right, inner, n->at);
  Node* assigned[2];
  for (const std::size_t i : {0, 1})
    assigned[i] =
        make(Kind::Expression, n->at, "", {make(Kind::Assign, n->at, n->text, {either->kids[i + 1], name})});
  if_statement(make(Kind::If, n->at, "", {either->kids[0], assigned[0], assigned[1]}), inner);
  return nothing();
}

// operator== = default.
Value Walk::all_members_equal(const Value& a, const Value& b, Position at) {
  Value all = constant(scalar(TypeKind::Bool), 1);
  for (const Field& f : a.type->structure->fields) {
    if (!is_scalar(f.type)) refuse(at, "this comparison of all members", "write operator== with a body");
    const Node* name = make(Kind::Member, at, f.name);
    const Value same = binary("==", rvalue(member(a, name), at), rvalue(member(b, name), at), at);
    all = truth(binary("&", all, same, at), at);
  }
  return all;
}

Value Walk::lambda(const Node* n, Scope* scope) {
  Value v = {.kind = Value::Kind::Lambda, .type = scalar(TypeKind::Auto), .node = n, .scope = scope};
  if (n->text.empty()) check_no_capture(n, scope);
  if (n->text != "=" && n->captures.empty()) return v;
  v.scope = new_scope(scope, scope->space);
  for (const Node* c : n->captures) capture(n, c, scope, v.scope);
  const auto is_named = [&](const std::string& name) {
    return std::any_of(n->captures.begin(), n->captures.end(),
                       [&](const Node* c) { return c->text == name; });
  };
  const auto is_of_object = [&](const std::string& name) {  // it holds `this`, not a copy of the member
    Scope* s = scope;
    while (s != nullptr && !s->names.contains(name)) s = s->up;
    return s != nullptr && s->names.contains(kThis);
  };
  for (const std::string& name : n->names) {
    const Entity* e = local(scope, name);
    if (n->text != "=" || e == nullptr || v.scope->names.contains(name) || is_named(name) ||
        is_of_object(name))
      continue;
    if (e->is_pack)
      capture(n, make(Kind::Variable, n->at, name), scope, v.scope);
    else if (e->variable != nullptr)
      capture_copy(n, name, e->variable->tree != nullptr ? e->variable->tree : n, value_in(*e->variable),
                   v.scope);
  }
  return v;
}

// What stands in the brackets: a name, a name with a value, a pack.
void Walk::capture(const Node* n, const Node* c, Scope* from, Scope* into) {
  const bool by_reference = c->member == "&";
  if (c->text == "this") return;
  if (!c->kids.empty()) {
    const Node* initial = c->kids[0];
    if (initial->kind == Kind::List && initial->kids.size() == 1) initial = initial->kids[0];
    const Value v = expression(initial, from);
    if (by_reference) return bind(c->text, scalar(TypeKind::Auto), c, v, into, c->at);
    const bool is_address = v.is_place() && v.type->kind == TypeKind::Array;
    return capture_copy(n, c->text, c, is_address ? rvalue(v, c->at) : v, into);
  }
  const Entity* e = local(from, c->text);
  if (e == nullptr || (e->variable == nullptr && !e->is_pack))
    fail(c->at, "there is no variable '{}' here that could be captured", c->text);
  if (by_reference) return;
  for (std::size_t i = 0; i < e->count; ++i) {
    const std::string name = c->text + "#" + std::to_string(i);
    Variable& one = *local(from, name)->variable;
    capture_copy(n, name, one.tree != nullptr ? one.tree : n, value_in(one), into);
  }
  if (!e->is_pack)
    capture_copy(n, c->text, e->variable->tree != nullptr ? e->variable->tree : n, value_in(*e->variable),
                 into);
}

// A copy of the variable, but for what a copy would not change.
void Walk::capture_copy(const Node* n, const std::string& name, const Node* tree, Value value, Scope* into) {
  if (value.kind == Value::Kind::Lambda) return void(refer(name, value, tree, into));
  const bool is_array = value.type->kind == TypeKind::Array;
  if (value.kind == Value::Kind::Functions ||
      (value.kind == Value::Kind::InMemory && value.space == Space::Shared))
    return;
  if (is_array && is_const_all_over(value.type)) return;
  if (is_array) refuse(n->at, "a captured copy of an array", "write [&]");
  value = rvalue(value, n->at);
  declare(name, types_.qualified(value.type, !n->in_brackets, false), tree, &value, into, n->at);
}

// []: nothing of the function around it but what is the same for all threads of a block, or a constant.
void Walk::check_no_capture(const Node* n, Scope* scope) {
  for (const std::string& name : n->names) {
    const Entity* e = local(scope, name);
    const bool is_parameter = std::any_of(n->kids.begin() + 1, n->kids.end(),
                                          [&](const Node* parameter) { return parameter->text == name; });
    const bool is_captured = std::any_of(n->captures.begin(), n->captures.end(),
                                         [&](const Node* c) { return c->text == name || c->text == "this"; });
    if (e == nullptr || e->variable == nullptr || is_parameter || is_captured) continue;
    const Value value = value_in(*e->variable);
    if (value.kind == Value::Kind::Functions ||
        (value.kind == Value::Kind::InMemory && value.space == Space::Shared))
      continue;
    if (is_const_all_over(value.type) && value.kind == Value::Kind::InVariable &&
        rvalue(value, n->at).known())
      continue;
    if (is_const_all_over(value.type) && value.type->kind == TypeKind::Array) continue;
    const Node* use = first_use(*n->kids[0], name);
    if (use != nullptr && use->kind == Kind::Name)
      fail(use->at, "a lambda that captures nothing cannot use '{}': write [&] in front of its parameters",
           name);
  }
}

}  // namespace lab::cucc
