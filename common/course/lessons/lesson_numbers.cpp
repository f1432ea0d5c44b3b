// Holds each number of the lessons against its formula. See the header.
#include "common/course/lessons/lesson_numbers.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "common/base/files.h"
#include "common/base/project.h"
#include "common/course/lessons/lesson_sources.h"
#include "common/course/lessons/lesson_text.h"

namespace lab::course {
namespace {

namespace fs = std::filesystem;

constexpr double kAbout = 0.1;  // of the value: what `~` allows

bool matches(const LessonNumber& n, double value) {
  if (!std::isfinite(value)) return false;
  if (n.about) return std::abs(n.value - value) <= kAbout * std::abs(value);
  const double last_digit = std::pow(10.0, -n.decimals);
  return std::abs(n.value - value) <= (n.decimals ? 0.5001 * last_digit : 1e-9);
}

// "" when the number is what its formula says.
Message wrong(const LessonNumber& n, const fs::path& lesson, LessonSources& sources) {
  try {
    const double value =
        evaluate_formula(n.formula, [&](const FormulaSource& s) { return sources.number(s, lesson); });
    if (matches(n, value)) return "";
    return msg("The text says {}, but{} is {}. Correct the text, or the formula behind the number.", n.text,
               n.formula, value);
  } catch (const std::runtime_error& error) {
    return msg("The formula behind {} cannot be evaluated: {}", n.text, text::message_of(error));
  }
}

void check_lesson(const fs::path& lesson, LessonSources& sources, LessonReport& report) {
  const std::string name = base::shown_path(lesson);
  const std::optional<std::string> text = base::read_file(lesson);
  if (!text) {
    report.findings.push_back({name, 0, "The lesson cannot be read."});
    return;
  }
  const auto numbers = lesson_numbers(*text);
  ++report.lessons;
  std::set<std::pair<double, std::string>> known;  // value and unit
  std::set<double> values;
  for (const LessonNumber& n : numbers) {
    if (n.formula.empty()) continue;
    ++report.checked;
    if (const Message message = wrong(n, lesson, sources); !message.empty()) {
      report.findings.push_back({name, n.line, message});
    }
    known.emplace(n.value, n.unit);
    values.insert(n.value);
  }
  for (const LessonNumber& n : numbers) {
    if (!n.claim || !n.formula.empty()) continue;
    if (n.unit.empty() ? values.contains(n.value) : known.contains({n.value, n.unit})) continue;
    report.findings.push_back({name, n.line,
                               msg("No formula backs {}{}{}. Write a formula after it: {}<!-- = … -->; "
                                   "docs/adding-a-chapter.md says how.",
                                   n.text, n.unit.empty() ? "" : " ", n.unit, n.text)});
  }
}

}  // namespace

std::vector<fs::path> all_lessons(const fs::path& root) {
  std::vector<fs::path> lessons;
  for (const auto& entry : fs::directory_iterator(root / "chapters")) {
    if (!entry.is_directory()) continue;
    lessons.push_back(entry.path() / "README.md");
    lessons.push_back(entry.path() / "README.zh.md");
  }
  std::sort(lessons.begin(), lessons.end());
  for (const char* page : {"swizzle.md", "atomics.md", "atomics.zh.md", "glossary.md", "glossary.zh.md",
                           "questions.md", "questions.zh.md"})
    lessons.push_back(root / "docs" / page);
  return lessons;
}

LessonReport verify_lessons(const fs::path& root, const std::vector<fs::path>& lessons) {
  LessonReport report;
  LessonSources sources(root);
  for (const fs::path& lesson : lessons) check_lesson(lesson, sources, report);
  return report;
}

}  // namespace lab::course
