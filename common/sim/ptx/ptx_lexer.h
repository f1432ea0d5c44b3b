// Cuts a PTX text into tokens.
//
// First station of the tour: *text → tokens* → module → program → warps. Enters: the text, which must outlive
// the tokens, since they are views into it. Leaves: one token at a time, so that nothing is stored. Comments
// and blanks vanish here.
#pragma once

#include <string_view>

#include "common/sim/ptx/ptx_module.h"

namespace lab::sim::ptx {

enum class TokenKind : unsigned char {
  End,
  Word,  // name, label, register or opcode with all its modifiers: `ld.global.f32`, `%tid.x`, `$L__BB0_1`
  Directive,  // `.reg`, `.f32`, `.loc`: the text is what follows the dot
  Number,     // `12`, `0x1F`, `0f3F800000`, `1.5e3`; ptx_constant.h reads its value
  String,     // "…": the text is what stands between the quotes
  Punct,      // one character of ( ) [ ] { } < > , ; : = + - * / % & | ^ ~ ! @ ?
};

struct Token {
  TokenKind kind = TokenKind::End;
  char punct = 0;            // Punct only
  int line = 1, column = 1;  // from 1
  std::string_view text;     // for Directive and String without the dot and the quotes
};

class Lexer {
 public:
  explicit Lexer(std::string_view text);

  [[nodiscard]] const Token& peek() const { return current_; }
  Token take();  // returns the current token and moves on

  [[nodiscard]] bool at_end() const { return current_.kind == TokenKind::End; }
  [[nodiscard]] bool at(char punct) const {
    return current_.kind == TokenKind::Punct && current_.punct == punct;
  }
  [[nodiscard]] bool at_word() const { return current_.kind == TokenKind::Word; }
  [[nodiscard]] bool at_directive() const { return current_.kind == TokenKind::Directive; }
  [[nodiscard]] bool at_directive(std::string_view text) const {
    return at_directive() && current_.text == text;
  }

  bool accept(char punct);
  bool accept_directive(std::string_view text);
  // `where` ends the sentence "expected ';' …, found …": "after the operands".
  Token expect(char punct, const char* where);
  Token expect_word(const char* what);
  std::string_view expect_string(const char* what);

  // Skips to behind the next `punct` without looking at what lies between; false when there is none. Debug
  // builds hold megabytes that are not read here.
  bool skip_past(char punct);

  [[noreturn]] void fail(const Token& token, const Message& message) const;
  [[noreturn]] void fail(const Message& message) const { fail(current_, message); }

 private:
  void skip_blanks();
  void skip_block_comment();
  void scan();
  void scan_word();
  void scan_directive();
  void scan_number();
  void scan_string();
  [[nodiscard]] int column_of(const char* place) const;
  void begin_line() { ++line_, line_begin_ = next_ + 1; }  // behind the line end at next_
  void finish(TokenKind kind, const char* begin, const char* end);

  const char* begin_;
  const char* end_;
  const char* next_;
  const char* line_begin_;
  int line_ = 1;
  Token current_;
};

// A token as a message shows it: short, in quotes, with no unprintable byte.
[[nodiscard]] Message shown(const Token& token);
[[nodiscard]] Message shown(std::string_view text);

}  // namespace lab::sim::ptx
