// Statements. See walk.h.
#include <map>
#include <set>

#include "common/compile/builtin/walk.h"

namespace lab::cucc {
namespace {

constexpr long kMostSteps = 1'000'000;  // statements of one kernel, all walks together
constexpr std::size_t kMostInstructions = 200'000;

}  // namespace

void Walk::locate(Position at) {
  if (is_toolkit(at)) return;
  at_ = at;
  code_.place = places_.number_of(at, frame_->call);
}

void Walk::report(const Error& error) {
  if (reported_.insert({error.at, error.text}).second) messages_.push_back({error});
}

// A mistake ends its statement, and the walk goes on with the next.
void Walk::statement(const Node* n, Scope* scope) {
  if (n == nullptr) return;
  if (++steps_ > kMostSteps || code_.size() > kMostInstructions)
    throw Fatal{{n->at,
                 "this kernel is more than the built-in compiler takes: look for endless loops of constants, "
                 "templates or macros"}};
  if (left_ != Kind::Empty) return;
  if (frame_->is_finished) return checked_only(n, scope);
  const Frame* frame = frame_;
  try {
    statement_alone(n, scope);
  } catch (const Error& error) {
    report(error);
    frame_ = const_cast<Frame*>(frame);
  } catch (const Unchecked&) {
    if (frame_->is_finished || !code_.is_dead()) frame_ = const_cast<Frame*>(frame);
  }
}

// What a loop or a function repeats or calls: its block declares no name of theirs again.
void Walk::body(const Node* n, Scope* scope) {
  Scope* inner = new_scope(scope, scope->space);
  inner->continues = true;
  if (n->kind != Kind::Block) return statement(n, inner);
  for (const Node* s : n->kids) statement(s, inner);
}

// Code that no way leads to: only its mistakes count.
void Walk::checked_only(const Node* n, Scope* scope) {
  if (computes_) return;
  const bool was_dead = code_.is_dead();
  const Code::Mark before = code_.mark();
  const Frame kept = *frame_;
  Frame* frame = frame_;
  code_.set_dead(true);
  frame->is_finished = false;
  ++frame->nest;
  try {
    if (is_statement(*n))
      statement_alone(n, scope);
    else
      expression(n, scope);
  } catch (const Error& error) {
    report(error);
  } catch (const Unchecked&) {
  }
  frame_ = frame;
  *frame = kept;
  code_.back_to(before);
  code_.set_dead(was_dead);
}

void Walk::statement_alone(const Node* n, Scope* scope) {
  using Form = void (Walk::*)(const Node*, Scope*);
  static const std::map<Kind, Form> kForms = {
      {Kind::Block, &Walk::block},       {Kind::If, &Walk::if_statement},
      {Kind::For, &Walk::for_loop},      {Kind::Switch, &Walk::switch_statement},
      {Kind::Case, &Walk::case_label},   {Kind::Return, &Walk::return_statement},
      {Kind::Break, &Walk::leave_loop},  {Kind::Continue, &Walk::leave_loop},
      {Kind::Assembly, &Walk::assembly}, {Kind::StaticAssert, &Walk::static_assertion}};
  if (n->kind != Kind::Block && n->kind != Kind::Declaration) {
    locate(n->at);
    if (n->kind != Kind::Case) stop(n->at, scope);
  }
  if (const auto form = kForms.find(n->kind); form != kForms.end()) return (this->*form->second)(n, scope);
  if (n->kind == Kind::Expression) return discard(n->kids[0], scope);
  for (const Node* v : n->kids) declaration(v, scope);  // none of an empty one
}

void Walk::block(const Node* n, Scope* scope) {
  Scope* inner = new_scope(scope, scope->space);
  if (n->text == "range") {  // over an array, or from begin() to end()
    statement(n->kids[0], inner);
    const Entity* range = local(inner, "#range");
    if (range == nullptr || range->variable == nullptr) return;
    return statement(n->kids[is_struct(value_in(*range->variable).type) ? 2 : 1], inner);
  }
  for (const Node* s : n->kids) statement(s, inner);
}

void Walk::case_label(const Node* n, Scope* /*scope*/) {
  if (computes_) return;
  if (!cases_.contains(n))
    refuse(n->at, "a case that is not right inside of its switch", "write it in the block of the switch");
  code_.place_label(cases_.at(n));
}

void Walk::leave_loop(const Node* n, Scope* /*scope*/) {
  if (computes_) return void(left_ = n->kind);
  const std::string label = label_behind(n);
  if (label.empty())
    fail(n->at, n->kind == Kind::Break ? "break belongs inside of a loop or a switch"
                                       : "continue belongs inside of a loop");
  code_.jump(label);
}

void Walk::static_assertion(const Node* n, Scope* scope) {
  if (constant_of(n->kids[0], scope, "what static_assert checks") == 0)
    fail(n->at, /* message */ "static_assert failed", n->text);
}

void Walk::declaration(const Node* v, Scope* scope) {
  locate(v->at);
  stop(v->at, scope);
  try {
    if (v->kind != Kind::Alias) return variable(v, scope);
    const Type* t = resolve(v->type, scope);
    scope->names[v->text] = {nullptr, t};
  } catch (const Error& error) {  // what uses the name is not reported, too
    // A type of a header that is wrong for these arguments: they are the mistake.
    report(v->kind == Kind::Alias && error.at.file != v->at.file ? Error{v->at, error.text, error.is_unknown}
                                                                 : error);
    scope->names.try_emplace(v->text, Entity{nullptr, nullptr, true});
  } catch (const Unchecked&) {
    scope->names[v->text] = {nullptr, nullptr, true};
  }
}

// An expression whose value is not used. Of what is only named, a volatile is read all the same.
void Walk::discard(const Node* n, Scope* scope) {
  const Value v = expression(n, scope);
  if (v.kind == Value::Kind::Functions)
    fail(n->at, "this names a function and does not call it: write ( ) behind it");
  const bool changed =
      n->kind == Kind::Assign || (n->kind == Kind::Unary && n->text != "*") || n->kind == Kind::Cast;
  if (v.is_place() && v.type->is_volatile && v.type->kind != TypeKind::Array && !changed) load(v, n->at);
}

// A condition with a mistake is reported, and what depends on it is checked all the same.
Value Walk::condition_of(const Node* n, Scope* scope) {
  try {
    return truth(value_of(n, scope), n->at);
  } catch (const Error& error) {
    report(error);
    return in_register(scalar(TypeKind::Bool), code_.new_register("%p"));
  }
}

void Walk::if_statement(const Node* n, Scope* scope) {
  const bool is_constexpr = n->text == "constexpr";
  const Value c = is_constexpr ? constant(scalar(TypeKind::Bool),
                                          constant_of(n->kids[0], scope, "the condition of if constexpr"))
                               : condition_of(n->kids[0], scope);
  Scope* inner = new_scope(scope, scope->space);
  const Node *yes = n->kids[1], *no = n->kids[2];
  if (c.known()) {
    const bool first = c.leaves[0].i != 0;
    if (const Node* other = first ? no : yes; !is_constexpr && other != nullptr)
      checked_only(other, new_scope(scope, scope->space));
    return statement(first ? yes : no, inner);
  }
  if (no == nullptr && leaves_at_once(yes, c)) return;
  const std::string other = code_.new_label(), end = code_.new_label();
  code_.jump(other, "@!" + c.leaves[0].reg + " ");
  {
    const Region region(*this);
    statement(yes, inner);
    if (no != nullptr) code_.jump(end);
  }
  code_.place_label(other);
  if (no == nullptr) return;
  {
    const Region region(*this);
    statement(no, new_scope(scope, scope->space));
  }
  code_.place_label(end);
}

// Where break and continue lead to; "" for other statements, and where nothing is around that they leave.
std::string Walk::label_behind(const Node* n) const {
  if (loops_.empty()) return "";
  return n->kind == Kind::Break ? loops_.back().end : n->kind == Kind::Continue ? loops_.back().next : "";
}

// if (…) continue; is a jump with a condition.
bool Walk::leaves_at_once(const Node* yes, const Value& condition) {
  if (yes->kind == Kind::Block && yes->kids.size() == 1) yes = yes->kids[0];
  const std::string label = label_behind(yes);
  if (!label.empty()) code_.jump(label, "@" + condition.leaves[0].reg + " ");
  return !label.empty();
}

void Walk::switch_statement(const Node* n, Scope* scope) {
  if (n->kids[1]->kind != Kind::Block) refuse(n->at, "a switch without { }", "write the cases in { }");
  const Value v = value_of(n->kids[0], scope);
  const bool takes = is_integer(v.type) || v.type->kind == TypeKind::Enum;
  if (!takes) fail(n->kids[0]->at, "switch takes an integer, and this is a {}", v.type);
  if (computes_) return computed_switch(n, v, scope);
  const std::string end = code_.new_label();
  std::string otherwise = end;
  std::set<std::int64_t> values;
  const Type* t = types_.promoted(v.type->kind == TypeKind::Enum ? v.type->of : v.type);
  const Value by = converted(v, t, n->at, true);
  for (const Node* c : n->kids[1]->kids) {
    if (c->kind != Kind::Case) continue;
    cases_[c] = code_.new_label();
    if (c->kids.empty()) {
      if (otherwise != end) fail(c->at, "this switch has a default already");
      otherwise = cases_[c];
      continue;
    }
    const std::int64_t value = wrapped(t, constant_of(c->kids[0], scope, "a case"));
    if (!values.insert(value).second) fail(c->at, "this switch has a case {} already", value);
    const Value is = binary("==", by, constant(t, value), c->at);
    code_.jump(cases_[c], "@" + reg_of(is.leaves[0], is.type) + " ");
  }
  code_.jump(otherwise);
  loops_.push_back({loops_.empty() ? "" : loops_.back().next, end});
  {
    Scope* inner = new_scope(scope, scope->space);
    Region region(*this);
    for (const Node* s : n->kids[1]->kids) {
      if (s->kind == Kind::Case) region.begin_again();
      statement(s, inner);
    }
  }
  loops_.pop_back();
  code_.place_label(end);
}

void Walk::return_statement(const Node* n, Scope* scope) {
  Frame& frame = *frame_;
  const Node* e = n->kids[0];
  Value v = nothing();
  if (e != nullptr && e->kind == Kind::List) {
    if (frame.returns->kind == TypeKind::Auto || frame.returns->kind == TypeKind::Void)
      fail(n->at, "a list in braces has no type here: write the type before it");
    v = filled(types_.plain(frame.returns), e, scope, e->at);
  } else if (e != nullptr) {
    v = expression(e, scope);
    if (frame.returns->kind == TypeKind::Reference) return return_reference(n, v);
    v = rvalue(v, n->at);
    if (v.kind == Value::Kind::Lambda && (frame.nest > 0 || !frame.result.empty() || frame.end.empty()))
      refuse(n->at, "a lambda as a result from inside of a condition or a loop", "call it here");
    if (v.kind == Value::Kind::Lambda) {
      frame.value = v;
      frame.is_finished = true;
      return;
    }
    if (frame.returns->kind == TypeKind::Auto) frame.returns = types_.plain(v.type);
    if (frame.returns->kind == TypeKind::Void && v.type->kind != TypeKind::Void)
      fail(n->at,
           "this function is void and returns nothing: take out the value, or change the type before the "
           "function's name");
    v = converted(v, types_.plain(frame.returns), n->at);
  } else if (frame.returns->kind != TypeKind::Void && frame.returns->kind != TypeKind::Auto) {
    fail(n->at, "this function returns a {}: write a value behind return", frame.returns);
  }
  if (e == nullptr && frame.returns->kind == TypeKind::Auto) frame.returns = scalar(TypeKind::Void);
  if (frame.end.empty()) {  // a kernel
    code_.end_here();
    frame.is_finished = frame.nest == 0;
  } else if (frame.nest == 0 && frame.result.empty()) {
    frame.value = v;
    frame.is_finished = true;
  } else {
    hand_over(std::move(v));
  }
}

void Walk::return_reference(const Node* n, const Value& v) {
  if (frame_->nest > 0)
    refuse(n->at, "a reference returned from inside of a condition or a loop", "return a pointer");
  if (!v.is_place()) fail(n->at, "a reference to a value: return a variable, an element or a member");
  if (types_.plain(v.type) != types_.plain(frame_->returns->of))
    fail(n->at, "a reference to a {} cannot refer to a {}", frame_->returns->of, v.type);
  frame_->value = v;
  frame_->is_finished = true;
}

// Into the registers that all returns of this call write to.
void Walk::hand_over(Value v) {
  Frame& frame = *frame_;
  v = generic(std::move(v));
  if (frame.result.empty()) frame.result = new_registers(v.type, true);
  set_all(frame.result, v);
  if (frame.nest == 0)
    frame.is_finished = true;
  else
    code_.jump(frame.end);
}

}  // namespace lab::cucc
