// Packs the autograder. See gradescope_zip.h.
#include "common/grade/gradescope_zip.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <set>
#include <system_error>

#include "common/base/errors.h"
#include "common/base/files.h"
#include "common/base/project.h"
#include "common/base/words.h"
#include "common/grade/report_files.h"
#include "common/grade/zip_writer.h"

namespace lab::grade {
namespace fs = std::filesystem;
using base::EnvironmentError;

namespace {

// What is built here, written here, or not needed there.
bool stays_at_home(const std::string& name, bool at_the_top) {
  if (name.starts_with('.') || name == "__pycache__") return true;
  return at_the_top &&
         (name.starts_with("build") || name == "solutions" || name == "grades" || name.ends_with(".zip"));
}

std::vector<fs::path> project_files() {
  constexpr std::uintmax_t kLargestFile = 16 << 20;  // no source is as large
  const fs::path& root = base::project_root();
  std::vector<fs::path> files;
  for (fs::recursive_directory_iterator at(root), end; at != end; ++at) {
    if (stays_at_home(at->path().filename().string(), at.depth() == 0)) {
      at.disable_recursion_pending();
    } else if (at->is_regular_file() && !at->is_symlink() && at->file_size() <= kLargestFile) {
      files.push_back(at->path().lexically_relative(root));
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

}  // namespace

std::size_t write_gradescope_zip(const GradescopeZip& zip) {
  const std::string lab_arguments = zip.compiler.empty() ? "" : "--compiler " + zip.compiler;
  const std::string grade_arguments =
      zip.chapters.empty() ? "" : "--chapters " + base::joined(zip.chapters, ",");
  ZipWriter writer(zip.file);
  writer.add("setup.sh", replaced(kFileGradescopeSetupSh, "$LAB_ARGUMENTS", lab_arguments), true);
  writer.add("run_autograder",
             replaced(replaced(kFileGradescopeRunSh, "$LAB_ARGUMENTS", lab_arguments), "$GRADE_ARGUMENTS",
                      grade_arguments),
             true);
  writer.add("gradescope-rubric.toml", zip.rubric_text, false);
  for (const fs::path& file : project_files()) {
    const fs::path path = base::project_root() / file;
    const auto bytes = base::read_file(path);
    if (!bytes) throw EnvironmentError(msg("Cannot read {}.", path.string()));
    const bool program = (fs::status(path).permissions() & fs::perms::owner_exec) != fs::perms::none;
    writer.add(file.generic_string(), *bytes, program);
  }
  return writer.finish();
}

}  // namespace lab::grade
