// The words of `lab grade`. See summary.h.
#include "common/class/grade/summary.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/ui/table.h"

namespace lab::grade {
namespace {

using report::Align;
using report::Ink;
using report::Json;

std::string diagnoses_text(const ChapterStatistics& s) {
  constexpr std::size_t kMost = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(s.diagnoses.size(), kMost); ++i)
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", s.diagnoses[i].second, s.diagnoses[i].first);
  return text;
}

void count_diagnosis(ChapterStatistics& s, const std::string& code) {
  const auto found =
      std::find_if(s.diagnoses.begin(), s.diagnoses.end(), [&](const auto& d) { return d.first == code; });
  if (found == s.diagnoses.end()) {
    s.diagnoses.emplace_back(code, 1);
  } else {
    ++found->second;
  }
}

std::string problems_text(const ClassResult& result, const report::Style& style) {
  constexpr std::size_t kMost = 10;
  std::string text;
  std::size_t shown = 0, all = 0;
  for (const auto& [student, problems] : result.problems) {
    for (const Message& problem : problems) {
      ++all;
      if (shown < kMost) text += fmt::format("  {}: {}\n", student, report::translated(problem)), ++shown;
    }
  }
  if (all > shown)
    text +=
        "  " + report::tr("and {} more: index.html and results.json have all of them", all - shown) + "\n";
  return text.empty() ? "" : style.paint(report::tr("refused"), Ink::Strong) + "\n" + text + "\n";
}

// What has no verdict, by name.
std::string open_text(const ClassResult& result, const report::Style& style) {
  constexpr std::size_t kMost = 10;
  std::string text;
  std::size_t all = 0;
  for (const Graded& g : result.graded) {
    if (g.record.judgement.is_verdict() || ++all > kMost) continue;
    text += fmt::format("  {} {}: {}\n", g.record.student, g.record.chapter, g.shown_message());
  }
  if (all > kMost) text += "  " + report::tr("and {} more: chapters.csv has all", all - kMost) + "\n";
  return text.empty() ? "" : style.paint(report::tr("without a verdict"), Ink::Bad) + "\n" + text + "\n";
}

std::size_t stopped(const ClassResult& result) {
  return static_cast<std::size_t>(
      std::count_if(result.graded.begin(), result.graded.end(),
                    [](const Graded& g) { return g.record.judgement.state == "stopped"; }));
}

}  // namespace

std::string mean_points_text(const ChapterStatistics& s) {
  if (s.students == 0) return "–";
  const auto students = static_cast<std::int64_t>(s.students);
  const std::int64_t tenths =
      (s.points + 5 * students) / (10 * students);  // whole numbers: the same everywhere
  return fmt::format("{}.{}", tenths / 10, tenths % 10);
}

std::vector<ChapterStatistics> statistics(const ClassResult& result) {
  std::vector<ChapterStatistics> all;
  const auto of = [&](const std::string& chapter) -> ChapterStatistics& {
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const ChapterStatistics& s) { return s.chapter == chapter; });
    if (found != all.end()) return *found;
    all.emplace_back().chapter = chapter;
    return all.back();
  };
  for (const Graded& g : result.graded) {
    ChapterStatistics& s = of(g.record.chapter);
    ++s.students;
    s.handed_in += !g.record.source.empty();
    s.passed += g.passed;
    s.points += g.points;
    s.bonus = g.bonus;
    s.points_possible = std::max(s.points_possible, g.points_possible);
    if (!g.passed && !g.diagnosis.empty()) count_diagnosis(s, g.diagnosis);
  }
  for (ChapterStatistics& s : all) {
    std::sort(s.diagnoses.begin(), s.diagnoses.end(), [](const auto& a, const auto& b) {
      return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
  }
  for (const UnitCost& cost : result.costs) of(cost.chapter).processor_seconds += cost.processor_seconds;
  return all;
}

std::string summary_text(const ClassResult& result, const std::vector<Message>& notes,
                         const report::Style& style) {
  report::Table table;
  table.column("chapter", Align::Left).column("handed in").column("passed").column("mean").column("of");
  table.column("common diagnoses", Align::Left).column("time");
  for (const ChapterStatistics& s : statistics(result)) {
    table.row({{s.chapter},
               {fmt::format("{}", s.handed_in)},
               {fmt::format("{}", s.passed)},
               {mean_points_text(s)},
               {points_text(s.points_possible)},
               {diagnoses_text(s)},
               {s.processor_seconds > 0 ? report::duration(s.processor_seconds) : "–"}});
  }
  std::string text = table.text(style) + "\n" + problems_text(result, style) + open_text(result, style);
  for (const Message& note : notes) text += report::translated(note) + "\n";
  const std::size_t students = result.students.size();
  text += students == 1
              ? report::tr("1 submission, {} kernels, {} different", result.kernels, result.different)
              : report::tr("{} submissions, {} kernels, {} different", students, result.kernels,
                           result.different);
  if (result.known > 0) text += ", " + report::tr("{} known from an earlier run", result.known);
  text += fmt::format(" · {}\n", report::duration(result.seconds));
  return text;
}

Json summary_json(const ClassResult& result, const std::vector<Message>& notes) {
  Json problems = Json::object();
  for (const auto& [student, of_student] : result.problems) problems[student] = english(of_student);
  Json chapters = Json::array();
  for (const ChapterStatistics& s : statistics(result)) {
    Json diagnoses = Json::array();
    for (const auto& [code, count] : s.diagnoses) diagnoses.push_back({{"code", code}, {"count", count}});
    chapters.push_back({{"chapter", s.chapter},
                        {"students", s.students},
                        {"handed_in", s.handed_in},
                        {"passed", s.passed},
                        {"points", double(s.points) / 100},
                        {"points_possible", double(s.points_possible) / 100},
                        {"diagnoses", diagnoses}});
  }
  return {{"submissions", result.students.size()},
          {"kernels", result.kernels},
          {"different", result.different},
          {"stopped", stopped(result)},
          {"complete", result.complete},
          {"chapters", chapters},
          {"problems", std::move(problems)},
          {"notes", english(notes)},
          {"run", {{"known", result.known}, {"judged", result.costs.size()}, {"seconds", result.seconds}}}};
}

}  // namespace lab::grade
