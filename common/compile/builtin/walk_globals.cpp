// Variables outside of functions, __shared__ ones wherever they stand, and tables of constants. See walk.h.
#include <algorithm>
#include <cstring>

#include "common/compile/builtin/walk.h"

namespace lab::cucc {
namespace {

constexpr std::int64_t kLargest = 64 << 20;  // bytes of a variable

// "lab::kRows" as a symbol of PTX.
std::string symbol_of(std::string q) {
  for (std::size_t at = q.find("::"); at != std::string::npos; at = q.find("::")) q.replace(at, 2, "_");
  return q;
}

}  // namespace

std::string Walk::bytes(std::int64_t align, const std::string& symbol, std::int64_t size) {
  return ".align " + std::to_string(align) + " .b8 " + symbol + "[" + std::to_string(size) + "]";
}

Value Walk::in_memory(const Type* t, Space space, const std::string& symbol) {
  return {.kind = Value::Kind::InMemory, .type = t, .space = space, .base = symbol};
}

// The bytes that a variable begins with, zeros at the end left out.
std::string Walk::bytes_of(const Type* t, const std::vector<Leaf>& leaves, Position at) {
  if (size_of(t) > kLargest) fail(at, "a variable of {} bytes is too large", size_of(t));
  std::vector<unsigned char> bytes(static_cast<std::size_t>(size_of(t)));
  const std::vector<Part> parts = parts_of(t);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!leaves[i].known()) fail(at, "a variable outside of functions begins with constants");
    const auto single = static_cast<float>(leaves[i].d);
    const bool is_single = parts[i].type->kind == TypeKind::Float,
               is_double = parts[i].type->kind == TypeKind::Double;
    const void* from = is_single   ? static_cast<const void*>(&single)
                       : is_double ? static_cast<const void*>(&leaves[i].d)
                                   : &leaves[i].i;
    std::memcpy(bytes.data() + parts[i].offset, from, static_cast<std::size_t>(size_of(parts[i].type)));
  }
  while (!bytes.empty() && bytes.back() == 0) bytes.pop_back();
  std::string text;
  for (const unsigned char b : bytes) text += (text.empty() ? "" : ", ") + std::to_string(b);
  return text;
}

void Walk::define(const std::string& space, const Type* t, std::int64_t align, const std::string& symbol,
                  const std::string& values) {
  if (!defined_.insert(symbol).second) return;
  globals_ +=
      space + " " + bytes(align, symbol, size_of(t)) + (values.empty() ? "" : " = {" + values + "}") + ";\n";
}

Value Walk::global(const std::string& q, Scope* scope) {
  const auto& [v, space] = program_.variables.at(q);
  const Storage& s = v->storage;
  const bool is_instance = scope != nullptr;
  if (!is_instance) scope = new_scope(nullptr, space);
  if (s.is_shared) return shared(v, scope, q);
  const std::string key = is_instance ? "" : q;
  const bool lies_in_memory = in_memory_.contains(v) && constant_frame_ != frame_ && !computes_;
  if (const auto known = globals_known_.find(key);
      !key.empty() && known != globals_known_.end() && !lies_in_memory)
    return known->second;
  const Type* t = resolve(v->type, scope);
  if (!s.is_constant && !s.is_device && !s.is_constexpr && !is_const_all_over(t))
    refuse(v->at, "variables of the host", "write constexpr, __constant__ or __device__ before it");
  if (t->kind == TypeKind::Reference) refuse(v->at, "references outside of functions", "write a constant");
  std::vector<Leaf> leaves = constant_leaves(v, t, scope);
  const std::int64_t align = alignment(v, t, scope);
  if (s.is_constant || s.is_device) {
    define(s.is_constant ? ".const" : ".global", t, align, symbol_of(q), bytes_of(t, leaves, v->at));
    return in_memory(t, s.is_constant ? Space::Const : Space::Global, symbol_of(q));
  }
  t = types_.qualified(t, true, false);
  if (lies_in_memory) {
    define(".global", t, align, symbol_of(q), bytes_of(t, leaves, v->at));
    return in_memory(t, Space::Global, symbol_of(q));
  }
  Variable& variable = new_variable(v->text, t, v);
  variable.leaves = std::move(leaves);
  const Value value = value_in(variable);
  if (!key.empty()) globals_known_[key] = value;
  return value;
}

// What a variable outside of functions begins with, and the type that it gets by that.
std::vector<Leaf> Walk::constant_leaves(const Node* v, const Type*& t, Scope* scope) {
  std::vector<Leaf> leaves;
  const Node* initial = v->kids.empty() ? nullptr : v->kids[0];
  const Restored<const Frame*> must_be_known(constant_frame_, frame_);
  const bool computes = tried([&] {
    const std::size_t before = code_.size();
    if (t->kind == TypeKind::Auto) {
      const Value value = value_for_auto(v, scope);
      if (value.kind == Value::Kind::Lambda)
        refuse(v->at, "a lambda outside of functions", "write a __device__ function");
      t = types_.qualified(value.type, t->is_const, false);
      leaves = value.leaves;
    } else {
      t = counted(t, v, scope);
      if (initial == nullptr && !v->storage.is_constant && !v->storage.is_device && !has_standards(t))
        fail(v->at, "'{}' is const and needs a value: write = and one behind it", v->text);
      fill(t, initial, scope, leaves, v->at);
    }
    return !code_.is_nothing_since(before);
  });
  for (const Leaf& leaf : leaves)
    if (computes || !leaf.known()) fail(v->at, "the value of '{}' must be a constant", v->text);
  return leaves;
}

Value Walk::shared(const Node* v, Scope* scope, const std::string& q) {
  const Type* t = resolve(v->type, scope);
  if (t->kind == TypeKind::Reference || t->kind == TypeKind::Auto || t->kind == TypeKind::Void)
    fail(v->at, "a __shared__ variable cannot be of type {}", t);
  if (!v->kids.empty())
    fail(v->at,
         "a __shared__ variable begins with no value: let the threads write it, and call __syncthreads()");
  if (has_standards(t))
    refuse(v->at, "__shared__ variables whose members begin with values",
           "leave the values out of the struct");
  const std::int64_t align = alignment(v, t, scope);
  if (v->storage.is_extern) {
    if (defined_.insert(v->text).second)
      globals_ += ".extern .shared .align " + std::to_string(std::max<std::int64_t>(align, 16)) + " .b8 " +
                  v->text + "[];\n";
    return in_memory(t, Space::Shared, v->text);
  }
  if (t->kind == TypeKind::Array && t->count < 0)
    fail(v->at, "the __shared__ array '{}' needs a size in [ ], or extern before it", v->text);
  if (size_of(t) > kLargest) fail(v->at, "a block has no {} bytes of shared memory", size_of(t));
  if (!q.empty()) {
    define(".shared", t, align, symbol_of(q), "");
    return in_memory(t, Space::Shared, symbol_of(q));
  }
  std::string instance;  // of the function, whose arrays each of its instances has
  for (const Frame* f = frame_; f != nullptr && instance.empty(); f = f->up) instance = f->name;
  std::string& symbol = shared_[{v, instance + t->name}];
  if (symbol.empty()) {
    const std::string function = instance.substr(0, instance.find('<'));
    symbol =
        "_ZZ" + std::to_string(function.size()) + function + "E" + std::to_string(v->text.size()) + v->text;
    while (!shared_symbols_.insert(symbol).second) symbol += "_0";
    local_variables_ += "\t.shared " + bytes(align, symbol, size_of(t)) + ";\n";
  }
  return in_memory(t, Space::Shared, symbol);
}

}  // namespace lab::cucc
