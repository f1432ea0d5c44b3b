// Finds kernel compilers on this machine and asks each for its version once. See compile.h.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <system_error>
#include <utility>

#include "common/base/errors.h"
#include "common/base/files.h"
#include "common/base/project.h"
#include "common/base/sha256.h"
#include "common/base/subprocess.h"
#include "common/compile/compile.h"
#include "common/compile/compile_command.h"
#include "common/compile/remembered.h"

namespace lab::compile {
namespace fs = std::filesystem;

namespace {

// nvcc 12 is the first with C++20, which kernel files are written in; clang 14 the oldest that the header was
// tried with.
constexpr int kOldestNvcc = 12;
constexpr int kOldestNvrtc = 13;
constexpr int kOldestClang = 14;
constexpr int kNewestClangName = 30;

std::vector<fs::path> split_path_list(const std::string& list) {
  std::vector<fs::path> folders;
  std::istringstream in(list);
  for (std::string folder; std::getline(in, folder, ':');) {
    if (!folder.empty()) folders.emplace_back(folder);
  }
  return folders;
}

bool is_program(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

void add_new(std::vector<fs::path>& found, const fs::path& path) {
  std::error_code error;
  for (const fs::path& known : found) {
    if (fs::equivalent(known, path, error)) return;
  }
  found.push_back(path);
}

void add_program(std::vector<fs::path>& found, const fs::path& path) {
  if (is_program(path)) add_new(found, path);
}

void add_library(std::vector<fs::path>& found, const fs::path& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) add_new(found, path);
}

// The wheels' tree lies under .venv/lib/python3.N/site-packages/nvidia/cu13 (or nvidia/cuda_nvcc in older
// ones).
std::vector<fs::path> wheels() {
  std::vector<fs::path> trees;
  std::error_code error;
  for (const fs::directory_entry& python :
       fs::directory_iterator(base::project_root() / ".venv" / "lib", error)) {
    const fs::path packages = python.path() / "site-packages" / "nvidia";
    for (const fs::directory_entry& package : fs::directory_iterator(packages, error)) {
      trees.push_back(package.path());
    }
  }
  return trees;
}

// CUDA Toolkits, but for those that PATH leads to; the wheels last.
std::vector<fs::path> toolkits() {
  std::vector<fs::path> trees;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const std::string home = base::environment_variable(name); !home.empty()) trees.emplace_back(home);
  }
  const char* usual = std::getenv("LAB_CUDA_SEARCH");
  for (fs::path& folder : split_path_list(usual != nullptr ? usual : "/usr/local/cuda:/opt/cuda"))
    trees.push_back(std::move(folder));
  for (fs::path& tree : wheels()) trees.push_back(std::move(tree));
  return trees;
}

std::vector<fs::path> nvrtc_candidates() {
  std::vector<fs::path> found;
  if (nvrtc_process().empty()) return found;  // libraries alone compile nothing
  if (const std::string named = base::environment_variable("LAB_NVRTC"); !named.empty()) {
    add_library(found, named);
    return found;
  }
  std::vector<fs::path> trees;
  for (const fs::path& folder : split_path_list(base::environment_variable("PATH"))) {
    if (is_program(folder / "nvcc")) trees.push_back(folder.parent_path());
  }
  for (fs::path& tree : toolkits()) trees.push_back(std::move(tree));
  for (const fs::path& tree : trees) {
    for (const char* part : {"lib64", "lib"}) add_library(found, tree / part / "libnvrtc.so.13");
  }
  return found;
}

std::vector<fs::path> nvcc_candidates() {
  std::vector<fs::path> found;
  if (const std::string named = base::environment_variable("LAB_NVCC"); !named.empty()) {
    add_program(found, named);
    return found;
  }
  for (const fs::path& folder : split_path_list(base::environment_variable("PATH")))
    add_program(found, folder / "nvcc");
  for (const fs::path& tree : toolkits()) add_program(found, tree / "bin" / "nvcc");
  return found;
}

std::vector<fs::path> clang_candidates() {
  std::vector<fs::path> found;
  if (const std::string named = base::environment_variable("LAB_CLANG"); !named.empty()) {
    add_program(found, named);
    return found;
  }
  const std::vector<fs::path> folders = split_path_list(base::environment_variable("PATH"));
  for (const fs::path& folder : folders) add_program(found, folder / "clang++");
  for (int version = kNewestClangName; version >= kOldestClang; --version) {
    for (const fs::path& folder : folders)
      add_program(found, folder / ("clang++-" + std::to_string(version)));
  }
  return found;
}

// "13.0.88" from "Cuda compilation tools, release 13.0, V13.0.88", "14.0.6" from "Debian clang
// version 14.0.6".
std::string version_in(const std::string& text, CompilerKind kind) {
  const std::string mark = kind == CompilerKind::Clang ? "clang version " : ", V";
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) return "";
  const std::size_t start = at + mark.size();
  return text.substr(start, text.find_first_not_of("0123456789.", start) - start);
}

std::string ask(const fs::path& program, const std::vector<std::string>& arguments) {
  base::Subprocess question;
  question.arguments = {program.string()};
  question.arguments.insert(question.arguments.end(), arguments.begin(), arguments.end());
  question.environment = {"PATH=" + base::environment_variable("PATH"), "LC_ALL=C"};
  question.folder = base::project_root();
  question.wall_time = std::chrono::seconds(30);  // NVRTC is 100 MB, which a cold disk reads first
  question.output_bytes = 64 << 10;
  const base::SubprocessResult answer = base::run(question);
  return answer.succeeded() ? answer.output : "";
}

// nvcc says where its tree begins ("#$ TOP=/usr/local/cuda/bin/.."): a program of that name may be a script.
fs::path ask_toolkit(const fs::path& nvcc) {
  std::istringstream lines(ask(nvcc, {"--dryrun", "-E", "lab.cu"}));
  const std::string mark = "#$ TOP=";
  std::error_code error;
  fs::path top = nvcc.parent_path().parent_path();
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(mark)) top = line.substr(mark.size());
  }
  top = fs::canonical(top, error);
  return top == "/usr" || !is_program(top / "bin" / "nvcc") ? fs::path() : top;
}

// The headers of a CUDA Toolkit or of wheels lie beside the library's folder. A trial kernel shows the
// version.
std::string ask_nvrtc(const fs::path& library) {
  constexpr const char* kHeader = "common/kernel/launch_shape.h";
  const std::string version =
      version_in(ask(nvrtc_process(), {library.string(), "--version", kHeader}), CompilerKind::Nvrtc);
  if (version.empty()) return "";
  std::error_code error;
  fs::path tree = library.parent_path().parent_path();
  if (!fs::exists(tree / "include", error)) tree = library.parent_path();
  tree = fs::canonical(tree, error);
  const bool of_the_system = tree == "/usr" || tree.string().starts_with("/usr/lib");
  return version + "\n" + (of_the_system ? "" : tree.string());
}

// Its version, and for nvcc and NVRTC on a second line its toolkit; "" for what is no compiler.
std::string ask_compiler(const fs::path& program, CompilerKind kind) {
  if (kind == CompilerKind::Nvrtc) return ask_nvrtc(program);
  const std::string version = version_in(ask(program, {"--version"}), kind);
  if (version.empty() || kind != CompilerKind::Nvcc) return version;
  return version + "\n" + ask_toolkit(program).string();
}

KernelCompiler compiler_at(const fs::path& program, CompilerKind kind) {
  const std::string answer = remembered(program, "compiler", [&] { return ask_compiler(program, kind); });
  const std::size_t line = std::min(answer.find('\n'), answer.size());
  return {kind, program, answer.substr(0, line), answer.substr(std::min(line + 1, answer.size()))};
}

bool recent_enough(const std::string& version, CompilerKind kind) {
  const int oldest = kind == CompilerKind::Nvrtc  ? kOldestNvrtc
                     : kind == CompilerKind::Nvcc ? kOldestNvcc
                                                  : kOldestClang;
  return std::atoi(version.c_str()) >= oldest;
}

std::vector<fs::path> candidates(CompilerKind kind) {
  switch (kind) {
    case CompilerKind::Nvrtc:
      return nvrtc_candidates();
    case CompilerKind::Nvcc:
      return nvcc_candidates();
    case CompilerKind::Builtin:
      return {};
    case CompilerKind::Clang:
      break;
  }
  return clang_candidates();
}

std::vector<KernelCompiler> usable(CompilerKind kind, bool first_only) {
  std::vector<KernelCompiler> compilers;
  for (const fs::path& path : candidates(kind)) {
    KernelCompiler compiler = compiler_at(path, kind);
    if (!recent_enough(compiler.version, kind)) continue;
    compilers.push_back(std::move(compiler));
    if (first_only) break;
  }
  return compilers;
}

const std::vector<KernelCompiler>& first_usable(CompilerKind kind) {
  static const std::vector<KernelCompiler> nvrtc = usable(CompilerKind::Nvrtc, true);
  if (kind == CompilerKind::Nvrtc) return nvrtc;
  static const std::vector<KernelCompiler> nvcc = usable(CompilerKind::Nvcc, true);
  if (kind == CompilerKind::Nvcc) return nvcc;
  static const std::vector<KernelCompiler> clang = usable(CompilerKind::Clang, true);
  return clang;
}

std::optional<CompilerKind> default_kind() {
  const std::string wanted = base::environment_variable("LAB_COMPILER");
  if (wanted.empty()) return std::nullopt;
  if (const std::optional<CompilerKind> kind = kind_named(wanted)) return kind;
  throw base::UsageError(msg("LAB_COMPILER is \"{}\": it can be nvrtc, nvcc, clang or builtin", wanted));
}

}  // namespace

// Beside this program in the build folder, whichever of its programs this is.
fs::path built_program(const fs::path& name) {
  std::error_code error;
  fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (; folder.has_relative_path(); folder = folder.parent_path())
    if (is_program(folder / "common" / name)) return folder / "common" / name;
  return {};
}

const fs::path& nvrtc_process() {
  static const fs::path process = built_program("compile/lab-nvrtc");
  return process;
}

// Its version is what it is made of: what it compiled before it changed is not taken from the cache.
const KernelCompiler& builtin_compiler() {
  static const KernelCompiler compiler = [] {
    const fs::path program = built_program("compile/builtin/lab-cucc");
    if (program.empty())
      throw base::EnvironmentError(
          "the built-in compiler was not built. Remove the folder build and run ./lab again");
    const std::optional<std::string> bytes = base::read_file(program);
    return KernelCompiler{CompilerKind::Builtin, program, base::sha256(bytes.value_or("")).substr(0, 12), {}};
  }();
  return compiler;
}

const std::vector<KernelCompiler>& kernel_compilers() {
  static const std::vector<KernelCompiler> all = [] {
    std::vector<KernelCompiler> found;
    for (const CompilerKind kind : kCompilerKinds) {
      for (KernelCompiler& compiler : usable(kind, false)) found.push_back(std::move(compiler));
    }
    return found;
  }();
  return all;
}

const KernelCompiler& find_kernel_compiler(std::optional<CompilerKind> kind) {
  if (!kind) kind = default_kind();
  if (kind == CompilerKind::Builtin) return builtin_compiler();
  for (const CompilerKind candidate : kCompilerKinds) {
    if (kind && *kind != candidate) continue;
    const std::vector<KernelCompiler>& found = first_usable(candidate);
    if (!found.empty()) return found.front();
  }
  if (kind == CompilerKind::Clang) {
    throw base::EnvironmentError(
        "no clang++ of version 14 or later on PATH. Run: ./lab setup --compiler clang");
  }
  if (kind == CompilerKind::Nvcc) {
    throw base::EnvironmentError("no nvcc of version 12 or later found. Run: ./lab setup --compiler nvcc");
  }
  throw base::EnvironmentError(kind ? "no NVRTC (libnvrtc.so.13) that works here. Run: ./lab setup"
                                    : "no kernel compiler found (NVRTC 13, nvcc 12 or later, or clang++ 14 "
                                      "or later). Run: ./lab setup");
}

}  // namespace lab::compile
