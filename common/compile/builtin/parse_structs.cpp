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
           accept("__inline__") || accept("constinit") || accept("explicit");
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
    n->kids.push_back(maybe_expanded(is("{") ? list() : assignment()));
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
Node* Parser::structure(std::vector<TemplateParameter> templates, bool is_template, bool is_local) {
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
  for (const TemplateParameter& t : s.templates)
    if (t.is_pack && &t != &s.templates.back())
      refuse(s.at, "parameters of a template behind a pack", "write the pack last");
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
  s.is_local = is_local;
  if (is(";")) return type;
  expect("{");
  names_inside();
  while (!is("}")) {
    if (peek().kind == TokenKind::End) expect("}");
    member(s);
  }
  expect("}");
  s.is_complete = true;
  if (!s.asserts.empty() && s.templates.empty() && !is_local) program_.asserting.push_back(q);
  return type;
}

// Bodies of functions see types that the struct has further down.
void Parser::names_inside() {
  for (std::size_t ahead = 0, depth = 0; peek(ahead).kind != TokenKind::End; ++ahead) {
    if (is("{", ahead)) ++depth;
    if (is("}", ahead) && depth-- == 0) return;
    const bool begins = is("struct", ahead) || is("class", ahead) || is("union", ahead) || is("enum", ahead);
    const std::size_t own = ahead + (begins && (is("class", ahead + 1) || is("struct", ahead + 1)) ? 2 : 1);
    const bool declares = (begins && is_name(own) && (is("{", own + 1) || is(":", own + 1))) ||
                          (is("using", ahead) && is_name(own) && is("=", own + 1));
    if (depth == 0 && declares) types_.back().insert(peek(own).text), inner_types_.insert(peek(own).text);
  }
}

// A name inside of the struct, and with the struct's before it.
void Parser::add_name(Struct& s, Position at, const std::string& own, Node* type) {
  Node* alias = make(Kind::Alias, at, own);
  alias->type = type;
  s.aliases.push_back(alias);
  types_.back().insert(own);
  types_[0].insert(space_ + s.name + "::" + own);
}

// struct Inner {…}; and enum {…}; inside of a struct; true if one stood here.
bool Parser::type_inside(Struct& s) {
  const Position at = peek().at;
  if (is("enum")) return enumeration_inside(s), true;
  if (!starts_struct()) return false;
  if (is("{", behind_alignment(1))) return false;  // union {…} pack;
  std::string own;
  Node* type = structure_here(own);
  add_name(s, at, own, type);
  if (!peek().begins_line && (is_name() || is("*")))
    fields(s, Storage(), type, {});
  else
    expect_semicolon("struct");
  return true;
}

// Constants of an enum with a scope are of its type, others are numbers.
void Parser::enumeration_inside(Struct& s) {
  const Position at = peek().at;
  const bool is_scoped = is("class", 1) || is("struct", 1);
  if (is_scoped) {
    const std::string space = space_ + "#" + std::to_string(tokens_.size() - i_) + "::";
    Node* type = nullptr;
    {
      const Restored inside(space_, space);
      type = enumeration();
    }
    add_name(s, at, type->text.substr(space.size()), type);
    return expect_semicolon("enum");
  }
  take();
  const std::string own = is_name() ? name() : "";
  Node* type = accept(":") ? type_specifier() : make(Kind::NamedType, at, "int");
  expect("{");
  for (std::string last; !is("}");) {
    Node* v = make(Kind::Variable, peek().at, name("a name of a constant"));
    v->type = type;
    v->storage.is_static = v->storage.is_constexpr = true;
    if (accept("="))
      v->kids = {assignment()};
    else if (last.empty())
      v->kids = {make(Kind::Number, v->at, "0")};
    else
      v->kids = {
          make(Kind::Binary, v->at, "+", {make(Kind::Name, v->at, last), make(Kind::Number, v->at, "1")})};
    last = v->text;
    s.aliases.push_back(v);
    if (!accept(",")) break;
  }
  expect("}");
  if (!own.empty()) add_name(s, at, own, type);
  expect_semicolon("enum");
}

// Behind its words: Name(int rows) : rows_(rows) {…}. Copies are made by themselves.
void Parser::constructor(Struct& s, const Storage& storage, std::vector<TemplateParameter> templates) {
  Function& f = program_.make_function();
  f.at = peek().at, f.name = take().text, f.space = space_;
  f.returns = make(Kind::NamedType, f.at, "void");
  f.templates = std::move(templates);
  f.storage = storage;
  f.parameters = parameters();
  while (accept("noexcept")) {
  }
  const bool copies = f.parameters.size() == 1 && f.parameters[0]->type->kind == Kind::ReferenceType &&
                      f.parameters[0]->type->kids[0]->text == s.name;
  if (is("=")) {
    f.is_defaulted = is("default", 1), f.is_deleted = is("delete", 1);
    i_ += 2;
    expect(";");
    if (!copies) s.constructors.push_back(&f);
  } else {
    if (copies) refuse(f.at, "a constructor that copies", "write = default behind it");
    if (accept(":")) f.initials = initials();
    f.body = block();
    s.constructors.push_back(&f);
  }
  types_.pop_back();
  types_.pop_back();
}

// rows_(rows), tile_{}, as variables.
std::vector<Node*> Parser::initials() {
  std::vector<Node*> all;
  do {
    Node* v = make(Kind::Variable, peek().at, name("a member"));
    if (is("<")) template_arguments();
    if (!is("(") && !is("{")) expect("(");
    v->kids = {list()};
    all.push_back(v);
  } while (accept(","));
  return all;
}

// A function of the namespace that is written inside of a struct.
void Parser::friend_function(const Struct& s, Position at) {
  if (!s.templates.empty() || is("struct") || is("class"))
    refuse(at, "this 'friend'", "write a function behind the struct");
  types_.emplace_back();
  Node* base = nullptr;
  const Storage storage = specifiers(base);
  declarators(base, storage, {});
  types_.pop_back();
}

// operator float() const {…}
void Parser::conversion(Struct& s, const Storage& storage) {
  Node* v = make(Kind::Variable, take().at, "operator_type");
  v->type = type_name();
  s.functions[v->text].push_back(function(v, storage, {}));
  types_.pop_back();
}

void Parser::member(Struct& s) {
  const Position at = peek().at;
  if (accept(";")) return;
  if (accept("public") || accept("private") || accept("protected")) return expect(":");
  if (accept("using")) {
    Node* alias = make(Kind::Alias, at, name());
    expect("=");
    alias->type = type_name();
    add_name(s, at, alias->text, alias->type);
    return expect_semicolon("using");
  }
  if (type_inside(s)) return;
  if (accept("friend")) return friend_function(s, at);
  if (is("static_assert")) return s.asserts.push_back(static_assertion());
  types_.emplace_back();
  std::vector<TemplateParameter> templates;
  if (accept("template")) templates = template_parameters();
  if (!templates.empty() && (starts_struct() || is("using")))
    refuse(at, "a template of a type inside of a struct", "write it before the struct");
  Storage storage = storage_words();
  if (accept("~")) {
    take(), expect("("), expect(")");
    while (storage_word(storage) || accept("noexcept")) {
    }
    const bool does_nothing = (is("=") && is("default", 1)) || (is("{") && is("}", 1));
    if (!does_nothing) refuse(at, "a destructor that does something", "call a function at the end");
    i_ += 2;
    accept(";");
    return types_.pop_back();
  }
  if (is(s.name) && is("(", 1)) return constructor(s, storage, std::move(templates));
  if (is("operator") && peek(1).kind == TokenKind::Name) return conversion(s, storage);
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
      if (f->body == nullptr && !f->is_defaulted && !f->is_deleted)
        refuse(v->at, "functions of structs that are only declared", "write the body inside of the struct");
      if (v->text == "operator=") {
        if (f->is_defaulted || f->is_deleted) return;
        refuse(v->at, "an operator= of one's own", "assign the members");
      }
      return s.functions[v->text].push_back(f);
    }
    if (is(":")) refuse(v->at, "bit-fields", "use shifts and masks");
    v->storage = storage;
    initialiser(v);
    const bool is_constant = v->type->is_const && !v->kids.empty();
    if (storage.is_static && !storage.is_constexpr && !is_constant)
      refuse(v->at, "static members that are not constexpr",
             "write static constexpr, or a variable outside of the struct");
    if (!storage.is_static)
      s.fields.push_back(v);
    else
      s.aliases.push_back(v);
  } while (accept(","));
  expect_semicolon("member");
}

}  // namespace lab::cucc
