// Text → tokens: the first stage.
//
// Enters: a source. Leaves: its tokens, comments and line ends taken out; each knows whether it begins a
// line, which the preprocessor asks, and whether a blank stands before it. Throws Error for a character that
// is no part of C++.
#pragma once

#include <string>
#include <vector>

#include "common/compile/builtin/source.h"

namespace lab::cucc {

enum class TokenKind { Name, Number, String, Character, Punctuation, Unroll, End };

struct Token {
  TokenKind kind = TokenKind::End;
  std::string text;  // of a string what it means; of a `#pragma unroll` its count
  Position at;
  bool begins_line = false, blank_before = false;
  std::vector<std::string> hidden;  // macros that it came out of, which do not replace it again
};
using Tokens = std::vector<Token>;

[[nodiscard]] Tokens tokens_of(const Source& source, int file);

}  // namespace lab::cucc
