// From request to result: check the file, build the command line, ask the cache, run the compiler, tidy what
// it says. See compile.h.
#include "common/harness/compile.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <system_error>
#include <thread>
#include <utility>

#include "common/harness/compile_cache.h"
#include "common/harness/errors.h"
#include "common/harness/project.h"
#include "common/harness/sha256.h"
#include "common/harness/subprocess.h"

namespace lab::harness {
namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::uint64_t kLargestSourceBytes = 4 << 20;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// A folder of its own for one run of a compiler, gone afterwards.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "transpose-lab-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) {
      throw EnvironmentError("cannot make a folder in " + fs::temp_directory_path().string() +
                             ". Set TMPDIR to a folder of yours.");
    }
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] fs::path operator/(const char* name) const { return path_ / name; }
  [[nodiscard]] std::string string() const { return path_.string(); }

 private:
  fs::path path_;
};

// The source, once it is clear that it is one.
std::string read_source(const fs::path& file) {
  const std::string shown = file.string();
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) throw UsageError("no file " + shown + ". Check the name.");
  if (S_ISDIR(status.st_mode)) throw UsageError(shown + " is a folder. Name a kernel file (.cu) in it.");
  if (!S_ISREG(status.st_mode)) throw UsageError(shown + " is no ordinary file. Name a kernel file (.cu).");
  if (status.st_size == 0) throw UsageError(shown + " is empty. A kernel file holds a __global__ function.");
  if (static_cast<std::uint64_t>(status.st_size) > kLargestSourceBytes) {
    throw UsageError(shown + " is larger than 4 MiB. That is no kernel file.");
  }
  std::optional<std::string> bytes = read_file(file);
  if (!bytes) throw UsageError("cannot read " + shown + ". Check its permissions.");
  if (bytes->find('\0') != std::string::npos) {
    throw UsageError(shown + " is a binary file. A kernel file is CUDA C++ text.");
  }
  if (bytes->find_first_not_of(" \t\r\n") == std::string::npos) {
    throw UsageError(shown + " holds nothing but blanks. A kernel file holds a __global__ function.");
  }
  return std::move(*bytes);
}

// nvcc hands file names to a shell, so a name must be one that no shell takes for more than a name.
void check_name(const std::string& path) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+=@,: ()[]{}~%^#";
  for (const char c : path) {
    if (static_cast<unsigned char>(c) < 0x80 && kPlain.find(c) == std::string_view::npos) {
      throw UsageError("the path " + path + " holds the character '" + std::string(1, c) +
                       "', which compilers stumble over. Rename the file or its folder.");
    }
  }
}

struct Job {
  KernelCompiler compiler;
  std::string source_path;             // as the compiler gets it: relative to the project, else absolute
  std::vector<std::string> arguments;  // without the names of outputs
};

void add_nvcc_arguments(const CompileRequest& request, std::vector<std::string>& arguments) {
  const std::string arch = request.gpu_architecture.empty() ? "90" : request.gpu_architecture;
  const bool cubin = request.target == CompileTarget::Cubin;
  arguments.insert(arguments.end(),
                   {cubin ? "-cubin" : "-ptx", (cubin ? "-arch=sm_" : "-arch=compute_") + arch, "-std=c++20",
                    "-allow-unsupported-compiler"});
  arguments.push_back(request.debug ? "-G" : "-lineinfo");
  if (const char* host = std::getenv("NVCC_CCBIN"); host != nullptr && *host != '\0') {
    arguments.insert(arguments.end(), {"-ccbin", host});
  }
}

void add_clang_arguments(const CompileRequest& request, std::vector<std::string>& arguments) {
  if (request.target == CompileTarget::Cubin) {
    throw EnvironmentError("clang makes PTX only; a program for the GPU itself needs nvcc. Run: ./lab setup");
  }
  const std::string arch = request.gpu_architecture.empty() ? "80" : request.gpu_architecture;
  // clang looks for a CUDA Toolkit even when told to use nothing of it; a path with none keeps it from
  // warning about versions.
  arguments.insert(arguments.end(),
                   {"-x", "cuda", "--cuda-device-only", "--cuda-path=/nonexistent",
                    "--cuda-gpu-arch=sm_" + arch, "-nocudainc", "-nocudalib", "-Xclang", "-target-feature",
                    "-Xclang", "+ptx70", "-S", "-std=c++20", "-fno-strict-aliasing",
                    "-Icommon/kernel/clang_toolkit_stubs", "-include", "common/kernel/clang_builtins.cuh"});
  arguments.insert(arguments.end(), request.debug
                                        ? std::initializer_list<std::string>{"-O0", "-g"}
                                        : std::initializer_list<std::string>{"-O2", "-gline-tables-only"});
}

Job plan(const CompileRequest& request) {
  Job job;
  job.compiler = find_kernel_compiler(request.compiler);
  const fs::path absolute = fs::canonical(request.file);
  job.source_path = shown_path(absolute);
  check_name(job.source_path);
  if (job.source_path.starts_with('-')) job.source_path.insert(0, "./");
  job.arguments.push_back(job.compiler.path.string());
  if (job.compiler.kind == CompilerKind::Nvcc) {
    add_nvcc_arguments(request, job.arguments);
  } else {
    add_clang_arguments(request, job.arguments);
  }
  job.arguments.push_back("-I.");  // the project: #include "common/kernel/lab.cuh"
  job.arguments.insert(job.arguments.end(), request.flags.begin(), request.flags.end());
  return job;
}

std::string key_of(const Job& job, const std::string& source) {
  Sha256 hash;
  hash.update_field(job.compiler.version);
  hash.update_field(project_root().string());
  hash.update_field(job.source_path);
  for (const std::string& argument : job.arguments) hash.update_field(argument);
  hash.update_field("source");
  hash.update_field(source);
  return hash.hex();
}

// What a compiler may see of our environment: what it needs to find its parts, nothing that changes its
// output.
std::vector<std::string> compiler_environment(const TemporaryFolder& temporary) {
  std::vector<std::string> result{"TMPDIR=" + temporary.string(), "LC_ALL=C"};
  for (const char* name : {"PATH", "HOME", "LD_LIBRARY_PATH"}) {
    if (const char* value = std::getenv(name); value != nullptr)
      result.push_back(std::string(name) + "=" + value);
  }
  return result;
}

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

// None when a file that was read cannot be described: then the result is not kept.
std::optional<std::vector<Dependency>> dependencies_in(const fs::path& rule_file) {
  const std::optional<std::string> rule = read_file(rule_file);
  if (!rule) return std::nullopt;
  std::vector<Dependency> dependencies;
  for (const std::string& name : parse_make_rule(*rule)) {
    if (name == ":") continue;
    const fs::path path = fs::path(name).is_absolute() ? fs::path(name) : project_root() / name;
    std::optional<Dependency> dependency = describe_dependency(path.string());
    if (!dependency) return std::nullopt;
    dependencies.push_back(std::move(*dependency));
  }
  return dependencies;
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

// Messages and `.file` rows name files of the project as the student knows them.
std::string with_project_paths(std::string text) {
  const std::string root = project_root().string() + "/";
  replace_all(text, root + "./", "");
  replace_all(text, root, "");
  return text;
}

// Only `.file` rows: a string of the kernel's own may look like a path too.
std::string with_project_paths_in_file_rows(const std::string& ptx) {
  std::string result;
  result.reserve(ptx.size());
  for (std::size_t start = 0; start < ptx.size();) {
    const std::size_t end = std::min(ptx.find('\n', start), ptx.size() - 1) + 1;
    const std::string line = ptx.substr(start, end - start);
    const bool is_row = line.compare(line.find_first_not_of(" \t"), 6, ".file\t") == 0 ||
                        line.compare(line.find_first_not_of(" \t"), 6, ".file ") == 0;
    result += is_row ? with_project_paths(line) : line;
    start = end;
  }
  return result;
}

[[noreturn]] void throw_limit(const Job& job, const CompileLimits& limits, SubprocessResult::End end) {
  const std::string who = std::string(name(job.compiler.kind)) + " on " + job.source_path;
  if (end == SubprocessResult::End::TimedOut) {
    throw LimitError("the compiler took longer than " + std::to_string(limits.wall_time.count() / 1000) +
                     " s (" + who + "). Look for endless templates, constexpr loops or unrolling.");
  }
  throw LimitError("the compiler wrote more than " + std::to_string(limits.output_bytes >> 20) + " MiB (" +
                   who + "). Look for endless unrolling or huge tables.");
}

bool ran_out_of_memory(const std::string& log) {
  for (const char* sign :
       {"bad_alloc", "out of memory", "cannot allocate", "Cannot allocate", "memory exhausted"}) {
    if (log.find(sign) != std::string::npos) return true;
  }
  return false;
}

SubprocessResult run_compiler(const Job& job, const CompileRequest& request,
                              const TemporaryFolder& temporary) {
  Subprocess program;
  program.arguments = job.arguments;
  program.arguments.insert(program.arguments.end(), {"-MD", "-MF", (temporary / "rule.d").string(), "-o",
                                                     (temporary / "output").string()});
  program.arguments.push_back(job.source_path);
  program.environment = compiler_environment(temporary);
  program.folder = project_root();
  program.wall_time = request.limits.wall_time;
  program.memory_bytes = request.limits.memory_bytes;
  program.output_bytes = request.limits.output_bytes;
  SubprocessResult ran = run(program);
  using End = SubprocessResult::End;
  if (ran.end == End::NotStarted) {
    throw EnvironmentError("cannot start " + job.compiler.path.string() + ": " +
                           std::generic_category().message(ran.code));
  }
  // SIGXCPU and SIGXFSZ are the kernel's own way to say that a limit was passed.
  if (ran.end == End::Signalled && ran.code == SIGXCPU) ran.end = End::TimedOut;
  if (ran.end == End::Signalled && ran.code == SIGXFSZ) ran.end = End::TooMuchOutput;
  if (ran.end == End::TimedOut || ran.end == End::TooMuchOutput) throw_limit(job, request.limits, ran.end);
  return ran;
}

void compile_now(const CompileRequest& request, const Job& job, const std::string& key,
                 CompileResult& result) {
  const TemporaryFolder temporary;
  const SubprocessResult ran = run_compiler(job, request, temporary);
  std::string log = ran.output;
  replace_all(log, temporary.string() + "/", "");
  result.log = with_project_paths(std::move(log));
  result.compiler_seconds = ran.seconds;
  const bool succeeded = ran.end == SubprocessResult::End::Exited && ran.code == 0;
  std::optional<std::string> output = succeeded ? read_file(temporary / "output") : std::nullopt;
  result.ok = output.has_value() && !output->empty();
  if (!result.ok) {
    if (ran_out_of_memory(result.log)) {
      throw LimitError("the compiler needed more than " + std::to_string(request.limits.memory_bytes >> 20) +
                       " MiB of memory on " + job.source_path +
                       ". Look for endless templates or huge tables.");
    }
    if (result.log.empty()) result.log = std::string(name(job.compiler.kind)) + " failed and said nothing\n";
    return;
  }
  result.output =
      request.target == CompileTarget::Ptx ? with_project_paths_in_file_rows(*output) : std::move(*output);
  if (!request.use_cache) return;
  if (std::optional<std::vector<Dependency>> dependencies = dependencies_in(temporary / "rule.d")) {
    store_entry(cache_root() / "kernels", key,
                {std::move(*dependencies), result.log, result.compiler_seconds, result.output});
  }
}

}  // namespace

CompileResult compile(const CompileRequest& request) {
  const Clock::time_point start = Clock::now();
  const std::string source = read_source(request.file);
  const Job job = plan(request);
  const std::string key = key_of(job, source);
  CompileResult result;
  result.compiler = job.compiler;
  std::optional<CacheEntry> entry =
      request.use_cache ? load_entry(cache_root() / "kernels", key) : std::nullopt;
  if (entry) {
    result.ok = result.cached = true;
    result.output = std::move(entry->output);
    result.log = std::move(entry->log);
    result.compiler_seconds = entry->compiler_seconds;
  } else {
    compile_now(request, job, key, result);
  }
  result.seconds = seconds_since(start);
  return result;
}

std::vector<CompileResult> compile_all(std::span<const CompileRequest> requests, unsigned jobs) {
  std::vector<CompileResult> results(requests.size());
  std::vector<std::exception_ptr> errors(requests.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i; (i = next++) < requests.size();) {
      try {
        results[i] = compile(requests[i]);
      } catch (...) {
        errors[i] = std::current_exception();
      }
    }
  };
  if (jobs == 0) jobs = std::max(1u, std::thread::hardware_concurrency());
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < std::min<std::size_t>(jobs, requests.size()); ++i) threads.emplace_back(work);
    work();
  }
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  return results;
}

}  // namespace lab::harness
