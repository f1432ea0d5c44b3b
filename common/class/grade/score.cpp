// Points for cases. See score.h.
#include "common/class/grade/score.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>

namespace lab::grade {
namespace {

constexpr int kFractionBits = 24;

// log2 with 24 bits after the point. Squaring doubles the logarithm: each step gives one bit.
std::uint64_t log2_fixed(std::uint64_t x) {
  if (x == 0) return 0;
  const int whole = static_cast<int>(std::bit_width(x)) - 1;
  std::uint64_t mantissa = whole > 31 ? x >> (whole - 31) : x << (31 - whole);  // 1.0 is 2^31
  std::uint64_t fraction = 0;
  for (int i = 0; i < kFractionBits; ++i) {
    mantissa = (mantissa * mantissa) >> 31;  // below 2^64 / 2^31
    const bool over = (mantissa >> 32) != 0;
    if (over) mantissa >>= 1;
    fraction = fraction << 1 | (over ? 1u : 0u);
  }
  return static_cast<std::uint64_t>(whole) << kFractionBits | fraction;
}

// The worst of the figures that missed their goal.
int case_credit(const judge::CaseResult& result, std::uint64_t start_times) {
  if (result.passed) return 100;
  if (!result.reached || result.kind != judge::CaseKind::Goal || start_times <= 1 || result.reasons.empty())
    return 0;
  int credit = 99;  // a case that failed is never whole
  bool scaled = false;
  for (const judge::Reason& reason : result.reasons) {
    if (reason.figures.empty()) return 0;  // nothing that could be halfway
    for (const judge::Figure& figure : reason.figures) {
      // A bound of 0 is what another counter left over (both ways count together): that one has the scale.
      if (figure.goal == 0) continue;
      scaled = true;
      credit = std::min(credit, credit_of(figure.value, figure.goal, start_times));
    }
  }
  return scaled ? credit : 0;
}

}  // namespace

int credit_of(std::uint64_t value, std::uint64_t goal, std::uint64_t start_times) {
  if (goal == 0 || value == 0 || start_times <= 1) return 0;
  if (value <= goal) return 0;  // below the goal and failed: something was left out
  const std::uint64_t span = log2_fixed(start_times);
  const std::uint64_t above = log2_fixed(value) - log2_fixed(goal);
  return above >= span ? 0 : static_cast<int>(100 * (span - above) / span);
}

std::int64_t Score::points() const {
  std::int64_t sum = 0;
  for (const CaseScore& c : cases) sum += c.points;
  return sum;
}

std::int64_t Score::points_possible() const {
  std::int64_t sum = 0;
  for (const CaseScore& c : cases) sum += c.points_possible;
  return sum;
}

Score score(const judge::Evaluation& evaluation, const Rubric& rubric) {
  Score result;
  const bool right = evaluation.right(), earned = evaluation.earned();
  for (const judge::CaseResult& c : evaluation.cases) {
    const RubricCase rule = rubric.rule(evaluation.chapter, c);
    CaseScore scored;
    if (earned || (right && c.earns)) scored.credit = case_credit(c, rule.start_times);
    if (c.passed && scored.credit == 0 && rule.hundredths != 0)
      scored.gate = right ? "no points before one goal is met that the untouched skeleton misses"
                          : "no points before results are right on every shape";
    scored.points_possible = rule.hundredths;
    scored.points = rule.hundredths * scored.credit / 100;
    if (c.passed && c.finding && !c.finding->right && c.points > 0 && scored.credit != 0) {
      const int left = c.points - c.finding->worth;
      scored.points = rule.hundredths * left / c.points;
      scored.credit = 100 * left / c.points;
      scored.gate = "the first finding counts, and it was wrong";
    }
    result.cases.push_back(scored);
  }
  return result;
}

std::string points_text(std::int64_t hundredths) {
  if (hundredths % 100 == 0) return fmt::format("{}", hundredths / 100);
  std::string text = fmt::format("{}.{:02}", hundredths / 100, hundredths % 100);
  if (text.ends_with('0')) text.pop_back();
  return text;
}

}  // namespace lab::grade
