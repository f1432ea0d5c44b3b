// How text looks: colour or not, and numbers in groups.
#include "common/ui/style.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace lab::report {

std::string Style::paint(std::string_view text, Ink ink) const {
  static constexpr std::array<const char*, 5> kCodes{"", "32", "31", "2", "1"};  // by Ink
  if (!colour || ink == Ink::Plain) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", kCodes.at(static_cast<std::size_t>(ink)), text);
}

std::string_view language_of_page() { return text::language() == text::Language::Chinese ? "zh-CN" : "en"; }

Style style_for_stdout(bool plain) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const bool unwanted = plain || (no_color != nullptr && *no_color != '\0');
  const bool dumb = term == nullptr || std::string_view(term) == "dumb";
  return {.colour = !unwanted && !dumb && isatty(STDOUT_FILENO) == 1};
}

std::string duration(double seconds) {
  if (seconds >= 0.1) return fmt::format("{:.2f} s", seconds);
  return seconds >= 0.001 ? fmt::format("{:.0f} ms", seconds * 1e3) : fmt::format("{:.1f} ms", seconds * 1e3);
}

// fmt knows which characters take two columns, and fills up to a width: the blanks that it adds show the
// rest.
std::size_t width(std::string_view text) {
  if (const std::size_t escape = text.find("\x1b["); escape != text.npos) {  // Style::paint's; takes no place
    const std::size_t end = std::min(text.find('m', escape), text.size() - 1);
    return width(text.substr(0, escape)) + width(text.substr(end + 1));
  }
  const std::size_t most = text.size();  // a character of two columns has three bytes or more
  return most - (fmt::format("{:<{}}", text, most).size() - most);
}

std::string pad_left(std::string_view text, std::size_t columns) {
  return std::string(columns - std::min(columns, width(text)), ' ').append(text);
}

std::string pad_right(std::string_view text, std::size_t columns) {
  return std::string(text).append(columns - std::min(columns, width(text)), ' ');
}

}  // namespace lab::report
