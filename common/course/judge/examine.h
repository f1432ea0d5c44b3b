// From a kernel file to a verdict: compile, load, run a chapter's cases.
//
// Enters: a chapter and a file. Leaves: everything that a card or a JSON object says about it. A file that
// does not compile or load is a verdict too: its cases are then not reached.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "common/compile/compile.h"
#include "common/course/judge/chapter_list.h"
#include "common/course/judge/stopwatch.h"
#include "common/course/judge/subject.h"
#include "common/course/judge/verdict.h"

namespace lab::judge {

// Where a kernel runs. Auto: on the simulator, and where there is a GPU the results are compared there too.
enum class DeviceChoice : std::uint8_t { Sim, Gpu, Auto };

struct ExamineOptions {
  std::optional<compile::CompilerKind> compiler;
  DeviceChoice device = DeviceChoice::Sim;
  int gpu_index = 0;
  bool sandbox = false;  // a stranger's file: CompileRequest::sandbox
  Inputs inputs{};
  std::string shown_name{};  // what the file is called; empty: its own name
  bool tries_fixes =
      false;  // what fails says which line would be right, where trying finds one (tried_fix.h)
};

// What the GPU added.
struct GpuFindings {
  std::string name;                 // "NVIDIA H200"
  std::string made_by;              // who compiled for it
  bool alone = false;               // results come from it only
  int shapes = 0;                   // that were right on it
  Message problem;                  // why it was not used, or not to the end; "" when it was
  bool is_worth_reporting = false;  // of a problem: there is a driver, so a GPU was to be expected
  Problem timed_problem;
  std::uint64_t timed_bytes = 0;  // read and written
  int gpus = 1;                   // that were timed at once; then the bytes are those that cross the link
  std::optional<Timed> time, copy;
};

// A run and what was seen in it.
struct Blamed {
  Run run;
  Watched watched;
};

struct Examination {
  const ChapterInfo* chapter = nullptr;
  std::string kernel;  // path as a student reads it
  bool compiled = false;
  std::string compile_log;         // the compiler's own words
  compile::CompileResult compile;  // with its text dropped
  std::optional<Reason> load;      // compiled, but the device cannot execute it
  Evaluation evaluation;
  Run measured;                    // the chapter's counted run; empty when it was not reached
  Watched watched;                 // what was seen in it
  std::optional<Blamed> blamed;    // the run that the first failure blames an access of
  Subject::Work work;              // what all of this took
  Message split;                   // of a wide access that the compiler took apart (second_compiler.h)
  Predictions predictions;         // what the file answers; all zero when it was not loaded
  double simulate_seconds = 0;     // all runs of all cases
  std::optional<GpuFindings> gpu;  // none: not asked for
  std::string key;                 // of the inputs
  [[nodiscard]] bool passed() const { return compiled && !load && evaluation.passed(); }
};

// The same file through the built-in compiler: its PTX, or none where it refuses the file.
using Rebuild = std::function<std::optional<std::string>()>;
[[nodiscard]] Rebuild with_builtin_compiler(compile::CompileRequest request);

// Throws LabError as compile() does, EnvironmentError when the chapter has no case, and UsageError where the shape
// that was asked for alone (Inputs::only) takes more blocks than a grid has.
[[nodiscard]] Examination examine(const ChapterInfo& chapter, const std::filesystem::path& kernel,
                                  std::optional<compile::CompilerKind> compiler = std::nullopt);

// The second half: what a file that went through the compiler is worth. `kernel` is its name for the student;
// host_threads 0: one a core.
[[nodiscard]] Examination examine_compiled(const ChapterInfo& chapter, std::string kernel,
                                           compile::CompileResult compiled, unsigned host_threads = 0,
                                           const Inputs& inputs = {}, const Rebuild& rebuild = {});
// The same where options.device says. Throws EnvironmentError when the GPU alone was asked for and there is
// none.
[[nodiscard]] Examination examine(const ChapterInfo& chapter, const std::filesystem::path& kernel,
                                  const ExamineOptions& options);

// 0 passed, 1 not yet, 4 when a budget ended it.
[[nodiscard]] int exit_code(const Examination& examination);
// How far it came: "refused", "does-not-compile", "cannot-load", "judged".
[[nodiscard]] const char* state_of(const Examination& examination);

}  // namespace lab::judge
