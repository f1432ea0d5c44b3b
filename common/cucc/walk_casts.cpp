// Casts, and sizes of types. See walk.h.
#include "common/cucc/walk.h"

namespace lab::cucc {

Value Walk::cast(const Node* n, Scope* scope) {
  const Type* t = resolve(n->type, scope);
  const Node* from = n->kids[0];
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
