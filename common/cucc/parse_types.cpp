// Types and declarators: what stands before a name, around it and behind it. See parser.h.
#include <array>
#include <map>
#include <set>

#include "common/cucc/parser.h"

namespace lab::cucc {
namespace {

const std::set<std::string, std::less<>> kTypeWords = {"void", "bool",     "char",     "short",   "int",
                                                       "long", "unsigned", "signed",   "float",   "double",
                                                       "auto", "const",    "volatile", "typename"};
const std::set<std::string, std::less<>> kDeclarationWords = {
    "constexpr", "__shared__", "static", "extern", "alignas",  "__align__",  "using",       "typedef",
    "struct",    "class",      "union",  "enum",   "template", "__device__", "__constant__"};
// Further words that are no names.
const std::set<std::string, std::less<>> kWords = {
    "if",       "else",      "for",  "while",    "do",           "switch",     "case",    "default", "break",
    "continue", "return",    "true", "false",    "sizeof",       "nullptr",    "this",    "new",     "delete",
    "inline",   "namespace", "goto", "operator", "__restrict__", "__global__", "__host__"};
// Types that CUDA declares before the first line.
const std::map<std::string, std::string, std::less<>> kWordTypes = {{"size_t", "unsigned long"},
                                                                    {"std::size_t", "unsigned long"},
                                                                    {"ptrdiff_t", "long"},
                                                                    {"std::ptrdiff_t", "long"}};

// "unsigned", "long", "int", "long" in any order.
struct TypeWords {
  int longs = 0, shorts = 0, signs = 0;
  bool is_unsigned = false, is_signed = false, any = false;
  std::string base;

  [[nodiscard]] std::string name() const {
    const std::string sign = is_unsigned ? "unsigned " : "";
    if (base == "double" && longs > 0) return "long double";
    if (longs > 0) return sign + (longs > 1 ? "long long" : "long");
    if (shorts > 0) return sign + "short";
    if (base == "char") return is_unsigned ? "unsigned char" : is_signed ? "signed char" : "char";
    if (base.empty() || base == "int")
      return any && (is_unsigned || is_signed || base == "int") ? sign + "int" : "";
    return base;
  }
  void add_base(const Token& word) {
    if (!base.empty())
      fail(word.at, "there are two types here, '" + base + "' and '" + word.text + "': take one of them out");
    base = word.text;
  }
  // "unsigned float", "long bool".
  [[nodiscard]] bool is_possible() const {
    const bool any_size = longs > 0 || shorts > 0, any_sign = is_unsigned || is_signed;
    if (longs > 2 || shorts > 1 || (longs > 0 && shorts > 0) || signs > 1) return false;
    if (base.empty() || base == "int") return true;
    if (base == "char") return !any_size;
    if (base == "double") return !any_sign && shorts == 0 && longs <= 1;
    return !any_size && !any_sign;
  }
  [[nodiscard]] bool empty() const {
    return longs == 0 && shorts == 0 && !is_unsigned && !is_signed && base.empty();
  }
};

}  // namespace

bool Parser::starts_type() const {
  if (!is_name() && !is("::")) return false;
  if (kTypeWords.contains(peek().text) || is("struct") || is("decltype")) return true;
  std::size_t end = 0;
  const std::string q = peek_qualified(end);
  return kWordTypes.contains(q) || known_type(q);
}

bool Parser::starts_declaration() {
  if (is_name() && kDeclarationWords.contains(peek().text)) return true;
  if (!starts_type()) return false;
  if (kTypeWords.contains(peek().text) && !is("(", 1) && !is("{", 1)) return true;
  if (is("(", 1) && (is("*", 2) || is("&", 2)) && is_name(3) && is(")", 4) && is("[", 5)) return true;
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

Node* Parser::type_specifier() {
  Node* type = make(Kind::NamedType, peek().at);
  TypeWords words;
  if (is("decltype")) refuse(peek().at, "decltype", "write auto, or the type itself");
  for (;; words.any = true) {
    if (accept("const"))
      type->is_const = true;
    else if (accept("volatile"))
      type->is_volatile = true;
    else if (accept("typename") || accept("struct") || accept("__grid_constant__"))
      continue;
    else if (accept("unsigned"))
      words.is_unsigned = true, ++words.signs;
    else if (accept("signed"))
      words.is_signed = true, ++words.signs;
    else if (accept("long"))
      ++words.longs;
    else if (accept("short"))
      ++words.shorts;
    else if (is_name() && kTypeWords.contains(peek().text))
      words.add_base(take());
    else if (words.empty() && starts_type()) {
      words.base = qualified();
      if (is("<")) type->arguments = template_arguments();
      if (!type->arguments.empty() && accept("::")) type->member = name();
    } else
      break;
  }
  if (!words.is_possible()) fail(type->at, "these words together are no type: take one of them out");
  type->text = words.name();
  if (const auto word = kWordTypes.find(type->text); word != kWordTypes.end()) type->text = word->second;
  if (type->text == "long double") refuse(type->at, "long double", "write double");
  if (type->text.empty()) fail(peek().at, "expected a type" + before_next());
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
        fail(peek().at, "'" + peek().text + "' belongs to a pointer: write it behind a *");
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
    sizes.push_back({at, is("]") ? nullptr : expression()});
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
    result.push_back(starts_type() && !is("(", 1) && !is("{", 1) ? type_name() : binary(9));
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
  if (is("[") && needs_name && is_name(1) && (is(",", 2) || is("]", 2)))
    refuse(peek().at, "structured bindings", "name the members one by one");
  if (needs_name || is_name()) v->text = declared_name();
  v->type = arrays(type);
  return v;
}

std::string Parser::declared_name() {
  const Token first = peek();
  if (!accept("operator")) {
    if (kTypeWords.contains(first.text) || kDeclarationWords.contains(first.text) ||
        kWords.contains(first.text))
      fail(first.at, "'" + first.text + "' is a word of C++ and no name: choose another one");
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
  while (accept("__restrict__") || accept("const")) {
  }
  v->text = is_name() ? declared_name() : "";
  if (!accept(")")) refuse(open, "this declaration", "name its type with using first");
  if (is("("))
    refuse(open, "pointers to functions", "write a lambda, or a template with a parameter for the function");
  v->type = make(sign.text == "*" ? Kind::PointerType : Kind::ReferenceType, open, sign.text, {arrays(type)});
  return v;
}

}  // namespace lab::cucc
