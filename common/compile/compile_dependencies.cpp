// Reads make rules. See compile_dependencies.h.
#include "common/compile/compile_dependencies.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "common/base/files.h"
#include "common/base/project.h"
#include "common/compile/compile_names.h"
#include "common/sim/ptx/file_row.h"

namespace lab::compile {
namespace fs = std::filesystem;

namespace {

// The names after the colon of a make rule: blanks separate, a backslash protects a blank or ends the line,
// "$$" is "$".
std::vector<std::string> parse_make_rule(const std::string& text) {
  std::vector<std::string> names;
  std::string name;
  const auto flush = [&] {
    if (!name.empty()) names.push_back(std::exchange(name, {}));
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (text[i] == '\\' && next == '\n') {
      flush(), ++i;
    } else if (text[i] == '\\' && (next == ' ' || next == '#' || next == '\\')) {
      name += next, ++i;
    } else if (text[i] == '$' && next == '$') {
      name += '$', ++i;
    } else if (text[i] == ' ' || text[i] == '\n' || text[i] == '\t') {
      flush();
    } else {
      name += text[i];
    }
  }
  flush();
  const auto colon =
      std::find_if(names.begin(), names.end(), [](const std::string& n) { return n.ends_with(':'); });
  if (colon != names.end()) names.erase(names.begin(), colon + 1);
  return names;
}

bool starts_with_folder(const fs::path& path, const fs::path& folder) {
  return !folder.empty() && path.string().starts_with(folder.string() + "/");
}

// Where headers of the system and of compilers lie.
bool is_header_of_compiler(const CompileJob& job, const fs::path& file) {
  if (starts_with_folder(file, job.compiler.toolkit)) return true;
  std::error_code error;
  const fs::path prefix = fs::canonical(job.compiler.path, error).parent_path().parent_path();
  for (const fs::path& root : {fs::path("/usr"), fs::path("/usr/local"), prefix}) {
    for (const char* part : {"include", "lib", "lib64"}) {
      if (root != "/" && starts_with_folder(file, root / part)) return true;
    }
  }
  return false;
}

}  // namespace

std::optional<std::vector<fs::path>> files_read(const CompileJob& job, const CompileFolder& folder) {
  const std::optional<std::string> rule = base::read_file(folder.rule());
  if (!rule) return std::nullopt;
  std::vector<fs::path> files;
  for (const std::string& name : parse_make_rule(*rule)) {
    if (name == ":") continue;
    fs::path file = on_this_machine(job, folder, name);
    if (file != job.source) files.push_back(std::move(file));
  }
  return files;
}

std::optional<std::vector<Dependency>> describe_all(const std::vector<fs::path>& files) {
  std::vector<Dependency> dependencies;
  for (const fs::path& file : files) {
    std::optional<Dependency> dependency = describe_dependency(file.string());
    if (!dependency) return std::nullopt;
    dependencies.push_back(std::move(*dependency));
  }
  return dependencies;
}

fs::path foreign_file(const CompileJob& job, const std::vector<fs::path>& files) {
  for (const fs::path& named : files) {
    std::error_code error;
    const fs::path file = fs::weakly_canonical(named, error);
    if (file == job.source || starts_with_folder(file, base::project_root() / "common" / "kernel")) continue;
    if (starts_with_folder(file, base::project_root()) && !starts_with_folder(file, job.compiler.toolkit))
      return file;
    if (!is_header_of_compiler(job, file)) return file;
  }
  return {};
}

std::string forged_file_name(const CompileJob& job, const std::string& ptx) {
  for (std::size_t at = 0; (at = ptx.find(".file", at)) != std::string::npos; at += 5) {
    const std::size_t end = std::min(ptx.find('\n', at), ptx.size());
    const std::string row = ptx.substr(at, end - at);
    const std::size_t open = row.find('"');
    const std::size_t close = row.rfind('"');
    const std::string name =
        open >= close ? row
                      : sim::decoded_file_name(std::string_view(row).substr(open + 1, close - open - 1));
    if (name != job.shown && !foreign_file(job, {base::project_root() / name}).empty()) return name;
  }
  return "";
}

}  // namespace lab::compile
