// && || ?: — what is evaluated only sometimes. See walk.h.
//
// A part without side effects is always computed, and a selection takes the result; else there is a branch that
// joins before the next statement, so that later accesses are one request for the whole warp.
#include "common/compile/builtin/walk.h"

namespace lab::cucc {

Value Walk::logical(const Node* n, Scope* scope) {
  const bool all = n->text == "&&";
  const Type* boolean = scalar(TypeKind::Bool);
  const auto right = [&] { return truth(value_of(n->kids[1], scope), n->kids[1]->at); };
  const Value a = settled(truth(value_of(n->kids[0], scope), n->kids[0]->at), n->kids[1]);
  if (a.known()) {
    if ((a.leaves[0].i != 0) == all) return right();
    checked_only(n->kids[1], scope);
    return a;
  }
  const Code::Mark before = code_.mark();
  {
    Region region(*this);
    const Value b = right();
    if (code_.is_pure_since(before)) {
      region.keep();
      code_.forget_stops_since(before);  // all lanes come by there
      if (b.known()) return (b.leaves[0].i != 0) == all ? a : b;
      return computed(boolean, all ? "and.pred" : "or.pred", {a.leaves[0].reg, b.leaves[0].reg});
    }
  }
  code_.back_to(before);
  const std::string both = code_.new_register("%p", true);
  set(both, a.leaves[0], boolean);
  const std::string end = code_.new_label();
  code_.jump(end, (all ? "@!" : "@") + both + " ");
  {
    const Region region(*this);
    set(both, right().leaves[0], boolean);
  }
  code_.place_label(end);
  return in_register(boolean, both);
}

Value Walk::conditional(const Node* n, Scope* scope) {
  const Value c = truth(value_of(n->kids[0], scope), n->kids[0]->at);
  if (c.known()) {  // only one of them happens, but both decide the type
    const bool first = c.leaves[0].i != 0;
    const Node *meant = n->kids[first ? 1 : 2], *other = n->kids[first ? 2 : 1];
    const Value taken = tried([&] { return rvalue(expression(meant, scope), n->at); });
    const bool was_dead = code_.is_dead();
    const Type* t = tried([&] {
      code_.set_dead(true);
      try {
        const Value left = value_of(other, scope);
        return first ? type_of_either(taken, left, n->at) : type_of_either(left, taken, n->at);
      } catch (const Unchecked&) {
        return types_.plain(taken.type);
      }
    });
    code_.set_dead(was_dead);
    return converted(rvalue(expression(meant, scope), n->at), t, n->at);
  }
  const Code::Mark before = code_.mark();
  const Type* t = nullptr;
  {
    Region region(*this);
    Value a = value_of(n->kids[1], scope), b = value_of(n->kids[2], scope);
    if (a.variable != nullptr) generic(a);
    if (b.variable != nullptr) generic(b);
    t = type_of_either(a, b, n->at);
    bool selects = code_.is_pure_since(before) && t->kind != TypeKind::Void;
    if (selects)
      for (const Part& p : parts_of(t)) selects &= held_as(p.type) != TypeKind::Bool;
    if (selects) {
      region.keep();
      code_.forget_stops_since(before);
      return selected(c, a, b, t, n->at);
    }
  }
  code_.back_to(before);
  return either_branch(n, c, t, scope);
}

const Type* Walk::type_of_either(const Value& a, const Value& b, Position at) {
  const Type *x = types_.plain(a.type), *y = types_.plain(b.type);
  if (a.kind == Value::Kind::Lambda || b.kind == Value::Kind::Lambda)
    refuse(at, "a lambda behind ?", "write an if");
  if (x == y) return x;
  if (is_numeric(x) && is_numeric(y)) return types_.common(x, y);
  if (is_pointer(x) && b.is_null()) return x;
  if (is_pointer(y) && a.is_null()) return y;
  if (x->kind == TypeKind::Pointer && y->kind == TypeKind::Pointer &&
      types_.plain(x->of) == types_.plain(y->of))
    return is_const_all_over(y->of) ? y : x;
  fail(at, "behind ? stand a {} and a {}: both must be of one type", x, y);
}

Value Walk::selected(const Value& condition, Value a, Value b, const Type* t, Position at) {
  a = converted(a, t, at);
  b = converted(b, t, at);
  if (a.space != b.space) a = generic(a), b = generic(b);
  Value v = {.type = t, .space = a.space};
  const std::vector<Part> parts = parts_of(t);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Type* part = parts[i].type;
    const std::string suffix = is_float(part) ? register_suffix(part) : bits_suffix(part);
    v.leaves.push_back(
        computed(part, "selp." + suffix,
                 {operand(a.leaves[i], part), operand(b.leaves[i], part), condition.leaves[0].reg})
            .leaves[0]);
  }
  return v;
}

Value Walk::either_branch(const Node* n, const Value& condition, const Type* t, Scope* scope) {
  const Value v = {.type = t, .leaves = new_registers(t, true), .is_shared = true, .is_steady = true};
  const auto take = [&](std::size_t branch) {
    const Region region(*this);
    set_all(v.leaves, generic(converted(value_of(n->kids[branch], scope), t, n->at)));
  };
  // What is only a constant is there before the branch, and only the other one is passed by.
  const auto is_constant = [&](std::size_t branch) {
    const std::size_t before = code_.size();
    return tried([&] {
      const Value x = rvalue(expression(n->kids[branch], scope), n->at);
      return code_.is_nothing_since(before) && !code_.is_dead() && !x.leaves.empty() && x.all_known();
    });
  };
  const std::string other = code_.new_label(), end = code_.new_label();
  const std::string unless = "@!" + condition.leaves[0].reg + " ", when = "@" + condition.leaves[0].reg + " ";
  const bool first = is_constant(1);
  if (first || is_constant(2)) {
    take(first ? 1 : 2);
    code_.jump(end, first ? when : unless);
    take(first ? 2 : 1);
  } else {
    code_.jump(other, unless);
    take(1);
    code_.jump(end);
    code_.place_label(other);
    take(2);
  }
  code_.place_label(end);
  return v;
}

}  // namespace lab::cucc
