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
#include <sstream>
#include <thread>

#include "common/base/errors.h"
#include "common/base/project.h"
#include "common/base/subprocess.h"
#include "common/compile/compile.h"
#include "common/ui/style.h"
#include "common/ui/wrap.h"

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
Message place_of(const fs::path& program) {
  return find_program(program.filename().string()) == program &&
                 !base::shown_path(program).starts_with(".venv")
             ? Message(/* message */ "on PATH")
             : text::verbatim(base::shown_path(program));
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

EnvironmentRow program_row(const Message& label, const std::vector<std::string>& names,
                           const Message& advice) {
  for (const std::string& name : names) {
    const fs::path program = find_program(name);
    if (!program.empty())
      return {label, EnvironmentRow::State::Ok, text::verbatim(version_of(program)),
              msg("{}, {}", name, place_of(program)), ""};
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
  return {/* message */ "system", EnvironmentRow::State::Ok, text::verbatim(system),
          text::verbatim(fmt::format("{}, Linux {}", kernel.machine, kernel.release)), ""};
}

EnvironmentRow processor_row() {
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
#if defined(__x86_64__)
  const Message vectors =
      __builtin_cpu_supports("avx2") ? "AVX2" : "no AVX2: the simulator runs at half speed";
#else
  const Message vectors;
#endif
  return {/* message */ "processor", EnvironmentRow::State::Ok,
          cores == 1 ? Message(/* message */ "1 core") : msg("{} cores", cores), vectors, ""};
}

void add_libraries(Rows& rows) {
  const std::array<std::pair<const char*, const char*>, 4> libraries{{{"fmt", LAB_FMT_VERSION},
                                                                      {"nlohmann-json", LAB_JSON_VERSION},
                                                                      {"CLI11", LAB_CLI11_VERSION},
                                                                      {"toml++", LAB_TOML_VERSION}}};
  for (const auto& [name, text] : libraries)
    rows.push_back({/* message */ msg("library {}", name), EnvironmentRow::State::Ok, text::verbatim(text),
                    "built in", ""});
}

void add_kernel_compilers(Rows& rows) {
  const std::vector<compile::KernelCompiler>& found = compile::kernel_compilers();
  for (const compile::KernelCompiler& compiler : found) {
    rows.push_back({msg("kernel compiler {}", name(compiler.kind)), EnvironmentRow::State::Ok,
                    text::verbatim(compiler.version), place_of(compiler.path), ""});
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
    return {/* message */ "cache", EnvironmentRow::State::Ok, "", text::verbatim(base::shown_path(folder)),
            ""};
  } catch (const base::EnvironmentError& error) {
    return {"cache", EnvironmentRow::State::Missing, "", "", error.message()};
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
  rows.push_back(
      {"lab", EnvironmentRow::State::Ok, LAB_VERSION, text::verbatim(base::project_root().string()), ""});
  if (fs::exists(base::project_root() / "meson.build")) {  // the pip package is built already
    const Message advice = "./lab setup installs it";
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

std::string environment_text(const std::vector<EnvironmentRow>& rows, text::Lookup lookup) {
  struct Shown {
    std::string state, name, version, where;
  };
  const auto shown = [&](const Message& message) { return rendered(message, lookup); };
  std::vector<Shown> lines;
  std::size_t name_width = 0, version_width = 0;
  for (const EnvironmentRow& row : rows) {
    Shown line{shown(state_name(row.state)), shown(row.name), shown(row.version), shown(row.where)};
    if (row.state != EnvironmentRow::State::Ok)
      line.where = shown(row.where.empty() ? row.advice : msg("{}; {}", row.where, row.advice));
    name_width = std::max(name_width, report::width(line.name));
    if (row.state == EnvironmentRow::State::Ok && !row.where.empty())
      version_width = std::max(version_width, report::width(line.version));
    lines.push_back(std::move(line));
  }
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Shown& shown_line = lines[i];
    std::string line = "  " + report::pad_right(shown_line.state, 8) + " " +
                       report::pad_right(shown_line.name, name_width) + "  ";
    const std::string below(report::width(line), ' ');
    if (rows[i].state == EnvironmentRow::State::Ok)
      line += report::pad_right(shown_line.version, version_width) + "  ";
    line += shown_line.where;
    text += report::fitted(line.substr(0, line.find_last_not_of(' ') + 1), "", below) + "\n";
  }
  return text;
}

base::Json environment_json(const std::vector<EnvironmentRow>& rows) {
  base::Json list = base::Json::array();
  for (const EnvironmentRow& row : rows) {
    list.push_back({{"advice", row.advice.english()},
                    {"name", row.name.english()},
                    {"state", state_name(row.state)},
                    {"version", row.version.english()},
                    {"where", row.where.english()}});
  }
  return {{"complete", is_complete(rows)}, {"rows", list}};
}

}  // namespace lab::machine
