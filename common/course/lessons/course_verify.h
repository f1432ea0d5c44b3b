// Verifies the course itself: `lab verify`.
//
// Enters: the items of course_cases.h. Leaves: for each one what happened and whether it is what was
// promised. Items are compiled in parallel, then judged in worker processes, because doctest runs one session
// a process.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "common/base/text/message.h"
#include "common/course/judge/subject.h"
#include "common/course/lessons/course_cases.h"

namespace lab::course {

// Those of judge::kMetrics, of a chapter's measured problem.
using CourseCounters = std::array<std::uint64_t, judge::kMetrics.size()>;

struct CourseOutcome {
  bool kept = false;          // the promise
  Message wrong;              // why not, a whole sentence; "" when kept
  bool passed = false;        // the kernel passed all cases (or had no fault)
  std::string case_id;        // the first case that failed: its id, …
  std::string case_name;      // … and its title
  std::string code;           // its diagnosis
  Message message;            // its words
  int line = 0;               // the line that it blames; 0 for none
  int points = 0;             // that it earned
  CourseCounters counters{};  // of a solution
  double seconds = 0;         // of a processor
};

struct CourseReport {
  std::vector<CourseItem> items;
  std::vector<CourseOutcome> outcomes;  // one an item
  std::vector<Message> differences;     // solutions whose counters differ between compilers
  struct Step {
    std::string from, to;        // chapters
    int removed = 0, added = 0;  // lines of code, comments and blank lines left out
  };
  std::vector<Step> steps;               // from each solution to the next
  int lesson_numbers = 0;                // numbers in lessons that were counted again
  std::vector<Message> lesson_findings;  // and those that are wrong, or that no formula backs
  std::vector<std::string> compilers;
  double compile_seconds = 0, judge_seconds = 0;
  [[nodiscard]] bool kept() const;  // everything
};

struct CourseOptions {
  unsigned jobs = 0;                             // worker processes; 0: one a core
  std::vector<compile::CompilerKind> compilers;  // empty: every kind that is on this machine
  std::string key{judge::kPracticeKey};          // of the inputs
  bool lessons = true;                           // count the numbers of the lessons again, too
  std::function<bool(const CourseItem&)> only;   // empty: all
  std::function<void(std::size_t done, std::size_t all)>
      progress;  // called now and then, in kernels; may be empty
};

// Throws what compile() throws; std::runtime_error when a kernel file or a word in it is missing.
[[nodiscard]] CourseReport verify_course(const CourseOptions& options);

// Judges items of one kernel file by one compiler, in this process. They share one Subject, so that what is
// known of the kernel is not asked again.
[[nodiscard]] std::vector<CourseOutcome> judge_items(std::span<const CourseItem> items,
                                                     const compile::CompileResult& compiled,
                                                     const judge::Inputs& inputs = {});

}  // namespace lab::course
