// Finds the project's folder and a cache that can be written. See project.h.
#include "common/base/project.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "common/base/errors.h"
#include "common/base/printable.h"

namespace lab::base {
namespace fs = std::filesystem;

std::string environment_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string program_on_path(const std::string& name) {
  std::istringstream folders(environment_variable("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path candidate = fs::path(folder.empty() ? "." : folder) / name;
    std::error_code error;
    if (fs::is_regular_file(candidate, error) && ::access(candidate.c_str(), X_OK) == 0)
      return fs::absolute(candidate).string();
  }
  return "";
}

namespace {

fs::path from_environment(const char* name) { return environment_variable(name); }

constexpr const char* kPartOfAny = "common/kernel/lab.cuh";

// From where this program lies, upwards: the build folder lies in the course, or says where the course is. No
// place is compiled in, so a clone that was moved needs no build.
fs::path root_of_program() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  fs::path course;
  for (fs::path folder = program.parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
    if (fs::exists(folder / kPartOfAny, error)) return folder;
    std::string line;
    if (std::ifstream in(folder / "common/base/source-root.txt"); std::getline(in, line)) course = line;
  }
  return course.empty() ? program.parent_path() : course;
}

fs::path locate_root() {
  fs::path root = from_environment("LAB_ROOT");
  if (root.empty()) root = root_of_program();
  std::error_code error;
  const fs::path found = fs::canonical(root, error);
  if (error || !fs::exists(found / kPartOfAny, error)) {
    throw EnvironmentError(
        msg("no Transpose Lab in {}: common/kernel/lab.cuh is not there. Start ./lab from the clone, or set "
            "LAB_ROOT to it.",
            root.string()));
  }
  return found;
}

bool can_write(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  return fs::is_directory(folder, error) && ::access(folder.c_str(), W_OK | X_OK) == 0;
}

}  // namespace

const fs::path& project_root() {
  static const fs::path root = locate_root();
  return root;
}

fs::path cache_root() {
  std::vector<fs::path> candidates;
  if (const fs::path chosen = from_environment("LAB_CACHE_DIR"); !chosen.empty()) {
    candidates.push_back(chosen);
  } else {
    candidates.push_back(project_root() / ".cache");
    if (const fs::path xdg = from_environment("XDG_CACHE_HOME"); xdg.is_absolute()) {
      candidates.push_back(xdg / "transpose-lab");
    }
    if (const fs::path home = from_environment("HOME"); home.is_absolute()) {
      candidates.push_back(home / ".cache" / "transpose-lab");
    }
  }
  for (const fs::path& folder : candidates) {
    if (can_write(folder)) return fs::absolute(folder);
  }
  throw EnvironmentError(
      msg("no folder for compiled kernels can be written (tried {}). Set LAB_CACHE_DIR to a folder of yours.",
          candidates.front().string()));
}

std::string shown_path(const fs::path& path) {
  std::error_code error;
  fs::path absolute = fs::weakly_canonical(path, error);
  if (error) absolute = fs::absolute(path, error).lexically_normal();
  const std::string text = absolute.string();
  const std::string prefix = project_root().string() + "/";
  return printable_line(text.starts_with(prefix) ? text.substr(prefix.size()) : path.string());
}

fs::path file_shown_as(const std::string& shown) {
  std::error_code error;
  for (const std::string& name : {shown, unprintable(shown)}) {
    for (const fs::path& path : {project_root() / name, fs::path(name)})
      if (fs::exists(path, error)) return path;
  }
  return shown;
}

}  // namespace lab::base
