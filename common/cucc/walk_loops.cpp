// Loops: written out where the number of turns is known and small, so that arrays indexed by it stay in
// registers; else with a jump back. See walk.h.
#include <algorithm>

#include "common/cucc/walk.h"

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

}  // namespace

void Walk::for_loop(const Node* n, Scope* scope) {
  Scope* inner = new_scope(scope, scope->space);
  if (is_candidate(n) && !is_never_unrolled(n, inner)) return written_out(n, inner);
  real_loop(n, inner);
}

// for (int k = …; k < …; k += …): one variable, which only the loop itself changes.
bool Walk::is_candidate(const Node* n) {
  const Node *init = n->kids[0], *turn = n->kids[2];
  if (rolled_.contains(n) || init == nullptr || init->kind != Kind::Declaration || init->kids.size() != 1 ||
      n->kids[1] == nullptr || turn == nullptr)
    return false;
  const Node* v = init->kids[0];
  const bool counts = v->kind == Kind::Variable && !turn->kids.empty() && turn->kids[0]->kind == Kind::Name &&
                      turn->kids[0]->text == v->text;
  const bool by_known_step =
      turn->kind == Kind::Assign ? !turn->text.empty() : (turn->text == "++" || turn->text == "--");
  return counts && by_known_step && !assigned_.contains(v) && !in_memory_.contains(v);
}

bool Walk::is_never_unrolled(const Node* n, Scope* scope) {
  return n->unroll != nullptr && constant_of(n->unroll, scope, "the count of #pragma unroll") == 1;
}

// Hopes for a known number of turns; notes where that fails.
void Walk::written_out(const Node* n, Scope* scope) {
  const Node *v = n->kids[0]->kids[0], *turn = n->kids[2];
  variable(v, scope);
  Variable* counter = local(scope, v->text)->variable;
  if (counter == nullptr || counter->refers || counter->leaves.size() != 1 || !counter->leaves[0].known() ||
      !is_integer(counter->type))
    note(rolled_, n);
  Counting counting{n, bound_of(n), counter, constant(scalar(TypeKind::Int), 1),
                    turn->kind == Kind::Assign ? turn->text : turn->text.substr(1)};
  if (turn->kind == Kind::Assign) counting.step = value_of(turn->kids[1], scope);
  if (!counting.step.known()) note(rolled_, n);
  const Leaf begin = counter->leaves[0];
  const int most = n->unroll != nullptr ? kMostTurnsAsked : kMostTurns;
  int count = 0;
  for (; has_turn(counting, scope); advance(counting))
    if (++count > most) note(rolled_, n);
  counter->leaves[0] = begin;
  const int copies = copies_;
  if (copies * std::max(count, 1) > (n->unroll != nullptr ? kMostCopiesAsked : kMostCopies)) note(rolled_, n);
  copies_ = copies * std::max(count, 1);
  turns(counting, count, scope);
  copies_ = copies;
}

bool Walk::has_turn(const Counting& counting, Scope* scope) {
  const Code::Mark before = code_.mark();
  const Value c = truth(value_of(counting.bound, scope), counting.loop->at);
  code_.back_to(before);
  if (!c.known()) note(rolled_, counting.loop);
  return c.leaves[0].i != 0;
}

void Walk::advance(const Counting& counting) {
  Variable& v = *counting.counter;
  const Value old = constant(v.type, v.leaves[0].i);
  const Value next = converted(binary(counting.sign, old, counting.step, counting.loop->at),
                               types_.plain(v.type), counting.loop->at, true);
  if (!next.known()) note(rolled_, counting.loop);
  v.leaves[0] = next.leaves[0];
}

void Walk::turns(const Counting& counting, int count, Scope* scope) {
  const Node* n = counting.loop;
  const bool asks = counting.bound != n->kids[1];
  const bool early = leaves_early(n->kids[3]) || asks;
  const std::string end = code_.new_label();
  {
    const Region region(*this, early);
    if (count == 0) checked_only(n->kids[3], new_scope(scope, scope->space));
    for (; count > 0 && !frame_->is_finished; --count, advance(counting)) {
      if (asks) leave_unless(n->kids[1], end, scope);
      loops_.push_back({code_.new_label(), end});
      {
        const Region turn(*this, early);  // a `continue` passes by what comes behind it
        body(n->kids[3], scope);
      }
      code_.place_label(loops_.back().next);
      loops_.pop_back();
    }
  }
  code_.place_label(end);
}

void Walk::leave_unless(const Node* condition, const std::string& label, Scope* scope) {
  if (code_.is_dead()) return checked_only(condition, scope);
  locate(condition->at);
  const Value c = condition_of(condition, scope);
  if (!c.known())
    code_.jump(label, "@!" + c.leaves[0].reg + " ");
  else if (c.leaves[0].i == 0)
    code_.jump(label);
}

// The condition stands before the loop and at its end: so a turn has one jump.
void Walk::real_loop(const Node* n, Scope* scope) {
  if (n->kids[0] != nullptr) statement(n->kids[0], scope);
  const std::string begin = code_.new_label(), next = code_.new_label(), end = code_.new_label();
  locate(n->at);
  {
    const Region maybe(*this);
    if (n->kids[1] != nullptr) leave_unless(n->kids[1], end, scope);
    const std::size_t first = code_.size();
    code_.place_loop_label(begin);
    loops_.push_back({next, end});
    {
      const Region repeated(*this);
      body(n->kids[3], scope);
    }
    code_.place_label(next);
    if (n->kids[2] != nullptr && code_.is_dead()) {
      checked_only(n->kids[2], scope);
    } else if (n->kids[2] != nullptr) {
      locate(n->kids[2]->at);
      discard(n->kids[2], scope);
    }
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
  const Value c = condition_of(condition, scope);
  if (!c.known() || c.leaves[0].i != 0) code_.jump(label, c.known() ? "" : "@" + c.leaves[0].reg + " ");
}

void Walk::do_loop(const Node* n, Scope* scope) {
  const std::string begin = code_.new_label(), next = code_.new_label(), end = code_.new_label();
  const std::size_t first = code_.size();
  code_.place_loop_label(begin);
  loops_.push_back({next, end});
  {
    const Region loop(*this);
    {
      const Region repeated(*this);
      body(n->kids[0], new_scope(scope, scope->space));
    }
    code_.place_label(next);
    jump_while(n->kids[1], begin, scope);
  }
  code_.hoist(first);
  loops_.pop_back();
  code_.place_label(end);
}

}  // namespace lab::cucc
