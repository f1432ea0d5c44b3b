// The record of one submission's chapter: what was judged, by what, and what it is worth.
//
// Enters: a Judgement, scored. Leaves: one JSON text that is the same byte for byte on every machine: no
// time, no path, no order of work stands in it. A record can be checked by judging again (verify.h).
#pragma once

#include <map>
#include <optional>
#include <string>

#include "common/class/grade/judge.h"
#include "common/class/grade/score.h"
#include "common/compile/tools.h"

namespace lab::grade {

inline constexpr const char* kRecordFormat = "transpose-lab record 1";

// What a person decided, whatever was judged.
struct ByHand {
  std::optional<std::int64_t> points;  // hundredths; none: a comment alone
  std::string comment;
};

struct Record {
  std::string student, chapter;
  std::string file;    // inside of the submission; "" when there was none
  std::string source;  // SHA-256 of the kernel's bytes; "" when there was none
  compile::Tools tools;
  Judgement judgement;
  std::string key;        // of the inputs
  std::string submitted;  // when it was handed in, as the platform says; "" when not known
  // What the roster says: the seat whose answers count (in a chapter that asks for one), and more time.
  std::optional<int> seat;
  std::optional<std::int64_t> extension;
  std::optional<ByHand> by_hand;
  // What the student's earlier record of an exam has, by case. It counts, whatever is said now.
  std::map<std::string, judge::SaidFinding> first_findings;
};

// What a record says of its first findings, under this key.
[[nodiscard]] std::map<std::string, judge::SaidFinding> first_findings_in(const report::Json& record,
                                                                          const std::string& key);

// The points, cases and first diagnosis of a record, worked out once.
struct Graded {
  Record record;
  Score score;
  std::int64_t points = 0, points_possible = 0;  // hundredths
  int late_percent = 0;                          // taken off, for being late
  std::int64_t judged_points = 0;                // before a person decided
  bool bonus = false;                            // its points come on top: none of them are needed
  bool earlier = false;                          // of a run before this one, as its record has it
  bool passed = false;
  [[nodiscard]] bool has_points() const {
    return record.judgement.is_verdict() || (record.by_hand && record.by_hand->points);
  }
  std::string diagnosis;  // code of the first failure; "" when passed
  std::string message;    // its first line, in English
  report::Json terms;     // what of the rubric decided it
  // The first line of the first failure in the reader's language; "" when passed.
  [[nodiscard]] std::string shown_message() const;
};
[[nodiscard]] Graded graded(Record record, const Rubric& rubric);

// A record of an earlier run as it stands, not scored anew. None for a text that is none.
[[nodiscard]] std::optional<Graded> graded_before(const std::string& text);

// The text of a record's file, with a line end.
[[nodiscard]] std::string record_text(const Graded& graded);
// What is written of a person's decision; null for none.
[[nodiscard]] report::Json by_hand_json(const Graded& graded);
[[nodiscard]] std::optional<ByHand> by_hand_of(const report::Json& record);

// 7.2, or 13 without a dot: as short as JSON allows, and one way only.
[[nodiscard]] report::Json points_json(std::int64_t hundredths);

}  // namespace lab::grade
