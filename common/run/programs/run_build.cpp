// CUDA programs made ready to run on the simulator. See run_build.h.
//
// Each file becomes an object of its own, kept by content like the kernels of a check
// (compile/compile_cache.h); linking takes a tenth of a second and its result is kept under the objects'
// fingerprint. Only PTX goes in, since that is what the simulator runs: the assembler, the slowest part of a
// compile, is never started.
#include "common/run/programs/run_build.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <future>
#include <map>
#include <utility>

#include "common/base/errors.h"
#include "common/base/files.h"
#include "common/base/project.h"
#include "common/base/sha256.h"
#include "common/base/subprocess.h"
#include "common/base/temporary_folder.h"
#include "common/compile/compile.h"
#include "common/compile/compile_cache.h"
#include "common/run/programs/run_hints.h"

namespace lab::programs {
namespace fs = std::filesystem;
using base::EnvironmentError;
using base::LimitError;
using base::UsageError;

namespace {

constexpr std::chrono::minutes kMostTime{5};
constexpr std::size_t kProgramsKept = 256;

std::vector<std::string> environment(const base::TemporaryFolder& place) {
  std::vector<std::string> result{"TMPDIR=" + place.path().string(), "LC_ALL=C"};
  for (const char* name : {"PATH", "HOME", "CPATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "NVCC_CCBIN"}) {
    if (const char* value = std::getenv(name); value != nullptr)
      result.push_back(std::string(name) + "=" + value);
  }
  return result;
}

base::SubprocessResult run_nvcc(std::vector<std::string> arguments, const base::TemporaryFolder& place) {
  base::Subprocess nvcc;
  nvcc.arguments = std::move(arguments);
  nvcc.environment = environment(place);
  nvcc.folder = fs::current_path();  // -I and -L are relative to where the user stands
  nvcc.wall_time = kMostTime;
  nvcc.output_bytes = 1ull << 30;
  base::SubprocessResult result = base::run(nvcc);
  using End = base::SubprocessResult::End;
  if (result.end == End::NotStarted) throw EnvironmentError(msg("cannot start {}.", nvcc.arguments[0]));
  if (result.end == End::TimedOut) throw LimitError("the compiler took longer than five minutes.");
  if (result.end == End::TooMuchOutput) throw LimitError("the compiler wrote more than 1 GiB.");
  return result;
}

// "a.o : b.cu \ c.h": the names behind the colon. A backslash protects a blank or ends the line.
std::vector<compile::Dependency> dependencies_in(const fs::path& rule_file) {
  const std::string rule = base::read_file(rule_file).value_or("");
  std::vector<compile::Dependency> found;
  std::string name;
  const auto flush = [&] {
    std::string done = std::exchange(name, {});
    if (done.empty() || done == ":" || done.ends_with(':')) return;
    if (auto dependency = compile::describe_dependency(done)) found.push_back(std::move(*dependency));
  };
  const std::size_t colon = rule.find(" :");
  for (std::size_t k = colon == std::string::npos ? rule.size() : colon + 2; k < rule.size(); ++k) {
    const char next = k + 1 < rule.size() ? rule[k + 1] : '\0';
    if (rule[k] == '\\' && next == '\n') {
      flush(), ++k;
    } else if (rule[k] == '\\' && next == ' ') {
      name += ' ', ++k;
    } else if (rule[k] == ' ' || rule[k] == '\n') {
      flush();
    } else {
      name += rule[k];
    }
  }
  flush();
  return found;
}

// Stands at the start of the log of an object that was compiled with older_cuda.h.
constexpr std::string_view kOlderMark = "older CUDA\n";

struct Object {
  bool ok = false;
  std::string bytes, log;
};

// The only one of our GPUs' that has instructions of its own (setmaxnreg, wgmma).
constexpr int kSpecific = 90;

std::vector<std::string> common_arguments(const BuildRequest& request, const compile::KernelCompiler& nvcc) {
  const std::string arch = std::to_string(request.architecture) +
                           (request.specific && request.architecture == kSpecific ? "a" : "");
  std::vector<std::string> arguments{nvcc.path.string(),
                                     "-cudart",
                                     "shared",
                                     "-lineinfo",
                                     "-Xcompiler",
                                     "-g1",  // lines of the host's code: of calls that are refused
                                     "-gencode",
                                     fmt::format("arch=compute_{},code=compute_{}", arch, arch),
                                     "-allow-unsupported-compiler"};
  if (request.relocatable) arguments.push_back("-rdc=true");
  return arguments;
}

bool is_own_library(const std::string& flag) {
  return std::any_of(kOwnLibraries.begin(), kOwnLibraries.end(),
                     [&](std::string_view name) { return flag == fmt::format("-l{}", name); });
}

std::vector<std::string> own_libraries(const fs::path& folder) {
  std::vector<std::string> arguments{"-Xlinker", "--as-needed", "-L" + folder.string()};
  std::map<std::string, std::string>
      newest;  // of those of several versions; names of a library are equally long
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    for (const std::string_view library : kOwnLibraries) {
      if (!name.starts_with(fmt::format("lib{}.so.", library)) || !entry.is_regular_file()) continue;
      std::string& chosen = newest[std::string(library)];
      chosen = std::max(chosen, name);
    }
  }
  for (const auto& [library, name] : newest) arguments.push_back("-l:" + name);
  return arguments;
}

// pip's nvcc looks for the toolkit's libraries in `lib64`, and the wheels have them in `lib`, the runtime under
// its full name alone.
std::vector<std::string> libraries_of_wheels(const compile::KernelCompiler& nvcc, const fs::path& place) {
  const fs::path tree = fs::canonical(nvcc.path).parent_path().parent_path(), folder = tree / "lib";
  std::error_code none;
  if (fs::exists(tree / "lib64", none) || !fs::exists(folder / "libcudadevrt.a", none)) return {};
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename().string().starts_with("libcudart.so."))
      fs::create_symlink(entry.path(), place / "libcudart.so", none);
  }
  return {"-L" + place.string(), "-L" + folder.string()};
}

bool is_link_flag(const std::string& flag) { return flag.starts_with("-l") || flag.starts_with("-L"); }

// The language of sources (-x cu, -xcu, --x=cu): to the link, objects would be sources too.
bool is_language(const std::string& flag) { return flag.starts_with("-x") || flag.starts_with("--x"); }

Object compile_one(const BuildRequest& request, const compile::KernelCompiler& nvcc,
                   const std::string& file) {
  const std::string absolute = fs::canonical(file).string();
  std::vector<std::string> arguments = common_arguments(request, nvcc);
  for (std::size_t k = 0; k < request.flags.size(); ++k) {
    const std::string& flag = request.flags[k];
    if (!is_link_flag(flag)) arguments.push_back(flag);
    if (flag == "-l" || flag == "-L") ++k;  // its value is the next word
  }
  base::Sha256 key;
  key.update_field("program object 3");
  key.update_field(nvcc.version);
  key.update_field(fs::current_path().string());
  for (const std::string& argument : arguments) key.update_field(argument);
  key.update_field(absolute);
  key.update_field(base::read_file(file).value_or(""));
  const std::string name = key.hex();
  const fs::path cache = base::cache_root() / "programs";
  if (auto kept = compile::load_entry(cache, name))
    return {true, std::move(kept->output), std::move(kept->log)};

  const base::TemporaryFolder place;
  const fs::path object = place.path() / "object.o", rule = place.path() / "rule.d";
  arguments.insert(arguments.end(), {"-c", absolute, "-o", object.string(), "-MD", "-MF", rule.string()});
  base::SubprocessResult ran = run_nvcc(arguments, place);
  if (!ran.succeeded() && misses_older_names(ran.output)) {
    arguments.insert(arguments.begin() + 1,
                     {"-include", (base::project_root() / "common/run/cudart/older_cuda.h").string()});
    base::SubprocessResult again = run_nvcc(std::move(arguments), place);
    if (again.succeeded()) {
      ran = std::move(again);
      ran.output.insert(0, kOlderMark);
    }
  }
  Object made{ran.succeeded(), "", ran.output};
  if (!made.ok) return made;
  std::vector<compile::Dependency> dependencies = dependencies_in(rule);
  made.bytes = base::read_file(object).value_or("");
  compile::store_entry(cache, name, {std::move(dependencies), made.log, ran.seconds, made.bytes});
  return made;
}

void keep_newest_programs(const fs::path& folder) {
  std::error_code error;
  std::vector<std::pair<fs::file_time_type, fs::path>> programs;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    programs.emplace_back(entry.last_write_time(error), entry.path());
  }
  if (programs.size() <= kProgramsKept) return;
  std::sort(programs.begin(), programs.end());
  for (std::size_t k = 0; k < programs.size() - kProgramsKept; ++k) fs::remove(programs[k].second, error);
}

BuildResult link_all(const BuildRequest& request, const compile::KernelCompiler& nvcc,
                     const std::vector<Object>& objects) {
  BuildResult result;
  std::vector<std::string> arguments = common_arguments(request, nvcc);
  for (std::size_t k = 0; k < request.flags.size(); ++k) {
    const std::string& flag = request.flags[k];
    if (flag == "-x" || flag == "--x") ++k;  // its value is the next word
    if (!is_language(flag) && !is_own_library(flag)) arguments.push_back(flag);
  }
  const std::vector<std::string> own = own_libraries(request.libraries);
  arguments.insert(arguments.end(), own.begin(), own.end());
  base::Sha256 key;
  for (const std::string& argument : arguments) key.update_field(argument);
  for (const Object& object : objects) {
    const bool older = object.log.starts_with(kOlderMark);
    result.older |= older;
    result.log += object.log.substr(older ? kOlderMark.size() : 0);
    key.update_field(object.bytes);
  }
  const fs::path folder = base::cache_root() / "linked";
  const std::string stem = fs::path(request.files.front()).stem().string();
  result.program = folder / (stem + "-" + key.hex().substr(0, 16));
  result.ok = fs::exists(result.program);
  if (result.ok) {  // used now, so it is not the one that another `lab run` throws away
    std::error_code ignored;
    fs::last_write_time(result.program, fs::file_time_type::clock::now(), ignored);
    return result;
  }

  const base::TemporaryFolder place;
  fs::create_directories(folder);
  std::vector<std::string> inputs;
  for (const Object& object : objects) {
    inputs.push_back((place.path() / fmt::format("{}.o", inputs.size())).string());
    base::write_file_atomically(inputs.back(), object.bytes);
  }
  const fs::path program = place.path() / "program";
  arguments.insert(arguments.begin() + 1, inputs.begin(), inputs.end());
  arguments.insert(arguments.end(), {"-o", program.string()});
  const std::vector<std::string> wheels = libraries_of_wheels(nvcc, place.path());
  arguments.insert(arguments.end(), wheels.begin(), wheels.end());
  const base::SubprocessResult ran = run_nvcc(std::move(arguments), place);
  result.log += ran.output;
  if (!ran.succeeded()) return result;
  const fs::path draft = result.program.string() + fmt::format(".{}", ::getpid());
  fs::copy_file(program, draft, fs::copy_options::overwrite_existing);
  fs::permissions(draft, fs::perms::owner_all);
  fs::rename(draft, result.program);
  keep_newest_programs(folder);
  result.ok = true;
  return result;
}

// What no program for the simulator can be built with.
void check_flags(const std::vector<std::string>& flags) {
  for (const std::string& flag : flags) {
    if (flag == "-G" || flag == "--device-debug") {
      throw UsageError(
          "-G makes code without optimisation, whose counters say nothing. Leave it out: faults name "
          "their source lines without it.");
    }
    if (const std::string refused = library_refusal(flag); !refused.empty())
      throw UsageError(msg("{}: {}", flag, refused));
  }
}

// Beside nvcc; an empty path when there is none.
fs::path toolkit_library(const char* name) {
  try {
    const fs::path folder = fs::canonical(compile::find_kernel_compiler(compile::CompilerKind::Nvcc).path);
    for (const char* place : {"lib64", "lib"}) {
      const fs::path library = folder.parent_path().parent_path() / place / name;
      if (fs::exists(library)) return library;
    }
  } catch (const EnvironmentError&) {  // a program that was built elsewhere: no nvcc is needed
  }
  return {};
}

}  // namespace

void name_toolkit_libraries(cudart::Request& request) {
  if (request.nvrtc.empty()) request.nvrtc = toolkit_library("libnvrtc.so.13").string();
  if (request.curand.empty()) request.curand = toolkit_library("libcurand.so.10").string();
  for (const compile::KernelCompiler& compiler : compile::kernel_compilers()) {  // without nvcc: pip's
    if (request.nvrtc.empty() && compiler.kind == compile::CompilerKind::Nvrtc)
      request.nvrtc = compiler.path.string();
  }
}

BuildResult build_program(const BuildRequest& request) {
  check_flags(request.flags);
  const compile::KernelCompiler& nvcc = compile::find_kernel_compiler(compile::CompilerKind::Nvcc);
  std::vector<std::future<Object>> jobs;
  jobs.reserve(request.files.size());
  for (const std::string& file : request.files) {
    jobs.push_back(std::async(std::launch::async, [&] { return compile_one(request, nvcc, file); }));
  }
  std::vector<Object> objects;
  BuildResult failed;
  for (auto& job : jobs) {
    objects.push_back(job.get());
    failed.log += objects.back().log;
    if (!objects.back().ok && failed.failed.empty()) failed.failed = request.files[objects.size() - 1];
  }
  const bool all = std::all_of(objects.begin(), objects.end(), [](const Object& o) { return o.ok; });
  return all ? link_all(request, nvcc, objects) : failed;
}

}  // namespace lab::programs
