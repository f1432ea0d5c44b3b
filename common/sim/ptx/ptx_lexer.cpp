// Cuts a PTX text into tokens; see ptx_lexer.h. Enters: characters. Leaves: tokens, or a ParseError.
#include "common/sim/ptx/ptx_lexer.h"

#include <algorithm>
#include <array>

namespace lab::sim::ptx {
namespace {

constexpr std::ptrdiff_t kMostColumns = 1'000'000;

enum CharClass : unsigned char { kOther = 0, kBlank = 1, kDigit = 2, kLetter = 4, kPunct = 8 };

constexpr std::array<unsigned char, 256> kClasses = [] {
  std::array<unsigned char, 256> classes{};
  for (const char c : {' ', '\t', '\r', '\n', '\f', '\v'}) classes[static_cast<unsigned char>(c)] = kBlank;
  for (int c = '0'; c <= '9'; ++c) classes[static_cast<std::size_t>(c)] = kDigit;
  for (int c = 'a'; c <= 'z'; ++c) classes[static_cast<std::size_t>(c)] = kLetter;
  for (int c = 'A'; c <= 'Z'; ++c) classes[static_cast<std::size_t>(c)] = kLetter;
  for (const char c : {'_', '$'}) classes[static_cast<unsigned char>(c)] = kLetter;
  for (const char c : {'(', ')', '[', ']', '{', '}', '<', '>', ',', ';', ':', '=',
                       '+', '-', '*', '/', '%', '&', '|', '^', '~', '!', '@', '?'}) {
    classes[static_cast<unsigned char>(c)] = kPunct;
  }
  return classes;
}();

bool is(const char c, const int classes) { return (kClasses[static_cast<unsigned char>(c)] & classes) != 0; }

// An nvcc fat binary ends its PTX with a NUL byte; that is no part of the text.
std::string_view without_final_nuls(std::string_view text) {
  while (!text.empty() && text.back() == '\0') text.remove_suffix(1);
  return text;
}

}  // namespace

Lexer::Lexer(std::string_view text) {
  text = without_final_nuls(text);
  begin_ = text.data();
  next_ = line_begin_ = begin_;
  end_ = begin_ + text.size();
  scan();
}

Token Lexer::take() {
  const Token token = current_;
  scan();
  return token;
}

bool Lexer::accept(const char punct) {
  if (!at(punct)) return false;
  scan();
  return true;
}

bool Lexer::accept_directive(const std::string_view text) {
  if (!at_directive(text)) return false;
  scan();
  return true;
}

Token Lexer::expect(const char punct, const char* where) {
  if (!at(punct)) {
    fail(msg("expected '{}' {}, found {}", punct, where, shown(current_)));
  }
  return take();
}

Token Lexer::expect_word(const char* what) {
  if (!at_word()) fail(msg("expected {}, found {}", what, shown(current_)));
  return take();
}

std::string_view Lexer::expect_string(const char* what) {
  if (current_.kind != TokenKind::String) {
    fail(msg("expected {} in double quotes, found {}", what, shown(current_)));
  }
  return take().text;
}

bool Lexer::skip_past(const char punct) {
  while (next_ != end_ && *next_ != punct) {
    if (*next_ == '/' || *next_ == '\n') {
      const char* const before = next_;
      skip_blanks();
      if (next_ == before) ++next_;
    } else {
      ++next_;
    }
  }
  const bool found = next_ != end_;
  if (found) ++next_;
  scan();
  return found;
}

void Lexer::fail(const Token& token, const Message& message) const {
  throw ParseError(token.line, column_of(token.text.data()), message);
}

int Lexer::column_of(const char* place) const {
  const char* line_begin = place;
  while (line_begin != begin_ && line_begin[-1] != '\n') --line_begin;
  return static_cast<int>(std::min<std::ptrdiff_t>(place - line_begin + 1, kMostColumns));
}

void Lexer::finish(const TokenKind kind, const char* begin, const char* end) {
  current_.kind = kind;
  current_.line = line_;
  current_.column = static_cast<int>(std::min<std::ptrdiff_t>(begin - line_begin_ + 1, kMostColumns));
  current_.text = {begin, static_cast<std::size_t>(end - begin)};
}

void Lexer::skip_block_comment() {
  const char* const opened = next_;
  const int opened_line = line_;
  for (next_ += 2; next_ != end_; ++next_) {
    if (*next_ == '\n') begin_line();
    if (*next_ == '*' && next_ + 1 != end_ && next_[1] == '/') {
      next_ += 2;
      return;
    }
  }
  throw ParseError(opened_line, column_of(opened),
                   "this comment never ends: expected '*/' before the end of the text");
}

void Lexer::skip_blanks() {
  while (next_ != end_) {
    if (is(*next_, kBlank)) {
      if (*next_ == '\n') begin_line();
      ++next_;
    } else if (*next_ == '/' && next_ + 1 != end_ && next_[1] == '/') {
      while (next_ != end_ && *next_ != '\n') ++next_;
    } else if (*next_ == '/' && next_ + 1 != end_ && next_[1] == '*') {
      skip_block_comment();
    } else {
      return;
    }
  }
}

void Lexer::scan() {
  skip_blanks();
  if (next_ == end_) return finish(TokenKind::End, end_, end_);
  const char c = *next_;
  const char after = next_ + 1 != end_ ? next_[1] : '\0';
  if (is(c, kLetter) || (c == '%' && is(after, kLetter))) return scan_word();
  if (c == '.') return scan_directive();
  if (is(c, kDigit)) return scan_number();
  if (c == '"') return scan_string();
  finish(TokenKind::Punct, next_, next_ + 1);
  if (!is(c, kPunct)) fail(msg("PTX has no character {}", shown(current_)));
  current_.punct = c;
  ++next_;
}

// A word takes its dotted parts with it, as in `ld.global.L1::no_allocate.f32`. A `::` belongs to it only
// after a dot, so that a label keeps its colon apart.
void Lexer::scan_word() {
  const char* const begin = next_++;
  bool dotted = false;
  while (next_ != end_) {
    const char after = next_ + 1 != end_ ? next_[1] : '\0';
    if (is(*next_, kLetter | kDigit)) {
      ++next_;
    } else if (*next_ == '.' && is(after, kLetter | kDigit)) {
      dotted = true;
      ++next_;
    } else if (dotted && *next_ == ':' && after == ':') {
      next_ += 2;
    } else {
      break;
    }
  }
  finish(TokenKind::Word, begin, next_);
}

void Lexer::scan_directive() {
  const char* const begin = ++next_;
  while (next_ != end_) {
    if (is(*next_, kLetter | kDigit)) {
      ++next_;
    } else if (*next_ == ':' && next_ + 1 != end_ && next_[1] == ':') {
      next_ += 2;
    } else {
      break;
    }
  }
  finish(TokenKind::Directive, begin, next_);
  if (begin == next_) fail("a dot must be followed by the name of a directive, as in `.reg`");
}

void Lexer::scan_number() {
  const char* const begin = next_;
  const auto skip = [this](const int classes) {
    while (next_ != end_ && is(*next_, classes)) ++next_;
  };
  skip(kDigit);
  if (next_ != end_ && *next_ == '.' && next_ + 1 != end_ && is(next_[1], kDigit)) {
    ++next_;
    skip(kDigit);
  }
  // A sign belongs to a decimal exponent only: `1e-5`, but not `0x1e-5`.
  const bool prefixed =
      next_ - begin == 1 && *begin == '0' && next_ != end_ && is(*next_, kLetter) && (*next_ | 32) != 'e';
  const char* const exponent = next_;
  skip(kDigit | kLetter);
  if (!prefixed && next_ - exponent == 1 && (*exponent | 32) == 'e' && next_ != end_ &&
      (*next_ == '+' || *next_ == '-')) {
    ++next_;
    skip(kDigit);
  }
  finish(TokenKind::Number, begin, next_);
}

void Lexer::scan_string() {
  const char* const begin = ++next_;
  while (next_ != end_ && *next_ != '"' && *next_ != '\n')
    next_ += *next_ == '\\' && end_ - next_ > 1 && next_[1] != '\n' ? 2 : 1;
  finish(TokenKind::String, begin, next_);
  if (next_ == end_ || *next_ == '\n') fail("this string has no closing quote on its line");
  ++next_;
}

Message shown(const std::string_view text) {
  constexpr std::size_t kMost = 60;
  std::string out = "`";
  for (const char c : text.substr(0, kMost)) {
    if (c >= ' ' && c <= '~') {
      out += c;
    } else {
      constexpr std::string_view kHex = "0123456789abcdef";
      const auto byte = static_cast<unsigned char>(c);
      out += std::string("\\x") + kHex[byte >> 4] + kHex[byte & 15];
    }
  }
  return text::verbatim(out + (text.size() > kMost ? "…`" : "`"));
}

Message shown(const Token& token) {
  switch (token.kind) {
    case TokenKind::End:
      return "the end of the text";
    case TokenKind::Directive:
      return shown("." + std::string(token.text.substr(0, 80)));
    case TokenKind::String:
      return "a string";
    default:
      return shown(token.text);
  }
}

}  // namespace lab::sim::ptx
