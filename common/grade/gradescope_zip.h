// The zip that an instructor uploads to Gradescope as the autograder of an assignment.
//
// Enters: this project's files, a rubric, chapters. Leaves: setup.sh, run_autograder and all that the grader
// is built from. Solutions stay at home: a container that judges strangers' code has no use for them.
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

// The number of files in it. Throws EnvironmentError when it cannot be written, or without libarchive.
std::size_t write_gradescope_zip(const GradescopeZip& zip);

}  // namespace lab::grade
