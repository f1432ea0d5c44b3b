// Places in files, for editors and for pages of pull requests. See annotations.h.
#include "common/ui/annotations.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <sstream>

#include "common/base/cpp_text.h"
#include "common/base/markup.h"
#include "common/base/project.h"
#include "common/base/text/text.h"

namespace lab::report {
namespace {

using base::Json;
namespace fs = std::filesystem;

}  // namespace

std::string inside(const std::string& file, const fs::path& folder) {
  std::error_code unknown;
  const fs::path whole = fs::weakly_canonical(fs::absolute(file, unknown), unknown);
  const fs::path rest = whole.lexically_relative(fs::weakly_canonical(folder, unknown));
  return rest.empty() || *rest.begin() == ".." ? file : rest.generic_string();
}

std::string from_here(const std::string& file) {
  std::error_code unknown;
  return inside(file, fs::current_path(unknown));
}

namespace {

// As a checkout names it, where the file is the course's own.
std::string in_the_course(const std::string& file) { return inside(file, base::project_root()); }

// A line in which a compiler reports an error.
struct CompilerError {
  std::string_view file;
  int line = 0;
  std::string_view message;
};

// "(31): " of nvcc and NVRTC, ":31:5: " of clang: the line, and `text` goes on behind it. Neither: 0.
int take_line(std::string_view& text) {
  const auto number = [&text](char before) {
    int value = 0;
    if (!text.starts_with(before)) return value;
    const auto [end, problem] = std::from_chars(text.data() + 1, text.data() + text.size(), value);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
  };
  const bool in_parentheses = text.starts_with('(');
  const int line = number(in_parentheses ? '(' : ':');
  if (line <= 0 || (!in_parentheses && number(':') <= 0)) return 0;
  const std::string_view behind = in_parentheses ? "): " : ": ";
  if (!text.starts_with(behind)) return 0;
  text.remove_prefix(behind.size());
  return line;
}

// "error: text", "fatal error: text", "error #20: text": the text.
std::optional<std::string_view> message_of(std::string_view text) {
  for (const std::string_view word : {"fatal ", "catastrophic "})
    if (text.starts_with(word)) text.remove_prefix(word.size());
  const std::size_t end = text.find(": ");
  if (!text.starts_with("error") || end == text.npos) return std::nullopt;
  const std::string_view number = text.substr(5, end - 5);
  const bool is_number = std::all_of(number.begin(), number.end(), [](char c) {
    return base::in_word(c) || c == ' ' || c == '#' || c == '-';
  });
  if (!is_number) return std::nullopt;
  return text.substr(end + 2);
}

std::optional<CompilerError> compiler_error(std::string_view line) {
  for (std::size_t at = line.find_first_of("(:", 1); at < line.size();
       at = line.find_first_of("(:", at + 1)) {
    std::string_view rest = line.substr(at);
    if (const int number = take_line(rest))
      if (const auto message = message_of(rest)) return CompilerError{line.substr(0, at), number, *message};
  }
  return std::nullopt;
}

// A path as RFC 3986 writes it.
std::string uri_of(const std::string& path) {
  return (path.starts_with('/') ? "file://" : "") + base::percent_escaped(path, [](char c) {
           const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                              std::string_view("-._~/").find(c) != std::string_view::npos;
           return !plain;
         });
}

}  // namespace

std::string workflow_escaped(std::string_view text, bool is_property) {
  constexpr auto kText = [](char c) { return c == '%' || c == '\n' || c == '\r'; };
  constexpr auto kProperty = [](char c) {
    return c == '%' || c == '\n' || c == '\r' || c == ':' || c == ',';
  };
  return is_property ? base::percent_escaped(text, kProperty) : base::percent_escaped(text, kText);
}

std::vector<Annotation> compiler_errors(const std::string& log, const std::string& source) {
  const auto found = [](std::string message, const std::string& file, int line) {
    return Annotation{"does-not-compile", text::tr("does not compile"), std::move(message),
                      in_the_course(file), line};
  };
  std::vector<Annotation> all;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);)
    if (const auto error = compiler_error(line))
      all.push_back(found(std::string(error->message), std::string(error->file), error->line));
  if (all.empty()) all.push_back(found(log, source, 1));
  return all;
}

// file:line:column: error: text [code], each on one line.
std::string compiler_lines(const std::vector<Annotation>& annotations) {
  std::string lines;
  for (const Annotation& a : annotations) {
    std::string text = a.title + ": " + a.message;
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    lines +=
        fmt::format("{}:{}:1: {}: {} [{}]\n", a.file, a.line, a.is_error ? "error" : "warning", text, a.code);
  }
  return lines;
}

std::string github_lines(const std::vector<Annotation>& annotations) {
  std::string lines;
  for (const Annotation& a : annotations) {
    lines += fmt::format("::{} file={},line={},title={}::{}\n", a.is_error ? "error" : "warning",
                         workflow_escaped(a.file, true), a.line,
                         workflow_escaped(fmt::format("{} ({})", a.title, a.code), true),
                         workflow_escaped(a.message, false));
  }
  return lines;
}

Json sarif(const std::vector<Annotation>& annotations) {
  Json rules = Json::array(), results = Json::array();
  std::vector<std::string> known;
  for (const Annotation& a : annotations) {
    if (std::find(known.begin(), known.end(), a.code) == known.end()) {
      known.push_back(a.code);
      rules.push_back({{"id", a.code}});
    }
    const Json place = {
        {"physicalLocation",
         {{"artifactLocation", {{"uri", uri_of(a.file)}}}, {"region", {{"startLine", a.line}}}}}};
    results.push_back({{"ruleId", a.code},
                       {"level", a.is_error ? "error" : "warning"},
                       {"message", {{"text", a.title + ": " + a.message}}},
                       {"locations", Json::array({place})}});
  }
  const Json driver = {{"name", "Transpose Lab"}, {"rules", rules}};
  const Json run = {{"tool", {{"driver", driver}}}, {"results", results}};
  return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
          {"version", "2.1.0"},
          {"runs", Json::array({run})}};
}

}  // namespace lab::report
