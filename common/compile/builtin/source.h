// Where things stand in the student's text, and what is said about them.
//
// Every stage throws an Error where it cannot go on; what can go on after it (a statement, a declaration)
// adds it to the Messages and does so. A message says what is wrong and what to write instead.
#pragma once

#include <compare>
#include <concepts>
#include <deque>
#include <string>
#include <vector>

namespace lab::cucc {

// File 0 is the prelude, file 1 the kernel file. Lines and columns count from 1, columns in bytes.
struct Position {
  int file = 0, line = 0, column = 0;
  friend auto operator<=>(const Position&, const Position&) = default;
};

struct Source {
  std::string path, text;
  // The prelude and headers of the toolkit: no file that a line could belong to.
  [[nodiscard]] bool is_toolkit() const { return path.starts_with("<"); }
};
using Sources = std::deque<Source>;

struct Error {
  Position at;
  std::string text;
  bool is_unknown = false;  // of what this compiler does not know, which may be right
};

struct Message : Error {
  bool is_warning = false;
};
using Messages = std::vector<Message>;

// A sentence with words in the place of each {}. One word more is what to write instead: behind a colon,
// where it is known.
[[nodiscard]] std::string filled(const std::string& sentence, const std::vector<std::string>& words);
inline std::string word(const std::string& text) { return text; }
inline std::string word(std::integral auto number) { return std::to_string(number); }
template <class... Words>
[[noreturn]] void fail(Position at, const std::string& sentence, const Words&... words) {
  throw Error{at, filled(sentence, {word(words)...})};
}
// Right CUDA C++, perhaps, but not of the part that this compiler knows.
template <class... Words>
[[noreturn]] void fail_unknown(Position at, const std::string& sentence, const Words&... words) {
  throw Error{at, filled(sentence, {word(words)...}), true};
}
[[noreturn]] void refuse(Position at, const std::string& construct, const std::string& instead = "");

// "kernel.cu:3:7: error: …", the line, and a caret under the place.
[[nodiscard]] std::string shown(const Message& message, const Sources& sources);

}  // namespace lab::cucc
