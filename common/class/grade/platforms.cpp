// Verdicts for the platforms that courses run on: Gradescope, Classroom 50, GitHub Actions. See formats.h.
#include <fmt/core.h>

#include <algorithm>

#include "common/base/markup.h"
#include "common/base/printable.h"
#include "common/class/grade/formats.h"
#include "common/class/grade/summary.h"
#include "common/ui/annotations.h"

namespace lab::grade {
namespace {

using report::Json;

std::string chapter_line(const Graded& g) {
  const std::string verdict = g.passed ? "passed" : g.message;
  const std::string late = g.late_percent == 0 ? ""
                                               : fmt::format("  (late: {} % off {})", g.late_percent,
                                                             points_text(g.score.points()));
  std::string by_hand;
  if (g.record.by_hand) {
    const ByHand& decided = *g.record.by_hand;
    by_hand = decided.points ? fmt::format("  (set by hand; judged: {})", points_text(g.judged_points)) : "";
    by_hand += decided.comment.empty() ? "" : "  " + base::printable(decided.comment);
  }
  return fmt::format("{}  {} of {}{}{}{}  {}", g.record.chapter, points_text(g.points),
                     points_text(g.points_possible), g.bonus ? " (bonus)" : "", late, by_hand, verdict);
}

Json gradescope_test(const Graded& g, std::size_t index) {
  const judge::CaseResult& c = g.record.judgement.evaluation.cases[index];
  const CaseScore& scored = g.score.cases[index];
  return {{"name", fmt::format("{}: {}", g.record.chapter, c.name)},
          {"number", fmt::format("{}.{}", std::atoi(g.record.chapter.c_str()), index + 1)},
          {"score", points_json(scored.points)},
          {"max_score", points_json(scored.points_possible)},
          {"status", c.passed ? "passed" : "failed"},
          {"output", !c.passed             ? reasons_text(c)
                     : scored.gate.empty() ? "passed"
                                           : "passed; " + scored.gate},
          {"output_format", "text"},
          {"tags", {g.record.chapter, name(c.kind)}},
          {"visibility", "visible"}};
}

// A cell of a Markdown table, with nothing in it that Markdown or HTML would take for its own.
std::string markdown_escaped(std::string_view text) {
  std::string result;
  for (const char c : base::markup_escaped(text)) {
    if (std::string_view("|\\`*_[]#~!").find(c) != std::string_view::npos) result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

}  // namespace

Json gradescope_json(const StudentView& student) {
  Json tests = Json::array();
  Json hashes = Json::object();
  std::string output;
  for (const Graded* g : student.chapters) {
    for (std::size_t i = 0; i < g->score.cases.size(); ++i) tests.push_back(gradescope_test(*g, i));
    output += chapter_line(*g) + "\n";
    hashes[g->record.chapter] = g->record.source;
  }
  if (!student.chapters.empty()) {
    for (const auto& [key, value] : student.chapters.front()->record.tools.listed()) hashes[key] = value;
  }
  const bool whole = std::all_of(student.chapters.begin(), student.chapters.end(),
                                 [](const Graded* g) { return g->has_points(); });
  Json result = {{"output", output},
                 {"output_format", "text"},
                 {"test_output_format", "text"},
                 {"test_name_format", "text"},
                 {"visibility", "visible"},
                 {"stdout_visibility", "hidden"},
                 {"extra_data", {{"hashes", hashes}}}};
  // Without a verdict there is no score, never a zero: Gradescope then asks for the autograder to be run
  // again.
  if (whole) result["score"] = points_json(student.points()), result["tests"] = tests;
  return result;
}

Json classroom50_json(const StudentView& student, const std::function<std::string(const char*)>& variable) {
  const auto given = [&](const char* name, const std::string& otherwise) {
    const std::string value = variable(name);
    return value.empty() ? otherwise : value;
  };
  Json tests = Json::array();
  for (const Graded* g : student.chapters) {
    for (std::size_t i = 0; i < g->score.cases.size(); ++i) {
      const judge::CaseResult& c = g->record.judgement.evaluation.cases[i];
      tests.push_back({{"test-name", fmt::format("{}: {}", g->record.chapter, c.name)},
                       {"passed", c.passed},
                       {"score", g->score.cases[i].points},  // whole numbers only: hundredths of a point
                       {"max-score", g->score.cases[i].points_possible},
                       {"output", c.passed ? g->score.cases[i].gate : reasons_text(c)}});
    }
  }
  const std::string commit = given("COMMIT_URL", "unknown");
  return {{"schema", "classroom50/result/v1"},
          {"classroom", given("CLASSROOM", "transpose-lab")},
          {"assignment", given("ASSIGNMENT", "transpose-lab")},
          {"assignment_type", given("ASSIGNMENT_TYPE", "individual")},
          {"owner", given("OWNER", given("USERNAME", student.student))},
          {"submission", given("SUBMISSION_TAG", "submit/unknown")},
          {"commit", commit},
          {"release", given("RELEASE_URL", "unknown")},
          {"review", given("REVIEW_URL", commit)},
          {"datetime", given("LAB_SUBMITTED_AT", "1970-01-01T00:00:00Z")},  // the runner puts its own in
          {"score", student.points()},
          {"max-score", student.points_possible()},
          {"tests", tests}};
}

std::string github_annotations(const ClassResult& result) {
  std::string text;
  for (const Graded& g : result.graded) {
    for (const judge::CaseResult& c : g.record.judgement.evaluation.cases) {
      if (c.passed || c.reasons.empty()) continue;
      const judge::Reason& reason = c.reasons.front();
      const bool prediction = c.kind == judge::CaseKind::Prediction;
      std::string where;
      if (!g.record.file.empty())
        where = fmt::format("file={},", report::workflow_escaped(g.record.file, true));
      if (reason.line != 0 && reason.file == kKernelName) where += fmt::format("line={},", reason.line);
      const std::string title = fmt::format("{} {}: {}", g.record.student, g.record.chapter, c.name);
      text += fmt::format("::{} {}title={}::{}\n", prediction ? "warning" : "error", where,
                          report::workflow_escaped(base::printable(title), true),
                          report::workflow_escaped(base::printable(reasons_text(c)), false));
      if (!c.reached || c.kind == judge::CaseKind::Holds) break;  // one reason for all that follow
    }
  }
  return text;
}

std::string github_summary(const ClassResult& result) {
  std::string text = "# Transpose Lab\n\n";
  if (result.students.size() == 1) {
    text += "| chapter | points | of | verdict |\n|---|---:|---:|---|\n";
    for (const Graded& g : result.graded) {
      text +=
          fmt::format("| {} | {} | {} | {} |\n", markdown_escaped(g.record.chapter), points_text(g.points),
                      points_text(g.points_possible), g.passed ? "passed" : markdown_escaped(g.message));
    }
    return text;
  }
  text += "| chapter | handed in | passed | mean | of | common diagnoses |\n|---|---:|---:|---:|---:|---|\n";
  for (const ChapterStatistics& s : statistics(result)) {
    std::string diagnoses;
    for (std::size_t i = 0; i < std::min<std::size_t>(3, s.diagnoses.size()); ++i)
      diagnoses += fmt::format("{}{} {}", i ? ", " : "", s.diagnoses[i].second, s.diagnoses[i].first);
    text +=
        fmt::format("| {} | {} | {} | {} | {} | {} |\n", markdown_escaped(s.chapter), s.handed_in, s.passed,
                    mean_points_text(s), points_text(s.points_possible), markdown_escaped(diagnoses));
  }
  text += "\n| student | points | of |\n|---|---:|---:|\n";
  for (const StudentView& student : by_student(result)) {
    text += fmt::format("| {} | {} | {} |\n", markdown_escaped(student.student),
                        points_text(student.points()), points_text(student.points_possible()));
  }
  return text;
}

}  // namespace lab::grade
