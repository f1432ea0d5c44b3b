// See source.h.
#include "common/compile/builtin/source.h"

#include <algorithm>

namespace lab::cucc {

std::string filled(const std::string& sentence, const std::vector<std::string>& words) {
  std::string text = sentence;
  std::size_t at = text.find("{}");
  for (const std::string& word : words) {
    if (at == std::string::npos) return word.empty() ? text : text + ": " + word;
    text.replace(at, 2, word);
    at = text.find("{}", at + word.size());
  }
  return text;
}

void refuse(Position at, const std::string& construct, const std::string& instead) {
  if (instead.empty()) fail_unknown(at, "the built-in compiler does not know " + construct + "; NVRTC does");
  fail_unknown(at, "the built-in compiler does not know " + construct + ": " + instead);
}

namespace {

constexpr std::size_t kMostShown = 200;  // bytes of a line on either side of the place

bool goes_on(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }  // a UTF-8 character

}  // namespace

std::string shown(const Message& message, const Sources& sources) {
  const Source& file = sources[static_cast<std::size_t>(message.at.file)];
  std::size_t begin = 0;
  for (int line = 1; line < message.at.line && begin < file.text.size(); ++line)
    begin = std::min(file.text.find('\n', begin), file.text.size() - 1) + 1;
  std::string line = file.text.substr(begin, file.text.find('\n', begin) - begin);
  const auto column = static_cast<std::size_t>(std::max(message.at.column, 1)) - 1;
  std::size_t first = column > kMostShown ? column - kMostShown : 0, end = column + kMostShown;
  while (first < line.size() && goes_on(line[first])) ++first;
  while (end < line.size() && goes_on(line[end])) ++end;
  line = first < line.size() ? line.substr(first, end - first) : "";
  std::string caret;  // tabs stay tabs, and the bytes after the first of a UTF-8 character take no column
  for (std::size_t i = 0; first + i < column; ++i) {
    const char c = i < line.size() ? line[i] : ' ';
    if (!goes_on(c)) caret += c == '\t' ? '\t' : ' ';
  }
  return file.path + ":" + std::to_string(message.at.line) + ":" + std::to_string(message.at.column) + ": " +
         (message.is_warning ? "warning: " : "error: ") + message.text + "\n" + line + "\n" + caret + "^\n";
}

}  // namespace lab::cucc
