// Slips of one line, undone. See slips.h.
#include "common/course/judge/slips.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "common/base/cpp_text.h"
#include "common/course/judge/source_lines.h"

namespace lab::judge {
namespace {

struct Token {
  std::string_view text;
  std::size_t at = 0;
  [[nodiscard]] std::size_t end() const { return at + text.size(); }
};

std::vector<Token> tokens_of(std::string_view code) {
  constexpr std::array<std::string_view, 12> kPairs{"<=", ">=", "==", "!=", "&&", "||",
                                                    "+=", "-=", "++", "--", "<<", "->"};
  std::vector<Token> tokens;
  for (std::size_t at = 0; at < code.size();) {
    std::size_t end = at;
    while (end < code.size() && base::in_word(code[end])) ++end;
    if (end == at) end += std::find(kPairs.begin(), kPairs.end(), code.substr(at, 2)) == kPairs.end() ? 1 : 2;
    if (code[at] != ' ' && code[at] != '\t' && code[at] != '\r')
      tokens.push_back({code.substr(at, end - at), at});
    at = end;
  }
  return tokens;
}

bool is_number(std::string_view word) { return word.find_first_not_of("0123456789") == word.npos; }
bool is_word(std::string_view word) { return base::in_word(word.front()); }
bool is_name(std::string_view word) { return is_word(word) && !is_number(word.substr(0, 1)); }

// One line, as tokens, and what was made of it.
class Line {
 public:
  Line(const std::string& source, int number)
      : text_(line_of(source, number)),
        code_(line_of(base::without_comments(source), number)),
        tokens_(tokens_of(code_)) {}

  [[nodiscard]] std::size_t size() const { return tokens_.size(); }
  // "" outside of the line.
  [[nodiscard]] std::string_view operator[](std::size_t i) const {
    return i < tokens_.size() ? tokens_[i].text : std::string_view();
  }
  [[nodiscard]] const std::string& code() const { return code_; }
  [[nodiscard]] std::string_view between(std::size_t first, std::size_t behind) const {
    if (first >= behind) return {};
    return std::string_view(code_).substr(tokens_[first].at, tokens_[behind - 1].end() - tokens_[first].at);
  }

  // Tokens from `first` on, up to `behind`, become `words`.
  void change(std::size_t first, std::size_t behind, std::string_view words) {
    const std::size_t begin = first < size() ? tokens_[first].at : code_.find_last_not_of(' ') + 1;
    const std::size_t end = behind > first ? tokens_[behind - 1].end() : begin;
    std::string changed = text_.substr(0, begin).append(words) + text_.substr(end);
    if (changed != text_ && std::find(made_.begin(), made_.end(), changed) == made_.end())
      made_.push_back(std::move(changed));
  }
  [[nodiscard]] std::string_view space_before(std::size_t i) const {
    return std::string_view(code_).substr(tokens_[i - 1].end(), tokens_[i].at - tokens_[i - 1].end());
  }
  void insert(std::size_t before, std::string_view words) { change(before, before, words); }

  // The bracket that closes the one at `open`; size() where none does on this line.
  [[nodiscard]] std::size_t closing(std::size_t open) const {
    int depth = 0;
    for (std::size_t i = open; i < size(); ++i) {
      depth += (*this)[i] == "(" || (*this)[i] == "[" || (*this)[i] == "{";
      depth -= (*this)[i] == ")" || (*this)[i] == "]" || (*this)[i] == "}";
      if (depth == 0) return i;
    }
    return size();
  }
  [[nodiscard]] std::vector<std::string> made() { return std::move(made_); }

 private:
  std::string text_, code_;
  std::vector<Token> tokens_;
  std::vector<std::string> made_;
};

std::string_view other_of(std::string_view word, std::string_view one, std::string_view other) {
  return word == one ? other : word == other ? one : std::string_view();
}

bool compares(std::string_view word) { return word == "<" || word == ">" || word == "<=" || word == ">="; }

// blockIdx.x for blockIdx.y, rows for cols, another part of a vector.
void other_axes(Line& line) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    for (const auto& [one, other] : {std::pair{"rows", "cols"}, std::pair{"kRows", "kCols"}})
      if (const std::string_view word = other_of(line[i], one, other); !word.empty())
        line.change(i, i + 1, word);
    if (i < 2 || line[i - 1] != "." || line[i].size() != 1) continue;
    const bool of_grid = line[i - 2].ends_with("Idx") || line[i - 2].ends_with("Dim");
    for (const std::string_view part : {"x", "y", "z", "w"})
      if (!of_grid || part < "z") line.change(i, i + 1, part);
  }
}

// [a][b] for [b][a], f(a, b) for f(b, a), a * n + b for b * n + a.
void other_order(Line& line) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == "[") {
      const std::size_t end = line.closing(i), next = line.closing(end + 1);
      if (line[end + 1] == "[" && next < line.size())
        line.change(i, next + 1,
                    fmt::format("[{}][{}]", line.between(end + 2, next), line.between(i + 1, end)));
    }
    if (line[i] == "(" && i > 0 && is_name(line[i - 1])) {
      const std::size_t end = line.closing(i);
      std::size_t comma = i + 1;
      while (comma < end && line[comma] != ",")
        comma = line[comma] == "(" || line[comma] == "[" ? line.closing(comma) + 1 : comma + 1;
      const std::string_view second = line.between(std::min(comma + 1, end), end);
      if (comma < end && end < line.size() && second.find(',') == second.npos)
        line.change(i, end + 1, fmt::format("({}, {})", second, line.between(i + 1, comma)));
    }
    if (line[i + 1] == "*" && line[i + 3] == "+" && is_word(line[i]) && is_word(line[i + 2]) &&
        i + 4 < line.size() && is_word(line[i + 4])) {
      const std::string_view pitch = line[i + 2], other = other_of(pitch, "rows", "cols");
      line.change(i, i + 5, fmt::format("{} * {} + {}", line[i + 4], pitch, line[i]));
      if (!other.empty()) line.change(i, i + 5, fmt::format("{} * {} + {}", line[i + 4], other, line[i]));
    }
  }
}

// Whole guards of row and column, which is what the course calls them.
void guards(Line& line) {
  const bool known =
      line.code().find("row") != std::string::npos || line.code().find("col") != std::string::npos ||
      line.code().find("in[") != std::string::npos || line.code().find("out[") != std::string::npos;
  if (!known) return;
  const std::string_view whole = "row < rows && col < cols";
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == "<=" || line[i] == ">") line.change(i, i + 1, line[i] == ">" ? ">=" : "<");
    // `row < cols && col < rows`
    if (compares(line[i]) && compares(line[i + 4]) && i > 0 && i + 5 < line.size())
      if (const auto one = other_of(line[i + 1], "rows", "cols"), two = other_of(line[i + 5], "rows", "cols");
          !one.empty() && !two.empty())
        line.change(i + 1, i + 6,
                    fmt::format("{} {}", one, line.between(i + 2, i + 5)) + fmt::format(" {}", two));
    // Half of it.
    const bool half = i > 0 && (line[i] == "<" || line[i] == ">=") &&
                      (line[i + 1] == "rows" || line[i + 1] == "cols") && line[i + 2] != "&&" &&
                      line[i + 2] != "||" && (i < 2 || (line[i - 2] != "&&" && line[i - 2] != "||"));
    if (half) {
      const bool of_rows = line[i + 1] == "rows";
      const std::string_view join = line[i] == "<" ? "&&" : "||";
      const std::string here(line.between(i - 1, i + 2));
      line.change(i - 1, i + 2,
                  of_rows ? fmt::format("{} {} col {} cols", here, join, line[i])
                          : fmt::format("row {} rows {} {}", line[i], join, here));
    }
    // All of it, whatever stands there.
    if (line[i] == "if" && line[i + 1] == "(")
      if (const std::size_t end = line.closing(i + 1); end < line.size()) {
        line.change(i + 2, end, whole);
        // `if (row >= rows || col >= cols) return; …` holds the access instead.
        if (line[end + 1] == "return" && line[end + 2] == ";")
          line.change(i + 2, end + 3, fmt::format("!({}))", line.between(i + 2, end)));
      }
    if (line[i] == "?" && i > 0) {
      std::size_t first = i;
      while (first > 0 && line[first - 1] != "=" && line[first - 1] != "(" && line[first - 1] != ",") --first;
      line.change(first, i, whole);
    }
  }
  // None at all: in front of the statement, behind the head of its loop.
  std::size_t first = 0;
  if (line[0] == "for" && line[1] == "(") first = line.closing(1) + 1;
  if (first < line.size() && line[first] != "if" && line.code().find('=') != std::string::npos)
    line.insert(first, fmt::format("if ({}) ", whole));
}

// Constants of the file, which are steps of loops.
std::set<std::string, std::less<>> steps_of(const std::string& source) {
  std::set<std::string, std::less<>> steps{"blockDim.x", "blockDim.y"};
  const std::vector<Token> tokens = tokens_of(source);
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i)
    if (tokens[i].text.size() > 1 && tokens[i].text[0] == 'k' && tokens[i].text[1] >= 'A' &&
        tokens[i].text[1] <= 'Z' && tokens[i + 1].text == "=")
      steps.emplace(tokens[i].text);
  return steps;
}

void other_steps(Line& line, const std::set<std::string, std::less<>>& steps) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool counts = line[i] == "++" && is_name(line[i + 1]) && line[i + 2] == ")";
    const bool adds = i > 0 && line[i] == "+=" && line[i + 2] == ")";
    for (const std::string& step : steps) {
      if (counts) line.change(i, i + 2, fmt::format("{} += {}", line[i + 1], step));
      if (adds) line.change(i + 1, i + 2, step);
    }
    if (line[i] == "<=") line.change(i, i + 1, "<");
  }
}

// Products of an index in 64 bits.
void wide_products(Line& line) {
  std::string words;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool begins = i > 0 && (line[i - 1] == "[" || line[i - 1] == "+" || line[i - 1] == "(");
    const bool product = begins && is_name(line[i]) && line[i + 1] == "*" && is_word(line[i + 2]);
    if (i > 0) words += line.space_before(i);
    if (product) words += "(size_t)";
    words += line[i];
  }
  line.change(0, line.size(), words);
}

int as_number(std::string_view word) {
  int value = 0;
  for (const char c : word) value = 10 * value + (c - '0');
  return value;
}

// Sizes twice or half as large, phases and offsets one further, a factor of four that was left out.
void other_numbers(Line& line) {
  const bool sizes = line.code().find("constexpr") != std::string::npos || line[0] == ".";
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == "{" && line[i + 2] == "," && line[i + 4] == "}" && sizes)
      line.change(i + 1, i + 4, fmt::format("{}, {}", line[i + 3], line[i + 1]));
    if (line[i] == "/" && line[i + 1] == "2" && i > 0) line.change(i, i + 2, "");
    if (is_number(line[i]) && line[i].size() < 6) {
      const int value = as_number(line[i]);
      if (sizes && value > 1) {
        line.change(i, i + 1, std::to_string(value / 2));
        line.change(i, i + 1, std::to_string(value * 2));
      } else if (!sizes && value < 4) {
        for (int other = 0; other < 4; ++other) line.change(i, i + 1, std::to_string(other));
      }
    }
    const bool factor =
        is_name(line[i]) && i > 0 && line[i + 1] != "(" && line[i + 1] != "[" && line[i + 1] != "*" &&
        (line[i - 1] == "+" || line[i - 1] == "," || line[i - 1] == "(" || line[i - 1] == "[");
    if (factor) line.insert(i, "4 * ");
  }
}

}  // namespace

std::vector<std::string> other_lines(const std::string& source, int line) {
  Line changed(source, line);
  if (changed.size() == 0 || changed[0] == "#") return {};
  guards(changed);
  other_axes(changed);
  other_order(changed);
  other_steps(changed, steps_of(base::without_comments(source)));
  other_numbers(changed);
  wide_products(changed);
  return changed.made();
}

std::vector<std::string> completed_lines(const std::string& source, int number) {
  Line line(source, number);
  if (line.size() == 0) return {};
  const std::string_view last = line[line.size() - 1];
  if (last != ";" && last != "{") line.insert(line.size(), ";");
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool argument = i > 0 && (line[i - 1] == "(" || line[i - 1] == ",") && is_name(line[i]);
    if (argument) line.insert(i, "&");
    const bool address = i > 0 && (line[i - 1] == "(" || line[i - 1] == ",") && line[i] == "&";
    if (address && is_name(line[i + 1])) line.change(i, i + 1, "");
    if (!is_name(line[i]) || line[i + 1] != "[") continue;
    std::size_t end = i + 1;
    while (line[end] == "[") end = line.closing(end) + 1;
    if (end > line.size()) continue;
    for (const char* type : {"const float4", "float4"})
      line.change(i, end, fmt::format("*reinterpret_cast<{}*>(&{})", type, line.between(i, end)));
  }
  return line.made();
}

}  // namespace lab::judge
