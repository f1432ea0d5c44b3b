// The words of `lab grade`: a table of the class, and what was remarkable.
//
// Enters: a ClassResult. Leaves: text for the terminal, and the object of --json.
#pragma once

#include <string>
#include <vector>

#include "common/class/grade/grading.h"
#include "common/ui/counters_json.h"
#include "common/ui/style.h"

namespace lab::grade {

// One chapter over all students.
struct ChapterStatistics {
  std::string chapter;
  std::size_t handed_in = 0, passed = 0, students = 0;
  bool bonus = false;                                          // comes on top
  std::int64_t points = 0;                                     // hundredths, summed over all students
  std::int64_t points_possible = 0;                            // hundredths, of one student
  std::vector<std::pair<std::string, std::size_t>> diagnoses;  // most common first
  double processor_seconds = 0;                                // of what was judged in this run
};
[[nodiscard]] std::vector<ChapterStatistics> statistics(const ClassResult& result);
// Mean over all students, rounded to tenths: "9.4".
[[nodiscard]] std::string mean_points_text(const ChapterStatistics& statistics);

[[nodiscard]] std::string summary_text(const ClassResult& result, const std::vector<Message>& notes,
                                       const report::Style& style);
// The same for every -j and machine, except for what stands under "run".
[[nodiscard]] report::Json summary_json(const ClassResult& result, const std::vector<Message>& notes);

}  // namespace lab::grade
