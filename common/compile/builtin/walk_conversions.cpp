// One type made of another: by itself, or by a cast; sizes of types. See walk.h.

#include "common/compile/builtin/walk.h"

namespace lab::cucc {
namespace {

std::string cannot_become(const Type* from, const Type* to) {
  return "a " + shown(from) + " cannot become a " + shown(to);
}

// 2^63 and 2^64 in a double are the first that do not fit.
bool fits_into_64_bits(double d, bool is_signed) {
  return is_signed ? d > -9.3e18 && d < 9.2233720368547748e18 : d > -1.0 && d < 1.8446744073709550e19;
}

}  // namespace

Value Walk::truth(const Value& v, Position at) { return converted(v, scalar(TypeKind::Bool), at); }

Value Walk::converted(Value v, const Type* to, Position at, bool by_cast) {
  const Type* from = v.type;
  if (to->kind == TypeKind::Void) return nothing();
  if (v.kind == Value::Kind::Lambda) fail(at, "a lambda cannot become a {}: call it with ( )", to);
  if (from->kind == TypeKind::Void) fail(at, "this function returns nothing, so it has no value");
  if (!is_scalar(to) || !is_scalar(from)) {
    if (types_.plain(to) == types_.plain(from)) return v;
    if (const auto made = by_conversion(v, to, at)) return *made;
    if (is_pointer(from) && types_.plain(from->of) == types_.plain(to))
      fail(at, cannot_become(from, to), "read it with * or [ ]");
    const auto holds = [&](const Type* whole, const Type* part) {
      return whole->kind == TypeKind::Struct && !whole->structure->fields.empty() && is_arithmetic(part);
    };
    if (holds(to, from) && types_.plain(to->structure->fields[0].type) == types_.plain(from))
      fail(at, cannot_become(from, to),
           "to read several at once, write *reinterpret_cast<const " + types_.plain(to)->name +
               "*>(& ) around it");
    fail(at, cannot_become(from, to),
         holds(from, to) ? "take one of its members, such as ." + from->structure->fields[0].name : "");
  }
  if (is_pointer(to) || is_pointer(from)) return converted_pointer(std::move(v), to, at, by_cast);
  if (to->kind == TypeKind::Enum && types_.plain(from) != types_.plain(to) && !by_cast)
    fail(at, "{} without static_cast<{}>( )", cannot_become(from, to), to->name);
  if (from->kind == TypeKind::Enum && from->is_scoped && types_.plain(from) != types_.plain(to) && !by_cast)
    fail(at, "{} without static_cast<{}>( )", cannot_become(from, to), to->name);
  if (held_as(from) == held_as(to)) {
    v.type = types_.plain(to);
    return v;
  }
  if (v.known()) {
    const double d = v.leaves[0].d;
    if (!is_float(from) || is_float(to) || held_as(to) == TypeKind::Bool ||
        fits_into_64_bits(d, is_signed(to)))
      return known_converted(v, to);
  }
  return computed_converted(v, to, at);
}

// By a struct's own `operator float()`: the one of that type, or the only one.
std::optional<Value> Walk::by_conversion(const Value& v, const Type* to, Position at) {
  if (!is_struct(v.type) || !is_scalar(to)) return std::nullopt;
  const auto found = v.type->structure->tree->functions.find("operator_type");
  if (found == v.type->structure->tree->functions.end()) return std::nullopt;
  const auto is_meant = [&](const Function* f) {
    return found->second.size() == 1 ||
           types_.plain(resolve(f->returns, v.type->structure->scope)) == types_.plain(to);
  };
  for (Function* f : found->second) {
    if (!is_meant(f)) continue;
    Node* name = make(Kind::Name, at, f->name);
    Value one = functions(chosen_.emplace_back(std::vector<Function*>{f}), name);
    one.object = std::make_shared<Value>(v);
    const Value made = call_function(one, {}, make(Kind::Call, at, "", {name}), v.type->structure->scope);
    return converted(rvalue(made, at), to, at);
  }
  return std::nullopt;
}

// One number in a register made of another, of another kind.
Value Walk::computed_converted(const Value& v, const Type* to, Position at) {
  const Type *from = v.type, *boolean = scalar(TypeKind::Bool);
  if (held_as(to) == TypeKind::Bool) {
    Value r = computed(
        boolean, is_float(from) ? "setp.neu." + register_suffix(from) : "setp.ne." + register_suffix(from),
        {operand(v), operand(Leaf{}, from)});
    r.type = types_.plain(to);
    return r;
  }
  if (held_as(from) == TypeKind::Bool) {
    const Leaf one{"", 1, 1};
    return computed(to, "selp." + register_suffix(to), {operand(one, to), operand(Leaf{}, to), operand(v)});
  }
  if (is_float(to) && is_float(from))
    return computed(to, to->kind == TypeKind::Float ? "cvt.rn.f32.f64" : "cvt.f64.f32", {operand(v)});
  if (is_float(to))
    return computed(to, "cvt.rn." + register_suffix(to) + "." + register_suffix(from), {operand(v)});
  if (is_float(from)) {  // small integers by way of int
    const Type* whole = size_of(to) < 4 ? scalar(TypeKind::Int) : to;
    return converted(
        computed(whole, "cvt.rzi." + register_suffix(whole) + "." + register_suffix(from), {operand(v)}), to,
        at, true);
  }
  return converted_integer(v, to);
}

Value Walk::known_converted(const Value& v, const Type* to) {
  const Leaf& l = v.leaves[0];
  if (is_float(to)) {
    if (is_float(v.type)) return real(to, l.d);
    const bool is_unsigned_long = size_of(v.type) == 8 && !is_signed(v.type);
    if (to->kind == TypeKind::Float)
      return real(to, is_unsigned_long ? static_cast<float>(static_cast<std::uint64_t>(l.i))
                                       : static_cast<float>(l.i));
    return real(to, is_unsigned_long ? static_cast<double>(static_cast<std::uint64_t>(l.i))
                                     : static_cast<double>(l.i));
  }
  if (!is_float(v.type)) return constant(to, l.i);
  if (held_as(to) == TypeKind::Bool) return constant(to, l.d != 0 ? 1 : 0);
  return constant(to, is_signed(to) || l.d < 0 ? static_cast<std::int64_t>(l.d)
                                               : static_cast<std::int64_t>(static_cast<std::uint64_t>(l.d)));
}

// Registers hold at least 32 bits, small integers extended as their type says.
Value Walk::converted_integer(const Value& v, const Type* to) {
  const Type* from = v.type;
  const std::int64_t bits = size_of(to), had = size_of(from);
  if (bits == 8 && had < 8) {
    return computed(to, is_signed(from) ? "cvt.s64.s32" : "cvt.u64.u32", {operand(v)});
  }
  Value r = v;
  if (had == 8 && bits < 8) {
    r = computed(u32(), "cvt.u32.u64", {operand(v)});
  }
  r.type = types_.plain(to);
  const bool same_extension = bits > had && !(is_signed(from) && !is_signed(to));
  if (bits >= 4 || same_extension) return r;
  return computed(to, "cvt." + register_suffix(to) + "." + memory_suffix(to), {reg_of(r.leaves[0], r.type)});
}

Value Walk::converted_pointer(Value v, const Type* to, Position at, bool by_cast) {
  const Type* from = v.type;
  const std::string no = cannot_become(from, to);
  if (to->kind == TypeKind::Bool) {
    const Value g = generic(v);
    return g.known() ? constant(to, g.leaves[0].i != 0 ? 1 : 0)
                     : computed(to, "setp.ne.s64", {operand(g), "0"});
  }
  if (from->kind == TypeKind::NullPointer) {
    if (!is_pointer(to)) fail(at, no);
  } else if (is_pointer(to) && is_pointer(from)) {
    const bool is_same = to->kind == TypeKind::NullPointer ? false
                                                           : types_.plain(to->of) == types_.plain(from->of) ||
                                                                 to->of->kind == TypeKind::Void;
    if (!by_cast && !is_same)
      fail(at, no,
           to->kind == TypeKind::Pointer ? "write reinterpret_cast<" + to->name + ">( ) around it" : "");
    if (!by_cast && ((is_const_all_over(from->of) && !is_const_all_over(to->of)) ||
                     (from->of->is_volatile && !to->of->is_volatile)))
      fail(at, no, "what it points to is const, so write 'const " + types_.plain(from->of)->name + "*'");
  } else if (is_pointer(to)) {
    const bool is_null = v.known() && is_integer(from) && v.leaves[0].i == 0;
    if (is_arithmetic(from) && !is_float(from) && (by_cast || is_null))
      v = converted(v, u64(), at);
    else
      fail(at, no, is_arithmetic(from) ? "an address is made with &" : "");
  } else {
    if (!by_cast || !is_integer(to))
      fail(at, no, types_.plain(from->of) == types_.plain(to) ? "read it with * or [ ]" : "");
    if (size_of(to) < 8) fail(at, no, "an address has 64 bits, so write size_t");
    v = generic(v);
    v.type = u64();
    return converted(v, to, at);
  }
  v.type = types_.plain(to);
  return v;
}

// In braces a value may not lose anything.
void Walk::check_narrowing(const Value& v, const Type* to, Position at) {
  if (!is_arithmetic(to) || !is_arithmetic(v.type)) return;
  bool fits = true;
  if (is_float(v.type) && !is_float(to))
    fits = false;
  else if (v.known() && is_integer(v.type) && is_integer(to)) {
    const std::int64_t back = wrapped(to, v.leaves[0].i);
    fits = back == v.leaves[0].i && (back >= 0 || is_signed(to) == is_signed(v.type));
  }
  if (!fits)
    fail(at, "a {} in braces does not fit into a {}: write static_cast<{}>( ) around it", v.type, to,
         types_.plain(to)->name);
}

Value Walk::cast(const Node* n, Scope* scope) {
  const Type* t = resolve(n->type, scope);
  const Node* from = n->kids[0];
  if (has_constructors(t) && from->kind != Kind::List) return filled(t, from, scope, n->at);
  if (from->kind == Kind::List) {
    if (t->kind == TypeKind::Auto || t->kind == TypeKind::Reference)
      refuse(n->at, "this cast", "write the type itself");
    return filled(t, from, scope, n->at);
  }
  if (t->kind == TypeKind::Void) {
    discard(from, scope);
    return nothing();
  }
  Value v = expression(from, scope);
  if (t->kind == TypeKind::Reference) return cast_to_reference(n, t, v);
  v = rvalue(v, n->at);
  const bool is_scalar_cast = is_pointer(t) || is_pointer(v.type);
  if (n->text == "const_cast" && !is_pointer(t))
    fail(n->at, "const_cast changes pointers and references: write static_cast");
  if (n->text == "reinterpret_cast" && !is_scalar_cast)
    fail(n->at, "reinterpret_cast changes pointers and references: from {} to {} leads static_cast", v.type,
         t);
  if (t->kind == TypeKind::Array) fail(n->at, "an array cannot be made by a cast");
  const bool from_void =
      t->kind == TypeKind::Pointer && v.type->kind == TypeKind::Pointer && v.type->of->kind == TypeKind::Void;
  const bool of_enums = t->kind == TypeKind::Enum || v.type->kind == TypeKind::Enum;
  return converted(v, types_.plain(t), n->at, n->text != "static_cast" || from_void || of_enums);
}

Value Walk::cast_to_reference(const Node* n, const Type* t, Value v) {
  if (!v.is_place()) fail(n->at, "a cast to a reference takes a variable, and this is a value");
  v.kept = nullptr;
  if (types_.plain(t->of) != types_.plain(v.type)) {
    if (n->text == "static_cast")
      fail(n->at, "static_cast does not lead from {} to {}", v.type, t, "write reinterpret_cast");
    if (v.kind == Value::Kind::InVariable) v = at_pointer(pointer_at(v, v.type, n->at), n->at);
  }
  v.type = t->of;
  return v;
}

Value Walk::size_of_expression(const Node* n, Scope* scope) {
  const Type* t = nullptr;
  if (n->text == "...") {
    const Entity* e = local(scope, n->names[0]);
    if (e == nullptr || !e->is_pack) fail(n->at, "'{}' is no pack of parameters", n->names[0]);
    return constant(u64(), static_cast<std::int64_t>(e->count));
  }
  if (n->type != nullptr) {
    t = resolve(n->type, scope);
  } else {  // which is not run
    const Restored<const Frame*> any(constant_frame_, nullptr);
    t = tried([&] { return expression(n->kids[0], scope).type; });
  }
  if (t->kind == TypeKind::Reference) t = t->of;
  if (t->kind == TypeKind::Void || t->kind == TypeKind::Auto) fail(n->at, "a {} has no size", t);
  return constant(u64(), n->text == "align" ? align_of(t) : size_of(t));
}

}  // namespace lab::cucc
