// Loops: written out where the number of turns is known and small, so that arrays indexed by it stay in
// registers; else with a jump back. See walk.h.
#include <algorithm>

#include "common/compile/builtin/walk.h"

namespace lab::cucc {
namespace {

constexpr int kMostTurns = 32, kMostTurnsAsked = 256;      // with #pragma unroll
constexpr int kMostCopies = 256, kMostCopiesAsked = 1024;  // of a body, by loops inside of loops

bool leaves_early(const Node* n) {
  if (n == nullptr || n->kind == NodeKind::Lambda) return false;
  if (n->kind == NodeKind::Break || n->kind == NodeKind::Continue) return true;
  return std::any_of(n->kids.begin(), n->kids.end(), leaves_early);
}

// What asks for the turns: of `k < 4 && …` the first part; the others are asked in each turn.
const Node* bound_of(const Node* loop) {
  const Node* bound = loop->kids[1];
  while (bound->kind == NodeKind::Binary && bound->text == "&&") bound = bound->kids[0];
  return bound;
}

// The parts of `a, b, c`.
void add_parts(const Node* n, std::vector<const Node*>& out) {
  if (n->kind != NodeKind::Binary || n->text != ",") return out.push_back(n);
  for (const Node* kid : n->kids) add_parts(kid, out);
}
std::vector<const Node*> parts_of_comma(const Node* n) {
  std::vector<const Node*> parts;
  if (n != nullptr) add_parts(n, parts);
  return parts;
}

bool is_step(const Node* n) {
  const bool counts = n->kind == NodeKind::Assign || n->text == "++" || n->text == "--";
  return counts && n->kids[0]->kind == NodeKind::Name;
}

// What a loop gives `name` to begin with: null where it gives none.
const Node* beginning_of(const Node* loop, const std::string& name) {
  const Node* init = loop->kids[0];
  if (init == nullptr) return nullptr;
  if (init->kind == NodeKind::Declaration) {
    for (const Node* v : init->kids)
      if (v->kind == NodeKind::Variable && v->text == name && !v->kids.empty()) return v->kids[0];
    return nullptr;
  }
  for (const Node* part : parts_of_comma(init->kids[0]))
    if (part->kind == NodeKind::Assign && part->text.empty() && part->kids[0]->text == name)
      return part->kids[1];
  return nullptr;
}

}  // namespace

void Walk::for_loop(const Node* n, Scope* scope) {
  Scope* inner = new_scope(scope, scope->space);
  if (computes_) return computed_loop(n, inner);
  const std::vector<const Node*> turn = parts_of_comma(n->kids[2]);
  const bool counts = std::any_of(turn.begin(), turn.end(), [&](const Node* part) {
    return is_step(part) && beginning_of(n, part->kids[0]->text) != nullptr;
  });
  const bool stays =
      n->unroll != nullptr && constant_of(n->unroll, inner, "the count of #pragma unroll") == 1;
  if (counts && n->kids[1] != nullptr && !rolled_.contains(n) && !stays) return written_out(n, inner);
  real_loop(n, inner);
}

// Hopes for a known number of turns; notes where that fails.
void Walk::written_out(const Node* n, Scope* scope) {
  statement(n->kids[0], scope);
  Counting counting{n, bound_of(n), parts_of_comma(n->kids[2]), {}, {}};
  find_counters(counting, scope);
  if (counting.counters.empty()) note(rolled_, n);
  const int most = n->unroll != nullptr ? kMostTurnsAsked : kMostTurns;
  int count = 0;
  for (; has_turn(counting, scope); ++count) {
    if (count == most) note(rolled_, n);
    for (const Node* part : counting.turn) advance(counting, part, scope);
  }
  for (auto& [variable, begin] : counting.counters) variable->leaves[0] = begin;
  const int copies = copies_ * std::max(count, 1);
  if (copies > (n->unroll != nullptr ? kMostCopiesAsked : kMostCopies)) note(rolled_, n);
  {
    const Restored inside(copies_, copies);
    turns(counting, count, scope);
  }
  for (const auto& [variable, reg] : counting.outer) variable->leaves[0] = reg;
}

// Variables that begin with a constant, and that only the loop itself changes. One that is declared before
// the loop has a register, for what follows.
void Walk::find_counters(Counting& counting, Scope* scope) {
  for (const Node* part : counting.turn) {
    const std::string name = is_step(part) ? part->kids[0]->text : "";
    const Node* begin = beginning_of(counting.loop, name);
    const Entity* e = begin == nullptr ? nullptr : local(scope, name);
    Variable* v = e == nullptr ? nullptr : e->variable;
    const bool fits = v != nullptr && !v->refers && v->leaves.size() == 1 && is_integer(v->type) &&
                      v->tree != nullptr && !assigned_.contains(v->tree);
    if (!fits || counting.counters.contains(v)) continue;
    Leaf& leaf = v->leaves[0];
    if (!leaf.known()) {
      const bool is_own = counting.loop->kids[0]->kind == Kind::Declaration;
      if (is_own) continue;
      const Value value = tried([&] { return converted(value_of(begin, scope), v->type, begin->at, true); });
      if (!value.known()) continue;
      counting.outer[v] = leaf;
      leaf = value.leaves[0];
    }
    counting.counters[v] = leaf;
  }
}

bool Walk::has_turn(const Counting& counting, Scope* scope) {
  const Value c = tried([&] { return truth(value_of(counting.bound, scope), counting.loop->at); });
  if (!c.known()) note(rolled_, counting.loop);
  return c.leaves[0].i != 0;
}

// Does what a part of `++k, p += 4` does to a counter; false where it steps none.
bool Walk::advance(const Counting& counting, const Node* part, Scope* scope) {
  Variable* v = is_step(part) ? local(scope, part->kids[0]->text)->variable : nullptr;
  if (!counting.counters.contains(v)) return false;
  const Value next = tried([&] {
    const bool is_assigned = part->kind == Kind::Assign;
    const std::string sign = is_assigned ? part->text : part->text.substr(1);
    Value by = is_assigned ? value_of(part->kids[1], scope) : constant(scalar(TypeKind::Int), 1);
    if (!sign.empty()) by = binary(sign, constant(v->type, v->leaves[0].i), by, part->at);
    return converted(by, types_.plain(v->type), part->at, true);
  });
  if (!next.known()) note(rolled_, counting.loop);
  v->leaves[0] = next.leaves[0];
  return true;
}

void Walk::turns(const Counting& counting, int count, Scope* scope) {
  const Node* n = counting.loop;
  const bool asks = counting.bound != n->kids[1];
  const bool early = leaves_early(n->kids[3]) || asks;
  const std::string end = code_.new_label();
  const auto keep_outer = [&] {
    for (const auto& [variable, reg] : counting.outer) set(reg.reg, variable->leaves[0], variable->type);
  };
  {
    const Region region(*this, early);
    if (count == 0) {
      loops_.push_back({code_.new_label(), end});
      checked_only(n->kids[3], new_scope(scope, scope->space));
      loops_.pop_back();
    }
    for (; count > 0 && !frame_->is_finished; --count) {
      if (asks) leave_unless(n->kids[1], end, scope);
      loops_.push_back({code_.new_label(), end});
      {
        const Region turn(*this, early);  // a `continue` passes by what comes behind it
        body(n->kids[3], scope);
      }
      code_.place_label(loops_.back().next);
      loops_.pop_back();
      for (const Node* part : counting.turn)
        if (!advance(counting, part, scope)) turn_part(part, scope);
      if (early) keep_outer();
    }
    if (!early) keep_outer();
  }
  code_.place_label(end);
}

// What a loop does between its turns.
void Walk::turn_part(const Node* part, Scope* scope) {
  if (code_.is_dead() || frame_->is_finished) return checked_only(part, scope);
  locate(part->at);
  stop(part->at, scope);
  discard(part, scope);
}

void Walk::leave_unless(const Node* condition, const std::string& label, Scope* scope) {
  if (code_.is_dead()) return checked_only(condition, scope);
  locate(condition->at);
  stop(condition->at, scope);
  const Value c = condition_of(condition, scope);
  if (!c.known())
    code_.jump(label, "@!" + c.leaves[0].reg + " ");
  else if (c.leaves[0].i == 0)
    code_.jump(label);
}

// The condition stands before the loop, but for do, and at its end: so a turn has one jump.
void Walk::real_loop(const Node* n, Scope* scope) {
  if (n->kids[0] != nullptr) statement(n->kids[0], scope);
  const std::string begin = code_.new_label(), next = code_.new_label(), end = code_.new_label();
  locate(n->at);
  {
    const Region maybe(*this);
    if (n->kids[1] != nullptr && n->text != "do") leave_unless(n->kids[1], end, scope);
    const std::size_t first = code_.size();
    code_.place_loop_label(begin);
    loops_.push_back({next, end});
    {
      const Region repeated(*this);
      body(n->kids[3], scope);
    }
    code_.place_label(next);
    if (n->kids[2] != nullptr) turn_part(n->kids[2], scope);
    locate(n->at);
    jump_while(n->kids[1], begin, scope);
    code_.hoist(first);
    loops_.pop_back();
  }
  code_.place_label(end);
}

void Walk::jump_while(const Node* condition, const std::string& label, Scope* scope) {
  if (condition == nullptr) return code_.jump(label);
  if (code_.is_dead()) return checked_only(condition, scope);
  locate(condition->at);
  stop(condition->at, scope);
  const Value c = condition_of(condition, scope);
  if (!c.known() || c.leaves[0].i != 0) code_.jump(label, c.known() ? "" : "@" + c.leaves[0].reg + " ");
}

}  // namespace lab::cucc
