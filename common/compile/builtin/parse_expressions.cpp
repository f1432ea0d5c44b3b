// Expressions, by precedence. See parser.h.
#include <array>
#include <set>

#include "common/compile/builtin/operators.h"
#include "common/compile/builtin/parser.h"

namespace lab::cucc {
namespace {

const std::set<std::string, std::less<>> kAssignments = {
    "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
constexpr std::array kPrefixes = {"!", "-", "+", "~", "*", "&", "++", "--"};
constexpr std::array kNamedCasts = {"static_cast", "reinterpret_cast", "const_cast"};

}  // namespace

// The name that an expression changes: it will not stay what it began as.
Node* Parser::changing(Node* n) {
  const Node* target = n->kids[0];
  while (target != nullptr && (target->kind == Kind::Index || target->kind == Kind::Member))
    target = target->kids[0];
  if (target != nullptr && target->kind == Kind::Name)
    (target == n->kids[0] ? program_.changed : program_.changed_inside).insert({program_.item, target->text});
  return n;
}

Node* Parser::expression() {
  Node* left = assignment();
  while (is(",") && !is("...", 1)) {
    const Position at = take().at;
    left = make(Kind::Binary, at, ",", {left, assignment()});
  }
  return left;
}

Node* Parser::assignment() {
  const Restored depth(depth_, deeper());
  Node* left = binary(1);
  if (is("?")) {
    const Position at = take().at;
    Node* yes = expression();
    expect(":");
    return make(Kind::Conditional, at, "?", {left, yes, assignment()});
  }
  if (peek().kind != TokenKind::Punctuation || !kAssignments.contains(peek().text) || is("...", 1))
    return left;
  const Token sign = take();
  return changing(make(Kind::Assign, sign.at, sign.text.substr(0, sign.text.size() - 1),
                       {left, is("{") ? list() : assignment()}));
}

Node* Parser::binary(int least) {
  Node* left = unary();
  for (;;) {
    const Operator* o = peek().kind == TokenKind::Punctuation ? operator_of(peek().text) : nullptr;
    if (o == nullptr || o->level < least || is("...", 1)) return left;
    const Token last = tokens_[i_ - 1], sign = take();
    left = make(Kind::Binary, sign.at, o->sign, {left, binary(o->level + 1)});
    left->begins_line = sign.begins_line;
    left->end = last.at;
    left->end.column += static_cast<int>(last.text.size());
  }
}

Node* Parser::unary() {
  const Restored depth(depth_, deeper());
  const Position at = peek().at;
  for (const std::string_view sign : kPrefixes) {
    if (!is(sign)) continue;
    take();
    Node* n = make(Kind::Unary, at, std::string(sign), {unary()});
    return sign == "++" || sign == "--" ? changing(n) : n;
  }
  if (is("sizeof") || is("alignof")) return size_of();
  if (is("("))
    if (Node* n = c_cast(); n != nullptr) return n;
  refuse_word();
  return postfix(primary());
}

Node* Parser::size_of() {
  const Token word = take();
  Node* n = make(Kind::SizeOf, word.at, word.text == "alignof" ? "align" : "");
  if (accept("...")) {
    expect("(");
    n->text = "...", n->names = {name("a pack")};
    expect(")");
    return n;
  }
  const bool bracket = accept("(");
  if (bracket && starts_type())
    n->type = type_name();
  else
    n->kids = {bracket ? expression() : unary()};
  if (bracket) expect(")");
  return n;
}

// (float)x; null where the brackets hold no type.
Node* Parser::c_cast() {
  const std::size_t begin = i_;
  const Position at = take().at;
  if (starts_type()) {
    Node* type = type_name();
    if (accept(")")) {
      Node* n = make(Kind::Cast, at, "c", {is("{") ? list() : unary()});
      n->type = type;
      return n;
    }
  }
  i_ = begin;
  return nullptr;
}

Node* Parser::postfix(Node* n) {
  for (;;) {
    const Position at = peek().at;
    if (accept("[")) {
      n = make(Kind::Index, at, "", {n, is("{") ? list() : expression()});
      expect("]");
    } else if (accept("(")) {
      n = make(Kind::Call, at, "", {n});
      while (!is(")")) {
        n->kids.push_back(maybe_expanded(is("{") ? list() : assignment()));
        if (!accept(",")) break;
      }
      expect(")");
    } else if (names_members_ && is(".") && peek().begins_line) {
      return n;
    } else if (is(".") || is("->")) {
      const bool arrow = take().text == "->";
      accept("template");
      const Position of_name = peek().at;
      if (arrow) n = make(Kind::Unary, at, "*", {n}), n->member = "->";
      n = make(Kind::Member, of_name, name("the name of a member"), {n});
      if (is("<") && known_template(n->text)) n->arguments = template_arguments();
    } else if (is("++") || is("--")) {
      n = changing(make(Kind::Postfix, at, take().text, {n}));
    } else {
      return n;
    }
  }
}

Node* Parser::primary() {
  const Token first = peek();
  switch (first.kind) {
    case TokenKind::Number:
      return make(Kind::Number, first.at, take().text);
    case TokenKind::Character:
      return make(Kind::Character, first.at, take().text);
    case TokenKind::String:
      return make(Kind::String, first.at, text());
    default:
      break;
  }
  if (is("(")) return in_brackets();
  if (is("[")) return lambda();
  for (const std::string_view cast : kNamedCasts)
    if (is(cast)) return named_cast();
  if (is("true") || is("false") || is("nullptr")) return make(Kind::Name, first.at, take().text);
  if (starts_type()) return typed_value();
  if (first.kind != TokenKind::Name && !is("::")) fail(first.at, "expected an expression{}", before_next());
  Node* n = make(Kind::Name, first.at, qualified());
  if (is("<") && known_template(n->text)) {
    n->arguments = template_arguments();
    if (accept("::")) n->member = name();
  }
  return n;
}

// (a), (pack + ...), (... + pack), (a + ... + pack).
Node* Parser::in_brackets() {
  const Position at = take().at;
  Node* n = is("...") ? nullptr : expression();
  const bool folds = n == nullptr || is("...", 1);
  if (folds) return fold(at, n);
  expect(")");
  n->in_brackets = true;
  return n;
}

Node* Parser::fold(Position at, Node* left) {
  Node* n = make(Kind::Fold, at, left == nullptr ? "" : take().text, {left, nullptr});
  expect("...");
  if (!is(")")) {
    n->text = take().text;
    n->kids[1] = unary();
  }
  expect(")");
  return n;
}

Node* Parser::named_cast() {
  const Token cast = take();
  Node* n = make(Kind::Cast, cast.at, cast.text);
  expect("<");
  n->type = type_name();
  expect(">");
  expect("(");
  n->kids = {expression()};
  expect(")");
  return n;
}

// float(x), float4{x, y, z, w}, Traits<T>::kSize, Traits<T>::function(x).
Node* Parser::typed_value() {
  Node* n = make(Kind::Cast, peek().at, "type");
  n->type = type_specifier();
  const auto known = program_.structs.find(seen_from_here(n->type->text));
  const bool calls = known != program_.structs.end() && (known->second->functions.contains(n->type->member) ||
                                                         !inner_types_.contains(n->type->member));
  if (!n->type->member.empty() && !is("{") && (calls || !is("("))) {
    Node* constant = make(Kind::Name, n->at, n->type->text);
    constant->arguments = n->type->arguments;
    constant->member = n->type->member;
    return constant;
  }
  if (is("{")) {
    n->kids = {list()};
  } else if (is("(")) {
    n->kids = {in_round_brackets()};
  } else {
    fail(peek().at, "expected '(' or '{' behind the type '{}'{}", n->type->text, before_next());
  }
  return n;
}

Node* Parser::lambda() {
  Node* n = make(Kind::Lambda, take().at);
  captures(n);
  const std::size_t begin = i_;
  n->kids = {nullptr};
  if (is("("))
    for (Node* v : parameters()) n->kids.push_back(v);
  else
    types_.emplace_back();
  while ((is("mutable") && (n->in_brackets = true) && accept("mutable")) || accept("__device__") ||
         accept("constexpr") || accept("__host__") || accept("noexcept")) {
  }
  if (accept("->")) n->type = type_name();
  n->kids[0] = block();
  types_.pop_back();
  for (std::size_t at = begin; at < i_; ++at)
    if (tokens_[at].kind == TokenKind::Name) n->names.push_back(tokens_[at].text);
  return n;
}

// [&], [=], [a, &b], [=, &a], [n = rows / 4], [this].
void Parser::captures(Node* n) {
  if ((is("&") || is("=")) && (is("]", 1) || is(",", 1))) {
    n->text = take().text;
    accept(",");
  }
  while (!accept("]")) {
    if (is("*") && is("this", 1)) refuse(peek().at, "a copy of the object", "write [this]");
    Node* v = make(Kind::Variable, peek().at);
    v->member = accept("&") ? "&" : "=";
    if (is("...")) refuse(peek().at, "a captured pack with a name of its own", "write [&] or [=]");
    v->text = name("a captured variable");
    if (accept("..."))
      v->is_pack = true;
    else if (accept("="))
      v->kids = {assignment()};
    else if (is("{") || is("("))
      v->kids = {list()};
    n->captures.push_back(v);
    if (!accept(",") && !is("]")) expect("]");
  }
}

}  // namespace lab::cucc
