// C++ as text, to find a place in a file or read a declaration.
//
// Enters: the text of a kernel file. Leaves: the same text with blanks in place of comments and of what
// stands between quotes, so that every place stays where it is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lab::base {

[[nodiscard]] bool in_word(char c);  // of a name or number
[[nodiscard]] std::string without_comments(std::string text);
// Names, numbers, and signs of one character.
[[nodiscard]] std::vector<std::string_view> code_tokens(std::string_view code);

}  // namespace lab::base
