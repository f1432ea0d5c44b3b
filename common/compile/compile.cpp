// From request to result: check the file, ask the cache, run the compiler, look at what it read, tidy what it
// says. See compile.h.
#include "common/compile/compile.h"

#include <fmt/core.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <system_error>
#include <utility>

#include "common/base/errors.h"
#include "common/base/files.h"
#include "common/base/printable.h"
#include "common/base/project.h"
#include "common/base/source_text.h"
#include "common/base/subprocess.h"
#include "common/base/temporary_folder.h"
#include "common/base/threads.h"
#include "common/compile/builtin/compiler.h"
#include "common/compile/compile_cache.h"
#include "common/compile/compile_command.h"
#include "common/compile/compile_dependencies.h"
#include "common/compile/compile_names.h"
#include "common/compile/compiler_questions.h"
#include "common/compile/source_rules.h"
#include "common/compile/wall_limit.h"

namespace lab::compile {
namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::uint64_t kLargestSourceBytes = 4 << 20;
constexpr std::uint64_t kLargestKernelBytes = 256 << 10;  // of a file that is judged
constexpr std::uint64_t kLeastFreeBytes = 1 << 20;        // on the disk of temporary files

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The source, once it is clear that it is one.
std::string read_source(const fs::path& file) {
  const std::string shown = base::printable_line(file.string());
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) throw base::UsageError(msg("no file {}. Check the name.", shown));
  if (S_ISDIR(status.st_mode))
    throw base::UsageError(msg("{} is a folder. Name a kernel file (.cu) in it.", shown));
  if (!S_ISREG(status.st_mode))
    throw base::UsageError(msg("{} is no ordinary file. Name a kernel file (.cu).", shown));
  if (status.st_size == 0)
    throw base::UsageError(msg("{} is empty. A kernel file holds a __global__ function.", shown));
  if (static_cast<std::uint64_t>(status.st_size) > kLargestSourceBytes) {
    throw base::UsageError(msg("{} is larger than 4 MiB. That is no kernel file.", shown));
  }
  std::optional<std::string> bytes = base::read_source_text(file);
  if (!bytes) throw base::UsageError(msg("cannot read {}. Check its permissions.", shown));
  if (bytes->find('\0') != std::string::npos) {
    throw base::UsageError(
        msg("{} is a binary file, or text that is not UTF-8. Save it as plain text, in UTF-8.", shown));
  }
  if (bytes->find_first_not_of(" \t\n") == std::string::npos) {
    throw base::UsageError(
        msg("{} holds nothing but blanks. A kernel file holds a __global__ function.", shown));
  }
  return std::move(*bytes);
}

// LAB_COMPILE_SECONDS: for machines that are much slower, or for tests that should not wait.
CompileLimits settled(CompileLimits limits) {
  const char* chosen = std::getenv("LAB_COMPILE_SECONDS");
  const long seconds = chosen == nullptr ? 0 : std::strtol(chosen, nullptr, 10);
  if (seconds >= 1 && seconds <= 600) limits.cpu_time = std::chrono::seconds(seconds);
  return limits;
}

[[noreturn]] void throw_limit(const CompileJob& job, const CompileLimits& limits,
                              base::SubprocessResult::End end) {
  const std::string who = std::string(name(job.compiler.kind)) + " on " + job.shown;
  if (end == base::SubprocessResult::End::TimedOut) {
    throw base::LimitError(
        msg("the compiler took longer than {} s of processor time ({}). Look for endless templates, "
            "constexpr loops or unrolling.",
            limits.cpu_time.count(), who));
  }
  throw base::LimitError(
      msg("the compiler wrote more than {} MiB ({}). Look for endless unrolling or huge tables.",
          limits.output_bytes >> 20, who));
}

[[noreturn]] void throw_late(const CompileJob& job, const CompileLimits& limits) {
  throw WallLimit(
      msg("the compiler took longer than {} s, and not {} s of them of processor time: this machine is busy "
          "({} on {}). Try again with less running.",
          limits.wall_time.count() / 1000, limits.cpu_time.count(), name(job.compiler.kind), job.shown));
}

bool ran_out_of_memory(const std::string& log) {
  for (const char* sign :
       {"bad_alloc", "out of memory", "cannot allocate", "Cannot allocate", "memory exhausted"}) {
    if (log.find(sign) != std::string::npos) return true;
  }
  return false;
}

// The walls could not be put up this time: no fault of the kernel's. A compiler begins with a file's name.
void check_walls(const CompileJob& job, const base::SubprocessResult& ran) {
  const bool failed = ran.end == base::SubprocessResult::End::Exited && ran.code != 0;
  if (!job.sandbox || !failed) return;
  for (const char* who : {"bwrap: ", "prlimit: "}) {
    if (!ran.output.starts_with(who)) continue;
    throw base::EnvironmentError(
        msg("the compiler cannot be walled in: {}. Try again with less running on this machine.",
            ran.output.substr(0, ran.output.find('\n'))));
  }
}

// A compiler on a full disk fails in many words, and the kernel is not to blame for any of them.
void check_disk(const fs::path& folder) {
  std::error_code error;
  const fs::space_info space = fs::space(folder, error);
  if (error || space.available >= kLeastFreeBytes) return;
  throw base::EnvironmentError(msg("the disk under {} is full. Make room, or set TMPDIR to another folder.",
                                   folder.parent_path().string()));
}

base::SubprocessResult run_compiler(const CompileJob& job, const base::Subprocess& program,
                                    const CompileLimits& limits) {
  base::SubprocessResult ran = base::run(program);
  using End = base::SubprocessResult::End;
  if (ran.end == End::TimedOut) throw_late(job, limits);
  if (ran.end == End::NotStarted) {
    throw base::EnvironmentError(
        msg("cannot start {}: {}", program.arguments.front(), std::generic_category().message(ran.code)));
  }
  // SIGXCPU and SIGXFSZ are the kernel's own way to say that a limit was passed; a shell or bubblewrap in
  // between adds 128 to the number, nvcc and clang put it into words. A process that goes on is killed.
  const int signal = ran.end == End::Signalled                  ? ran.code
                     : ran.end == End::Exited && ran.code > 128 ? ran.code - 128
                                                                : 0;
  const bool late = ran.seconds >= 0.9 * static_cast<double>(limits.cpu_time.count());
  const bool killed = signal == SIGKILL || ran.output.find("died due to signal") != std::string::npos ||
                      ran.output.find("unable to execute command") != std::string::npos;
  const bool spent = signal == SIGXCPU || (killed && late);
  if (spent) ran.end = End::TimedOut;
  if (signal == SIGXFSZ) ran.end = End::TooMuchOutput;
  if (ran.end == End::TimedOut || ran.end == End::TooMuchOutput) throw_limit(job, limits, ran.end);
  if (signal == SIGTERM ||
      signal == SIGKILL) {  // no memory left, a job cancelled: it says nothing about the kernel
    throw base::EnvironmentError(
        "The compiler was ended from outside: the machine had no memory left, or another process ended it. "
        "Try again.");
  }
  check_walls(job, ran);
  return ran;
}

void refuse(CompileResult& result, Refusal refusal) {
  result.ok = false;
  result.output.clear();
  result.refusal = std::move(refusal.code);
  result.log = refusal.message.english() + "\n";
  result.refused = std::move(refusal.message);
}

// A file of the course includes kernels' headers only, and its lines are its own. The cache keeps what a
// compiler made for any file: the rules are for those who ask.
void refuse_what_was_read(const CompileJob& job, CompileTarget target, const std::vector<fs::path>& files,
                          CompileResult& result) {
  const std::string forged = target == CompileTarget::Ptx ? forged_file_name(job, result.output) : "";
  if (!forged.empty()) {
    return refuse(result, {"source-refused",
                           msg("Inline assembly names the file {} for its lines. Remove that row.", forged)});
  }
  if (const fs::path foreign = foreign_file(job, files); !foreign.empty()) {
    return refuse(result, {"include-refused", msg("The kernel includes {}{}", base::shown_path(foreign),
                                                  Message(kIncludeRule))});
  }
}

std::string tidy_log(const base::SubprocessResult& ran, const CompileJob& job, const CompileFolder& folder) {
  std::string log = log_for_people(job, folder, ran.output);
  if (ran.dropped_bytes != 0) {
    log += fmt::format("\n… and {} KiB more. Start with the first message.\n", (ran.dropped_bytes >> 10) + 1);
  }
  return log;
}

[[noreturn]] void throw_out_of_memory(const CompileJob& job, const CompileLimits& limits) {
  throw base::LimitError(
      msg("the compiler needed more than {} MiB of memory on {}. Look for endless templates or huge tables.",
          limits.memory_bytes >> 20, job.shown));
}

void compile_now(const CompileRequest& request, const CompileJob& job, const std::string& source,
                 const std::string& key, CompileResult& result) {
  const base::TemporaryFolder temporary;
  const CompileFolder folder{temporary.path()};
  const CompileLimits limits = settled(request.limits);
  const base::SubprocessResult ran = run_compiler(job, compiler_process(job, folder, source, limits), limits);
  result.log = tidy_log(ran, job, folder);
  result.compiler_seconds = ran.seconds;
  std::optional<std::string> output = ran.succeeded() ? base::read_file(folder.output()) : std::nullopt;
  result.ok = output.has_value() && !output->empty();
  result.is_unknown = job.compiler.kind == CompilerKind::Builtin && ran.code == cucc::kExitUnknown;
  if (!result.ok) {
    check_disk(temporary.path());
    if (ran_out_of_memory(result.log)) throw_out_of_memory(job, limits);
    if (ran.end == base::SubprocessResult::End::Signalled) {
      result.log += fmt::format("{} crashed (signal {}). Look for endless templates or very deep nesting.\n",
                                name(job.compiler.kind), ran.code);
    }
    if (result.log.empty()) result.log = fmt::format("{} failed and said nothing\n", name(job.compiler.kind));
    return;
  }
  const std::optional<std::vector<fs::path>> files = files_read(job, folder);
  result.output = request.target == CompileTarget::Ptx ? ptx_for_people(job, folder, std::move(*output))
                                                       : std::move(*output);
  std::optional<std::vector<Dependency>> dependencies;
  if (request.use_cache && files) dependencies = describe_all(*files);
  if (dependencies) {
    store_entry(base::cache_root() / "kernels", key,
                {std::move(*dependencies), result.log, result.compiler_seconds, result.output});
  }
  if (job.kernel_rules)
    refuse_what_was_read(job, request.target, files.value_or(std::vector<fs::path>()), result);
}

// What can be said before a compiler starts.
std::optional<Refusal> refuse_early(const CompileRequest& request, const std::string& source) {
  if (request.sandbox && fs::is_symlink(fs::symlink_status(request.file))) {
    return Refusal{"source-refused", "The kernel file is a link. Hand in the file itself."};
  }
  if (!request.kernel_rules) return std::nullopt;
  if (source.size() > kLargestKernelBytes) {
    return Refusal{"source-refused",
                   msg("The kernel file has {} KiB; more than 256 KiB is no kernel of this course.",
                       source.size() >> 10)};
  }
  if (auto refusal = refuse_source(source, request.sandbox ? fs::path() : request.file.parent_path()))
    return refusal;
  return refuse_question_of_compiler(source);
}

// NVRTC's words for what only a compiler with a host can do.
bool needs_a_host(const CompileResult& result) {
  if (result.ok || result.compiler.kind != CompilerKind::Nvrtc || !result.refusal.empty()) return false;
  for (const char* sign : {"open source file", "in JIT mode", "is undefined"}) {
    if (result.log.find(sign) != std::string::npos) return true;
  }
  return false;
}

CompileResult compile_once(const CompileRequest& request) {
  const Clock::time_point start = Clock::now();
  const std::string source = read_source(request.file);
  const CompileJob job = plan_compile(request);
  const std::string key = key_of(job, source);
  CompileResult result;
  result.compiler = job.compiler;
  if (std::optional<Refusal> refusal = refuse_early(request, source)) {
    refuse(result, std::move(*refusal));
    return result;
  }
  std::optional<CacheEntry> entry =
      request.use_cache ? load_entry(base::cache_root() / "kernels", key) : std::nullopt;
  if (entry) {
    result.ok = result.cached = true;
    result.output = std::move(entry->output);
    result.log = std::move(entry->log);
    result.compiler_seconds = entry->compiler_seconds;
    if (job.kernel_rules) {
      std::vector<fs::path> files;
      for (const Dependency& file : entry->dependencies) files.emplace_back(file.path);
      refuse_what_was_read(job, request.target, files, result);
    }
  } else {
    compile_now(request, job, source, key, result);
  }
  result.seconds = seconds_since(start);
  return result;
}

constexpr const char* kNoHostHeaders =
    "NVRTC has no headers of the host: leave that one out, or have nvcc compile it (--compiler nvcc).\n";

// The first error of a log of the built-in compiler: its message, the line, the caret.
std::string first_error(const std::string& log) {
  const std::size_t error = log.find(": error: ");
  if (error == log.npos) return {};
  std::size_t end = error;
  for (int lines = 0; lines < 3 && end != log.npos; ++lines) end = log.find('\n', end + 1);
  const std::size_t begin = log.rfind('\n', error) + 1;  // npos + 1 is 0
  return log.substr(begin, end == log.npos ? end : end + 1 - begin);
}

// Whether all errors of NVRTC's log, "file(12): error", are in the line of this one, "file:12:3: error".
bool in_one_line(const std::string& log, const std::string& words) {
  const std::size_t column = words.rfind(':', words.find(": error: ") - 1),
                    line = words.rfind(':', column - 1) + 1;
  const std::string place = "(" + words.substr(line, column - line);
  std::size_t at = 0;
  while ((at = log.find("): error", at + 1)) != log.npos)
    if (at < place.size() || log.compare(at - place.size(), place.size(), place) != 0) return false;
  return true;
}

// What NVRTC says in thirty notes, or of the line below the guilty one, the built-in compiler says in a sentence: it
// comes first, and alone where both mean one line; the notes go.
void begin_with_plain_words(CompileRequest request, CompileResult& result) {
  request.compiler = CompilerKind::Builtin;
  try {
    const CompileResult second = compile_once(request);
    const std::string words = second.ok || second.is_unknown ? std::string() : first_error(second.log);
    for (std::size_t note; (note = result.log.find("Note #")) != result.log.npos &&
                           (note == 0 || result.log[note - 1] == '\n');)
      result.log.erase(note, result.log.find('\n', note) - note + 1);
    if (!words.empty()) result.log = in_one_line(result.log, words) ? words : words + result.log;
  } catch (const base::LabError&) {  // there is none here, or it takes too long
  }
}

}  // namespace

CompileResult compile(const CompileRequest& request) {
  CompileResult result = compile_once(request);
  const bool refused = !result.ok && result.refusal.empty();
  if (refused && request.kernel_rules && result.compiler.kind == CompilerKind::Nvrtc &&
      result.log.find("open source file") == std::string::npos)
    begin_with_plain_words(request, result);
  if (!needs_a_host(result)) return result;
  const char* chosen = std::getenv("LAB_COMPILER");
  const bool free = !request.compiler && !request.kernel_rules && (chosen == nullptr || *chosen == '\0');
  for (const KernelCompiler& other : free ? kernel_compilers() : std::vector<KernelCompiler>()) {
    if (other.kind == CompilerKind::Nvrtc) continue;
    CompileRequest again = request;
    again.compiler = other.kind;
    if (CompileResult second = compile_once(again); second.ok) return second;
  }
  if (result.log.find("open source file") != std::string::npos) result.log += kNoHostHeaders;
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
  if (jobs == 0) jobs = base::usable_cores();
  {
    base::Threads threads;
    for (std::size_t i = 1; i < std::min<std::size_t>(jobs, requests.size()); ++i) threads.start(work);
    work();
  }
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  return results;
}

}  // namespace lab::compile
