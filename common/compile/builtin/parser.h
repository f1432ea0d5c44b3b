// Tokens → tree: the third stage. By recursive descent, one function for each rule of the grammar.
//
// Enters: the preprocessor's tokens. Leaves: a Program, and messages: after a mistake it goes on with the
// next statement or declaration. C++ needs names to be parsed (`a * b` declares b where a is a type), so the
// parser knows which names are types and templates, and nothing else of them.
//
// Files: parser.cpp (tokens, names), parse_types.cpp, parse_declarations.cpp (outside of functions),
// parse_structs.cpp, parse_statements.cpp, parse_expressions.cpp.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/compile/builtin/lexer.h"
#include "common/compile/builtin/restored.h"
#include "common/compile/builtin/tree.h"

namespace lab::cucc {

class Parser {
 public:
  Parser(Tokens tokens, Program& program, Messages& messages);
  void file();
  // Whether the tree is whole: nothing was left out after a mistake.
  [[nodiscard]] bool is_whole() const { return is_whole_; }

 private:
  using Kind = NodeKind;

  // ---- tokens
  [[nodiscard]] const Token& peek(std::size_t ahead = 0) const;
  [[nodiscard]] bool is(std::string_view text, std::size_t ahead = 0) const;
  [[nodiscard]] bool is_name(std::size_t ahead = 0) const { return peek(ahead).kind == TokenKind::Name; }
  bool accept(std::string_view text);
  void expect(std::string_view text);
  void expect_semicolon(const char* after);
  Token take();
  std::string name(const char* what = "a name");
  std::string text();
  [[nodiscard]] std::string before_next() const;
  void add_error(const Error& error);
  void skip_statement();
  [[nodiscard]] int deeper() const;
  Node* make(Kind kind, Position at, std::string text = "", std::vector<Node*> kids = {}) {
    return program_.make(kind, at, std::move(text), std::move(kids));
  }

  // ---- names
  std::string peek_qualified(std::size_t& end) const;
  std::string qualified();
  [[nodiscard]] bool known_type(const std::string& name) const;
  [[nodiscard]] bool known_template(const std::string& name) const;
  [[nodiscard]] bool starts_type() const;
  [[nodiscard]] bool starts_declaration();
  [[nodiscard]] bool begins_statement() const;
  [[nodiscard]] bool declares_behind_arguments();
  [[nodiscard]] std::string seen_from_here(const std::string& name) const;
  [[noreturn]] void no_type(const std::string& name) const;
  void refuse_word() const;
  [[nodiscard]] bool declares_function();

  // ---- types
  Node* type_specifier();
  Node* pointers(Node* type);
  Node* arrays(Node* type);
  Node* type_name();
  std::vector<Node*> template_arguments();
  Node* declarator(Node* base, bool needs_name);
  Node* declarator_in_brackets(Node* type);
  std::string declared_name();

  // ---- declarations
  bool storage_word(Storage& s);
  bool alignment(Storage& s);
  Storage storage_words();
  Storage specifiers(Node*& base);
  void initialiser(Node* variable);
  Node* list();
  Node* in_round_brackets();
  void item();
  bool item_of_block();
  void items_in_braces();
  std::pair<std::string, std::string> space_alias();
  void space_item();
  void extern_c();
  void using_item();
  void using_all(const std::string& from);
  Node* enumeration();
  void type_definition();
  void add_alias(const std::string& alias, Node* type);
  void declarators(Node* base, const Storage& s, std::vector<TemplateParameter> templates);
  Node* bound_names(Node* type);
  Node* maybe_expanded(Node* n);
  Function* function(Node* declared, const Storage& s, std::vector<TemplateParameter> templates);
  std::vector<TemplateParameter> template_parameters();
  std::vector<Node*> parameters();
  Node* static_assertion();

  // ---- structs
  [[nodiscard]] bool starts_struct() const;
  [[nodiscard]] std::size_t behind_alignment(std::size_t ahead) const;
  std::string name_behind_braces() const;
  Node* structure(std::vector<TemplateParameter> templates, bool is_template, bool is_local = false);
  Node* structure_here(std::string& own);
  Node* structure_without_name(const Node& words);
  void member(Struct& s);
  void names_inside();
  bool type_inside(Struct& s);
  void enumeration_inside(Struct& s);
  void add_name(Struct& s, Position at, const std::string& own, Node* type);
  void constructor(Struct& s, const Storage& storage, std::vector<TemplateParameter> templates);
  void friend_function(const Struct& s, Position at);
  void conversion(Struct& s, const Storage& storage);
  std::vector<Node*> initials();
  void fields(Struct& s, const Storage& storage, Node* base, std::vector<TemplateParameter> templates);

  // ---- statements
  Node* block();
  Node* statement();
  Node* statement_by_word();
  Node* if_statement();
  Node* for_statement();
  Node* for_range(Position at);
  Node* condition();
  void warn_of_condition(const Node& condition);
  void warn(Position at, const char* text) { messages_.push_back({{at, text}, true}); }
  Node* local_declaration(bool in_condition = false);
  Node* local_struct();
  Node* local_alias();
  Node* local_enumeration();
  Node* expression_statement();
  Node* assembly();

  // ---- expressions
  Node* expression();
  Node* assignment();
  Node* binary(int least);
  Node* unary();
  Node* size_of();
  Node* c_cast();
  Node* postfix(Node* n);
  Node* primary();
  Node* named_cast();
  Node* typed_value();
  Node* lambda();
  void captures(Node* n);
  Node* in_brackets();
  Node* fold(Position at, Node* left);
  Node* changing(Node* n);

  Tokens tokens_;
  std::size_t i_ = 0;
  Program& program_;
  Messages& messages_;
  std::string space_;                                // "lab::"
  std::vector<std::set<std::string>> types_;         // names of types: of everything, then of each block
  std::map<std::string, std::string> other_spaces_;  // namespace cg = …; in this block and those around it
  std::set<std::string> templates_, inner_types_;    // inner: of structs, by their last name
  bool in_extern_c_ = false, is_whole_ = true;
  bool names_members_ = false;  // the value of `.a = …`: a line that begins with `.b` lacks a comma above it
  int depth_ = 0;
};

}  // namespace lab::cucc
