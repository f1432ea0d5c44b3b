// Text and JSON of `lab verify`. See the header.
#include "common/course/report/verify_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "common/base/json.h"
#include "common/base/project.h"
#include "common/base/words.h"
#include "common/ui/table.h"

namespace lab::report {
namespace {

using course::CourseItem;
using course::CourseOutcome;
using course::CourseReport;
using course::CourseTask;

struct TaskText {
  CourseTask task;
  const char* promise;
};
constexpr TaskText kTasks[] = {
    {CourseTask::Solution, "solutions pass their chapter"},
    {CourseTask::Skeleton, "skeletons compile and fail with the intended diagnosis"},
    {CourseTask::Earlier, "earlier solutions do not pass a later chapter"},
    {CourseTask::Mutant, "mistakes are rejected with the right words"},
    {CourseTask::Fault, "faulty kernels: each fault is found, right ones have none"},
    {CourseTask::Cheat, "ways around an idea are turned away, with their diagnosis"},
    {CourseTask::Right, "unusual right kernels pass"},
    {CourseTask::Open, "ways around that docs/trust.md calls open are as it says"},
};

std::string mark(bool good, const Style& style) {
  return style.paint(good ? "✓" : "✗", good ? Ink::Good : Ink::Bad);
}

std::string counts_text(const CourseReport& report, const Style& style) {
  std::string text;
  for (const TaskText& t : kTasks) {
    int all = 0, kept = 0;
    for (std::size_t i = 0; i < report.items.size(); ++i) {
      if (report.items[i].task != t.task) continue;
      ++all;
      kept += report.outcomes[i].kept;
    }
    if (all == 0) continue;
    text += fmt::format("  {} {} {}\n", mark(kept == all, style), tr("{:>3} of {:<3}", kept, all),
                        text::translated_form(t.promise));
  }
  if (report.compilers.size() > 1)
    text +=
        fmt::format("  {} {}\n", mark(report.differences.empty(), style), tr("all compilers count the same"));
  if (report.lesson_numbers > 0 || !report.lesson_findings.empty())
    text += fmt::format("  {} {}\n", mark(report.lesson_findings.empty(), style),
                        tr("{} numbers in the lessons are what is counted", report.lesson_numbers));
  return text;
}

// Rows: solutions. Columns: chapters. What stands in a cell is the diagnosis, as a number of the list below.
std::string matrix_text(const CourseReport& report, const Style& style) {
  std::set<std::string> names;
  std::map<std::pair<std::string, std::string>, const CourseOutcome*> cells;
  for (std::size_t i = 0; i < report.items.size(); ++i) {
    const CourseItem& item = report.items[i];
    if (item.task != CourseTask::Earlier && item.task != CourseTask::Solution) continue;
    names.insert(item.chapter);
    cells.emplace(std::make_pair(item.solution, item.chapter), &report.outcomes[i]);
  }
  if (names.empty()) return {};
  Table table;
  table.column("solution", Align::Left);
  for (const std::string& chapter : names) table.column("in " + chapter.substr(0, 2), Align::Left);
  for (const std::string& solution : names) {
    std::vector<Cell> row = {{solution, Ink::Plain}};
    for (const std::string& chapter : names) {
      const auto cell = cells.find({solution, chapter});
      if (cell == cells.end()) {
        row.push_back({"", Ink::Faint});
      } else if (cell->second->passed) {
        row.push_back({tr("passes"), solution == chapter ? Ink::Good : Ink::Bad});
      } else {
        row.push_back({cell->second->code, solution == chapter ? Ink::Bad : Ink::Faint});
      }
    }
    table.row(std::move(row));
  }
  return "\n" + table.text(style, "  ");
}

// Rows: cheats. What the chapters that judge one answered, those with the same answer together.
std::string cheats_text(const CourseReport& report, const Style& style) {
  std::map<std::string, std::map<std::string, std::string>> answers;  // cheat → diagnosis → chapters
  for (std::size_t i = 0; i < report.items.size(); ++i) {
    const CourseItem& item = report.items[i];
    if (item.task != CourseTask::Cheat) continue;
    const CourseOutcome& o = report.outcomes[i];
    std::string& chapters = answers[item.file.stem().string()][o.passed ? tr("passes") : o.code];
    chapters += (chapters.empty() ? "" : " ") + item.chapter.substr(0, 2);
  }
  if (answers.empty()) return {};
  Table table;
  table.column("bypass", Align::Left).column("chapters", Align::Left).column("diagnosis", Align::Left);
  for (const auto& [cheat, diagnoses] : answers) {
    for (const auto& [diagnosis, chapters] : diagnoses)
      table.row({{cheat, Ink::Plain}, {chapters, Ink::Plain}, {diagnosis, Ink::Faint}});
  }
  return "\n" + table.text(style, "  ");
}

std::string steps_text(const CourseReport& report, const Style& style) {
  Table table;
  table.column("step", Align::Left).column("lines removed").column("lines added");
  for (const CourseReport::Step& step : report.steps)
    table.row({{step.from + " → " + step.to, Ink::Plain},
               {std::to_string(step.removed), Ink::Plain},
               {std::to_string(step.added), Ink::Plain}});
  return report.steps.empty() ? "" : "\n" + table.text(style, "  ");
}

std::string where(const CourseItem& item) {
  std::string text = base::shown_path(item.file);
  if (!item.chapter.empty()) text = tr("{} in {}", text, item.chapter);
  return text + fmt::format(" ({})", name(item.compiler));
}

// Which kernels take most of the time.
std::string slowest_text(const CourseReport& report) {
  std::vector<std::size_t> order(report.items.size());
  std::iota(order.begin(), order.end(), 0);
  const std::size_t shown = std::min<std::size_t>(3, order.size());
  const auto slower = [&](std::size_t a, std::size_t b) {
    return report.outcomes[a].seconds > report.outcomes[b].seconds;
  };
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(), slower);
  std::string text = "\n  " + tr("slowest");
  for (std::size_t i = 0; i < shown; ++i)
    text +=
        fmt::format(" · {} {}", where(report.items[order[i]]), duration(report.outcomes[order[i]].seconds));
  return text + "\n";
}

std::string broken_text(const CourseReport& report, const Style& style) {
  std::string text;
  for (std::size_t i = 0; i < report.items.size(); ++i) {
    if (report.outcomes[i].kept) continue;
    text += fmt::format("  {} {}\n      {}\n", mark(false, style), where(report.items[i]),
                        translated(report.outcomes[i].wrong));
  }
  for (const Message& difference : report.differences)
    text += fmt::format("  {} {}\n", mark(false, style), translated(difference));
  for (const Message& finding : report.lesson_findings)
    text += fmt::format("  {} {}\n", mark(false, style), translated(finding));
  return text.empty() ? "" : "\n" + text;
}

}  // namespace

std::string course_text(const CourseReport& report, const Style& style) {
  std::string text = fmt::format("verify   {} · {} · {}\n", base::joined(report.compilers),
                                 tr("compiled {}", duration(report.compile_seconds)),
                                 tr("judged {}", duration(report.judge_seconds)));
  text += counts_text(report, style) + matrix_text(report, style) + cheats_text(report, style) +
          steps_text(report, style) + slowest_text(report) + broken_text(report, style);
  text += report.kept()
              ? "\n" + tr("The course keeps its promises.") + "\n"
              : "\n" +
                    tr("The course breaks a promise: fix the kernel, the check, or what its file expects.") +
                    "\n";
  return text;
}

std::string course_json(const CourseReport& report) {
  using base::Json;
  Json items = Json::array();
  for (std::size_t i = 0; i < report.items.size(); ++i) {
    const CourseItem& item = report.items[i];
    const CourseOutcome& o = report.outcomes[i];
    items.push_back({{"task", name(item.task)},
                     {"file", base::shown_path(item.file)},
                     {"compiler", name(item.compiler)},
                     {"chapter", item.chapter},
                     {"kept", o.kept},
                     {"wrong", o.wrong.english()},
                     {"passed", o.passed},
                     {"case", o.case_name},
                     {"case_id", o.case_id},
                     {"code", o.code},
                     {"message", o.message.english()},
                     {"line", o.line},
                     {"points", o.points},
                     {"seconds", o.seconds}});
  }
  Json steps = Json::array();
  for (const auto& step : report.steps)
    steps.push_back({{"from", step.from}, {"to", step.to}, {"removed", step.removed}, {"added", step.added}});
  const Json all = {{"kept", report.kept()},
                    {"compilers", report.compilers},
                    {"compile_seconds", report.compile_seconds},
                    {"judge_seconds", report.judge_seconds},
                    {"differences", english(report.differences)},
                    {"lesson_numbers", report.lesson_numbers},
                    {"lesson_findings", english(report.lesson_findings)},
                    {"steps", steps},
                    {"items", items}};
  return all.dump(2);
}

}  // namespace lab::report
