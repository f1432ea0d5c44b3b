// A verdict as places in files, for editors and for pages of pull requests.
#include "common/report/annotations.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <sstream>

#include "common/base/markup.h"
#include "common/base/project.h"
#include "common/base/text/text.h"

namespace lab::report {
namespace {

using base::Json;
namespace fs = std::filesystem;

// As a checkout names it, where the file is the course's own.
std::string in_the_course(const std::string& file) {
  std::error_code unknown;
  const fs::path whole = fs::weakly_canonical(fs::absolute(file, unknown), unknown);
  const fs::path inside = whole.lexically_relative(fs::weakly_canonical(base::project_root(), unknown));
  return inside.empty() || *inside.begin() == ".." ? file : inside.generic_string();
}

Annotation annotation(const judge::Reason& reason, std::string title, const std::string& kernel) {
  Annotation made{
      .code = reason.code, .title = std::move(title), .message = text::retell(reason.message), .file = {}};
  for (const judge::Figure& figure : reason.figures)
    made.message += fmt::format("\n{}: {}, {} {}", text::retell(figure.name), figure.value, text::tr("goal"),
                                figure.goal);
  made.file = in_the_course(reason.file.empty() ? kernel : reason.file);
  made.line = std::max(reason.line, 1);
  return made;
}

// `file.cu(31): error: text` of nvcc and NVRTC, `file.cu:31:5: error: text` of clang.
std::vector<Annotation> of_compiler(const judge::Examination& e) {
  static const std::regex form(
      R"(^(.+?)(?:\((\d{1,9})\)|:(\d{1,9}):\d+): (?:fatal |catastrophic )?error(?:\s*#?[\w-]*)?: (.*)$)");
  std::vector<Annotation> found;
  std::istringstream log(e.compile_log);
  for (std::string line; std::getline(log, line);) {
    std::smatch match;
    if (line.size() > 4000 || !std::regex_match(line, match, form)) continue;
    found.push_back({"does-not-compile", text::tr("does not compile"), match[4], in_the_course(match[1]),
                     std::stoi(match[2].matched ? match[2] : match[3])});
  }
  if (found.empty())
    found.push_back(
        {"does-not-compile", text::tr("does not compile"), e.compile_log, in_the_course(e.kernel)});
  return found;
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

std::vector<Annotation> annotations(const judge::Examination& e) {
  if (!e.compiled) return of_compiler(e);
  if (e.load) return {annotation(*e.load, text::tr("cannot run"), e.kernel)};
  std::vector<Annotation> found;
  for (const judge::CaseResult& c : e.evaluation.cases) {
    if (c.passed || !c.reached) continue;
    for (const judge::Reason& reason : c.reasons) {
      judge::Reason told = reason;
      if (c.kind == judge::CaseKind::Prediction) told.figures.clear();  // its message has both numbers
      found.push_back(annotation(told, text::retell(c.name), e.kernel));
      found.back().is_error = c.kind != judge::CaseKind::Prediction;
    }
  }
  return found;
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
