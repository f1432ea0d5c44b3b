// Which of several functions a call means, and what its template's parameters are. See walk.h.
#include <algorithm>

#include "common/compile/builtin/walk.h"

namespace lab::cucc {
namespace {

// How far a conversion leads; the least of all is meant.
enum Distance { kSame = 0, kPromotion = 1, kConversion = 2, kToBool = 3, kTooFar = -1 };

}  // namespace

// Binds what the parameter's type says of the template's parameters; false where it does not fit.
bool Walk::deduce(const Node* p, const Type* argument, Scope* bound, const Function& f, std::size_t given) {
  if (p->kind == Kind::PointerType)
    return argument->kind != TypeKind::Pointer || deduce(p->kids[0], argument->of, bound, f, given);
  if (p->kind == Kind::ReferenceType) return deduce(p->kids[0], argument, bound, f, given);
  if (p->kind == Kind::ArrayType) {
    if (argument->kind != TypeKind::Array) return false;
    deduce_constant(p->kids[1], argument->count, bound, f);
    return deduce(p->kids[0], argument->of, bound, f, given);
  }
  if (!p->arguments.empty()) return deduce_arguments(p, argument, bound, f, given);
  for (std::size_t i = given; i < f.templates.size(); ++i) {
    const TemplateParameter& t = f.templates[i];
    if (t.name != p->text || t.value_type != nullptr) continue;
    Type q = *argument;
    if (q.kind != TypeKind::Array)
      q.is_const = q.is_const && !p->is_const, q.is_volatile = q.is_volatile && !p->is_volatile;
    const Type* type = argument->kind == TypeKind::NullPointer ? argument : types_.unique(q);
    const auto [found, is_new] = bound->names.emplace(t.name, Entity{nullptr, type});
    return is_new || found->second.type == type;
  }
  return true;
}

void Walk::deduce_constant(const Node* p, std::int64_t i, Scope* bound, const Function& f) {
  if (p == nullptr || p->kind != Kind::Name) return;
  for (const TemplateParameter& t : f.templates)
    if (t.name == p->text && t.value_type != nullptr && !bound->names.contains(t.name))
      bind_constant(bound, t.name, resolve(t.value_type, bound), i);
}

// Deduces a parameter like `const Tile<T, kSide>&` from the arguments that the struct was made with.
bool Walk::deduce_arguments(const Node* p, const Type* argument, Scope* bound, const Function& f,
                            std::size_t given) {
  if (argument->kind != TypeKind::Struct) return true;  // resolve() says what it is instead
  const auto& templates = program_.structs.at(argument->structure->primary)->templates;
  for (std::size_t i = 0; i < p->arguments.size() && !templates.empty(); ++i) {
    const std::size_t last = templates.size() - 1;
    const bool is_element = templates.back().is_pack && i >= last;
    if (!is_element && i > last) break;
    const auto& names = argument->structure->scope->names;
    const auto found =
        names.find(is_element ? templates.back().name + "#" + std::to_string(i - last) : templates[i].name);
    if (found == names.end()) return false;
    const Entity& e = found->second;
    if (e.type == nullptr)
      deduce_constant(p->arguments[i], e.variable->leaves[0].i, bound, f);
    else if (!deduce(p->arguments[i], e.type, bound, f, given))
      return false;
  }
  return true;
}

// A scope with the parameters of the function's template, or null where the arguments do not fit it.
Scope* Walk::bound_to(const Function& f, const std::vector<Argument>& arguments, const Node* name,
                      Scope* scope, const Value& called) {
  Scope* outer = called.object != nullptr ? inside_of(*called.object) : called.scope;
  Scope* bound = new_scope(outer, f.space);
  const bool names_function = name->member.empty();  // else the arguments are those of its struct
  const std::vector<Node*> in_brackets =
      names_function ? written_out(name->arguments, scope) : std::vector<Node*>();
  const std::size_t given = in_brackets.size();
  for (const auto& [pack, count] : f.packs) declare_pack(bound, pack, count);
  if (arguments.size() > f.parameters.size() || given > f.templates.size()) return nullptr;
  for (std::size_t i = arguments.size(); i < f.parameters.size(); ++i)
    if (f.parameters[i]->kids.empty()) return nullptr;
  for (std::size_t i = 0; i < given; ++i) {
    if (is_type(*in_brackets[i]) != (f.templates[i].value_type == nullptr)) return nullptr;
    bind_argument(bound, f.templates[i], in_brackets[i], scope);
  }
  for (std::size_t i = 0; i < arguments.size() && !f.templates.empty(); ++i) {
    if (arguments[i].tree->kind == Kind::List) continue;
    const Value& v = arguments[i].value;
    if (v.kind == Value::Kind::Functions) return nullptr;
    const Node* p = f.parameters[i]->type;
    const Type* t = v.type;
    if (p->kind != Kind::ReferenceType)
      t = t->kind == TypeKind::Array ? types_.pointer_to(t->of) : types_.plain(t);
    if (!deduce(p, t, bound, f, given)) return nullptr;
  }
  for (const TemplateParameter& t : f.templates) {
    if (bound->names.contains(t.name)) continue;
    if (t.standard == nullptr) return nullptr;
    bind_argument(bound, t, t.standard, bound);
  }
  return bound;
}

int Walk::distance_of(const Type* to, const Node* parameter, const Argument& argument) {
  const Value& v = argument.value;
  const Type* from = v.type;
  const bool is_reference = to->kind == TypeKind::Reference;
  if (is_reference) to = to->of;
  const bool is_open = to->kind == TypeKind::Auto || v.kind == Value::Kind::Lambda ||
                       (to->kind == TypeKind::Pointer && to->of->kind == TypeKind::Auto);
  if (is_open || argument.tree->kind == Kind::List) return kSame;
  if (v.kind == Value::Kind::Functions) return kTooFar;
  if (!is_reference && from->kind == TypeKind::Array) from = types_.pointer_to(from->of);
  if (!is_reference && to->kind == TypeKind::Array) to = types_.pointer_to(to->of);
  const bool is_const = is_const_all_over(to);
  if (types_.plain(from) == types_.plain(to)) {
    const bool binds = v.is_place() && (!is_const_all_over(v.type) || is_const);
    return is_reference && !is_const && parameter->type->text != "&&" && !binds ? kTooFar : kSame;
  }
  if (is_reference && !is_const && parameter->type->text != "&&") return kTooFar;
  if (is_numeric(from) && is_arithmetic(to)) {
    const bool promotes = types_.promoted(from) == types_.plain(to) ||
                          (from->kind == TypeKind::Float && to->kind == TypeKind::Double);
    return promotes ? kPromotion : kConversion;
  }
  if (from->kind == TypeKind::Pointer && to->kind == TypeKind::Pointer) {
    if (is_const_all_over(from->of) && !is_const_all_over(to->of)) return kTooFar;
    if (types_.plain(from->of) == types_.plain(to->of)) return kPromotion;
    return to->of->kind == TypeKind::Void ? kConversion : kTooFar;
  }
  if (to->kind == TypeKind::Pointer && v.is_null()) return kConversion;
  if (is_struct(from) && is_scalar(to) && from->structure->tree->functions.contains("operator_type"))
    return kConversion;
  return from->kind == TypeKind::Pointer && to->kind == TypeKind::Bool ? kToBool : kTooFar;
}

// Each argument's distance, and whether it is a template: of two equal ones that one is second. Empty where
// one is too far.
std::vector<int> Walk::distances(const Function& f, const std::vector<Argument>& arguments, Scope* bound) {
  std::vector<int> result;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    result.push_back(distance_of(resolve(f.parameters[i]->type, bound), f.parameters[i], arguments[i]));
    if (result.back() < 0) return {};
  }
  result.push_back(!f.packs.empty() ? 2 : f.templates.empty() ? 0 : 1);
  return result;
}

// -1 where `a` is better in one argument and worse in none, 1 where `b` is, 0 where neither is.
int Walk::better_of(const std::vector<int>& a, const std::vector<int>& b) {
  bool is_a = false, is_b = false;
  for (std::size_t i = 0; i + 1 < a.size(); ++i) is_a |= a[i] < b[i], is_b |= b[i] < a[i];
  if (!is_a && !is_b) is_a = a.back() < b.back(), is_b = b.back() < a.back();
  return is_a == is_b ? 0 : is_a ? -1 : 1;
}

const Function* Walk::best_of(const Value& f, const std::vector<Argument>& arguments, const Node* n,
                              Scope* scope, Scope*& best_scope) {
  struct Candidate {
    const Function* function;
    Scope* scope;
    std::vector<int> distances;
  };
  std::vector<Candidate> fitting;
  for (const Function* with_packs : *f.functions) {
    const std::size_t given = f.node->member.empty() ? written_out(f.node->arguments, scope).size() : 0;
    const Function* candidate = without_packs(*with_packs, arguments, given, f.scope);
    if (candidate == nullptr) continue;
    Scope* bound = bound_to(*candidate, arguments, f.node, scope, f);
    std::vector<int> far = bound == nullptr ? std::vector<int>() : distances(*candidate, arguments, bound);
    if (!far.empty()) fitting.push_back({candidate, bound, std::move(far)});
  }
  if (fitting.empty()) no_function(f, arguments, n);
  const auto best = std::find_if(fitting.begin(), fitting.end(), [&](const Candidate& one) {
    return std::all_of(fitting.begin(), fitting.end(), [&](const Candidate& other) {
      return &one == &other || better_of(one.distances, other.distances) < 0;
    });
  });
  if (best == fitting.end())
    fail(n->at,
         "several functions '{}' take these arguments equally well: cast the arguments to the type that is "
         "meant",
         f.node->text);
  best_scope = best->scope;
  if (best->function->is_deleted) deleted(*best->function, n);
  return best->function;
}

// What the prelude declares and does not have.
void Walk::deleted(const Function& f, const Node* n) {
  if (!is_toolkit(f.at)) fail(n->at, "the function '{}' is deleted for these arguments", f.name);
  const std::string type = f.parameters[0]->type->text;
  if (f.instead.empty())
    fail_unknown(
        n->at,
        "the built-in compiler does not know '{}' for a '{}', which is a hundred instructions of CUDA's "
        "library: compile with NVRTC or clang",
        f.name, type);
  fail_unknown(
      n->at,
      "the built-in compiler does not know '{}' for a '{}', which is a hundred instructions of CUDA's "
      "library: write {}, or compile with NVRTC or clang",
      f.name, type, f.instead);
}

void Walk::no_function(const Value& f, const std::vector<Argument>& arguments, const Node* n) {
  std::string given;
  for (const Argument& a : arguments)
    given += (given.empty() ? "" : ", ") +
             (a.tree->kind == Kind::List || a.value.type == nullptr ? "{…}" : a.value.type->name);
  const std::string name = "'" + f.node->text + "'";
  if (f.functions->empty()) fail(n->at, "the function {} is declared, but it has no body here", name);
  const Function& first = *f.functions->front();
  const auto needed = static_cast<std::size_t>(std::count_if(first.parameters.begin(), first.parameters.end(),
                                                             [](const Node* p) { return p->kids.empty(); }));
  const bool counted = arguments.size() >= needed && arguments.size() <= first.parameters.size();
  if (f.functions->size() == 1 && !counted)
    fail(n->at, "the function {} takes {} arguments, and here are {}", name, first.parameters.size(),
         arguments.size());
  // `load(tile[y])` where `&tile[y]` was meant.
  const bool wants_address = f.functions->size() == 1 && [&] {
    for (std::size_t i = 0; i < arguments.size(); ++i)
      if (const Type* type = arguments[i].value.type; type != nullptr && !is_pointer(type))
        if (first.parameters[i]->type != nullptr && first.parameters[i]->type->kind == Kind::PointerType)
          return true;
    return false;
  }();
  fail(n->at, "no function {} takes ({})", name, given, wants_address ? "an address is made with &" : "");
}

}  // namespace lab::cucc
