// Escapes markup. See markup.h.
#include "common/base/markup.h"

#include <cstddef>

namespace lab::base {

std::string markup_escaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    // U+FFFE and U+FFFF are UTF-8, but no characters of XML.
    const bool forbidden = c == 0xEF && i + 2 < text.size() && text[i + 1] == '\xBF' &&
                           (text[i + 2] == '\xBE' || text[i + 2] == '\xBF');
    if (forbidden) i += 2;
    if (forbidden || (c < 0x20 && c != '\n' && c != '\t') || c == 0x7F) {
      result += "\uFFFD";
    } else if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else if (c == '"') {
      result += "&quot;";
    } else if (c == '\'') {
      result += "&#39;";
    } else {
      result += static_cast<char>(c);
    }
  }
  return result;
}

std::string percent_escaped(std::string_view text, bool (*escapes)(char)) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (escapes(c))
      result += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    else
      result += c;
  }
  return result;
}

}  // namespace lab::base
