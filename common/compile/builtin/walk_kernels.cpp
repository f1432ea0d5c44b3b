// The module: variables, kernels, and where everything stands. See walk.h.
#include <algorithm>

#include "common/compile/builtin/walk.h"

namespace lab::cucc {
namespace {

constexpr int kMostWalks = 600;  // of one kernel, each with one hope less

long lines_of(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

}  // namespace

Walk::Walk(Program& program, const Sources& sources, Messages& messages, bool names_variables)
    : program_(program), sources_(sources), messages_(messages), names_variables_(names_variables) {}

std::string Walk::module() {
  std::string kernels;
  std::vector<std::pair<long, std::string>> stops;  // by the lines of the kernels before
  for (const auto& [node, space] : program_.asserts)
    walk_until_hopes_hold([&, n = node, s = space] { statement(n, new_scope(nullptr, s)); });
  for (const std::string& name : program_.asserting)
    walk_until_hopes_hold([&] { structure(name, program_.structs.at(name)->at); });
  for (const std::string& name : program_.order) {
    if (program_.variables.contains(name)) {
      walk_until_hopes_hold([&] { global(name, nullptr); });
      continue;
    }
    for (const Function* f : program_.functions.at(name))
      if (f->storage.is_kernel && f->templates.empty())
        walk_until_hopes_hold([&, f] {
          const std::string kernel = kernel_once(*f);
          stops.emplace_back(lines_of(kernels), stops_);
          kernels += kernel;
        });
  }
  const auto takes_anything = [](const Function& f) {
    return std::any_of(f.parameters.begin(), f.parameters.end(),
                       [](const Node* p) { return p->type->text == "auto"; });
  };
  for (const auto& [name, functions] : program_.functions)
    for (const Function* f : functions)  // that no kernel calls: a mistake in it is one
      if (!f->storage.is_kernel && f->templates.empty() && !walked_.contains(f) && !is_toolkit(f->at) &&
          !takes_anything(*f))
        walk_until_hopes_hold([&, f] { kernel_once(*f); });
  const std::string head =
      "//\n// Made by the built-in compiler of Transpose Lab\n//\n\n.version 8.1\n.target "
      "sm_90\n.address_size 64\n\n" +
      globals_ + "\n";
  std::string text = head + kernels + places_.files(sources_) + places_.function_names();
  for (const auto& [before, table] : stops)
    if (names_variables_) text += "//@kernel " + std::to_string(lines_of(head) + before) + "\n" + table;
  return text;
}

// Again and again, until no hope fails; its mistakes are reported.
template <class Action>
void Walk::walk_until_hopes_hold(const Action& action) try {
  for (int walks = 0; walks < kMostWalks; ++walks) {
    code_ = Code();
    local_variables_.clear();
    shared_.clear();
    shared_symbols_.clear();
    loops_.clear();
    cases_.clear();
    locals_ = 0;
    copies_ = 1;
    outside_ = Frame();
    frame_ = &outside_;
    constant_frame_ = nullptr;
    computes_ = tries_ = false, left_ = Kind::Empty;
    undone_.clear();
    try {
      return action();
    } catch (const Restart&) {
    }
  }
  report({at_, "this kernel is more than the built-in compiler takes: make its functions smaller"});
} catch (const Error& error) {
  report(error);
} catch (const Unchecked&) {
} catch (const Fatal& fatal) {
  report(fatal.error);
}

std::string Walk::kernel_once(const Function& f) {
  Frame frame;
  frame.up = nullptr;
  frame.name = f.name;
  Scope* scope = new_scope(nullptr, f.space);
  frame.returns = resolve(f.returns, scope);
  frame_ = &frame;
  if (f.storage.is_kernel && frame.returns->kind != TypeKind::Void)
    fail(f.returns->at, "a kernel returns nothing: write __global__ void");
  if (!f.storage.is_kernel) frame.end = code_.new_label();
  locate(f.at);
  const std::string name =
      f.storage.has_plain_name ? f.name : "_Z" + std::to_string(f.name.size()) + f.name + "v";
  const std::string parameters = kernel_parameters(f, name, scope);
  std::string limits;
  if (f.storage.most_threads != nullptr)
    limits = ".maxntid " + std::to_string(constant_of(f.storage.most_threads, scope, "a number of threads")) +
             ", 1, 1\n";
  body(f.body, scope);
  if (!f.storage.is_kernel) code_.place_label(frame.end);
  locate(f.body->end);
  stop(f.body->end, scope);
  code_.end_here();
  frame_ = &outside_;
  const std::string head = ".visible .entry " + name + "(\n" + parameters + "\n)\n" + limits + "{\n",
                    text = code_.text(places_, local_variables_);
  stops_ = code_.stops_text(static_cast<int>(lines_of(head)));
  return head + text + "\n}\n\n";
}

std::string Walk::kernel_parameters(const Function& f, const std::string& name, Scope* scope) {
  std::string text;
  for (std::size_t i = 0; i < f.parameters.size(); ++i) {
    const Node* p = f.parameters[i];
    const Type* t = resolve(p->type, scope);
    if (t->kind == TypeKind::Array) t = types_.pointer_to(t->of);
    if (f.storage.is_kernel &&
        (t->kind == TypeKind::Reference || t->kind == TypeKind::Auto || t->kind == TypeKind::Void))
      fail(p->at, "a kernel's parameters are values or pointers, and this is a {}", t);
    const std::string symbol = name + "_param_" + std::to_string(i);
    const Type* held = t->kind == TypeKind::Reference ? types_.pointer_to(t->of) : t;
    const std::string suffix = is_pointer(held) ? "u64" : is_scalar(held) ? memory_suffix(held) : "";
    text += (i > 0 ? ",\n" : "") + std::string("\t.param ");
    text += is_scalar(held) ? "." + suffix + " " + symbol : bytes(align_of(held), symbol, size_of(held));
    kernel_parameter(f, p, symbol, t, scope);
  }
  return text;
}

void Walk::kernel_parameter(const Function& f, const Node* p, const std::string& symbol, const Type* t,
                            Scope* scope) {
  const std::string name = p->text.empty() ? " " : p->text;
  Value place = in_memory(t, Space::Param, symbol);
  if (t->kind == TypeKind::Struct && t->is_const)  // stays where it is: &map is its address there
    return void(refer(name, place, p, scope));
  if (t->kind == TypeKind::Reference) {  // of a function that is only checked
    place.type = types_.pointer_to(t->of);
    return bind(name, t->of, p, at_pointer(load(place, p->at), p->at), scope, p->at);
  }
  place.type = types_.plain(t);
  Value v = load(place, p->at);
  if (t->kind == TypeKind::Pointer && f.storage.is_kernel) {
    v = computed(place.type, "cvta.to.global.u64", {v.leaves[0].reg});
    v.space = Space::Global;
  }
  declare(name, t, p, &v, scope, p->at);
}

}  // namespace lab::cucc
