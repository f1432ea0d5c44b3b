// Constants that functions compute: where one is asked for, the walk is an interpreter. See walk.h.
//
// Variables are known values that change, loops turn here, and nothing becomes an instruction.
#include <algorithm>

#include "common/compile/builtin/walk.h"

namespace lab::cucc {
namespace {

constexpr long kMostComputedTurns = 100'000;

}  // namespace

// What an expression changed that was only tried.
void Walk::take_back(std::size_t changes) {
  for (; undone_.size() > changes; undone_.pop_back()) undone_.back().first->leaves = undone_.back().second;
}

bool Walk::computes_variable(Variable& v, const Value* value) {
  const bool knows = value == nullptr || (value->all_known() && value->variable == nullptr);
  if (!computes_ || !knows) return false;
  v.is_computed = true;
  v.leaves = value == nullptr ? std::vector<Leaf>(part_count(v.type)) : value->leaves;
  return true;
}

bool Walk::computes_store(const Value& to, const Value& v) {
  Variable& variable = *to.variable;
  if (!variable.is_computed) return false;
  if (!v.all_known() || v.variable != nullptr || to.is_viewed)
    refuse({}, "this assignment where a constant is computed", "assign numbers");
  if (tries_) undone_.emplace_back(&variable, variable.leaves);
  std::copy(v.leaves.begin(), v.leaves.end(),
            variable.leaves.begin() + static_cast<std::ptrdiff_t>(to.first));
  return true;
}

bool Walk::is_true(const Node* n, Scope* scope) {
  if (n == nullptr) return true;
  const Value c = truth(value_of(n, scope), n->at);
  if (!c.known())
    fail(n->at, "{} must be a constant: a number, or a constexpr int", "the condition of a loop");
  return c.leaves[0].i != 0;
}

void Walk::computed_loop(const Node* n, Scope* scope) {
  if (n->kids[0] != nullptr) statement(n->kids[0], scope);
  bool asks = n->text != "do";
  for (long turn = 0; !asks || is_true(n->kids[1], scope); ++turn, asks = true) {
    if (turn == kMostComputedTurns) fail(n->at, "this loop has no end, or too many turns for a constant");
    body(n->kids[3], scope);
    const Kind left = std::exchange(left_, Kind::Empty);
    if (left == Kind::Break || frame_->is_finished) return;
    if (n->kids[2] != nullptr) expression(n->kids[2], scope);
  }
}

void Walk::computed_switch(const Node* n, const Value& v, Scope* scope) {
  if (!v.known()) fail(n->at, "{} must be a constant: a number, or a constexpr int", "what a switch asks");
  const std::vector<Node*>& all = n->kids[1]->kids;
  const auto fits = [&](const Node* s) {
    return s->kind == Kind::Case && !s->kids.empty() &&
           constant_of(s->kids[0], scope, "a case") == v.leaves[0].i;
  };
  auto begin = std::find_if(all.begin(), all.end(), fits);
  if (begin == all.end())
    begin = std::find_if(all.begin(), all.end(),
                         [](const Node* s) { return s->kind == Kind::Case && s->kids.empty(); });
  Scope* inner = new_scope(scope, scope->space);
  for (; begin != all.end() && left_ == Kind::Empty; ++begin) statement(*begin, inner);
  if (left_ == Kind::Break) left_ = Kind::Empty;
}

}  // namespace lab::cucc
