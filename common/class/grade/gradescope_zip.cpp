// Packs the autograder. See gradescope_zip.h.
#include "common/class/grade/gradescope_zip.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <sstream>
#include <string_view>
#include <system_error>

#include "common/base/errors.h"
#include "common/base/project.h"
#include "common/base/subprocess.h"
#include "common/base/temporary_folder.h"
#include "common/base/words.h"
#include "common/class/grade/report_files.h"
#include "common/class/grade/zip_writer.h"

namespace lab::grade {
namespace fs = std::filesystem;
using base::EnvironmentError;

namespace {

// What the grader is built from. What else lies in a clone (submissions, rosters, grades, a rubric with a
// class's key) stays here, committed or not; so do solutions, also those that the instructor wrote, and the
// tests, whose kernels solve chapters; tests/chapters, the checks, is part of the program.
constexpr auto kPacked = std::to_array<std::string_view>({"CHANGELOG.md",
                                                          "CITATION.cff",
                                                          "CONTRIBUTING.md",
                                                          "LICENSE",
                                                          "README.md",
                                                          "README.zh.md",
                                                          "SECURITY.md",
                                                          "action.yml",
                                                          "chapters",
                                                          "common",
                                                          "data",
                                                          "docs",
                                                          "examples",
                                                          "lab",
                                                          "meson.build",
                                                          "meson_options.txt",
                                                          "notebooks",
                                                          "pyproject.toml",
                                                          "python",
                                                          "solutions",
                                                          "tools"});
constexpr auto kSolved =
    std::to_array<const char*>({":!solutions/*/transpose.cu", ":!chapters/*/transpose.cu"});

base::Subprocess git_program(const std::vector<std::string>& words) {
  base::Subprocess git;
  git.arguments = {"/usr/bin/env", "git", "-c", "safe.directory=*"};
  git.arguments.insert(git.arguments.end(), words.begin(), words.end());
  for (const char* name : {"PATH", "HOME"})
    git.environment.push_back(std::string(name) + "=" + base::environment_variable(name));
  git.folder = base::project_root();
  git.wall_time = std::chrono::minutes(2);
  return git;
}

std::string from_git(const std::vector<std::string>& words) {
  const fs::path& root = base::project_root();
  std::error_code error;
  const bool clone = fs::exists(root / ".git", error);
  const base::SubprocessResult result = clone ? base::run(git_program(words)) : base::SubprocessResult{};
  if (result.succeeded()) return result.output;
  throw EnvironmentError(
      msg("The archive holds what is committed, and git does not say what that is in {} ({}). Make it in a "
          "git clone of the course, with git installed.",
          base::shown_path(root),
          clone ? text::verbatim(base::last_line(result.output)) : Message("it is no clone")));
}

// Writes what is committed of these into a tar, as the commit has it: what was changed since stays here.
void archive_committed(const fs::path& tar) {
  std::vector<std::string> words = {"archive", "--format=tar", "-o", tar.string(), "HEAD", "tests/chapters"};
  words.insert(words.end(), kSolved.begin(), kSolved.end());
  std::istringstream top(from_git({"ls-tree", "--name-only", "HEAD"}));
  for (std::string name; std::getline(top, name);)
    if (std::find(kPacked.begin(), kPacked.end(), name) != kPacked.end()) words.push_back(name);
  (void)from_git(words);
}

}  // namespace

std::size_t write_gradescope_zip(const GradescopeZip& zip) {
  const std::string lab_arguments = zip.compiler.empty() ? "" : "--compiler " + zip.compiler;
  const std::string grade_arguments =
      zip.chapters.empty() ? "" : "--chapters " + base::joined(zip.chapters, ",");
  ZipWriter writer(zip.file);
  writer.add("setup.sh", base::replaced_all(kFileGradescopeSetupSh, "$LAB_ARGUMENTS", lab_arguments), true);
  writer.add("run_autograder",
             base::replaced_all(base::replaced_all(kFileGradescopeRunSh, "$LAB_ARGUMENTS", lab_arguments),
                                "$GRADE_ARGUMENTS", grade_arguments),
             true);
  writer.add("gradescope-rubric.toml", zip.rubric_text, false);
  const base::TemporaryFolder folder;
  const fs::path tar = folder.path() / "committed.tar";
  archive_committed(tar);
  writer.add_files_of(tar);
  return writer.finish();
}

}  // namespace lab::grade
