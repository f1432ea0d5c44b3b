// See gpu_program.h.
#include "common/course/explore/gpu_program.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "common/base/errors.h"
#include "common/base/files.h"
#include "common/base/project.h"
#include "common/base/sha256.h"
#include "common/compile/compile.h"

namespace lab::explore {
namespace fs = std::filesystem;
namespace {

constexpr auto kMostSeconds = std::chrono::minutes(20);

std::vector<std::string> whole_environment() {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) all.emplace_back(*entry);
  return all;
}

// A hash of the compiler, the source, its words and common/fast, which all of these programs include.
std::string state_of(const fs::path& source, const std::vector<std::string>& words,
                     const compile::KernelCompiler& nvcc) {
  base::Sha256 hash;
  hash.update_field(nvcc.version);
  for (const std::string& word : words) hash.update_field(word);
  std::vector<fs::path> files = {source};
  for (const fs::directory_entry& file : fs::directory_iterator(base::project_root() / "common/fast"))
    files.push_back(file.path());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) hash.update_field(base::read_file(file).value_or(""));
  return hash.hex();
}

}  // namespace

base::SubprocessResult run_program(std::vector<std::string> arguments) {
  base::Subprocess program;
  program.arguments = std::move(arguments);
  program.environment = whole_environment();
  program.folder = base::project_root();
  program.wall_time = kMostSeconds;
  program.kept_bytes = 4 << 20;
  base::SubprocessResult result = base::run(program);
  if (result.end == base::SubprocessResult::End::TimedOut)
    throw base::EnvironmentError(
        msg("{} was not timed: it took longer than {} minutes. Ask for fewer matrices.",
            fs::path(program.arguments.front()).filename().string(), kMostSeconds.count()));
  return result;
}

std::string last_words(const base::SubprocessResult& result) {
  const std::string line = base::last_line(result.output);
  return line.empty() ? "it said nothing" : line;
}

fs::path gpu_program(const std::string& source, const std::vector<std::string>& words) {
  const fs::path& root = base::project_root();
  const compile::KernelCompiler nvcc = compile::find_kernel_compiler(compile::CompilerKind::Nvcc);
  const fs::path folder = base::cache_root() / "bench",
                 program = folder / state_of(root / source, words, nvcc);
  if (fs::is_regular_file(program)) return program;
  fs::create_directories(folder);
  const fs::path fresh = program.string() + fmt::format(".{}", ::getpid());
  std::vector<std::string> command = {nvcc.path.string(),   "-O3", "-std=c++17",   "-arch=native",
                                      "-I" + root.string(), "-o",  fresh.string(), (root / source).string()};
  command.insert(command.end(), words.begin(), words.end());
  const base::SubprocessResult made = run_program(command);
  if (!made.succeeded())
    throw base::EnvironmentError(msg("lab::transpose was not timed: nvcc does not compile {}: {}",
                                     base::shown_path(root / source), last_words(made)));
  fs::rename(fresh, program);
  return program;
}

}  // namespace lab::explore
