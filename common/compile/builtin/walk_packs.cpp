// Packs of parameters, written out: `args` of three is `args#0`, `args#1` and `args#2`. See walk.h.
//
// A pattern before `...` is copied for each element, once for all walks: nodes are what a hope is remembered by.
#include <algorithm>

#include "common/compile/builtin/operators.h"
#include "common/compile/builtin/walk.h"

namespace lab::cucc {
namespace {

std::string element_name(const std::string& pack, std::size_t i) { return pack + "#" + std::to_string(i); }

bool has_packs_of_its_own(const Node& n) {
  return n.kind == NodeKind::Expansion || n.kind == NodeKind::ExpandedType || n.kind == NodeKind::Fold ||
         (n.kind == NodeKind::SizeOf && n.text == "...");
}

bool has_name(const Node& n) {
  return n.kind == NodeKind::Name || n.kind == NodeKind::NamedType || n.kind == NodeKind::Variable;
}

}  // namespace

// The packs that a pattern names, but for those that an expansion inside of it writes out.
void Walk::packs_in(const Node* n, Scope* scope, std::set<std::string>& out) {
  if (n == nullptr || has_packs_of_its_own(*n)) return;
  const Entity* e = has_name(*n) ? local(scope, n->text) : nullptr;
  if (e != nullptr && e->is_pack) out.insert(n->text);
  for_each_below(*n, [&](const Node* below) { packs_in(below, scope, out); });
}

// A copy that names the element `i` of each of the packs.
Node* Walk::element_of(const Node* n, const std::set<std::string>& packs, std::size_t i) {
  Node*& known = elements_[{n, i}];
  if (known == nullptr) known = copy_for(n, packs, i);
  return known;
}

Node* Walk::copy_for(const Node* n, const std::set<std::string>& packs, std::size_t i) {
  if (n == nullptr || has_packs_of_its_own(*n)) return const_cast<Node*>(n);
  Node* copy = make(n->kind, n->at, n->text);
  *copy = *n;
  if (has_name(*n) && packs.contains(n->text)) copy->text = element_name(n->text, i);
  if (copy->kind == Kind::Variable) copy->is_pack = false;
  for (std::string& name : copy->names)
    if (packs.contains(name)) name = element_name(name, i);
  for_each_below(*copy, [&](Node*& below) { below = copy_for(below, packs, i); });
  return copy;
}

// What stands before `...`, once for each element.
std::vector<Node*> Walk::elements(const Node* pattern, Scope* scope) {
  std::set<std::string> packs;
  packs_in(pattern, scope, packs);
  if (packs.empty()) fail(pattern->at, "'...' stands behind what names no pack of parameters");
  const std::size_t count = local(scope, *packs.begin())->count;
  for (const std::string& pack : packs)
    if (local(scope, pack)->count != count)
      fail(pattern->at, "the packs '{}' and '{}' have different lengths", *packs.begin(), pack);
  std::vector<Node*> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(element_of(pattern, packs, i));
  return all;
}

std::vector<Node*> Walk::written_out(const std::vector<Node*>& trees, Scope* scope) {
  std::vector<Node*> all;
  for (Node* n : trees) {
    if (n == nullptr || (n->kind != Kind::Expansion && n->kind != Kind::ExpandedType)) {
      all.push_back(n);
      continue;
    }
    const std::vector<Node*> several = elements(n->kids[0], scope);
    all.insert(all.end(), several.begin(), several.end());
  }
  return all;
}

// {1, args...} without its packs.
const Node* Walk::list_written_out(const Node* list, Scope* scope) {
  const auto expands = [](const Node* kid) { return kid->kind == Kind::Expansion; };
  if (list == nullptr || list->kind != Kind::List ||
      std::none_of(list->kids.begin(), list->kids.end(), expands))
    return list;
  Node* copy = make(Kind::List, list->at, list->text, written_out(list->kids, scope));
  copy->names.resize(copy->kids.size());
  return copy;
}

void Walk::declare_pack(Scope* scope, const std::string& name, std::size_t count) {
  Entity& e = scope->names[name];
  e.is_pack = true, e.count = count;
}

// (pack + ...), (... + pack), (first + ... + pack).
Value Walk::fold(const Node* n, Scope* scope) {
  std::set<std::string> packs;
  packs_in(n->kids[0], scope, packs);
  const bool from_right = !packs.empty();
  const Node *pattern = n->kids[from_right ? 0 : 1], *first = n->kids[from_right ? 1 : 0];
  if (pattern == nullptr) fail(n->at, "'...' stands behind what names no pack of parameters");
  std::vector<Node*> all = elements(pattern, scope);
  if (all.empty() && first == nullptr) {
    if (n->text == ",") return nothing();
    if (n->text != "&&" && n->text != "||") fail(n->at, "'{}' of an empty pack has no value", n->text);
    return constant(scalar(TypeKind::Bool), n->text == "&&" ? 1 : 0);
  }
  Node*& whole = folds_[{n, all.size()}];
  if (whole != nullptr) return expression(whole, scope);
  if (from_right) std::reverse(all.begin(), all.end());
  if (first != nullptr) all.insert(all.begin(), const_cast<Node*>(first));
  whole = all[0];
  const bool assigns = n->text != "," && operator_of(n->text) == nullptr;
  for (std::size_t i = 1; i < all.size(); ++i) {
    std::vector<Node*> sides = {whole, all[i]};
    if (from_right) std::reverse(sides.begin(), sides.end());
    whole = make(assigns ? Kind::Assign : Kind::Binary, n->at,
                 assigns ? n->text.substr(0, n->text.size() - 1) : n->text, sides);
  }
  return expression(whole, scope);
}

namespace {

// Where the pack stands among the template's parameters; behind them where there is none.
std::size_t pack_of(const Function& f) {
  const auto pack = std::find_if(f.templates.begin(), f.templates.end(),
                                 [](const TemplateParameter& t) { return t.is_pack; });
  return static_cast<std::size_t>(pack - f.templates.begin());
}

// Whether a type names the pack, in an expansion or without.
bool names_pack(const Node* n, const std::string& pack) {
  if (n == nullptr) return false;
  if (n->text == pack) return true;
  bool names = false;
  for_each_below(*n, [&](const Node* below) { names |= names_pack(below, pack); });
  return names;
}

}  // namespace

// How many elements the pack of a function's template has: as many as arguments, as the struct of an argument was
// given, or as stand in < >.
std::size_t Walk::length_of_pack(const Function& f, const std::vector<Argument>& arguments,
                                 std::size_t given) {
  const std::size_t others = pack_of(f);
  const std::string& pack = f.templates[others].name;
  for (std::size_t i = 0; i < f.parameters.size(); ++i) {
    const Node* p = f.parameters[i];
    if (!names_pack(p->type, pack)) continue;
    if (p->is_pack) return arguments.size() - i;
    if (i >= arguments.size() || arguments[i].value.type == nullptr) continue;
    const Type* t = arguments[i].value.type;
    if (t->kind == TypeKind::Pointer) t = t->of;
    if (t->kind != TypeKind::Struct) continue;
    const auto& templates = program_.structs.at(t->structure->primary)->templates;
    if (!templates.empty() && templates.back().is_pack)
      return t->structure->scope->names.at(templates.back().name).count;
  }
  return given > others ? given - others : 0;
}

// The function with a parameter for each argument that its packs are given; null where they cannot be.
const Function* Walk::without_packs(const Function& f, const std::vector<Argument>& arguments,
                                    std::size_t given, Scope* scope) {
  const bool has_parameters = !f.parameters.empty() && f.parameters.back()->is_pack;
  const bool has_templates = pack_of(f) < f.templates.size();
  if (!has_parameters && !has_templates) return &f;
  if (has_parameters && arguments.size() + 1 < f.parameters.size()) return nullptr;
  const std::size_t passed = has_parameters ? arguments.size() + 1 - f.parameters.size() : 0;
  const std::size_t types = has_templates ? length_of_pack(f, arguments, given) : 0;
  const Function*& known = without_packs_[{&f, passed, types}];
  if (known != nullptr) return known;
  Function& g = program_.make_function();
  known = &g;
  g = f;
  g.written_from = &f;
  Scope* inside = new_scope(scope, f.space);
  std::set<std::string> packs;
  if (has_templates) {
    const auto at = g.templates.begin() + static_cast<std::ptrdiff_t>(pack_of(f));
    const TemplateParameter pack = *at;
    std::vector<TemplateParameter> ones(types, pack);
    for (std::size_t i = 0; i < types; ++i)
      ones[i].name = element_name(pack.name, i), ones[i].is_pack = false;
    g.templates.insert(g.templates.erase(at), ones.begin(), ones.end());
    g.packs[pack.name] = types;
    declare_pack(inside, pack.name, types);
    packs.insert(pack.name);
  }
  for (Node*& p : g.parameters) p = parameter_written_out(p, inside);
  if (!has_parameters) return &g;
  const Node* pack = g.parameters.back();
  packs_in(pack->type, inside, packs);
  packs.insert(pack->text);
  g.packs[pack->text] = passed;
  g.parameters.pop_back();
  for (std::size_t i = 0; i < passed; ++i) g.parameters.push_back(element_of(f.parameters.back(), packs, i));
  return &g;
}

// A parameter like `Sequence<kAt...>`.
Node* Walk::parameter_written_out(Node* p, Scope* scope) {
  const auto type_of = [&](const auto& self, Node* type) -> Node* {
    Node* copy = make(type->kind, type->at, type->text);
    *copy = *type;
    copy->arguments = written_out(type->arguments, scope);
    if (type->kind == Kind::PointerType || type->kind == Kind::ReferenceType)
      copy->kids[0] = self(self, type->kids[0]);
    return copy;
  };
  Node* copy = make(p->kind, p->at, p->text);
  *copy = *p;
  copy->type = type_of(type_of, p->type);
  return copy;
}

}  // namespace lab::cucc
