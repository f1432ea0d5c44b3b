// Types and declarators: what stands before a name, around it and behind it. See parser.h.
#include <algorithm>
#include <map>
#include <set>

#include "common/base/nearest.h"
#include "common/compile/builtin/parser.h"

namespace lab::cucc {
namespace {

const std::set<std::string, std::less<>> kTypeWords = {"void", "bool",     "char",     "short",   "int",
                                                       "long", "unsigned", "signed",   "float",   "double",
                                                       "auto", "const",    "volatile", "typename"};
const std::set<std::string, std::less<>> kDeclarationWords = {
    "constexpr", "__shared__", "static", "extern", "alignas",  "__align__",  "using",       "typedef",
    "struct",    "union",      "class",  "enum",   "template", "__device__", "__constant__"};
// Further words that are no names.
const std::set<std::string, std::less<>> kWords = {
    "if",       "else",      "for",  "while",    "do",           "switch",     "case",    "default", "break",
    "continue", "return",    "true", "false",    "sizeof",       "nullptr",    "this",    "new",     "delete",
    "inline",   "namespace", "goto", "operator", "__restrict__", "__global__", "__host__"};
// Types that CUDA declares before the first line.
const std::map<std::string, std::string, std::less<>> kWordTypes = {{"size_t", "unsigned long"},
                                                                    {"ptrdiff_t", "long"}};
// Words that other languages and headers of the host have in the place of a type.
const std::map<std::string, std::string> kForeign = {
    {"let", "auto"},           {"var", "auto"},           {"uint", "unsigned"},
    {"byte", "unsigned char"}, {"string", "const char*"}, {"std::string", "const char*"},
    {"std::size_t", "size_t"}};

// Types of several words, which stand in any order: their names by the words in the order of letters, without
// `int` and `signed` where others stand.
const std::map<std::string, std::string> kSeveralWords = {{"unsigned", "unsigned int"},
                                                          {"char unsigned", "unsigned char"},
                                                          {"char signed", "signed char"},
                                                          {"short unsigned", "unsigned short"},
                                                          {"long unsigned", "unsigned long"},
                                                          {"long long", "long long"},
                                                          {"long long unsigned", "unsigned long long"},
                                                          {"double long", "long double"}};

std::string without_underscores(std::string word) {
  std::erase(word, '_');
  return word;
}

// "" where the words together are no type.
std::string type_of_words(std::vector<std::string> words) {
  std::sort(words.begin(), words.end());
  const auto count = [&](const char* word) { return std::count(words.begin(), words.end(), word); };
  const auto others = static_cast<std::ptrdiff_t>(words.size()) - count("int");
  const bool has_size = count("short") + count("long") > 0;
  if (count("signed") == 1 && others == 1 + count("short") + count("long")) std::erase(words, "signed");
  if (count("int") == 1 && (has_size || count("unsigned") > 0)) std::erase(words, "int");
  if (words.empty()) return "int";
  if (words.size() == 1 && words[0] != "unsigned" && words[0] != "signed") return words[0];
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  const auto found = kSeveralWords.find(text);
  return found == kSeveralWords.end() ? "" : found->second;
}

}  // namespace

// A name where a type belongs, and another name behind it: what was meant?
void Parser::no_type(const std::string& name) const {
  const auto foreign = kForeign.find(name);
  std::string meant = foreign == kForeign.end() ? "" : foreign->second;
  std::vector<std::string> words(kTypeWords.begin(), kTypeWords.end());
  words.insert(words.end(), kDeclarationWords.begin(), kDeclarationWords.end());
  words.insert(words.end(), kWords.begin(), kWords.end());
  for (const std::set<std::string>& scope : types_) words.insert(words.end(), scope.begin(), scope.end());
  std::erase(words, name);  // a word of C++ in a wrong place
  for (const std::string& word : words)
    if (meant.empty() && without_underscores(word) == without_underscores(name)) meant = word;
  if (meant.empty()) meant = base::nearest(name, words);
  if (meant.empty()) fail(peek().at, "'{}' is no type here: declare it before, or check its spelling", name);
  fail(peek().at, "'{}' is no type here. Did you mean '{}'?", name, meant);
}

// int f() and int f(int x), and no variable with a value.
bool Parser::declares_function() {
  if (!is("(")) return false;
  const Restored back(i_, i_ + 1);
  return is(")") || (starts_type() && !is("(", 1) && !is("{", 1));
}

bool Parser::starts_type() const {
  if (!is_name() && !is("::")) return false;
  if (kTypeWords.contains(peek().text) || is("struct") || is("union") || is("decltype")) return true;
  std::size_t end = 0;
  const std::string q = peek_qualified(end);
  return kWordTypes.contains(q) || known_type(q);
}

bool Parser::starts_declaration() {
  if (is_name() && kDeclarationWords.contains(peek().text)) return true;
  if (!starts_type()) return false;
  if (kTypeWords.contains(peek().text) && !is("(", 1) && !is("{", 1)) return true;
  const std::size_t name = is("const", 3) ? 4 : 3;  // float (*const rows)[32]
  if (is("(", 1) && (is("*", 2) || is("&", 2)) && is_name(name) && is(")", name + 1) && is("[", name + 2))
    return true;
  if (is("decltype")) return declares_behind_arguments();
  std::size_t end = 0;
  const std::string q = peek_qualified(end);
  if (tokens_[end].text == "<") return declares_behind_arguments();
  const std::string& after = tokens_[end].text;
  return after != "(" && after != "{" && after != "::" && after != "." && after != "," && after != ")" &&
         after != ";";
}

// `Box<T> box` declares; `Box<T>::kSide < 4` and `Box<T>{}` do not.
bool Parser::declares_behind_arguments() {
  const std::size_t begin = i_;
  bool declares = true;  // where it cannot be read, as a declaration it gets its message
  try {
    type_specifier();
    declares = is_name() || is("*") || is("&") || is("&&") || (is("(") && (is("&", 1) || is("*", 1)));
  } catch (const Error&) {
  }
  i_ = begin;
  return declares;
}

// union {…} pack;
Node* Parser::structure_without_name(const Node& words) {
  std::string own;
  Node* type = structure_here(own);
  type->is_const |= words.is_const, type->is_volatile |= words.is_volatile;
  return type;
}

Node* Parser::type_specifier() {
  Node* type = make(Kind::NamedType, peek().at);
  std::vector<std::string> words;
  std::string base;  // what no second one can stand beside
  refuse_word();
  for (;;) {
    if (accept("const"))
      type->is_const = true;
    else if (accept("volatile"))
      type->is_volatile = true;
    else if ((is("struct") || is("union")) && is("{", behind_alignment(1)))
      return structure_without_name(*type);
    else if (accept("typename") || accept("struct") || accept("union") || accept("__grid_constant__"))
      continue;
    else if (is_name() && kTypeWords.contains(peek().text)) {
      words.push_back(peek().text);
      const bool can_stand_alone = !is("unsigned") && !is("signed") && !is("long") && !is("short");
      if (can_stand_alone && !base.empty())
        fail(peek().at, "there are two types here, '{}' and '{}': take one of them out", base, peek().text);
      if (can_stand_alone) base = peek().text;
      take();
    } else if (words.empty() && starts_type()) {
      if (is("decltype")) {
        take(), expect("(");
        if (is("auto")) refuse(peek().at, "decltype(auto)", "write auto");
        type->text = "decltype";
        type->kids = {expression()};
        expect(")");
        words.push_back(base = "decltype");
        continue;
      }
      words.push_back(base = qualified());
      if (is("<")) type->arguments = template_arguments();
      if (!type->arguments.empty() && accept("::")) type->member = name();
    } else
      break;
  }
  if (words.empty()) {
    std::size_t end = 0;
    const std::string name = peek_qualified(end);
    const Token& after = tokens_[end];
    const bool names_type = after.kind == TokenKind::Name || after.text == ">" || after.text == "*";
    if (!name.empty() && names_type) no_type(name);
    fail(peek().at, "expected a type{}", before_next());
  }
  type->text = type_of_words(words);
  if (type->text.empty()) fail(type->at, "these words together are no type: take one of them out");
  if (const auto word = kWordTypes.find(type->text); word != kWordTypes.end()) type->text = word->second;
  if (type->text == "long double") refuse(type->at, "long double", "write double");
  return type;
}

Node* Parser::pointers(Node* type) {
  for (;;) {
    if (is("*"))
      type = make(Kind::PointerType, take().at, "", {type});
    else if (is("&") || is("&&")) {
      const Token sign = take();
      type = make(Kind::ReferenceType, sign.at, sign.text, {type});
    } else if (accept("const"))
      type->is_const = true;
    else if (accept("volatile"))
      type->is_volatile = true;
    else if (is("__restrict__") || is("__restrict")) {
      if (type->kind != Kind::PointerType)
        fail(peek().at, "'{}' belongs to a pointer: write it behind a *", peek().text);
      take();
    } else if (!accept("__grid_constant__"))
      return type;
  }
}

Node* Parser::arrays(Node* type) {
  struct Size {
    Position at;
    Node* count;
  };
  std::vector<Size> sizes;
  while (is("[")) {
    const Position at = take().at;
    sizes.push_back({at, is("]") ? nullptr : assignment()});
    if (is(",")) fail(peek().at, "an array of two dimensions is declared with [y][x], not [y, x]");
    expect("]");
  }
  for (auto size = sizes.rbegin(); size != sizes.rend(); ++size)
    type = make(Kind::ArrayType, size->at, "", {type, size->count});
  return type;
}

Node* Parser::type_name() {
  Node* type = pointers(type_specifier());
  const bool in_brackets =
      is("(") && (is("*", 1) || is("&", 1)) && is(")", 2) && is("[", 3);  // float (*)[32]
  if (!in_brackets) return arrays(type);
  const Token sign = peek(1);
  i_ += 3;
  return make(sign.text == "*" ? Kind::PointerType : Kind::ReferenceType, sign.at, sign.text, {arrays(type)});
}

std::vector<Node*> Parser::template_arguments() {
  std::vector<Node*> result;
  expect("<");
  while (!is(">") && !is(">>")) {
    result.push_back(maybe_expanded(starts_type() && !is("(", 1) && !is("{", 1) ? type_name() : binary(9)));
    if (!accept(",")) break;
  }
  if (is(">>")) {  // two that close
    tokens_[i_].text = ">";
    tokens_.insert(tokens_.begin() + static_cast<std::ptrdiff_t>(i_), tokens_[i_]);
  }
  expect(">");
  return result;
}

// The type and the name that follow `base`.
Node* Parser::declarator(Node* base, bool needs_name) {
  Node* type = pointers(base);
  if (is("(") && (is("&", 1) || is("*", 1))) return declarator_in_brackets(type);
  Node* v = make(Kind::Variable, peek().at);
  if (is("[") && needs_name && is_name(1) && (is(",", 2) || is("]", 2))) return bound_names(type);
  if (needs_name || is_name()) v->text = declared_name();
  v->type = arrays(type);
  return v;
}

// auto [row, col] = …: a variable without a name that can be written, and names for its members.
Node* Parser::bound_names(Node* type) {
  Node* v = make(Kind::Variable, take().at);
  v->text = "#bound " + std::to_string(tokens_.size() - i_);
  v->type = type;
  do v->names.push_back(name("a name for a member"));
  while (accept(","));
  expect("]");
  return v;
}

// `x...` for each element of a pack.
Node* Parser::maybe_expanded(Node* n) {
  if (!is("...")) return n;
  return make(is_type(*n) ? Kind::ExpandedType : Kind::Expansion, take().at, "...", {n});
}

std::string Parser::declared_name() {
  const Token first = peek();
  if (!accept("operator")) {
    if (kTypeWords.contains(first.text) || kDeclarationWords.contains(first.text) ||
        kWords.contains(first.text))
      fail(first.at, "'{}' is a word of C++ and no name: choose another one", first.text);
    const std::string result = name("a name to declare");
    if (is("::"))
      refuse(first.at, "functions of a struct that are defined outside of it",
             "write the body inside of the struct");
    return result;
  }
  std::string sign = take().text;
  if (sign == "(" || sign == "[") sign += take().text;
  return "operator" + sign;
}

// float (&tile)[32], float (*rows)[32].
Node* Parser::declarator_in_brackets(Node* type) {
  const Position open = take().at;
  const Token sign = take();
  Node* v = make(Kind::Variable, peek().at);
  bool is_const = false;
  while (accept("__restrict__") || is("const")) is_const |= accept("const");
  v->text = is_name() ? declared_name() : "";
  if (!accept(")")) refuse(open, "this declaration", "name its type with using first");
  if (is("("))
    refuse(open, "pointers to functions", "write a lambda, or a template with a parameter for the function");
  v->type = make(sign.text == "*" ? Kind::PointerType : Kind::ReferenceType, open, sign.text, {arrays(type)});
  v->type->is_const = is_const;
  return v;
}

}  // namespace lab::cucc
