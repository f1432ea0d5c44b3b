// Points: what a verdict is worth under a rubric.
//
// Enters: an Evaluation, a Rubric. Leaves: hundredths of a point, by whole-number arithmetic alone, so that
// every machine comes to the same.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/class/grade/rubric.h"
#include "common/course/judge/verdict.h"

namespace lab::grade {

struct CaseScore {
  std::int64_t points = 0;           // hundredths
  std::int64_t points_possible = 0;  // hundredths
  int credit = 0;                    // 0 to 100: how much of the case was reached
  std::string gate;                  // of a case that passed and does not earn all: why
};

struct Score {
  std::vector<CaseScore> cases;  // in the order of the evaluation
  [[nodiscard]] std::int64_t points() const;
  [[nodiscard]] std::int64_t points_possible() const;
};

[[nodiscard]] Score score(const judge::Evaluation& evaluation, const Rubric& rubric);

// How far `value` has come from `start_times` times the goal towards the goal, on a scale that halves: 100 at
// the goal, 0 at the start and beyond it.
[[nodiscard]] int credit_of(std::uint64_t value, std::uint64_t goal, std::uint64_t start_times);

// 720 → "7.2", 1300 → "13".
[[nodiscard]] std::string points_text(std::int64_t hundredths);

}  // namespace lab::grade
