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
#include "report_files.h"

#ifdef LAB_HAVE_LIBARCHIVE
#include <archive.h>
#include <archive_entry.h>
#endif

namespace lab::grade {
namespace fs = std::filesystem;
using base::EnvironmentError;

#ifndef LAB_HAVE_LIBARCHIVE

std::size_t write_gradescope_zip(const GradescopeZip&) {
  throw EnvironmentError(
      "This program was built without libarchive. Run: apt-get install libarchive-dev, remove the build "
      "folder and start "
      "again.");
}

#else

namespace {

// One date for all entries: the same project gives the same zip.
constexpr std::time_t kDate = 1'577'836'800;  // 2020-01-01, a date that zip can hold

class ZipWriter {
 public:
  explicit ZipWriter(const fs::path& file) : archive_(archive_write_new(), archive_write_free), file_(file) {
    archive_write_set_format_zip(archive_.get());
    if (archive_write_open_filename(archive_.get(), file.c_str()) != ARCHIVE_OK) fail();
  }

  void add(const std::string& name, const std::string& bytes, bool program) {
    const std::unique_ptr<archive_entry, decltype(&archive_entry_free)> entry(archive_entry_new(),
                                                                              archive_entry_free);
    archive_entry_set_pathname(entry.get(), name.c_str());
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(bytes.size()));
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_perm(entry.get(), program ? 0755 : 0644);
    archive_entry_set_mtime(entry.get(), kDate, 0);
    if (archive_write_header(archive_.get(), entry.get()) != ARCHIVE_OK) fail();
    if (archive_write_data(archive_.get(), bytes.data(), bytes.size()) !=
        static_cast<la_ssize_t>(bytes.size()))
      fail();
    ++count_;
  }

  std::size_t finish() {
    if (archive_write_close(archive_.get()) != ARCHIVE_OK) fail();
    return count_;
  }

 private:
  [[noreturn]] void fail() {
    throw EnvironmentError(
        fmt::format("Cannot write {}: {}.", file_.string(), archive_error_string(archive_.get())));
  }
  std::unique_ptr<archive, decltype(&archive_write_free)> archive_;
  fs::path file_;
  std::size_t count_ = 0;
};

// What is built here, written here, or nobody's business there.
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
    if (!bytes) throw EnvironmentError(fmt::format("Cannot read {}.", path.string()));
    const bool program = (fs::status(path).permissions() & fs::perms::owner_exec) != fs::perms::none;
    writer.add(file.generic_string(), *bytes, program);
  }
  return writer.finish();
}

#endif

}  // namespace lab::grade
