// The zip that an instructor uploads to Gradescope as the autograder of an assignment.
//
// Enters: this project's files as they are committed, a rubric, chapters. Leaves: setup.sh, run_autograder and
// all that the grader is built from, by a list. What else lies in the clone stays here: solutions,
// submissions, rosters, grades.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lab::grade {

struct GradescopeZip {
  std::filesystem::path file;
  std::string rubric_text;
  std::vector<std::string> chapters;  // names; empty: all
  std::string compiler;               // "", "nvcc", "clang"
};

// The number of files in it. Throws EnvironmentError when it cannot be written, without libarchive, or
// outside of a git clone.
std::size_t write_gradescope_zip(const GradescopeZip& zip);

}  // namespace lab::grade
