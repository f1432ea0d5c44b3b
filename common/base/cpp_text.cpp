// C++ as text. See cpp_text.h.
#include "common/base/cpp_text.h"

#include <algorithm>
#include <cctype>

namespace lab::base {
namespace {

// Behind the closing quote of the literal that begins at `at`; a line's end closes it too.
std::size_t behind_literal(const std::string& text, std::size_t at) {
  const char quote = text[at];
  for (++at; at < text.size() && text[at] != quote && text[at] != '\n'; ++at) at += text[at] == '\\';
  return std::min(at + 1, text.size());
}

}  // namespace

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string without_comments(std::string text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool line = text.compare(i, 2, "//") == 0, block = text.compare(i, 2, "/*") == 0;
    // A quote inside of a number, 1'000, opens nothing.
    const bool quote = text[i] == '"' || (text[i] == '\'' && (i == 0 || !in_word(text[i - 1])));
    if (!line && !block && !quote) continue;
    const std::size_t close = quote ? 0 : text.find(line ? "\n" : "*/", i + 2);
    const std::size_t end = quote                ? behind_literal(text, i)
                            : close == text.npos ? text.size()
                                                 : close + (line ? 0 : 2);
    for (; i < end; ++i) text[i] = text[i] == '\n' ? '\n' : ' ';
    --i;
  }
  return text;
}

std::vector<std::string_view> code_tokens(std::string_view code) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < code.size();) {
    std::size_t end = at;
    while (end < code.size() && in_word(code[end])) ++end;
    if (end == at) end = at + 1;
    if (code[at] != ' ' && code[at] != '\n' && code[at] != '\t' && code[at] != '\r')
      words.push_back(code.substr(at, end - at));
    at = end;
  }
  return words;
}

}  // namespace lab::base
