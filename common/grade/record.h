// The record of one submission's chapter: what was judged, by what, and what it is worth.
//
// Enters: a Judgement, scored. Leaves: one JSON text that is the same byte for byte on every machine: no
// time, no path, no order of work stands in it. A record can be checked by judging again (verify.h).
#pragma once

#include <optional>
#include <string>

#include "common/compile/tools.h"
#include "common/grade/judge.h"
#include "common/grade/score.h"

namespace lab::grade {

inline constexpr const char* kRecordFormat = "transpose-lab record 1";

struct Record {
  std::string student, chapter;
  std::string file;    // inside of the submission; "" when there was none
  std::string source;  // SHA-256 of the kernel's bytes; "" when there was none
  compile::Tools tools;
  Judgement judgement;
  std::string key;        // of the inputs
  std::string submitted;  // when it was handed in, as the platform says; "" when nobody knows
};

// The points, cases and first diagnosis of a record, worked out once.
struct Graded {
  Record record;
  Score score;
  std::int64_t points = 0, points_possible = 0;  // hundredths
  int late_percent = 0;                          // taken off, for being late
  bool passed = false;
  std::string diagnosis;  // code of the first failure; "" when passed
  std::string message;    // its first line
};
[[nodiscard]] Graded graded(Record record, const Rubric& rubric);

// The text of a record's file, with a line end.
[[nodiscard]] std::string record_text(const Graded& graded);

// 7.2, or 13 without a dot: as short as JSON allows, and one way only.
[[nodiscard]] report::Json points_json(std::int64_t hundredths);

}  // namespace lab::grade
