// Reads overrides.csv. See overrides.h.
#include "common/class/grade/overrides.h"

#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <string_view>
#include <vector>

#include "common/base/errors.h"
#include "common/base/words.h"
#include "common/class/grade/csv.h"
#include "common/course/judge/checks.h"
#include "common/course/judge/named_kernel.h"

namespace lab::grade {
namespace {

constexpr std::string_view kOverrideTitles = "student,chapter,points,comment";

// "3", "2.5": hundredths. None for any other text.
std::optional<std::int64_t> points_of(const std::string& text) {
  double points = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), points);
  const double hundredths = points * 100;
  if (error != std::errc{} || end != text.data() + text.size() || !(points >= 0) || points > 10'000 ||
      std::abs(std::round(hundredths) - hundredths) > 1e-6)
    return std::nullopt;
  return std::llround(hundredths);
}

const judge::ChapterInfo* chapter_of(const std::string& name) {
  try {
    return &judge::chapter_named(name);
  } catch (const base::UsageError&) {
    return nullptr;
  }
}

}  // namespace

Overrides read_overrides(const std::string& text, const std::string& name) {
  Overrides decided;
  std::vector<Message> mistakes;
  const auto complain = [&](int line, const Message& words) {
    mistakes.push_back(msg("{}:{}: {}", name, line, words));
  };
  const Csv csv = read_csv(text);
  if (csv.open_quote != 0) complain(csv.open_quote, "a quote that nothing closes");
  for (std::size_t i = 0; i < csv.rows.size() && csv.open_quote == 0; ++i) {
    std::vector<std::string> cells = csv.rows[i].cells;
    const int line = csv.rows[i].line;
    if (i == 0 && !cells.empty() && lower(cells.front()) == "student") {
      const std::string titles =
          lower(base::joined(cells, ","));  // others, or another order, say something else
      if (cells.size() < 3 || !kOverrideTitles.starts_with(titles))
        complain(line, msg("the columns are {}, in this order", std::string(kOverrideTitles)));
      continue;
    }
    if (cells.size() < 3 || cells.size() > 4 || cells[0].empty()) {
      complain(line, "a row has student, chapter, points, comment");
      continue;
    }
    cells.resize(4);
    const judge::ChapterInfo* chapter = chapter_of(cells[1]);
    const auto points = points_of(cells[2]);
    if (chapter == nullptr) complain(line, msg("there is no chapter \"{}\"", cells[1]));
    if (!points && !cells[2].empty())
      complain(line, msg("\"{}\" is no number of points, such as 3 or 2.5", cells[2]));
    if (cells[2].empty() && cells[3].empty()) complain(line, "neither points nor a comment");
    if (chapter != nullptr &&
        !decided.emplace(std::pair(cells[0], std::string(chapter->name)), ByHand{points, cells[3]}).second)
      complain(line, msg("{} {} stands here twice", cells[0], chapter->name));
  }
  if (mistakes.empty()) return decided;
  Message message = msg("{} cannot be used; nothing was graded.", name);
  for (const Message& mistake : mistakes) message.line(msg("  {}", mistake));
  throw base::UsageError(message);
}

}  // namespace lab::grade
