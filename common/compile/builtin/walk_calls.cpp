// Calls: arguments passed, and the body walked again, here. See walk.h.
#include <algorithm>
#include <map>

#include "common/compile/builtin/walk.h"

namespace lab::cucc {
namespace {

constexpr int kDeepestCall = 40;

// Loads and stores that say how they pass the caches.
const std::map<std::string, std::string> kLoads = {{"__ldg", ".nc"},  {"__ldca", ".ca"}, {"__ldcg", ".cg"},
                                                   {"__ldcs", ".cs"}, {"__ldlu", ".lu"}, {"__ldcv", ".cv"}};
const std::map<std::string, std::string> kStores = {
    {"__stwb", ".wb"}, {"__stcg", ".cg"}, {"__stcs", ".cs"}, {"__stwt", ".wt"}};

}  // namespace

std::vector<Walk::Argument> Walk::arguments_of(const Node* n, Scope* scope) {
  std::vector<Argument> arguments;
  const std::vector<Node*> trees = written_out(n->kids, scope);
  for (std::size_t i = 1; i < trees.size(); ++i) {
    const Node* tree = trees[i];
    Value v = tree->kind == Kind::List ? Value() : expression(tree, scope);
    for (std::size_t later = i + 1; later < trees.size(); ++later) v = settled(std::move(v), trees[later]);
    arguments.push_back({tree, std::move(v), scope});
  }
  return arguments;
}

Value Walk::call(const Node* n, Scope* scope) {
  const Node* callee = n->kids[0];
  const bool is_plain_name = callee->kind == Kind::Name && callee->member.empty();
  if (is_plain_name && local(scope, callee->text) == nullptr)
    if (const auto result = call_builtin(n, callee->text, scope)) return *result;
  Value f;
  if (callee->kind == Kind::Member) {
    Value object = expression(callee->kids[0], scope);
    const auto is_array = [](const Field& f) { return f.type->kind == TypeKind::Array; };
    if (object.kind == Value::Kind::Plain && object.type->kind == TypeKind::Struct &&
        std::any_of(object.type->structure->fields.begin(), object.type->structure->fields.end(), is_array)) {
      Scope* inside = new_scope(scope, scope->space);  // elements of an array are places
      declare(kThis, types_.plain(object.type), callee, &object, inside, callee->at);
      object = value_in(*local(inside, kThis)->variable);
    }
    f = function_of(object, callee->text, callee);
  } else {
    f = expression(callee, scope);
    if (f.kind != Value::Kind::Functions && f.kind != Value::Kind::Lambda && f.type->kind == TypeKind::Struct)
      f = function_of(f, "operator()", callee);
    else if (f.kind == Value::Kind::Functions)
      f.node = callee;
  }
  if (f.kind == Value::Kind::Lambda) return call_lambda(f, arguments_of(n, scope), n);
  if (f.kind != Value::Kind::Functions)
    fail(n->at, "this is a {} and no function: ( ) calls functions, [ ] takes elements", f.type);
  return call_function(f, arguments_of(n, scope), n, scope);
}

Value Walk::call_lambda(const Value& f, const std::vector<Argument>& arguments, const Node* n) {
  Scope* inner = new_scope(f.scope, f.scope->space);
  std::vector<Node*> parameters(f.node->kids.begin() + 1, f.node->kids.end());
  if (!parameters.empty() && parameters.back()->is_pack && arguments.size() + 1 >= parameters.size()) {
    const Node* pack = parameters.back();
    parameters.pop_back();
    declare_pack(inner, pack->text, arguments.size() - parameters.size());
    for (std::size_t i = 0; parameters.size() < arguments.size(); ++i)
      parameters.push_back(element_of(pack, {pack->text}, i));
  }
  if (arguments.size() > parameters.size() ||
      (arguments.size() < parameters.size() && parameters[arguments.size()]->kids.empty()))
    fail(n->at, "this lambda takes {} arguments, and here are {}", parameters.size(), arguments.size());
  const Restored computes(computes_, computes_ || constant_frame_ == frame_);
  pass_all(parameters, arguments, inner);
  const Type* returns = f.node->type == nullptr ? scalar(TypeKind::Auto) : resolve(f.node->type, inner);
  return walk_body(f.node->kids[0], "", returns, inner, n);
}

// What is not given has a value that stands at its parameter.
void Walk::pass_all(const std::vector<Node*>& parameters, const std::vector<Argument>& arguments,
                    Scope* inner) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (i < arguments.size()) {
      pass(parameters[i], arguments[i], inner, inner);
      continue;
    }
    const Node* standard = parameters[i]->kids[0];
    pass(parameters[i],
         {standard, standard->kind == Kind::List ? Value() : expression(standard, inner), inner}, inner,
         inner);
  }
}

Value Walk::functions(const std::vector<Function*>& which, const Node* n) {
  return {.kind = Value::Kind::Functions, .type = scalar(TypeKind::Void), .functions = &which, .node = n};
}

Value Walk::global_functions(const std::string& q, const Node* n) {
  return functions(program_.functions.at(q), n);
}

Value Walk::function_of(const Value& object, const std::string& name, const Node* n) {
  if (object.kind == Value::Kind::Functions || object.type == nullptr ||
      object.type->kind != TypeKind::Struct) {
    const bool points = object.type != nullptr && object.type->kind == TypeKind::Pointer;
    fail(n->at, "a {} has no function '{}'", object.type, name, points ? "behind a pointer stands ->" : "");
  }
  const auto found = object.type->structure->tree->functions.find(name);
  if (found == object.type->structure->tree->functions.end())
    fail(n->at, "{} has no function '{}'", types_.plain(object.type), name);
  Value f = functions(found->second, n);
  f.object = std::make_shared<Value>(object);
  return f;
}

// What a function of a struct sees: members and functions of its object, and what its template was given.
Scope* Walk::inside_of(const Value& object) {
  Scope* scope = new_scope(object.type->structure->scope, object.type->structure->space);
  refer(kThis, object, nullptr, scope);
  for (const Field& f : object.type->structure->fields)
    refer(f.name, member(object, make(Kind::Member, {}, f.name)), nullptr, scope);
  for (const auto& [name, functions] : object.type->structure->tree->functions)
    refer(name, function_of(object, name, make(Kind::Name, {}, name)), nullptr, scope);
  return scope;
}

void Walk::pass(const Node* parameter, const Argument& argument, Scope* types, Scope* into) {
  const Type* t = resolve(parameter->type, types);
  const Position at = argument.tree->at;
  const std::string name = parameter->text.empty() ? " " : parameter->text;
  if (t->kind == TypeKind::Reference) {
    if (argument.tree->kind == Kind::List)
      refuse(at, "a list in braces for a reference", "write its type before it");
    return bind(name, t->of, parameter, argument.value, into, at);
  }
  Value v;
  if (argument.tree->kind == Kind::List) {
    v = filled(t, argument.tree, argument.scope, at);
  } else {
    v = rvalue(argument.value, at);
    if (v.kind == Value::Kind::Lambda) return bind(name, t, parameter, v, into, at);
    if (t->kind == TypeKind::Auto) t = types_.qualified(v.type, t->is_const, false);
    if (t->kind == TypeKind::Pointer && t->of->kind == TypeKind::Auto && v.type->kind == TypeKind::Pointer)
      t = v.type;
    if (t->kind == TypeKind::Array) t = types_.pointer_to(t->of);
    v = converted(v, types_.plain(t), at);
  }
  declare(name, t, parameter, &v, into, at);
}

Value Walk::call_function(const Value& f, const std::vector<Argument>& arguments, const Node* n,
                          Scope* scope) {
  Scope* inner = nullptr;
  const Function* best = best_of(f, arguments, n, scope, inner);
  if (best->storage.is_kernel)
    refuse(n->at, "a kernel that is called by a kernel", "write a __device__ function that both call");
  if (constant_frame_ == frame_ && !best->storage.is_constexpr && !is_toolkit(best->at))
    fail(n->at, "'{}' is no constant: write constexpr before the function", best->name);
  walked_.insert(best->written_from != nullptr ? best->written_from : best);
  const Restored computes(computes_, computes_ || constant_frame_ == frame_);
  pass_all(best->parameters, arguments, inner);
  return walk_body(best->body, instance_name(*best, inner), resolve(best->returns, inner), inner, n);
}

// A function may call itself while a constant is asked for, or as another instance of its template.
void Walk::check_recursion(const Node* body, const std::string& name, Position at) {
  int depth = 0;
  bool is_again = false;
  for (const Frame* f = frame_; f != nullptr; f = f->up, ++depth)
    is_again |= f->body == body && f->name == name;
  if (is_again && (code_.is_dead() || frame_->is_finished)) throw Unchecked{};
  if (depth > kDeepestCall)
    throw Fatal{
        {at, "the built-in compiler does not know functions that call themselves: write a loop", true}};
}

Value Walk::walk_body(const Node* tree, const std::string& name, const Type* returns, Scope* scope,
                      const Node* n) {
  check_recursion(tree, name, n->at);
  Frame frame;
  frame.up = frame_;
  frame.name = name.empty() ? frame_->name : name;
  frame.shown = !name.empty() ? name : n->kids[0]->text.empty() ? "lambda" : n->kids[0]->text;
  frame.body = tree;
  frame.returns = returns;
  frame.end = code_.new_label();
  frame.called_at = at_;
  const bool is_prelude = is_toolkit(tree->at);
  frame.call = is_prelude || code_.place < 0 ? frame_->call
                                             : places_.add_call(code_.place, name.empty() ? "lambda" : name);
  const Code::Mark before = code_.mark();
  {
    const Restored inside(frame_, &frame);
    const Restored none_around(loops_, {});
    this->body(tree, scope);
  }
  if (code_.place_label(frame.end))
    code_.forget_since(before);  // a return before the end passes by what came behind it
  if (!is_prelude) locate(frame.called_at);
  if (frame.is_finished && frame.result.empty()) return frame.value;
  Value v;
  v.type = frame.returns->kind == TypeKind::Auto ? scalar(TypeKind::Void) : types_.plain(frame.returns);
  if (frame.returns->kind == TypeKind::Reference)
    refuse(n->at, "a reference returned from inside of a condition or a loop", "return a pointer");
  v.leaves = frame.result.empty() ? new_registers(v.type, false) : frame.result;
  v.is_shared = v.is_steady = true;
  return v;
}

// memcpy of a constant number of bytes: pieces as wide as both pointers' types are aligned, as NVRTC makes
// them. What lies in registers is aligned as one likes.
Value Walk::copy_bytes(const Node* n, Scope* scope) {
  if (n->kids.size() != 4) fail(n->at, "memcpy takes two pointers and a number of bytes");
  const Value to = value_of(n->kids[1], scope), from = value_of(n->kids[2], scope);
  for (const Value* p : {&to, &from})
    if (p->type->kind != TypeKind::Pointer) fail(n->at, "memcpy takes pointers, and this is a {}", p->type);
  if (is_const_all_over(to.type->of)) fail(n->at, "what memcpy would write to is const");
  const std::int64_t bytes = constant_of(n->kids[3], scope, "the number of bytes of memcpy");
  constexpr std::int64_t kMost = 256;
  if (bytes < 0 || bytes > kMost) refuse(n->at, "memcpy of so many bytes", "copy the elements in a loop");
  const auto aligned = [](const Value& p) { return p.variable != nullptr ? 16 : align_of(p.type->of); };
  const std::int64_t align = std::min({std::int64_t{16}, aligned(to), aligned(from)});
  for (std::int64_t at = 0, width = 0; at < bytes; at += width) {
    for (width = align; at + width > bytes || at % width != 0;) width /= 2;
    const auto piece = [&](const Value& p) {
      Value bytes_there = p;
      bytes_there.type = types_.pointer_to(piece_type(to.type->of, from.type->of, width, n->at));
      return moved(at_pointer(bytes_there, n->at), constant(scalar(TypeKind::Int), at), 1);
    };
    store(piece(to), load(piece(from), n->at), n->at);
  }
  return nothing();
}

// What one of the pointers points to, where it is as wide; else words.
const Type* Walk::piece_type(const Type* to, const Type* from, std::int64_t width, Position at) {
  for (const Type* t : {to, from})
    if (t->kind != TypeKind::Void && size_of(t) == width) return types_.plain(t);
  if (width > 4) return structure(width == 16 ? "uint4" : "uint2", at);
  return scalar(width == 4   ? TypeKind::UnsignedInt
                : width == 2 ? TypeKind::UnsignedShort
                             : TypeKind::UnsignedChar);
}

// A pointer to bytes that begin at a multiple of `n`, as one to words that do.
Value Walk::aligned_pointer(const Node* n, Scope* scope) {
  if (n->kids.size() != 3) fail(n->at, "__builtin_assume_aligned takes a pointer and a number of bytes");
  const Value p = value_of(n->kids[1], scope);
  if (p.type->kind != TypeKind::Pointer)
    fail(n->kids[1]->at, "__builtin_assume_aligned takes a pointer, and this is a {}", p.type);
  const std::int64_t bytes = constant_of(n->kids[2], scope, "the number of bytes of an alignment");
  if (bytes < 1 || (bytes & (bytes - 1)) != 0)
    fail(n->kids[2]->at, "an alignment is a power of two, and this is {}", bytes);
  const Type* word =
      piece_type(scalar(TypeKind::Void), scalar(TypeKind::Void), std::min<std::int64_t>(bytes, 16), n->at);
  if (is_const_all_over(p.type->of)) word = types_.qualified(word, true, false);
  return converted(p, types_.pointer_to(word), n->at, true);
}

// printf, and loads and stores with a way through the caches: written here, since they take every type.
std::optional<Value> Walk::call_builtin(const Node* n, const std::string& name, Scope* scope) {
  if (name == "printf") return print(n, scope);
  if (name == "memcpy" || name == "std::memcpy" || name == "__builtin_memcpy") return copy_bytes(n, scope);
  if (name == "__builtin_assume_aligned") return aligned_pointer(n, scope);
  const auto load_word = kLoads.find(name), store_word = kStores.find(name);
  if (load_word == kLoads.end() && store_word == kStores.end()) return std::nullopt;
  const bool loads = load_word != kLoads.end();
  if (n->kids.size() != (loads ? 2 : 3))
    fail(n->at, "{} takes {}", name, (loads ? "a pointer" : "a pointer and a value"));
  Value p = value_of(n->kids[1], scope);
  if (p.type->kind != TypeKind::Pointer)
    fail(n->kids[1]->at, "{} takes a pointer, and this is a {}: write & before it", name, p.type);
  if (p.space != Space::Global) {
    const Type* t = p.type;
    p = computed(t, "cvta.to.global.u64", {operand(generic(p))});
    p.space = Space::Global;
  }
  Value m = at_pointer(p, n->at);
  if (loads) {
    m.type = types_.plain(m.type);
    return load(m, n->at, load_word->second);
  }
  const Value v = value_of(n->kids[2], scope);
  store(m, converted(v, types_.plain(m.type), n->kids[2]->at), n->at, store_word->second);
  return nothing();
}

}  // namespace lab::cucc
