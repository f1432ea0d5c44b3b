// What stands outside of functions: variables, functions, namespaces, names for names. See parser.h.

#include "common/compile/builtin/parser.h"

namespace lab::cucc {

void Parser::file() {
  try {
    while (peek().kind != TokenKind::End) {
      if (!is("}"))
        item_of_block();
      else if (is_whole_)
        add_error({take().at, "this } closes nothing: a { before it is missing"});
      else
        take();
    }
  } catch (const Error& too_many) {
    if (!too_many.text.empty()) throw;
  }
}

// One item, with its own mistakes.
bool Parser::item_of_block() {
  const std::size_t scopes = types_.size(), begin = i_;
  ++program_.item;
  try {
    item();
    return true;
  } catch (const Error& error) {
    types_.resize(scopes);
    add_error(error);
    if (i_ == begin) take();
    skip_statement();
    return false;
  }
}

void Parser::item() {
  const Position at = peek().at;
  if (accept(";")) return;
  if (peek().kind == TokenKind::Unroll) return void(take());
  if ((is("inline") && is("namespace", 1)) || is("namespace")) return space_item();
  if (is("extern") && peek(1).kind == TokenKind::String && is("{", 2)) return extern_c();
  if (accept("using")) return using_item();
  if (is("static_assert")) return void(program_.asserts.emplace_back(static_assertion(), space_));
  if (is("enum")) return enumeration(), expect_semicolon("enum");
  if (accept("typedef")) return type_definition();
  types_.emplace_back();
  const bool is_template = accept("template");
  std::vector<TemplateParameter> templates;
  if (is_template && !is("<"))
    refuse(at, "explicit instantiations", "take it out: the call makes what is needed");
  if (is_template) templates = template_parameters();
  refuse_word();
  if (is_template && accept("using")) {
    const std::string alias = name();
    expect("=");
    program_.templates[space_ + alias] = std::move(templates);
    templates_.insert(space_ + alias);
    add_alias(alias, type_name());
    expect_semicolon("using");
  } else if (starts_struct()) {
    Node* type = structure(std::move(templates), is_template);
    if (!peek().begins_line && (is_name() || is("*")))
      declarators(type, Storage(), {});
    else
      expect_semicolon("struct");
  } else {
    Node* base = nullptr;
    const Storage s = specifiers(base);
    declarators(base, s, std::move(templates));
  }
  types_.pop_back();
}

// typedef float Row[32]; typedef struct {…} Tile, *TilePointer;
void Parser::type_definition() {
  Node* base = nullptr;
  if (is("enum") && (is("{", 1) || is("{", 2)))
    base = enumeration();
  else
    base = starts_struct() ? structure({}, false) : type_specifier();
  do {
    const Node* v = declarator(base, true);
    if (v->type->kind != Kind::NamedType || v->type->text != space_ + v->text) add_alias(v->text, v->type);
  } while (accept(","));
  expect_semicolon("typedef");
}

// namespace cg = cooperative_groups; as (other name, name).
std::pair<std::string, std::string> Parser::space_alias() {
  expect("namespace");
  std::pair<std::string, std::string> names;
  names.first = name();
  expect("=");
  names.second = qualified();
  expect_semicolon("the namespace's other name");
  return names;
}

void Parser::space_item() {
  if (is("namespace") && is("=", 2)) {
    const Position at = peek().at;
    const auto [other, space] = space_alias();
    if (program_.same.emplace(space_ + other, space).first->second != space)
      refuse(at, "a name for two namespaces", "choose another name");
    return;
  }
  accept("inline");
  expect("namespace");
  const Restored outside(space_, space_);
  while (is_name()) {
    space_ += name() + "::";
    program_.spaces.insert(space_.substr(0, space_.size() - 2));
    accept("::");
  }
  items_in_braces();
}

void Parser::extern_c() {
  i_ += 2;
  const Restored inside(in_extern_c_, true);
  items_in_braces();
}

void Parser::items_in_braces() {
  expect("{");
  while (!is("}") && peek().kind != TokenKind::End) item_of_block();
  expect("}");
}

void Parser::declarators(Node* base, const Storage& s, std::vector<TemplateParameter> templates) {
  bool first = true;
  do {
    Node* v = declarator(base, true);
    if (first && is("(") && !s.is_shared && !s.is_constant) {
      const bool is_template = !templates.empty();
      Function* f = function(v, s, std::move(templates));
      if (is_template) templates_.insert(space_ + v->text);
      std::vector<Function*>& all = program_.functions[space_ + v->text];
      if (f->body != nullptr || f->is_deleted) all.push_back(f);
      if (f->body != nullptr && f->storage.is_kernel) program_.order.push_back(space_ + v->text);
      return;
    }
    const bool is_template = !templates.empty();
    if (is_template) {
      program_.templates[space_ + v->text] = templates;
      templates_.insert(space_ + v->text);
    }
    v->storage = s;
    initialiser(v);
    types_[0].erase(space_ + v->text);
    if (!program_.variables.emplace(space_ + v->text, Program::Variable{v, space_}).second)
      fail(v->at, "'{}' is declared twice: give one of them another name", v->text);
    if (!is_template) program_.order.push_back(space_ + v->text);
    first = false;
  } while (accept(","));
  expect_semicolon("declaration");
}

// Behind its name: parameters, and a body or a semicolon.
Function* Parser::function(Node* declared, const Storage& s, std::vector<TemplateParameter> templates) {
  if (declared->text.empty()) fail(declared->at, "a function needs a name before its parameters");
  if (s.most_threads != nullptr && !s.is_kernel)
    fail(declared->at, "__launch_bounds__ belongs to a kernel: write __global__ before it");
  Function& f = program_.make_function();
  f.name = declared->text, f.space = space_, f.at = declared->at, f.returns = declared->type;
  f.templates = std::move(templates);
  f.storage = s;
  if (!f.templates.empty()) templates_.insert(space_ + declared->text);
  f.parameters = parameters();
  while (accept("const") || accept("noexcept")) {
  }
  if (accept("->")) f.returns = type_name();
  if (is("=") && is("delete", 1)) {
    i_ += 2, f.is_deleted = true;
    if (f.at.file == 0 && accept("(")) f.instead = text(), expect(")");  // of the prelude alone
  }
  if (is("=") && is("default", 1) && (f.name == "operator==" || f.name == "operator="))
    i_ += 2, f.is_defaulted = true;
  if (is(";") || f.is_deleted)
    expect(";");
  else if (is("{"))
    f.body = block();
  else
    fail(peek().at, "expected '{' or ';' after the parameters of '{}'{}", f.name, before_next());
  types_.pop_back();
  return &f;
}

// Opens a scope of types, which the caller closes behind the body.
std::vector<Node*> Parser::parameters() {
  std::vector<Node*> result;
  types_.emplace_back();
  expect("(");
  if (is("void") && is(")", 1)) ++i_;
  while (!is(")")) {
    if (is("...")) refuse(peek().at, "parameters without a type", "write a pack: template <typename... T>");
    Node* type = pointers(type_specifier());
    const bool is_pack = accept("...");
    Node* v = declarator(type, false);
    v->is_pack = is_pack;
    if (accept("=")) v->kids = {is("{") ? list() : assignment()};
    for (const Node* other : result)
      if (!v->text.empty() && other->text == v->text)
        fail(v->at, "there are two parameters '{}': give one of them another name", v->text);
    result.push_back(v);
    for (std::set<std::string>& scope : types_) scope.erase(v->text);
    if (is_pack && is(",")) refuse(peek().at, "parameters behind a pack", "write the pack last");
    if (!accept(",")) break;
  }
  expect(")");
  return result;
}

std::vector<TemplateParameter> Parser::template_parameters() {
  std::vector<TemplateParameter> result;
  expect("<");
  while (!is(">")) {
    TemplateParameter p;
    if (accept("typename") || accept("class")) {
      p.is_pack = accept("...");
      if (is_name()) p.name = name();
      types_.back().insert(p.name);
      if (accept("=")) p.standard = type_name();
    } else {
      if (is("template")) refuse(peek().at, "templates as arguments of templates", "write typename");
      Node* type = type_specifier();
      p.is_pack = accept("...");
      const Node* v = declarator(type, false);
      p.name = v->text;
      p.value_type = v->type;
      if (accept("=")) p.standard = binary(9);
    }
    if (p.name.empty()) p.name = "unnamed " + std::to_string(result.size());
    result.push_back(std::move(p));
    if (!accept(",")) break;
  }
  expect(">");
  return result;
}

// ---- names for names

void Parser::add_alias(const std::string& alias, Node* type) {
  program_.aliases[space_ + alias] = type;
  types_[0].insert(space_ + alias);
}

void Parser::using_item() {
  if (accept("namespace")) {
    const std::string space = qualified();
    expect_semicolon("using namespace");
    return using_all(space + "::");
  }
  if (accept("enum")) {
    const std::string q = qualified();
    expect_semicolon("using enum");
    std::vector<std::string> members;
    for (const auto& [enumerator, value] : program_.enumerators)
      if (enumerator.starts_with(q + "::")) members.push_back(enumerator);
    for (const std::string& m : members) program_.same[space_ + m.substr(q.size() + 2)] = m;
    return;
  }
  const Position at = peek().at;
  const bool is_from_outside = is("::");
  const std::string q = qualified();
  const std::size_t last = q.rfind("::");
  if (last == std::string::npos && !is_from_outside) {
    if (!accept("=")) refuse(at, "this using", "write using Name = type;");
    add_alias(q, type_name());
  } else {
    const std::string own = space_ + (last == std::string::npos ? q : q.substr(last + 2));
    if (own != q) program_.same[own] = q;
    if (types_[0].contains(q)) types_[0].insert(own);
    if (templates_.contains(q)) templates_.insert(own);
  }
  expect_semicolon("using");
}

void Parser::using_all(const std::string& from) {
  const auto all = [&](const auto& names) {
    for (const auto& [known, ignored] : names)
      if (known.starts_with(from)) program_.same.emplace(space_ + known.substr(from.size()), known);
  };
  all(program_.variables), all(program_.functions), all(program_.structs), all(program_.aliases),
      all(program_.enumerators);
  for (const auto& [alias, of] : program_.same) {
    if (types_[0].contains(of)) types_[0].insert(alias);
    if (templates_.contains(of)) templates_.insert(alias);
  }
}

Node* Parser::enumeration() {
  const Position at = take().at;
  const bool is_scoped = accept("class") || accept("struct");
  const std::string own = is_name() ? name() : name_behind_braces();
  Node* underlying = accept(":") ? type_specifier() : nullptr;
  if (!own.empty()) {
    program_.enums[space_ + own] = {is_scoped, underlying};
    types_[0].insert(space_ + own);
  }
  expect("{");
  std::string last;
  const auto one_more = [&](Position at) {
    Node* before = make(Kind::Cast, at, "static_cast", {make(Kind::Name, at, last)});
    before->type = underlying != nullptr ? underlying : make(Kind::NamedType, at, "int");
    return make(Kind::Binary, at, "+", {before, make(Kind::Number, at, "1")});
  };
  while (!is("}")) {
    const Position at = peek().at;
    const std::string e = name("a name of a constant");
    Node* value = accept("=") ? assignment() : last.empty() ? make(Kind::Number, at, "0") : one_more(at);
    last = space_ + (own.empty() ? "" : own + "::") + e;
    program_.enumerators[last] = {value, space_ + (own.empty() ? "" : own + "::"),
                                  own.empty() ? "" : space_ + own};
    if (!is_scoped && !own.empty()) program_.same[space_ + e] = last;
    if (!accept(",")) break;
  }
  expect("}");
  return make(Kind::NamedType, at, space_ + own);
}

Node* Parser::static_assertion() {
  Node* n = make(Kind::StaticAssert, take().at);
  expect("(");
  n->kids = {assignment()};
  if (accept(",")) n->text = take().text;
  expect(")");
  expect_semicolon("static_assert");
  return n;
}

}  // namespace lab::cucc
