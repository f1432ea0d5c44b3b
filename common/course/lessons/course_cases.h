// What the course promises about its own kernels, as a list of items that can be judged one by one.
//
// Enters: the folders chapters/, solutions/, tests/mutants/ and the chapters' checks linked into this
// program. Leaves: one CourseItem for each kernel file and each thing that must be true of it.
// course_verify.h runs them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/compile/compile.h"
#include "common/course/judge/problem.h"

namespace lab::course {

enum class CourseTask : std::uint8_t {
  Solution,  // passes its own chapter
  Skeleton,  // compiles, and fails its chapter with the intended diagnosis
  Earlier,   // a solution does not pass a later chapter
  Mutant,    // a mistake is rejected by a chapter, with the right words
  Fault,     // a faulty kernel gets the right fault; a clean one gets none
  Cheat,     // a bypass of the idea of a chapter is refused, with the right diagnosis
  Right,     // an unusual kernel that does what the chapter asks passes
  Open,      // a bypass that docs/trust.md calls open: it passes, and says so when it no longer does
};
[[nodiscard]] std::string_view name(CourseTask task);  // "solution", …

struct CourseItem {
  CourseTask task = CourseTask::Solution;
  std::filesystem::path file;
  compile::CompilerKind compiler = compile::CompilerKind::Nvcc;
  std::string chapter;             // whose checks judge; "" for a fault
  std::string solution;            // of an Earlier item: whose solution it is
  std::string case_name;           // expected: the first case that fails, by id or title; "" for any
  std::vector<std::string> codes;  // expected: one of these diagnoses; empty for any; "none": no fault
  std::string says;                // expected: a word of the message; "" for any
  judge::Problem problem;          // of a fault
  std::vector<int> lines;          // of a fault: one of these is to blame; empty: no line is expected
  int points = -1;                 // expected: at most so many; -1 for any
};

// Reads the first lines of a kernel under tests/mutants (the README.md there has the form): one item for each
// chapter that judges it. Throws std::runtime_error with a whole sentence when they say too little.
[[nodiscard]] std::vector<CourseItem> read_promises(CourseTask task, const std::filesystem::path& file);

// Everything, in the order of the report: solutions and skeletons with each compiler, the rest with the
// first.
[[nodiscard]] std::vector<CourseItem> course_items(const std::filesystem::path& root,
                                                   const std::vector<compile::CompilerKind>& compilers);

}  // namespace lab::course
