// What a name means where it stands. See walk.h.
#include <map>

#include "common/base/nearest.h"
#include "common/compile/builtin/walk.h"

namespace lab::cucc {
namespace {

const std::map<std::string, std::string> kSpecials = {
    {"threadIdx", "%tid"}, {"blockIdx", "%ctaid"}, {"blockDim", "%ntid"}, {"gridDim", "%nctaid"}};

// What belongs to hosts, or to headers that a kernel does not include, and what to do instead.
const std::map<std::string, std::string> kElsewhere = {
    {"malloc", "a kernel of the course takes no memory: declare an array, or a __shared__ one"},
    {"memset", "give the elements their value in a loop, or begin the array with = {}"},
    {"cudaMalloc",
     "cudaMalloc belongs to the host, and a kernel file has none: the judge gives `in` and `out`"},
    {"cudaMemcpy",
     "cudaMemcpy belongs to the host, and a kernel file has none: the judge gives `in` and `out`"},
    {"cudaDeviceSynchronize",
     "cudaDeviceSynchronize belongs to the host: between threads of a block stands __syncthreads()"},
    {"std::min", "std::min belongs to the host: write min"},
    {"std::max", "std::max belongs to the host: write max"},
    {"std::swap", "std::swap belongs to the host: swap by way of a third variable"},
    {"std::cout", "std::cout belongs to the host: look at values with Show, or with `lab show`"},
    {"i", "declare it before: int i = …"},
};

}  // namespace

Scope* Walk::new_scope(Scope* up, const std::string& space) {
  scopes_.push_back({{}, up, space, false});
  return &scopes_.back();
}

Entity* Walk::local(Scope* scope, const std::string& name) {
  for (; scope != nullptr; scope = scope->up)
    if (const auto found = scope->names.find(name); found != scope->names.end()) return &found->second;
  return nullptr;
}

bool Walk::is_global(const std::string& q) const {
  return program_.variables.contains(q) || program_.functions.contains(q) || program_.structs.contains(q) ||
         program_.aliases.contains(q) || program_.enumerators.contains(q) || program_.enums.contains(q);
}

// "swizzle" seen in namespace lab is "lab::swizzle"; "" if there is none.
std::string Walk::global_name(const std::string& name, std::string space) const {
  return program_.qualified(name, std::move(space), [&](const std::string& q) { return is_global(q); });
}

Value Walk::value_in(Variable& variable) {
  if (variable.refers) return *variable.refers;
  return {.kind = Value::Kind::InVariable, .type = variable.type, .variable = &variable};
}

Value Walk::named(const Node* n, Scope* scope) {
  const std::string& name = n->text;
  if (name == "true" || name == "false") return constant(scalar(TypeKind::Bool), name == "true" ? 1 : 0);
  if (name == "nullptr") return constant(scalar(TypeKind::NullPointer), 0);
  if (name == "this") {
    const Entity* object = local(scope, kThis);
    if (object == nullptr) fail(n->at, "'this' belongs in a function of a struct");
    return pointer_at(*object->variable->refers, object->variable->type, n->at);
  }
  if (!n->member.empty()) {
    Node type = *n;
    type.kind = Kind::NamedType;
    type.member.clear();
    return member_constant(n, resolve(&type, scope), n->member);
  }
  if (const Entity* e = local(scope, name); e != nullptr) {
    if (e->is_broken) throw Unchecked{};
    if (e->is_pack) fail(n->at, "'{}' is a pack of parameters: write ... behind what uses it", name);
    if (e->variable == nullptr) fail(n->at, "'{}' is a type: a variable or a value belongs here", name);
    const Type* t = e->variable->type;
    const bool is_lucky =
        constant_frame_ == frame_ && t != nullptr && is_scalar(t) && !t->is_const && !e->variable->refers;
    if (is_lucky) fail(n->at, "'{}' is no constant: declare it with constexpr", name);
    return value_in(*e->variable);
  }
  if (const std::string q = global_name(name, scope->space); !q.empty()) return named_globally(n, q, scope);
  if (const auto special = kSpecials.find(name); special != kSpecials.end()) {
    const Type* t = structure(name.ends_with("Dim") ? "dim3" : "uint3", n->at);
    return in_memory(types_.qualified(t, true, false), Space::Special, special->second);
  }
  if (name == "warpSize") return constant(scalar(TypeKind::Int), 32);
  if (const std::size_t last = name.rfind("::"); last != std::string::npos) {
    Node type = *n;
    type.kind = Kind::NamedType;
    type.text = name.substr(0, last);
    const Entity* e = local(scope, type.text);  // a type's own name for it
    const std::string q = global_name(type.text, scope->space);
    const std::size_t outer = type.text.rfind("::");
    const bool is_inside = outer != std::string::npos &&
                           program_.structs.contains(global_name(type.text.substr(0, outer), scope->space));
    if (is_inside || (e != nullptr && e->type != nullptr) || program_.structs.contains(q) ||
        program_.aliases.contains(q))
      return member_constant(n, resolve(&type, scope), name.substr(last + 2));
  }
  unknown(n, scope);
}

Value Walk::named_globally(const Node* n, const std::string& q, Scope* scope) {
  if (program_.functions.contains(q)) return global_functions(q, n);
  if (program_.enumerators.contains(q)) return enumerator(q);
  if (!program_.variables.contains(q))
    fail(n->at, "'{}' is a type: a variable or a value belongs here", n->text);
  const auto templates = program_.templates.find(q);
  if (templates == program_.templates.end()) return global(q, nullptr);
  return global(q, bound_arguments(templates->second, n, scope, program_.variables.at(q).space));
}

Value Walk::enumerator(const std::string& q) {
  const Program::Enumerator& e = program_.enumerators.at(q);
  const Value v = value_of(e.value, new_scope(nullptr, e.space));
  if (e.type.empty()) return converted(v, scalar(TypeKind::Int), e.value->at, true);
  const Node* type = make(Kind::NamedType, e.value->at, e.type);
  return converted(v, resolve(type, new_scope(nullptr, "")), e.value->at, true);
}

// Traits<T>::kSize, Config::kTile.
Value Walk::member_constant(const Node* n, const Type* t, const std::string& member) {
  const Entity* e = t->kind == TypeKind::Struct ? local(t->structure->scope, member) : nullptr;
  if (e != nullptr && e->variable != nullptr) return value_in(*e->variable);
  if (t->kind == TypeKind::Struct) {
    const auto f = t->structure->tree->functions.find(member);
    if (f != t->structure->tree->functions.end()) {  // a static function
      Value v = functions(f->second, n);
      v.scope = t->structure->scope;
      return v;
    }
  }
  const std::string enumerated = t->name + "::" + member;
  if (t->kind == TypeKind::Enum && program_.enumerators.contains(enumerated)) return enumerator(enumerated);
  fail(n->at, "{} has no constant '{}'", t, member);
}

void Walk::unknown(const Node* n, Scope* scope) {
  const std::string& name = n->text;
  if (const auto known = kElsewhere.find(name); known != kElsewhere.end())
    fail(n->at, "there is no '{}' here: {}", name, known->second);
  if (name.starts_with("std::"))
    fail(n->at, "there is no '{}' in a kernel: the library std belongs to the host", name);
  const std::string near = nearest_name(name, scope);
  const auto variable = program_.variables.find(near);
  if (variable != program_.variables.end() && variable->second.tree->at.file == n->at.file)
    fail(n->at, "there is no '{}' here. Did you mean '{}' of line {}?", name, near,
         variable->second.tree->at.line);
  if (!near.empty()) fail(n->at, "there is no '{}' here. Did you mean '{}'?", name, near);
  if (name.starts_with("__") || name.starts_with("cuda"))
    fail_unknown(n->at, "the built-in compiler does not know '{}'", name);
  fail(n->at, "there is no '{}' here: declare it before its first use", name);
}

std::string Walk::nearest_name(const std::string& name, Scope* scope) const {
  std::vector<std::string> words = {"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"};
  for (; scope != nullptr; scope = scope->up)
    for (const auto& [known, e] : scope->names) words.push_back(known);
  for (const auto& [known, f] : program_.functions) words.push_back(known);
  for (const auto& [known, v] : program_.variables) words.push_back(known);
  return base::nearest(name, words);
}

}  // namespace lab::cucc
