// Structs, and the words and values of declarations. See parser.h.
#include <map>

#include "common/compile/builtin/parser.h"

namespace lab::cucc {

// ---- words before a declaration

bool Parser::storage_word(Storage& s) {
  static const std::map<std::string, bool Storage::*> kWords = {
      {"constexpr", &Storage::is_constexpr}, {"consteval", &Storage::is_constexpr},
      {"__shared__", &Storage::is_shared},   {"__constant__", &Storage::is_constant},
      {"__device__", &Storage::is_device},   {"__global__", &Storage::is_kernel},
      {"static", &Storage::is_static},       {"extern", &Storage::is_extern}};
  if (is("extern") && peek(1).kind == TokenKind::String) {
    take();
    s.has_plain_name = take().text == "C";
  } else if (const auto word = kWords.find(peek().text); word != kWords.end() && is(word->first)) {
    s.*word->second = true, take();
  } else if (is("alignas") || is("__align__")) {
    return alignment(s);
  } else if (accept("__launch_bounds__")) {
    expect("(");
    s.most_threads = assignment();
    while (accept(",")) assignment();
    expect(")");
  } else if (is("[") && is("[", 1)) {
    while (!is("]") && peek().kind != TokenKind::End) take();
    expect("]");
    expect("]");
  } else {
    refuse_word();
    return accept("inline") || accept("__forceinline__") || accept("__noinline__") || accept("__host__") ||
           accept("__inline__") || accept("constinit");
  }
  return true;
}

bool Parser::alignment(Storage& s) {
  take();
  expect("(");
  if (starts_type()) {
    s.align = make(Kind::SizeOf, peek().at, "align");
    s.align->type = type_name();
  } else {
    s.align = expression();
  }
  expect(")");
  return true;
}

Storage Parser::storage_words() {
  Storage s;
  s.has_plain_name = in_extern_c_;
  while (storage_word(s)) {
  }
  return s;
}

// `static const float`, `const static float`: words and type in any order.
Storage Parser::specifiers(Node*& base) {
  Storage s = storage_words();
  bool is_const = false;
  while (is("const") && (is("static", 1) || is("__shared__", 1) || is("__device__", 1) ||
                         is("__constant__", 1) || is("constexpr", 1))) {
    is_const = accept("const");
    while (storage_word(s)) {
    }
  }
  base = type_specifier();
  base->is_const |= is_const;
  while (storage_word(s) || is("const") || is("volatile")) {
    if (accept("const"))
      base->is_const = true;
    else if (accept("volatile"))
      base->is_volatile = true;
  }
  if (s.has_plain_name && !in_extern_c_ && s.is_static)
    fail(peek().at, "extern \"C\" and static exclude each other: take static out");
  return s;
}

// ---- values to begin with

void Parser::initialiser(Node* variable) {
  if (accept("="))
    variable->kids = {is("{") ? list() : assignment()};
  else if (is("{"))
    variable->kids = {list()};
  else if (is("("))
    variable->kids = {in_round_brackets()};
}

// {a, b} or (a, b).
Node* Parser::list() {
  const Restored depth(depth_, deeper());
  const std::string open = peek().text == "(" ? "(" : "{", close = open == "(" ? ")" : "}";
  Node* n = make(Kind::List, peek().at, open);
  expect(open);
  while (!is(close)) {
    std::string designator;
    if (is(".") && is_name(1)) {
      take();
      designator = name();
      if (is(".") || is("["))
        refuse(peek().at, "a designator of several parts", "write the inner value in braces");
      if (!is("{")) expect("=");
    }
    n->names.push_back(designator);
    const Restored member(names_members_, !designator.empty());
    n->kids.push_back(is("{") ? list() : assignment());
    if (!accept(",")) break;
  }
  expect(is(close) || !peek().begins_line || peek().kind == TokenKind::End ? close : ",");
  return n;
}

// (a) is a value, (a, b) a list of them.
Node* Parser::in_round_brackets() {
  Node* all = list();
  return all->kids.size() == 1 ? all->kids[0] : all;
}

// ---- structs

// struct Name { or struct Name;, not `struct Name variable`.
bool Parser::starts_struct() const {
  if (!is("struct") && !is("class") && !is("union")) return false;
  return !is_name(1) || is("alignas", 1) || is("__align__", 1) || !(is("*", 2) || is("&", 2) || is_name(2));
}

// What stands behind `alignas(…)`, if that stands there.
std::size_t Parser::behind_alignment(std::size_t ahead) const {
  while (is("alignas", ahead) || is("__align__", ahead)) {
    int depth = 0;
    do {
      ++ahead;
      depth += is("(", ahead) ? 1 : is(")", ahead) ? -1 : 0;
    } while (depth > 0 && peek(ahead).kind != TokenKind::End);
    ++ahead;
  }
  return ahead;
}

// The name behind `struct {…} Name` and `enum {…} Name`; "" where none stands there.
std::string Parser::name_behind_braces() const {
  std::size_t ahead = 0, depth = 0;
  while (!is("{", ahead) && peek(ahead).kind != TokenKind::End) ++ahead;
  do {
    if (is("{", ahead)) ++depth;
    if (is("}", ahead)) --depth;
    ++ahead;
  } while (depth > 0 && peek(ahead).kind != TokenKind::End);
  return is_name(ahead) ? peek(ahead).text : "";
}

// The type, as a name.
Node* Parser::structure(std::vector<TemplateParameter> templates, bool is_template) {
  const Position at = peek().at;
  const std::string word = take().text;
  const Storage storage = storage_words();
  Struct& s = program_.make_struct();
  s.at = peek().at;
  s.is_union = word == "union";
  s.name = is("{") ? name_behind_braces() : name("a name of the struct");
  if (s.name.empty()) fail(s.at, "expected a name of the struct{}", before_next());
  s.space = space_;
  s.align = storage.align;
  s.templates = std::move(templates);
  const std::string q = space_ + s.name;
  if (!s.templates.empty()) templates_.insert(q);
  if (is("<")) s.special = template_arguments();
  if (is_template && s.templates.empty() == s.special.empty())
    refuse(s.at, "specialisations for some of the arguments", "give all of them");
  if (is(":")) refuse(peek().at, "structs that inherit", "make the other struct a member");
  types_[0].insert(q);
  const auto known = program_.structs.find(q);
  if (!s.special.empty()) {
    if (known == program_.structs.end())
      fail(s.at, "there is no template '{}' before this specialisation", s.name);
    known->second->specialised.push_back(&s);
  } else if (known == program_.structs.end() || !is(";")) {
    if (known != program_.structs.end() && known->second->is_complete)
      fail(s.at, "the struct '{}' is defined twice: give one of them another name", s.name);
    program_.structs[q] = &s;
  }
  Node* type = make(Kind::NamedType, at, q);
  if (is(";")) return type;
  expect("{");
  if (word == "class" && !is("public")) refuse(at, "'class'", "write struct");
  while (!is("}")) {
    if (peek().kind == TokenKind::End) expect("}");
    member(s);
  }
  expect("}");
  s.is_complete = true;
  return type;
}

void Parser::member(Struct& s) {
  const Position at = peek().at;
  if (accept(";")) return;
  if (accept("public") || accept("private") || accept("protected")) return expect(":");
  if (accept("using")) {
    Node* alias = make(Kind::Alias, at, name());
    expect("=");
    alias->type = type_name();
    s.aliases.push_back(alias);
    types_[types_.size() - 1].insert(alias->text);
    return expect_semicolon("using");
  }
  if (is("struct") || is("enum") || is("class") || is("union"))
    refuse(at, "a type inside of a struct", "write it before the struct");
  if (is("static_assert")) {
    Node* assertion = static_assertion();
    if (s.templates.empty())
      program_.asserts.emplace_back(assertion, space_);  // a template has no values yet
    return;
  }
  types_.emplace_back();
  std::vector<TemplateParameter> templates;
  if (accept("template")) templates = template_parameters();
  Storage storage = storage_words();
  if (is("~") || (is(s.name) && is("(", 1)))
    refuse(at, "constructors and destructors", "give the members values in braces: " + s.name + "{…}");
  Node* base = nullptr;
  const Storage more = specifiers(base);
  storage.is_static |= more.is_static, storage.is_constexpr |= more.is_constexpr;
  if (storage.align == nullptr) storage.align = more.align;
  fields(s, storage, base, std::move(templates));
  types_.pop_back();
}

void Parser::fields(Struct& s, const Storage& storage, Node* base, std::vector<TemplateParameter> templates) {
  do {
    Node* v = declarator(base, true);
    if (is("(")) {
      if (!templates.empty()) templates_.insert(v->text), templates_.insert(space_ + v->text);
      Function* f = function(v, storage, std::move(templates));
      if (f->body == nullptr)
        refuse(v->at, "functions of structs that are only declared", "write the body inside of the struct");
      return s.functions[v->text].push_back(f);
    }
    if (is(":")) refuse(v->at, "bit-fields", "use shifts and masks");
    v->storage = storage;
    initialiser(v);
    if (storage.is_static && !storage.is_constexpr)
      refuse(v->at, "static members that are not constexpr",
             "write static constexpr, or a variable outside of the struct");
    if (!storage.is_static)
      s.fields.push_back(v);
    else
      s.constants.push_back(v);
  } while (accept(","));
  expect_semicolon("member");
}

}  // namespace lab::cucc
