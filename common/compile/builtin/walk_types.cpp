// Types as the tree names them → Types: templates bound, structs laid out. See walk.h.
#include <algorithm>

#include "common/compile/builtin/walk.h"

namespace lab::cucc {
namespace {

constexpr std::int64_t kMostElements = 1 << 24;
std::string space_of(const std::string& q) {
  const std::size_t at = q.rfind("::");
  return at == std::string::npos ? "" : q.substr(0, at + 2);
}

std::int64_t rounded_up(std::int64_t n, std::int64_t to) { return (n + to - 1) / to * to; }

}  // namespace

const Type* Walk::resolve(const Node* n, Scope* scope) {
  switch (n->kind) {
    case Kind::PointerType: {
      const Type* of = resolve(n->kids[0], scope);
      if (of->kind == TypeKind::Reference) fail(n->at, "there are no pointers to references");
      const Type* t = types_.pointer_to(of);
      return n->is_const || n->is_volatile ? types_.qualified(t, n->is_const, n->is_volatile) : t;
    }
    case Kind::ReferenceType: {
      const Type* of = resolve(n->kids[0], scope);
      return of->kind == TypeKind::Reference ? of : types_.reference_to(of);
    }
    case Kind::ArrayType: {
      const Type* of = resolve(n->kids[0], scope);
      if (of->kind == TypeKind::Array && of->count == kUnknownCount)
        fail(n->at, "only the first [ ] of an array can be empty");
      if (n->kids[1] == nullptr) return types_.array_of(of, kUnknownCount);
      const std::int64_t count = constant_of(n->kids[1], scope, "the size of an array");
      if (count <= 0 || count > kMostElements)
        fail(n->kids[1]->at, "an array cannot have {} elements", count);
      return types_.array_of(of, count);
    }
    default:
      break;
  }
  const Type* t = resolve_name(n, scope);
  if (!n->member.empty()) {
    const Entity* e = t->kind == TypeKind::Struct ? local(t->structure->scope, n->member) : nullptr;
    if (e == nullptr || e->type == nullptr) fail(n->at, "{} has no type '{}'", t, n->member);
    t = e->type;
  }
  return n->is_const || n->is_volatile ? types_.qualified(t, n->is_const, n->is_volatile) : t;
}

// decltype(…): of a name what it was declared as, of another place a reference to it.
const Type* Walk::declared_type(const Node* n, Scope* scope) {
  const Restored<const Frame*> any(constant_frame_, nullptr);
  const Value v = tried([&] { return expression(n, scope); });
  if (v.type == nullptr || v.kind == Value::Kind::Lambda || v.kind == Value::Kind::Functions)
    refuse(n->at, "decltype of a function", "write auto");
  const bool is_name = (n->kind == Kind::Name || n->kind == Kind::Member) && !n->in_brackets;
  const Entity* e = n->kind == Kind::Name ? local(scope, n->text) : nullptr;
  const bool is_reference = e != nullptr && e->variable != nullptr && e->variable->tree != nullptr &&
                            e->variable->tree->type != nullptr &&
                            e->variable->tree->type->kind == Kind::ReferenceType;
  return v.is_place() && (!is_name || is_reference) ? types_.reference_to(v.type) : v.type;
}

const Type* Walk::resolve_name(const Node* n, Scope* scope) {
  if (n->text == "decltype") return declared_type(n->kids[0], scope);
  if (const std::optional<TypeKind> known = scalar_named(n->text)) return scalar(*known);
  if (const Entity* e = local(scope, n->text); e != nullptr) {
    if (e->is_broken) throw Unchecked{};
    if (e->type != nullptr && n->arguments.empty()) return e->type;
  }
  const std::string q = global_name(n->text, scope->space);
  if (program_.structs.contains(q)) return structure(q, n->at, n, scope);
  if (const auto alias = program_.aliases.find(q); alias != program_.aliases.end())
    return resolve(alias->second, bound_arguments(program_.templates[q], n, scope, space_of(q)));
  if (const auto e = program_.enums.find(q); e != program_.enums.end())
    return types_.enumeration(q,
                              e->second.underlying == nullptr
                                  ? scalar(TypeKind::Int)
                                  : resolve(e->second.underlying, new_scope(nullptr, space_of(q))),
                              e->second.is_scoped);
  const std::size_t last = n->text.rfind("::");  // Config::Type
  if (last != std::string::npos) {
    const std::string outer = n->text.substr(0, last), outer_q = global_name(outer, scope->space);
    const Entity* own = local(scope, outer);
    const bool is_type = (own != nullptr && own->type != nullptr) || program_.structs.contains(outer_q) ||
                         program_.aliases.contains(outer_q) || outer.find("::") != std::string::npos;
    Node whole;
    whole.kind = Kind::NamedType, whole.at = n->at, whole.text = outer;
    const Type* t = is_type ? resolve_name(&whole, scope) : nullptr;
    const Entity* e = is_struct(t) ? local(t->structure->scope, n->text.substr(last + 2)) : nullptr;
    if (e != nullptr && e->type != nullptr) return e->type;
  }
  fail(n->at, "there is no type '{}' here", n->text);
}

// A scope in which the parameters of a template are what `n` has in angle brackets.
Scope* Walk::bound_arguments(const std::vector<TemplateParameter>& templates, const Node* n, Scope* scope,
                             const std::string& space) {
  Scope* bound = new_scope(nullptr, space);
  const std::vector<Node*> arguments = n == nullptr ? std::vector<Node*>() : written_out(n->arguments, scope);
  const std::size_t given = arguments.size();
  const bool has_pack = !templates.empty() && templates.back().is_pack;
  if (given > templates.size() && !has_pack)
    fail(n->at, "'{}' takes {} arguments in < >", n->text, templates.size());
  for (std::size_t i = 0; i < templates.size(); ++i) {
    if (templates[i].is_pack) {
      declare_pack(bound, templates[i].name, given > i ? given - i : 0);
      for (std::size_t k = i; k < given; ++k) {
        TemplateParameter one = templates[i];
        one.name += "#" + std::to_string(k - i);
        bind_argument(bound, one, arguments[k], scope);
      }
      continue;
    }
    const bool is_given = i < given;
    const Node* argument = is_given ? arguments[i] : templates[i].standard;
    if (argument == nullptr)
      fail(n == nullptr ? Position{} : n->at, "'{}' needs more arguments in < >",
           (n == nullptr ? "" : n->text));
    bind_argument(bound, templates[i], argument, is_given ? scope : bound);
  }
  return bound;
}

void Walk::bind_argument(Scope* bound, const TemplateParameter& p, const Node* argument, Scope* scope) {
  if (is_type(*argument) != (p.value_type == nullptr))
    fail(argument->at, p.value_type == nullptr ? "a type belongs here, for '" + p.name + "'"
                                               : "a value belongs here, for '" + p.name + "'");
  if (p.value_type == nullptr)
    bound->names[p.name] = {nullptr, resolve(argument, scope)};
  else
    bind_constant(bound, p.name, resolve(p.value_type, bound),
                  constant_of(argument, scope, "an argument of a template"));
}

void Walk::bind_constant(Scope* scope, const std::string& name, const Type* t, std::int64_t i) {
  if (t->kind == TypeKind::Auto) t = scalar(TypeKind::Int);
  Variable& v = new_variable(name, types_.qualified(t, true, false), nullptr);
  v.leaves = constant(t, i).leaves;
  scope->names[name] = {&v, nullptr};
}

namespace {

// "<int, 4>", which distinguishes instances.
std::string arguments_text(const std::vector<TemplateParameter>& templates, const Scope* bound) {
  std::string text;
  const auto add = [&](const Entity& e) {
    text += (text.empty() ? "<" : ", ") +
            (e.type != nullptr ? e.type->name : std::to_string(e.variable->leaves[0].i));
  };
  for (const TemplateParameter& t : templates) {
    const Entity& e = bound->names.at(t.name);
    if (!e.is_pack) add(e);
    for (std::size_t i = 0; i < e.count; ++i) add(bound->names.at(t.name + "#" + std::to_string(i)));
    if (e.is_pack && e.count == 0) text += text.empty() ? "<" : "";
  }
  return text.empty() ? "" : text + ">";
}

}  // namespace

std::string instance_name(const Function& f, const Scope* bound) {
  return f.name + arguments_text(f.templates, bound);
}

namespace {

// What templates around a struct inside of a function were given: its members may be of these types.
std::string given_around(const Scope* scope) {
  std::string text;
  for (; scope != nullptr; scope = scope->up)
    for (const auto& [name, e] : scope->names) {
      const bool is_number = e.variable != nullptr && e.variable->tree == nullptr && !e.variable->refers &&
                             e.variable->leaves.size() == 1;
      if (e.type != nullptr) text += " " + name + "=" + e.type->name;
      if (is_number) text += " " + name + "=" + std::to_string(e.variable->leaves[0].i);
    }
  return text;
}

}  // namespace

const Struct* Walk::specialised(const Struct* tree, const std::string& arguments, Scope* scope) {
  for (const Struct* s : tree->specialised) {
    Node named;
    named.text = tree->name, named.at = s->at;
    named.arguments = s->special;
    if (arguments_text(tree->templates, bound_arguments(tree->templates, &named, scope, tree->space)) ==
        arguments)
      return s;
  }
  return tree;
}

const Type* Walk::structure(const std::string& q, Position at, const Node* n, Scope* outside) {
  const Restored depth(depth_, deeper(at));
  const Struct* tree = program_.structs.at(q);
  Scope* scope = bound_arguments(tree->templates, n, outside, tree->space);
  std::string arguments = arguments_text(tree->templates, scope);
  if (tree->is_local) scope->up = outside, arguments += given_around(outside);
  const auto [found, is_new] = types_.structs.try_emplace(q + arguments);
  StructType& s = found->second;
  if (is_new) {
    s.tree = specialised(tree, arguments, scope);
    s.name = q + arguments, s.primary = q, s.space = tree->space, s.scope = scope;
    // Inside of a template its name needs no < >.
    scope->names.emplace(tree->name, Entity{nullptr, types_.unique(Type(TypeKind::Struct, nullptr, 0, &s))});
    if (!s.tree->is_complete) fail(at, "the struct '{}' is only declared: its members are not known here", q);
    lay_out(s, at);
  } else if (s.size == 0) {
    fail(at, "the struct '{}' is not complete here", q);
  }
  return types_.unique(Type(TypeKind::Struct, nullptr, 0, &s));
}

// A static constexpr member.
void Walk::add_constant(StructType& s, const Node* v) {
  Variable& constant =
      new_variable(v->text, types_.qualified(resolve(v->type, s.scope), true, false), nullptr);
  if (v->kids.empty()) fail(v->at, "'{}' needs a value: it is constexpr", v->text);
  if (constant.type->kind == TypeKind::Auto)
    constant.type = types_.qualified(value_of(v->kids[0], s.scope).type, true, false);
  constant.type = counted(constant.type, v, s.scope);
  const Restored<const Frame*> must_be_known(constant_frame_, frame_);
  fill(constant.type, v->kids[0], s.scope, constant.leaves, v->at);
  s.scope->names[v->text] = {&constant, nullptr};
}

void Walk::lay_out(StructType& s, Position at) {
  for (const Node* v : s.tree->aliases) {
    if (v->kind == Kind::Alias)
      s.scope->names[v->text] = {nullptr, resolve(v->type, s.scope)};
    else
      add_constant(s, v);
  }
  std::size_t first = 0;
  std::int64_t size = 0;
  bool begins_plainly = false;
  for (const Node* v : s.tree->fields) {
    const Type* t = resolve(v->type, s.scope);
    const bool is_reference = t->kind == TypeKind::Reference;
    if (is_reference) t = types_.pointer_to(t->of);
    if (t->kind == TypeKind::Auto || t->kind == TypeKind::Void)
      refuse(v->at, "a member of type " + t->name, "write another type");
    for (const Field& f : s.fields)
      if (f.name == v->text)
        fail(v->at, "there are two members '{}': give one of them another name", v->text);
    const std::int64_t align = alignment(v, t, s.scope),
                       begin = s.tree->is_union ? 0 : rounded_up(size, align);
    s.fields.push_back({v->text, t, v->kids.empty() ? nullptr : v->kids[0], begin, first, is_reference});
    s.has_standards |= !v->kids.empty() || has_standards(t);
    first += s.tree->is_union ? 0 : part_count(t);
    size = std::max(size, begin + size_of(t));
    s.align = std::max(s.align, align);
  }
  if (s.tree->align != nullptr)
    s.align = std::max(s.align, constant_of(s.tree->align, s.scope, "an alignment"));
  if (s.align > 4096) fail(at, "an alignment of {} is too large", s.align);
  s.size = std::max<std::int64_t>(s.align, rounded_up(size, s.align));
  if (s.tree->is_union) s.held = held_type(s);
  for (const Function* f : s.tree->constructors) {
    const bool begins =
        f->parameters.empty() &&
        (f->is_defaulted || (f->initials.empty() && f->body != nullptr && f->body->kids.empty()));
    begins_plainly |= begins;
  }
  for (const auto& [name, all] : s.tree->functions)  // what a static function may call
    if (all[0]->storage.is_static && !s.scope->names.contains(name)) {
      Value f = functions(all, make(Kind::Name, at, name));
      f.scope = s.scope;
      refer(name, f, nullptr, s.scope);
    }
  s.has_standards |= !s.tree->constructors.empty() && !begins_plainly;
  for (const Node* assertion : s.tree->asserts) static_assertion(assertion, s.scope);
}

// A member that is words of four bytes and as large as the union; where there is none, such words.
const Type* Walk::held_type(const StructType& s) {
  for (const Field& f : s.fields) {
    const std::vector<Part> parts = parts_of(f.type);
    const bool is_words = std::all_of(parts.begin(), parts.end(), [](const Part& part) {
      return size_of(part.type) == 4 && held_as(part.type) != TypeKind::Bool;
    });
    if (is_words && static_cast<std::int64_t>(4 * parts.size()) == s.size) return types_.plain(f.type);
  }
  const bool has_words = s.size % 4 == 0;
  return types_.array_of(has_words ? u32() : scalar(TypeKind::UnsignedChar), has_words ? s.size / 4 : s.size);
}

}  // namespace lab::cucc
