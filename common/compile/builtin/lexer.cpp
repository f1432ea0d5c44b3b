// See lexer.h.
#include "common/compile/builtin/lexer.h"

#include <array>
#include <cctype>
#include <string_view>
#include <utility>

namespace lab::cucc {
namespace {

// Longest first: the first that fits is the token.
constexpr std::array<std::string_view, 25> kLongPunctuation = {
    "<<=", ">>=", "...", "<=>", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=",
    "&&",  "||",  "+=",  "-=",  "*=", "/=", "%=", "&=", "|=", "^=", "::", "##"};
// Other spellings of operators.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kOperatorWords = {
    {{"and", "&&"}, {"or", "||"}, {"not", "!"}, {"bitand", "&"}, {"bitor", "|"}, {"xor", "^"}}};
// What an input method for Chinese types in place of ASCII.
constexpr std::array<std::string_view, 14> kWideCharacters = {
    "，,", "；;", "（(", "）)", "：:", "＝=", "“\"",
    "”\"", "【[", "】]", "＋+", "－-", "＜<", "＞>"};  // and in ASCII

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

class Lexer {
 public:
  Lexer(const std::string& text, int file) : text_(text), file_(file) {}

  Tokens all() {
    Tokens result;
    for (Token t; next(t); t = Token()) result.push_back(std::move(t));
    return result;
  }

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return i_ + ahead < text_.size() ? text_[i_ + ahead] : '\0';
  }
  [[nodiscard]] bool done() const { return i_ >= text_.size(); }
  [[nodiscard]] Position here() const { return {file_, line_, static_cast<int>(i_ - line_start_) + 1}; }
  [[nodiscard]] bool stands(std::string_view word) const { return text_.compare(i_, word.size(), word) == 0; }
  void step(std::size_t count = 1) {
    for (; count > 0 && !done(); --count) {
      if (text_[i_] == '\n') ++line_, line_start_ = i_ + 1;
      ++i_;
    }
  }
  void take(Token& t) { t.text += peek(), step(); }

  // A backslash at the end of a line joins it to the next.
  bool splice() {
    if (peek() != '\\') return false;
    std::size_t n = 1;
    while (peek(n) == ' ' || peek(n) == '\t' || peek(n) == '\r') ++n;
    if (peek(n) != '\n') return false;
    step(n + 1);
    return true;
  }
  bool comment() {
    if (peek() != '/') return false;
    if (peek(1) == '/') {
      while (!done() && peek() != '\n')
        if (!splice()) step();
      return true;
    }
    if (peek(1) != '*') return false;
    const Position begin = here();
    const std::size_t end = text_.find("*/", i_ + 2);
    if (end == std::string::npos) fail(begin, "this comment does not end: write */ where it should");
    step(end + 2 - i_);
    return true;
  }
  void blanks(Token& t) {
    t.begins_line = i_ == 0;
    for (; !done(); t.blank_before = true) {
      if (is_space(peek())) {
        t.begins_line |= peek() == '\n';
        step();
      } else if (!splice() && !comment()) {
        return;
      }
    }
  }

  bool next(Token& t) {
    blanks(t);
    if (done()) return false;
    t.at = here();
    const char c = peek();
    if (c == 'R' && peek(1) == '"') {
      raw_string(t);
    } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      number(t);
    } else if (is_word(c)) {
      t.kind = TokenKind::Name;
      while (is_word(peek())) take(t);
      for (const auto& [word, sign] : kOperatorWords)
        if (t.text == word) t.kind = TokenKind::Punctuation, t.text = sign;
    } else if (c == '"' || c == '\'') {
      quoted(t, c);
    } else {
      punctuation(t);
    }
    return true;
  }
  void number(Token& t) {
    t.kind = TokenKind::Number;
    const auto exponent = [&] {
      const char last = static_cast<char>(t.text.empty() ? 0 : std::tolower(t.text.back()));
      const bool hex = t.text.size() > 1 && std::tolower(t.text[1]) == 'x';
      return (peek() == '+' || peek() == '-') && last == (hex ? 'p' : 'e');
    };
    while (is_word(peek()) || peek() == '.' || (peek() == '\'' && is_word(peek(1))) || exponent()) {
      if (peek() == '\'')
        step();
      else
        take(t);
    }
  }
  void raw_string(Token& t) {
    t.kind = TokenKind::String;
    step(2);
    const std::size_t open = text_.find('(', i_);
    const std::string close = ")" + text_.substr(i_, open == std::string::npos ? 0 : open - i_) + "\"";
    const std::size_t end = open == std::string::npos ? open : text_.find(close, open);
    if (end == std::string::npos) fail(t.at, "this string does not end");
    t.text = text_.substr(open + 1, end - open - 1);
    step(end + close.size() - i_);
  }
  void quoted(Token& t, char quote) {
    t.kind = quote == '"' ? TokenKind::String : TokenKind::Character;
    for (step(); peek() != quote;) {
      if (done() || peek() == '\n')
        fail(t.at, quote == '"' ? "this string does not end: write \" where it should"
                                : "this character does not end: write ' behind it");
      if (peek() != '\\')
        take(t);
      else if (!splice())
        escape(t);
    }
    step();
    if (std::isalpha(static_cast<unsigned char>(peek())) != 0 || peek() == '_')
      fail(here(), "a word directly behind a string or character: write a blank between them");
  }
  void escape(Token& t) {
    static constexpr std::string_view kLetters = "nt0rab\\\"'", kMeanings{"\n\t\0\r\a\b\\\"'", 9};
    const Position at = here();
    step();
    if (peek() == 'x') {
      int code = 0;
      for (step(); std::isxdigit(static_cast<unsigned char>(peek())) != 0; step())
        code = (code * 16 + (is_digit(peek()) ? peek() - '0' : std::tolower(peek()) - 'a' + 10)) & 0xff;
      t.text += static_cast<char>(code);
      return;
    }
    const std::size_t letter = kLetters.find(peek());
    if (letter == std::string_view::npos) refuse(at, std::string("the escape \\") + peek());
    t.text += kMeanings[letter];
    step();
  }
  void punctuation(Token& t) {
    t.kind = TokenKind::Punctuation;
    for (const std::string_view both : kWideCharacters)
      if (const std::string wide(both.substr(0, 3)), plain(both.substr(3)); stands(wide))
        fail(t.at, "'{}' is not part of C++: write '{}'", wide, plain);
    const char c = peek();
    if (static_cast<unsigned char>(c) >= 0x80 || std::iscntrl(static_cast<unsigned char>(c)) != 0 ||
        c == '@' || c == '`' || c == '$')
      fail(t.at, "this character is not part of C++: take it out");
    t.text = std::string(1, c);
    for (const std::string_view sign : kLongPunctuation)
      if (stands(sign)) {
        t.text = sign;
        break;
      }
    step(t.text.size());
  }

  const std::string& text_;
  int file_;
  std::size_t i_ = 0, line_start_ = 0;
  int line_ = 1;
};

}  // namespace

Tokens tokens_of(const Source& source, int file) { return Lexer(source.text, file).all(); }

}  // namespace lab::cucc
