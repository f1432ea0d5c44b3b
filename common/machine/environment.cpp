// Looks at the machine, part by part. See environment.h.
#include "common/machine/environment.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <thread>

#include "common/base/errors.h"
#include "common/base/project.h"
#include "common/base/subprocess.h"
#include "common/compile/compile.h"
#include "common/report/style.h"
#include "common/report/wrap.h"

namespace lab::machine {
namespace fs = std::filesystem;

namespace {

using Rows = std::vector<EnvironmentRow>;

fs::path find_program(const std::string& name) {
  std::istringstream folders(base::environment_variable("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path path = fs::path(folder) / name;
    std::error_code error;
    if (fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0) return path;
  }
  const fs::path wheel = base::project_root() / ".venv" / "bin" / name;
  return ::access(wheel.c_str(), X_OK) == 0 ? wheel : fs::path();
}

// "on PATH" says enough; anything else is named.
std::string place_of(const fs::path& program) {
  return find_program(program.filename().string()) == program &&
                 !base::shown_path(program).starts_with(".venv")
             ? /* message */ "on PATH"
             : base::shown_path(program);
}

// The first word of `--version` that starts with a digit and holds a dot: "12.2.0", "1.0.1".
std::string version_of(const fs::path& program) {
  base::Subprocess question;
  question.arguments = {program.string(), "--version"};
  question.environment = {"PATH=" + base::environment_variable("PATH"),
                          "HOME=" + base::environment_variable("HOME"), "LC_ALL=C"};
  question.folder = "/";
  question.wall_time = std::chrono::seconds(10);
  question.output_bytes = 64 << 10;
  const base::SubprocessResult answer = base::run(question);
  if (answer.end != base::SubprocessResult::End::Exited || answer.code != 0) return "";
  std::istringstream words(answer.output);
  for (std::string word; words >> word;) {
    if (word.front() >= '0' && word.front() <= '9' && word.find('.') != std::string::npos) {
      return word.substr(0, word.find_first_not_of("0123456789."));
    }
  }
  return "";
}

EnvironmentRow program_row(const std::string& label, const std::vector<std::string>& names,
                           const std::string& advice) {
  for (const std::string& name : names) {
    const fs::path program = find_program(name);
    if (!program.empty())
      return {label, EnvironmentRow::State::Ok, version_of(program), name + ", " + place_of(program), ""};
  }
  return {label, EnvironmentRow::State::Missing, "", "", advice};
}

EnvironmentRow system_row() {
  std::ifstream release("/etc/os-release");
  std::string system = "Linux";
  for (std::string line; std::getline(release, line);) {
    constexpr std::string_view kKey = "PRETTY_NAME=";
    if (!line.starts_with(kKey)) continue;
    system = line.substr(kKey.size());
    std::erase(system, '"');
  }
  utsname kernel{};
  uname(&kernel);
  return {/* message */ "system", EnvironmentRow::State::Ok, system,
          std::string(kernel.machine) + ", Linux " + kernel.release, ""};
}

EnvironmentRow processor_row() {
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
#if defined(__x86_64__)
  const std::string vectors =
      __builtin_cpu_supports("avx2") ? "AVX2" : "no AVX2: the simulator runs at half speed";
#else
  const std::string vectors;
#endif
  return {/* message */ "processor", EnvironmentRow::State::Ok,
          cores == 1 ? /* message */ "1 core" : fmt::format(/* message */ "{} cores", cores), vectors, ""};
}

void add_libraries(Rows& rows) {
  const std::array<std::pair<const char*, const char*>, 4> libraries{{{"fmt", LAB_FMT_VERSION},
                                                                      {"nlohmann-json", LAB_JSON_VERSION},
                                                                      {"CLI11", LAB_CLI11_VERSION},
                                                                      {"toml++", LAB_TOML_VERSION}}};
  for (const auto& [name, text] : libraries)
    rows.push_back(
        {/* message */ "library " + std::string(name), EnvironmentRow::State::Ok, text, "built in", ""});
}

void add_kernel_compilers(Rows& rows) {
  const std::vector<compile::KernelCompiler>& found = compile::kernel_compilers();
  for (const compile::KernelCompiler& compiler : found) {
    rows.push_back({std::string("kernel compiler ") + name(compiler.kind), EnvironmentRow::State::Ok,
                    compiler.version, place_of(compiler.path), ""});
  }
  const auto has = [&](compile::CompilerKind kind) {
    return std::any_of(found.begin(), found.end(),
                       [&](const compile::KernelCompiler& c) { return c.kind == kind; });
  };
  const EnvironmentRow::State state =
      found.empty() ? EnvironmentRow::State::Missing : EnvironmentRow::State::Absent;
  if (!has(compile::CompilerKind::Nvrtc))
    rows.push_back({"kernel compiler nvrtc", state, "", "", "./lab setup installs it"});
  if (!has(compile::CompilerKind::Nvcc)) {
    rows.push_back({"kernel compiler nvcc", EnvironmentRow::State::Absent, "", "",
                    "./lab run installs it when it is needed"});
  }
  if (!has(compile::CompilerKind::Clang)) {
    rows.push_back({"kernel compiler clang", EnvironmentRow::State::Absent, "", "",
                    "./lab setup --compiler clang installs it"});
  }
}

EnvironmentRow cache_row() {
  try {
    const fs::path folder = base::cache_root();
    return {/* message */ "cache", EnvironmentRow::State::Ok, "", base::shown_path(folder), ""};
  } catch (const base::EnvironmentError& error) {
    return {"cache", EnvironmentRow::State::Missing, "", "", error.what()};
  }
}

const char* state_name(EnvironmentRow::State state) {
  return state == EnvironmentRow::State::Ok        ? /* message */ "ok"
         : state == EnvironmentRow::State::Missing ? /* message */ "missing"
                                                   : /* message */ "absent";
}

}  // namespace

std::vector<EnvironmentRow> describe_environment() {
  Rows rows{system_row(), processor_row()};
  rows.push_back({"lab", EnvironmentRow::State::Ok, LAB_VERSION, base::project_root().string(), ""});
  if (fs::exists(base::project_root() / "meson.build")) {  // the pip package is built already
    const std::string advice = "./lab setup installs it";
    rows.push_back(program_row(/* message */ "C++ compiler", {"c++", "g++", "clang++"}, advice));
    rows.push_back(program_row("Meson", {"meson"}, advice));
    rows.push_back(program_row("Ninja", {"ninja", "ninja-build"}, advice));
  }
  add_libraries(rows);
  add_kernel_compilers(rows);
  rows.push_back(cache_row());
  return rows;
}

bool is_complete(const std::vector<EnvironmentRow>& rows) {
  return std::none_of(rows.begin(), rows.end(),
                      [](const EnvironmentRow& row) { return row.state == EnvironmentRow::State::Missing; });
}

std::string environment_text(const std::vector<EnvironmentRow>& english,
                             const std::function<std::string(std::string_view)>& words) {
  std::vector<EnvironmentRow> rows = english;
  for (EnvironmentRow& row : rows) {
    for (std::string* piece : {&row.name, &row.version, &row.where, &row.advice})
      if (words) *piece = words(*piece);
  }
  const auto state_shown = [&](EnvironmentRow::State state) {
    return words ? words(state_name(state)) : state_name(state);
  };
  std::size_t name_width = 0;
  std::size_t version_width = 0;
  for (const EnvironmentRow& row : rows) {
    name_width = std::max(name_width, report::width(row.name));
    if (row.state == EnvironmentRow::State::Ok && !row.where.empty())
      version_width = std::max(version_width, report::width(row.version));
  }
  std::string text;
  for (const EnvironmentRow& row : rows) {
    std::string line = fmt::format("  {:<8} {:<{}}  ", state_shown(row.state), row.name, name_width);
    const std::string below(report::width(line), ' ');
    if (row.state == EnvironmentRow::State::Ok) {
      line += fmt::format("{:<{}}  {}", row.version, version_width, row.where);
    } else {
      line += row.where.empty() ? row.advice : row.where + "; " + row.advice;
    }
    text += report::fitted(line.substr(0, line.find_last_not_of(' ') + 1), "", below) + "\n";
  }
  return text;
}

base::Json environment_json(const std::vector<EnvironmentRow>& rows) {
  base::Json list = base::Json::array();
  for (const EnvironmentRow& row : rows) {
    list.push_back({{"advice", row.advice},
                    {"name", row.name},
                    {"state", state_name(row.state)},
                    {"version", row.version},
                    {"where", row.where}});
  }
  return {{"complete", is_complete(rows)}, {"rows", list}};
}

}  // namespace lab::machine
