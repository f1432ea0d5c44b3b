// Statements. See parser.h.
#include <algorithm>
#include <array>
#include <string>

#include "common/compile/builtin/operators.h"
#include "common/compile/builtin/parser.h"

namespace lab::cucc {

// A mistake ends its statement, and the block goes on.
Node* Parser::block() {
  const Restored depth(depth_, deeper());
  const Restored spaces(other_spaces_, other_spaces_);
  Node* n = make(Kind::Block, peek().at);
  expect("{");
  types_.emplace_back();
  const std::size_t scopes = types_.size();
  while (!is("}")) {
    if (peek().kind == TokenKind::End)
      fail(peek().at, "the file ends inside of a block: the { of line {} has no }", n->at.line);
    const std::size_t begin = i_;
    try {
      n->kids.push_back(statement());
    } catch (const Error& error) {
      if (peek().kind == TokenKind::End) throw;
      types_.resize(scopes);
      add_error(error);
      if (i_ == begin) take();
      skip_statement();
    }
  }
  types_.pop_back();
  n->end = peek().at;
  expect("}");
  return n;
}

Node* Parser::statement() {
  const Restored depth(depth_, deeper());
  const Position at = peek().at;
  if (peek().kind == TokenKind::Unroll) {
    const Token count = take();
    const bool is_number = !count.text.empty() && count.text[0] >= '0' && count.text[0] <= '9';
    Node* loop = statement();
    loop->unroll = make(is_number || count.text.empty() ? Kind::Number : Kind::Name, count.at,
                        count.text.empty() ? "1048576" : count.text);
    return loop;
  }
  if (is("[") && is("[", 1)) storage_words();  // [[fallthrough]]
  if (is("{")) return block();
  if (accept(";")) return make(Kind::Empty, at);
  if (Node* n = statement_by_word(); n != nullptr) return n;
  if (is("else")) fail(at, "this else has no if: before it stands no single statement and no block in { }");
  if (is_name() && is(":", 1) && !is("default")) refuse(at, "labels and goto", "use a loop and break");
  return starts_declaration() ? local_declaration() : expression_statement();
}

// Behind a `return` whose `;` is missing: no value begins like this.
bool Parser::begins_statement() const {
  constexpr std::array kWords{"if",    "for",   "while", "do",         "switch", "return",
                              "const", "break", "auto",  "__shared__", "using",  "constexpr"};
  return std::any_of(kWords.begin(), kWords.end(), [&](const char* word) { return is(word); }) ||
         (is_name(1) && is("=", 2)) || (is("*", 1) && is_name(2) && is("=", 3));
}

// null where no keyword of a statement stands.
Node* Parser::statement_by_word() {
  const Position at = peek().at;
  if (accept("if")) return if_statement();
  if (accept("for")) return for_statement();
  if (accept("while")) {
    Node* c = condition();
    return make(Kind::For, at, "", {nullptr, c, nullptr, statement()});
  }
  if (accept("do")) {
    Node* n = make(Kind::For, at, "do", {nullptr, nullptr, nullptr, statement()});
    if (!is("while")) fail(peek().at, "expected 'while' after the body of do{}", before_next());
    take();
    n->kids[1] = condition();
    expect_semicolon("do … while (…)");
    return n;
  }
  if (accept("return")) {
    const bool ends = is(";") || is("}") || (peek().begins_line && begins_statement());
    Node* n = make(Kind::Return, at, "", {ends ? nullptr : is("{") ? list() : expression()});
    expect_semicolon("return");
    return n;
  }
  if (is("break") || is("continue")) {
    const std::string word = take().text;
    Node* n = make(word == "break" ? Kind::Break : Kind::Continue, at);
    expect_semicolon(word == "break" ? "break" : "continue");
    return n;
  }
  if (accept("switch")) {
    Node* n = make(Kind::Switch, at, "", {condition()});
    n->kids.push_back(statement());
    return n;
  }
  if (accept("case") || (is("default") && is(":", 1) && accept("default"))) {
    const bool is_default = is(":");
    Node* n = make(Kind::Case, at);
    if (!is_default) n->kids = {expression()};
    expect(":");
    return n;
  }
  if (is("asm") || is("__asm__")) return assembly();
  if (is("static_assert")) return static_assertion();
  if (is("namespace") && is("=", 2)) {
    const auto [other, space] = space_alias();
    other_spaces_[other] = space;
    return make(Kind::Empty, at);
  }
  refuse_word();
  return nullptr;
}

// if (condition), if constexpr (condition), if (const int row = …; condition), if (const int row = …).
Node* Parser::if_statement() {
  const Position at = tokens_[i_ - 1].at;
  Node* n = make(Kind::If, at);
  if (accept("constexpr")) n->text = "constexpr";
  expect("(");
  types_.emplace_back();
  Node* first = starts_declaration() ? local_declaration(true) : nullptr;
  Node* c =
      first != nullptr && is(")") ? make(Kind::Name, first->at, first->kids.back()->text) : expression();
  if (first == nullptr && accept(";")) {  // if (++k; k < 4)
    first = make(Kind::Expression, c->at, "", {c});
    c = expression();
  }
  warn_of_condition(*c);
  expect(")");
  n->kids = {c, statement()};
  n->kids.push_back(accept("else") ? statement() : nullptr);
  types_.pop_back();
  return first == nullptr ? n : make(Kind::Block, at, "", {first, n});
}

Node* Parser::condition() {
  if (!is("(")) fail(peek().at, "expected '(' before the condition");
  take();
  if (starts_declaration()) refuse(peek().at, "a declaration in a condition", "declare the variable before");
  Node* n = expression();
  warn_of_condition(*n);
  expect(")");
  return n;
}

// Right C++ that means something else than it seems to.
void Parser::warn_of_condition(const Node& condition) {
  if (condition.in_brackets) return;
  if (condition.kind == Kind::Assign && condition.text.empty())
    warn(condition.at, "= assigns here, and the condition is what was assigned: write == to compare");
  const auto orders = [](const Node& n) {
    return n.kind == Kind::Binary && !n.in_brackets && operator_of(n.text) != nullptr &&
           operator_of(n.text)->group == Operator::Group::Order;
  };
  if (orders(condition) && orders(*condition.kids[0]))
    warn(condition.at, "a < b < c compares with what a < b gives, which is 0 or 1: write a < b && b < c");
  if (condition.kind == Kind::Binary && (condition.text == "&&" || condition.text == "||"))
    for (const Node* side : condition.kids) warn_of_condition(*side);
}

Node* Parser::for_statement() {
  Node* n = make(Kind::For, tokens_[i_ - 1].at);
  expect("(");
  types_.emplace_back();
  for (std::size_t ahead = 0, depth = 0; peek(ahead).kind != TokenKind::End && !is(";", ahead); ++ahead) {
    if (is("(", ahead)) ++depth;
    if (is(")", ahead) && depth-- == 0) break;
    if (is("?", ahead)) break;
    if (is(":", ahead) && depth == 0 && ahead > 0 && (is_name(ahead - 1) || is("]", ahead - 1)))
      return for_range(n->at);
  }
  n->kids.push_back(is(";")                ? (take(), nullptr)
                    : starts_declaration() ? local_declaration()
                                           : expression_statement());
  n->kids.push_back(is(";") ? nullptr : expression());
  expect(";");
  const std::set<Program::NameInItem> before =
      program_.changed;  // counting is no change: the loop may be written out
  n->kids.push_back(is(")") ? nullptr : expression());
  program_.changed = before;
  expect(")");
  n->kids.push_back(statement());
  types_.pop_back();
  return n;
}

// for (T v : array) body, as { auto& #range = array; for (unsigned #i = 0; #i < its count; ++#i) { T v =
// #range[#i]; body } }
Node* Parser::for_range(Position at) {
  const auto name = [&](const char* text) { return make(Kind::Name, at, text); };
  const auto size = [&](Node* of) {
    Node* n = make(Kind::SizeOf, at);
    n->kids = {of};
    return n;
  };
  const auto declare = [&](Node* type, const char* text, Node* value) {
    Node* v = make(Kind::Variable, at, text, {value});
    v->type = type;
    return make(Kind::Declaration, at, "", {v});
  };
  Node* base = nullptr;
  const Storage storage = specifiers(base);
  Node* v = declarator(base, true);
  v->storage = storage;
  expect(":");
  if (is("{")) refuse(at, "a for over values in { }", "name an array of them");
  Node* range = expression();
  expect(")");
  Node* element = make(Kind::Index, at, "", {name("#range"), name("#i")});
  v->kids = {element};
  Node* body = make(Kind::Block, at, "", {make(Kind::Declaration, at, "", {v}), statement()});
  types_.pop_back();
  Node* count = make(
      Kind::Binary, at, "/",
      {size(name("#range")), size(make(Kind::Index, at, "", {name("#range"), make(Kind::Number, at, "0")}))});
  Node* loop = make(
      Kind::For, at, "",
      {declare(make(Kind::NamedType, at, "unsigned int"), "#i", make(Kind::Number, at, "0")),
       make(Kind::Binary, at, "<", {name("#i"), count}), make(Kind::Unary, at, "++", {name("#i")}), body});
  Node* whole =
      declare(make(Kind::ReferenceType, at, "&&", {make(Kind::NamedType, at, "auto")}), "#range", range);
  const auto asked = [&](const char* function) {
    return make(Kind::Call, at, "", {make(Kind::Member, at, function, {name("#range")})});
  };
  Node* own = make(Kind::Variable, at, v->text, {make(Kind::Unary, at, "*", {name("#at")})});
  own->type = v->type, own->storage = v->storage, own->names = v->names;
  Node* steps = make(
      Kind::For, at, "",
      {declare(make(Kind::NamedType, at, "auto"), "#at", asked("begin")),
       make(Kind::Binary, at, "!=", {name("#at"), name("#end")}), make(Kind::Unary, at, "++", {name("#at")}),
       make(Kind::Block, at, "", {make(Kind::Declaration, at, "", {own}), body->kids[1]})});
  Node* walked =
      make(Kind::Block, at, "", {declare(make(Kind::NamedType, at, "auto"), "#end", asked("end")), steps});
  return make(Kind::Block, at, "range", {whole, loop, walked});
}

Node* Parser::local_declaration(bool in_condition) {
  if (is("using") || is("typedef")) return local_alias();
  const std::size_t own = behind_alignment(1);
  if ((is("struct") || is("union") || is("class")) && is_name(own) && is("{", own + 1)) return local_struct();
  if (is("enum")) return local_enumeration();
  if (is("class") || is("template"))
    refuse(peek().at, "'" + peek().text + "' inside of a function", "write it before the function");
  Node* n = make(Kind::Declaration, peek().at);
  Node* base = nullptr;
  const Storage s = specifiers(base);
  do {
    Node* v = declarator(base, true);
    v->storage = s;
    if (declares_function())
      refuse(
          v->at, "a function that is declared inside of another",
          is(")", 1) && is(";", 2) ? "leave out the () to declare a variable" : "write it before the kernel");
    initialiser(v);
    types_.back().erase(v->text);
    for (const std::string& bound : v->names) types_.back().erase(bound);
    n->kids.push_back(v);
  } while (accept(","));
  const bool is_condition = in_condition && is(")") && n->kids.size() == 1 && !n->kids[0]->kids.empty();
  if (!is_condition) expect_semicolon("declaration");
  return n;
}

// A struct of a namespace of its own; the name that it has here.
Node* Parser::structure_here(std::string& own) {
  const Restored outside(space_, space_ + "#" + std::to_string(tokens_.size() - i_) + "::");
  Node* type = structure({}, false, true);
  own = type->text.substr(space_.size());
  return type;
}

// struct Pack {…};, with variables of it behind the braces or none.
Node* Parser::local_struct() {
  Node* alias = make(Kind::Alias, peek().at);
  alias->type = structure_here(alias->text);
  types_.back().insert(alias->text);
  Node* n = make(Kind::Declaration, alias->at, "", {alias});
  while (!is(";")) {
    Node* v = declarator(make(Kind::NamedType, alias->at, alias->text), true);
    initialiser(v);
    types_.back().erase(v->text);
    n->kids.push_back(v);
    if (!accept(",")) break;
  }
  expect_semicolon("struct");
  return n;
}

// enum { kTile = 32 }; as constants.
Node* Parser::local_enumeration() {
  Struct constants;
  const Position at = peek().at;
  if (is("class", 1) || is("struct", 1))
    refuse(at, "'enum class' inside of a function", "write it before the function");
  enumeration_inside(constants);
  Node* n = make(Kind::Declaration, at, "", constants.aliases);
  for (Node* v : n->kids) {
    if (v->kind == Kind::Alias) continue;
    v->storage.is_static = false;
    Node* fixed = make(Kind::NamedType, at, v->type->text);
    fixed->is_const = true;
    v->type = fixed;
    types_.back().erase(v->text);
  }
  return n;
}

Node* Parser::local_alias() {
  Node* alias = make(Kind::Alias, peek().at);
  if ((is("struct", 1) || is("union", 1)) && (is("{", 2) || is("{", 3)))
    refuse(alias->at, "typedef and struct in one inside of a function", "write struct Name {…};");
  if (take().text == "typedef") {
    const Node* v = declarator(type_specifier(), true);
    alias->text = v->text, alias->type = v->type;
  } else {
    if (!is_name() || !is("=", 1))
      refuse(alias->at, "this using inside of a function", "write it before the function");
    alias->text = name();
    expect("=");
    alias->type = type_name();
  }
  expect_semicolon("a name for a type");
  types_.back().insert(alias->text);
  return make(Kind::Declaration, alias->at, "", {alias});
}

Node* Parser::expression_statement() {
  std::size_t end = 0;
  const std::string q = peek_qualified(end);
  const std::size_t ahead = end - i_;
  if (!q.empty() && is_name(ahead) && !is("(", ahead + 1) && !is("<", ahead + 1)) no_type(q);
  Node* n = make(Kind::Expression, peek().at);
  n->kids = {expression()};
  if (n->kids[0]->kind == Kind::Binary && n->kids[0]->text == "==")
    warn(n->kids[0]->at, "== compares here, and nothing uses what comes out: write = to assign");
  expect_semicolon("expression");
  return n;
}

// asm volatile("…" : outputs : inputs : clobbers);
Node* Parser::assembly() {
  Node* n = make(Kind::Assembly, take().at);
  while (accept("volatile") || accept("__volatile__")) n->names = {"volatile"};
  expect("(");
  if (peek().kind != TokenKind::String)
    fail(peek().at, "expected the text of the instruction in \"\"{}", before_next());
  n->text = text();
  for (int part = 0; part < 3 && (is(":") || is("::"));) {
    part += take().text == "::" ? 2 : 1;
    while (peek().kind == TokenKind::String) {
      const std::string constraint = text();
      if (accept("(")) {
        n->operands.push_back(
            {constraint, part == 1 ? changing(make(Kind::Assign, peek().at, "", {expression()}))->kids[0]
                                   : expression()});
        expect(")");
        n->outputs += part == 1 ? 1 : 0;
      }
      if (!accept(",")) break;
    }
  }
  expect(")");
  expect_semicolon("asm");
  return n;
}

}  // namespace lab::cucc
