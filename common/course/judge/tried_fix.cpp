// Slips undone and tried, one line after the other. See tried_fix.h.
#include "common/course/judge/tried_fix.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <vector>

#include "common/base/errors.h"
#include "common/base/temporary_folder.h"
#include "common/course/judge/checks.h"
#include "common/course/judge/reasons.h"
#include "common/course/judge/slips.h"
#include "common/course/judge/source_lines.h"

namespace lab::judge {
namespace {

using Lines = std::vector<int>;

void add(Lines& lines, int line) {
  if (line > 0 && std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
}

// Numbers behind `place` in what a compiler said: "transpose.cu:31:5", "transpose.cu(31)".
void add_numbers(Lines& lines, const std::string& log, const std::string& place) {
  for (std::size_t at = 0; (at = log.find(place, at)) != log.npos;) {
    at += place.size();
    int number = 0;
    std::from_chars(log.data() + at, log.data() + log.size(), number);
    add(lines, number);
  }
}

Lines lines_named(const Reason& reason) {
  Lines lines;
  add(lines, reason.line);
  reason.message.for_each_line([&](std::int64_t line) { add(lines, static_cast<int>(line)); });
  return lines;
}

// Where else the slip may be: the launch shape, and what takes a place from it.
Lines further_suspects(const std::string& source) {
  Lines lines;
  int number = 1;
  for (std::size_t at = 0; at < source.size(); ++number) {
    const std::size_t end = std::min(source.find('\n', at), source.size());
    const std::string_view line = std::string_view(source).substr(at, end - at);
    for (const std::string_view word : {".block = ", ".tile = ", ".block_x_walks", "blockIdx.", "constexpr "})
      if (line.find(word) != line.npos) add(lines, number);
    at = end + 1;
  }
  return lines;
}

std::vector<compile::CompileResult> compiled(const std::vector<std::string>& texts, const std::string& name) {
  const base::TemporaryFolder folder;
  std::vector<compile::CompileRequest> requests;
  for (const std::string& text : texts) {
    compile::CompileRequest& request = requests.emplace_back();
    request.file = folder.path() / (std::to_string(requests.size()) + ".cu");
    std::ofstream(request.file) << text;
    request.compiler = compile::CompilerKind::Builtin;
    request.kernel_rules = true;
    request.use_cache = false;
    request.shown_name = name;
  }
  return compile::compile_all(requests);
}

class Trial {
 public:
  Trial(const Examination& e, const std::string& source, const Inputs& inputs)
      : e_(e), source_(source), inputs_(inputs), failed_(*e.evaluation.first_failure()) {}

  [[nodiscard]] RightLine of_kernel() const {
    const Lines named = lines_named(reason());
    if (RightLine found = best_of(named, false); found.line != 0) return found;
    if (reason().code == "budget-exceeded") return {};  // each line more takes as long as that
    Lines others = further_suspects(source_);
    std::erase_if(others,
                  [&](int line) { return std::find(named.begin(), named.end(), line) != named.end(); });
    return best_of(others, true);
  }

  // A message that names the place of the error is right when the error goes.
  [[nodiscard]] RightLine of_text() const {
    const Lines before = errors(e_.compile_log);
    if (before.empty()) return {};
    Lines lines{before.front()};
    for (int above = before.front() - 1; above > 0 && lines.size() < 2; --above)
      if (!line_of(source_, above).empty()) lines.push_back(above);
    for (const int line : lines) {
      const std::vector<std::string> texts = completed_lines(source_, line);
      const std::vector<compile::CompileResult> made = compiled(sources(line, texts), e_.kernel);
      for (std::size_t i = 0; i < texts.size(); ++i) {
        const Lines after = errors(made[i].log);
        if (made[i].ok || (!after.empty() && after.front() > before.front()))
          return {e_.kernel, texts[i], line};
      }
    }
    return {};
  }

 private:
  // `whole`: a line that no message names is right where nothing but predictions is left.
  [[nodiscard]] RightLine best_of(const Lines& lines, bool whole) const {
    for (const int line : lines) {
      const std::vector<std::string> texts = other_lines(source_, line);
      const std::vector<compile::CompileResult> made = compiled(sources(line, texts), e_.kernel);
      std::size_t best = texts.size();
      int points = -1;
      for (std::size_t i = 0; i < texts.size(); ++i)
        if (const int reached = made[i].ok ? points_of(made[i].ptx(), whole) : -1; reached > points)
          best = i, points = reached;
      if (best != texts.size()) return {e_.kernel, texts[best], line};
    }
    return {};
  }

  [[nodiscard]] const Reason& reason() const { return failed_.reasons.front(); }

  [[nodiscard]] std::vector<std::string> sources(int line, const std::vector<std::string>& texts) const {
    std::vector<std::string> all;
    for (const std::string& text : texts) all.push_back(with_line(source_, line, text));
    return all;
  }

  [[nodiscard]] Lines errors(const std::string& log) const {
    Lines lines;
    add_numbers(lines, log, e_.kernel + ":");
    add_numbers(lines, log, e_.kernel + "(");
    return lines;
  }

  // Points of a kernel that passes the case that failed; -1: it does not.
  [[nodiscard]] int points_of(const std::string& ptx, bool whole) const {
    try {
      Subject subject(ptx, 0, {}, inputs_);
      const ChapterInfo& chapter = *e_.chapter;
      const std::string& entry = reason().entry.empty() ? chapter.entry : reason().entry;
      if (const std::optional<Problem> problem = reason().problem) {
        const Target target = subject.target_of(entry);
        if (subject.first_wrong({&*problem, 1}, target)) return -1;
      }
      const Evaluation evaluation = evaluate(chapter, subject);
      if (whole && std::any_of(evaluation.cases.begin(), evaluation.cases.end(), [](const CaseResult& c) {
            return !c.passed && c.kind != CaseKind::Prediction;
          }))
        return -1;
      const auto same = std::find_if(evaluation.cases.begin(), evaluation.cases.end(),
                                     [&](const CaseResult& c) { return c.id == failed_.id; });
      return same != evaluation.cases.end() && same->passed ? evaluation.points() : -1;
    } catch (const std::exception&) {  // no entry, no shape: not this one
      return -1;
    }
  }

  const Examination& e_;
  const std::string& source_;
  const Inputs& inputs_;
  const CaseResult& failed_;
};

}  // namespace

void try_fixes(Examination& e, const std::string& source, const Inputs& inputs) {
  for (CaseResult& c : e.evaluation.cases) {
    if (c.passed || c.reasons.empty()) continue;
    const bool refused = !e.compile.refusal.empty();
    if (source.empty() || refused || (e.compiled && (e.load || c.kind != CaseKind::Holds))) return;
    const Trial trial(e, source, inputs);
    c.reasons.front().right = e.compiled ? trial.of_kernel() : trial.of_text();
    return;
  }
}

}  // namespace lab::judge
