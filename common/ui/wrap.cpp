// Text that fits the terminal.
#include "common/ui/wrap.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "common/ui/style.h"

namespace lab::report {
namespace {

constexpr std::size_t kNarrowest = 40;  // below that, breaking lines does not help
constexpr std::size_t kWidestProse = 100;

// Chinese may break behind any of its characters, but for those that end a phrase.
bool may_break(std::string_view line, std::size_t at) {
  if (line[at] == ' ') return true;
  const std::string_view before = line.substr(0, at), after = line.substr(at);
  const bool wide = at >= 3 && static_cast<unsigned char>(before[at - 3]) >= 0xE3 &&
                    (static_cast<unsigned char>(after[0]) & 0xC0) != 0x80;
  for (const std::string_view mark : {"，", "。", "；", "：", "、", "）", "？", "”"})
    if (after.starts_with(mark)) return false;
  return wide && !before.ends_with("（") && !before.ends_with("“");
}

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Whether the blank at `at` stands inside of a number, or between a number and what it counts or is called.
bool holds_number(std::string_view line, std::size_t at) {
  if (line[at] != ' ' || at == 0 || at + 1 >= line.size()) return false;
  constexpr std::string_view kTimes = "×";
  const std::string_view before = line.substr(0, at), after = line.substr(at + 1);
  if (before.ends_with(kTimes) || after.starts_with(kTimes)) return true;
  const bool ends = std::string_view(",;:.?!)").find(before.back()) != std::string_view::npos;
  if (is_digit(after.front())) return !ends;
  if (!is_digit(before.back())) return false;
  constexpr std::array<std::string_view, 31> kUnits{
      "%",         "s",       "ms",    "µs",    "ns",     "h",    "byte",   "KiB",
      "MiB",       "GiB",     "KB",    "MB",    "GB",     "TB",   "bit",    "lane",
      "thread",    "warp",    "block", "row",   "column", "bank", "sector", "request",
      "wavefront", "element", "shape", "point", "time",   "unit", "ideal"};
  const std::string_view word = after.substr(0, after.find_first_of(" ,.;:)/"));
  const std::string_view one =
      word.ends_with('s') && word.size() > 2 ? word.substr(0, word.size() - 1) : word;
  const bool counted = std::find(kUnits.begin(), kUnits.end(), one) != kUnits.end();
  return static_cast<unsigned char>(after.front()) >= 0xE3 || (counted && !word.empty());
}

std::string_view first_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::string without_comments(std::string_view markdown) {
  std::string text(markdown);
  for (std::size_t at = 0; (at = text.find("<!--", at)) != text.npos;) {
    const std::size_t end = text.find("-->", at);
    if (end == text.npos) break;
    text.erase(at, end + 3 - at);
  }
  return text;
}

// A line that does not go on with the paragraph above it.
bool stands_alone(std::string_view line) {
  const std::size_t first = line.find_first_not_of(' ');
  if (first >= 4) return true;  // or all blank
  const std::string_view rest = line.substr(first);
  const std::size_t digits = rest.find_first_not_of("0123456789");
  return rest.starts_with("- ") || rest.starts_with("|") || rest.starts_with(">") ||
         rest.starts_with("```") ||
         (digits > 0 && digits != std::string_view::npos && rest.substr(digits).starts_with(". "));
}

// Where the text of a help line begins: behind the first wide gap, or behind its blanks.
std::size_t text_column(std::string_view line) {
  const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t gap = line.find("  ", first);
  const std::size_t text =
      gap == std::string_view::npos ? std::string_view::npos : line.find_first_not_of(' ', gap);
  return text > kNarrowest ? first : text;
}

// Examples that do not fit beside each other stand below each other.
std::string wrapped_help_line(std::string line, std::size_t columns) {
  constexpr std::string_view kGap = "    ./lab";
  const std::size_t command = line.find("./lab");
  if (width(line) <= columns || command == std::string_view::npos)
    return wrapped(line, columns, "", std::string(text_column(line), ' '));
  const std::string below = "\n" + std::string(command, ' ');
  for (std::size_t at = command; (at = line.find(kGap, at)) != std::string_view::npos; at += below.size())
    line.replace(at, kGap.find('.'), below);
  return wrapped(line, columns, "", std::string(command + 2, ' '));
}

}  // namespace

std::size_t terminal_columns(int descriptor) {
  winsize size{};
  if (isatty(descriptor) == 0 || ioctl(descriptor, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col < kNarrowest ? 0 : size.ws_col;
}

std::size_t fitting(std::string_view line, std::size_t columns) {
  if (columns == 0 || width(line) <= columns) return line.size();
  std::size_t best = std::string_view::npos, torn = best;  // torn: a number from its unit
  for (std::size_t at = 1; at < line.size(); ++at) {
    if (!may_break(line, at)) continue;
    const bool fits = width(line.substr(0, at)) <= columns;
    if (!fits && torn != std::string_view::npos) break;
    torn = at;
    if (!holds_number(line, at)) best = at;
  }
  if (best == std::string_view::npos) best = torn;
  return best == std::string_view::npos ? line.size() : best;
}

std::string wrapped(std::string_view text, std::size_t columns, std::string_view indent,
                    std::string_view hanging) {
  const std::size_t room = columns == 0 ? 0 : columns - std::min(columns - 1, width(indent));
  const std::size_t less = columns == 0 ? 0 : columns - std::min(columns - 1, width(hanging));
  std::string result;
  while (!text.empty()) {
    std::string_view line = first_line(text);
    bool first = true;
    do {
      const std::size_t part = fitting(line, first ? room : less);
      const std::string_view shown = line.substr(0, line.substr(0, part).find_last_not_of(' ') + 1);
      if (!shown.empty()) result.append(first ? indent : hanging).append(shown);
      result += "\n";
      line.remove_prefix(part);
      while (line.starts_with(' ')) line.remove_prefix(1);
      first = false;
    } while (!line.empty());
  }
  return result;
}

std::string fitted(std::string_view sentence, std::string_view indent, std::string_view hanging) {
  std::string text = wrapped(sentence, terminal_columns(), indent, hanging);
  text.resize(text.size() - (text.empty() ? 0 : 1));
  return text;
}

namespace {

bool in_word(char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; }

// `text` begins with `stars`. Where the same stars end what they emphasise; npos: they emphasise
// nothing.
std::size_t end_of_emphasis(std::string_view text, std::string_view stars) {
  const std::size_t end = text.find_first_of("*`", stars.size());
  if (end == std::string_view::npos || end == stars.size() || !text.substr(end).starts_with(stars))
    return std::string_view::npos;
  const std::string_view behind = text.substr(end + stars.size());
  const bool goes_on = !behind.empty() && (behind[0] == '*' || in_word(behind[0]));
  const bool apart = text[stars.size()] == ' ' || text[end - 1] == ' ';
  return goes_on || apart ? std::string_view::npos : end;
}

// `*word*` and `**word**` without their stars; a product between blanks, or in backticks, keeps its own.
std::string without_emphasis(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    std::size_t taken = std::min(text.find_first_of("*`"), text.size());
    result.append(text.substr(0, taken));
    text.remove_prefix(taken);
    if (text.empty()) break;
    if (const std::size_t quoted = text.find('`', 1); text[0] == '`' && quoted != std::string_view::npos) {
      taken = quoted + 1;
    } else if (text[0] == '`') {
      taken = 1;
    } else {
      const std::string_view stars = text.substr(0, text.find_first_not_of('*'));
      const bool begins = stars.size() <= 2 && (result.empty() || !in_word(result.back()));
      const std::size_t end = begins ? end_of_emphasis(text, stars) : std::string_view::npos;
      if (end != std::string_view::npos) {
        result.append(text.substr(stars.size(), end - stars.size()));
        text.remove_prefix(end + stars.size());
        continue;
      }
      taken = stars.size();
    }
    result.append(text.substr(0, taken));
    text.remove_prefix(taken);
  }
  return result;
}

}  // namespace

std::string prose(std::string_view markdown, std::size_t columns) {
  const std::string text = without_comments(markdown);
  if (columns == 0) return text;
  const std::size_t room = std::min(columns, kWidestProse);
  std::string result, paragraph;
  const auto close = [&] {
    const bool item = paragraph.starts_with("- ") || paragraph.starts_with("  - ");
    result += wrapped(without_emphasis(paragraph), room, "", item ? "  " : "");
    paragraph.clear();
  };
  bool code = false;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = first_line(rest);
    const bool fence = line.starts_with("```");
    if (code || fence || stands_alone(line)) close();
    if (code || fence) {
      result.append(line).append("\n");
      code ^= fence;
    } else if (line.find_first_not_of(' ') == std::string_view::npos) {
      result += "\n";
    } else {
      if (!paragraph.empty()) paragraph += ' ';
      paragraph.append(line.substr(paragraph.empty() ? 0 : line.find_first_not_of(' ')));
    }
  }
  close();
  if (result.ends_with('\n')) result.pop_back();
  return result;
}

std::string wrapped_help(std::string_view help, std::size_t columns) {
  if (columns == 0) return std::string(help);
  std::string result;
  while (!help.empty()) {
    const std::string_view line = first_line(help);
    result += line.empty() ? "\n" : wrapped_help_line(std::string(line), columns);
  }
  return result;
}

std::string cut(std::string_view text, std::size_t columns) {
  if (width(text) <= columns) return std::string(text);
  const auto inside = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80; };
  std::size_t end = std::min(text.size() - 1, 4 * columns);  // a character has four bytes at most
  while (end > 0 && (inside(end) || width(text.substr(0, end)) + 1 > columns)) --end;
  return std::string(text.substr(0, end)) + "…";
}

std::string cut_around(std::string_view text, std::size_t begin, std::size_t columns) {
  constexpr std::string_view kMore = "… ";
  if (width(text) <= columns || begin == 0 || begin >= text.size()) return cut(text, columns);
  const std::size_t room = columns - std::min(columns, width(kMore));
  while (begin > 1) {  // word by word
    const std::size_t word = text.rfind(' ', begin - 2);
    if (word == text.npos || width(text.substr(word + 1)) > room) break;
    begin = word + 1;
  }
  return std::string(kMore) + cut(text.substr(begin), room);
}

}  // namespace lab::report
