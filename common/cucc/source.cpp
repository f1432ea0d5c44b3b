// See source.h.
#include "common/cucc/source.h"

#include <algorithm>

namespace lab::cucc {

void fail(Position at, const std::string& text) { throw Error{at, text}; }

void fail(Position at, const std::string& text, const std::string& instead) {
  fail(at, instead.empty() ? text : text + ": " + instead);
}

void refuse(Position at, const std::string& construct, const std::string& instead) {
  if (instead.empty()) fail(at, "the built-in compiler does not know " + construct + "; NVRTC does");
  fail(at, "the built-in compiler does not know " + construct + ": " + instead);
}

std::string shown(const Message& message, const Sources& sources) {
  const Source& file = sources[static_cast<std::size_t>(message.at.file)];
  std::size_t begin = 0;
  for (int line = 1; line < message.at.line && begin < file.text.size(); ++line)
    begin = std::min(file.text.find('\n', begin), file.text.size() - 1) + 1;
  const std::string line = file.text.substr(begin, file.text.find('\n', begin) - begin);
  std::string caret;  // tabs stay tabs, and the bytes after the first of a UTF-8 character take no column
  for (int i = 0; i + 1 < message.at.column; ++i) {
    const unsigned char c =
        static_cast<std::size_t>(i) < line.size() ? line[static_cast<std::size_t>(i)] : ' ';
    if ((c & 0xc0) != 0x80) caret += c == '\t' ? '\t' : ' ';
  }
  return file.path + ":" + std::to_string(message.at.line) + ":" + std::to_string(message.at.column) + ": " +
         (message.is_warning ? "warning: " : "error: ") + message.text + "\n" + line + "\n" + caret + "^\n";
}

}  // namespace lab::cucc
