// From a kernel file to a verdict: compile, load, run a chapter's cases.
#include "common/course/judge/examine.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <stdexcept>
#include <utility>

#include "common/base/errors.h"
#include "common/base/project.h"
#include "common/base/source_text.h"
#include "common/compile/gpu_program.h"
#include "common/course/judge/checks.h"
#include "common/course/judge/named_lines.h"
#include "common/course/judge/reasons.h"
#include "common/course/judge/second_compiler.h"
#include "common/course/judge/split_stopwatch.h"
#include "common/course/judge/tried_fix.h"

namespace lab::judge {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Reason does_not_compile(const Examination& e) {
  Reason reason;
  const bool refused = !e.compile.refusal.empty();
  reason.code = refused ? e.compile.refusal : "does-not-compile";
  reason.message =
      refused ? e.compile.refused : msg("The kernel does not compile; the compiler says:\n{}", e.compile_log);
  return reason;
}

// Large enough that the GPU's memory decides, small enough for a check and for the GPU.
Problem timed_problem(const device::GpuInfo& gpu, int elem_bytes) {
  Problem problem{.rows = 4096, .cols = 4096, .elem_bytes = elem_bytes};
  while (problem.rows > 256 && 8 * problem.in_bytes() > gpu.memory_bytes) problem.rows = problem.cols /= 2;
  return problem;
}

// The GPU of one examination: started first, so that the driver wakes up while the kernel compiles.
class GpuOfExamination {
 public:
  explicit GpuOfExamination(const ExamineOptions& options) : alone_(options.device == DeviceChoice::Gpu) {
    if (options.device == DeviceChoice::Sim) return;
    findings_.emplace();
    findings_->alone = alone_;
    try {
      pending_.emplace(device::GpuOptions{.index = options.gpu_index});
    } catch (const device::DeviceError& error) {
      give_up(error.message(), true);
    }
  }

  // Waits for it, and compiles for it.
  void open(compile::GpuProgram& program, const std::filesystem::path& file) {
    if (!pending_) return;
    try {
      gpu_ = pending_->get();
      findings_->name = gpu_->name();
      compile::add_cubin(program, file, gpu_->info().architecture());
      findings_->made_by = program.made_by;
    } catch (const device::GpuUnavailable& error) {
      give_up(error.message(), error.survey.cuda_version != 0);
    }
  }

  [[nodiscard]] GpuSide side(const compile::GpuProgram& program) const {
    return {gpu_, program.cubin, alone_};
  }

  // After the cases: only a kernel with right results is timed.
  void finish(const Evaluation& evaluation, Subject& subject, const compile::GpuProgram& program,
              const ChapterInfo& chapter) {
    if (!gpu_) return;
    findings_->shapes = subject.gpu_shapes();
    if (!subject.gpu_problem().empty()) return give_up(subject.gpu_problem(), true);
    if (evaluation.right() && findings_->shapes > 0) time(subject, program, chapter);
  }

  [[nodiscard]] std::optional<GpuFindings> findings() const { return findings_; }

 private:
  void give_up(const Message& problem, bool is_worth_reporting) {
    if (alone_) throw base::EnvironmentError(problem);
    findings_->problem = problem;
    findings_->is_worth_reporting = is_worth_reporting;
    gpu_.reset();
  }

  void time(Subject& subject, const compile::GpuProgram& program, const ChapterInfo& chapter) {
    const std::string entry = chapter.entry;
    Target target;
    target.entry = entry;
    try {
      const LaunchShape& shape = subject.launch_shape(entry);
      findings_->gpus = shape.gpus;
      findings_->timed_problem = timed_problem(gpu_->info(), chapter.measured.elem_bytes);
      if (shape.gpus > 1) return time_split(program, shape, target);
      const auto module = gpu_->load({program.ptx.output, program.cubin});
      Stopwatch watch(*gpu_, findings_->timed_problem);
      findings_->copy = watch.copy(true);
      findings_->time = watch.kernel(*module->kernel(entry), shape, target);
      findings_->timed_bytes = watch.bytes();
    } catch (const std::bad_alloc&) {
      findings_->problem = msg("The {} has no room for the timed matrix.", gpu_->name());
    } catch (const std::runtime_error& error) {
      findings_->problem = text::message_of(error);
    }
    findings_->is_worth_reporting = true;
  }

  void time_split(const compile::GpuProgram& program, const LaunchShape& shape, const Target& target) {
    SplitStopwatch watch(*gpu_, shape.gpus, findings_->timed_problem);
    findings_->time = watch.kernel({program.ptx.output, program.cubin}, shape, target);
    findings_->copy = watch.copy();
    findings_->timed_bytes = watch.crossing_bytes();
    findings_->is_worth_reporting = true;
  }

  bool alone_;
  std::optional<GpuFindings> findings_;
  std::optional<device::PendingGpu> pending_;
  std::shared_ptr<device::Gpu> gpu_;
};

// What the source alone shows, where no thread was left to wait: all leave the kernel before the barrier.
void explain_return(Examination& e, const std::string& source) {
  for (CaseResult& c : e.evaluation.cases) {
    if (c.passed || !c.reached || c.reasons.empty()) continue;
    Reason& reason = c.reasons.front();
    const bool may_come_from_it = reason.code == "never-written" || reason.code == "uninitialised-shared" ||
                                  reason.code == "barrier-divergence" || reason.code == "peer-gone";
    const EarlyReturn early = return_before_barrier(source);
    if (!may_come_from_it || early.line == 0) return;
    if (std::find(reason.facts.begin(), reason.facts.end(), "return-before-barrier") == reason.facts.end())
      blame_return(reason, early, e.kernel);
    return;
  }
}

// Counted already, so nothing runs again.
std::optional<Blamed> blamed_run(const Examination& e, Subject& subject) {
  const CaseResult* failure = e.evaluation.first_failure();
  if (failure == nullptr || failure->reasons.empty() || !failure->reasons.front().path) return std::nullopt;
  const Reason& reason = failure->reasons.front();
  const Target target = subject.target_of(reason.entry.empty() ? e.chapter->entry : reason.entry);
  const Problem problem = reason.problem.value_or(e.chapter->measured);
  return Blamed{subject.run(problem, target), subject.watched(problem, target)};
}

// A kernel that C++ gave another name, or none of that name: it cannot be launched.
std::optional<Reason> missing_entry(const ChapterInfo& chapter, const Subject& subject) {
  const std::vector<std::string> entries = subject.entries();
  if (std::find(entries.begin(), entries.end(), chapter.entry) != entries.end()) return std::nullopt;
  Reason reason;
  reason.code = "no-entry";
  const std::string mangled = fmt::format("_Z{}{}", std::string_view(chapter.entry).size(), chapter.entry);
  for (const std::string& entry : entries) {
    if (entry.starts_with(mangled))
      reason.message = msg(
          "C++ renames `{}` to `{}`, and the check cannot find it: write extern \"C\" before its __global__.",
          chapter.entry, entry);
  }
  if (reason.message.empty())
    reason.message =
        msg("The file has no kernel `{0}`: write extern \"C\" __global__ void {0}(float* out, const float* "
            "in, int rows, int cols).",
            chapter.entry);
  return reason;
}

void run_cases(Examination& e, const compile::GpuProgram& program, GpuOfExamination& gpu,
               unsigned host_threads, const Inputs& inputs, const Rebuild& rebuild) {
  e.key = inputs.key;
  const auto start = std::chrono::steady_clock::now();
  Subject subject(program.ptx.output, host_threads, gpu.side(program), inputs);
  e.predictions = subject.predictions();
  e.load = missing_entry(*e.chapter, subject);
  if (e.load) {
    e.evaluation = not_evaluated(*e.chapter, *e.load);
    return;
  }
  if (inputs.only) {
    const Message beyond = beyond_the_grid(subject.launch_shape(e.chapter->entry), *inputs.only);
    if (!beyond.empty()) throw base::UsageError(msg("Shape: {}", beyond));
  }
  e.evaluation = evaluate(*e.chapter, subject);
  Target target;
  target.entry = e.chapter->entry;
  // A goal has run it already: then this only fetches it. A kernel that does not end is not started again.
  const CaseResult* failure = e.evaluation.first_failure();
  const bool endless =
      exit_code(e) == static_cast<int>(base::ExitCode::Limit) ||
      (failure != nullptr && !failure->reasons.empty() && failure->reasons.front().code == kWholeMatrix);
  if (!endless) {
    e.measured = subject.run(e.chapter->measured, target);
    e.watched = subject.watched(e.chapter->measured, target);
  }
  e.blamed = blamed_run(e, subject);
  ask_second_compiler(e, program.ptx.output, rebuild, host_threads, inputs);
  e.work = subject.work();
  e.simulate_seconds = seconds_since(start);
  gpu.finish(e.evaluation, subject, program, *e.chapter);
}

Examination examine_program(const ChapterInfo& chapter, std::string kernel,
                            const compile::GpuProgram& program, GpuOfExamination& gpu, unsigned host_threads,
                            const Inputs& inputs, const Rebuild& rebuild) {
  Examination e;
  e.chapter = &chapter;
  e.kernel = std::move(kernel);
  e.measured.problem = chapter.measured;
  e.compile = program.ptx;
  e.compile.output.clear();
  e.compiled = e.compile.ok;
  e.compile_log = e.compile.log;
  try {
    if (!e.compiled) {
      e.evaluation = not_evaluated(chapter, does_not_compile(e));
    } else {
      run_cases(e, program, gpu, host_threads, inputs, rebuild);
    }
  } catch (const device::LoadError& error) {
    e.load = reason_of(error.fault);
    e.evaluation = not_evaluated(chapter, *e.load);
  } catch (const ShapeError& error) {
    Reason reason;
    reason.code = "invalid-launch";
    reason.message = text::message_of(error);
    e.load = reason;
    e.evaluation = not_evaluated(chapter, reason);
  } catch (const std::logic_error& error) {
    throw base::EnvironmentError(text::message_of(error));
  } catch (const std::bad_alloc&) {
    throw base::EnvironmentError(
        "This machine has not enough free memory to run the checks; close something and try again.");
  }
  e.gpu = gpu.findings();
  return e;
}

}  // namespace

Rebuild with_builtin_compiler(compile::CompileRequest request) {
  return [request = std::move(request)]() mutable -> std::optional<std::string> {
    request.compiler = compile::CompilerKind::Builtin;
    try {
      compile::CompileResult made = compile::compile(request);
      return made.ok ? std::optional(std::move(made.output)) : std::nullopt;
    } catch (const base::LabError&) {
      return std::nullopt;  // the first compiler's PTX is judged alone
    }
  };
}

Examination examine(const ChapterInfo& chapter, const std::filesystem::path& kernel,
                    std::optional<compile::CompilerKind> compiler) {
  return examine(chapter, kernel, ExamineOptions{.compiler = compiler});
}

Examination examine(const ChapterInfo& chapter, const std::filesystem::path& kernel,
                    const ExamineOptions& options) {
  GpuOfExamination gpu(options);
  compile::GpuProgram program;
  compile::CompileRequest request;
  if (chapter.hopper && !compile::compiles_for_hopper(compile::find_kernel_compiler(options.compiler).kind))
    throw base::EnvironmentError(
        msg("{} needs instructions of Hopper, which clang does not compile for; NVRTC or nvcc do. Run: ./lab "
            "setup",
            chapter.name));
  request.file = kernel;
  request.compiler = options.compiler;
  request.kernel_rules = true;
  request.sandbox = options.sandbox;
  request.shown_name = options.shown_name;
  program.ptx = compile::compile(request);
  if (program.ptx.ok) gpu.open(program, kernel);
  const std::string shown = options.shown_name.empty() ? base::shown_path(kernel) : options.shown_name;
  Examination e =
      examine_program(chapter, shown, program, gpu, 0, options.inputs, with_builtin_compiler(request));
  const std::string source = base::read_source_text(kernel).value_or("");
  explain_return(e, source);
  if (options.tries_fixes) try_fixes(e, source, options.inputs);
  return e;
}

Examination examine_compiled(const ChapterInfo& chapter, std::string kernel, compile::CompileResult compiled,
                             unsigned host_threads, const Inputs& inputs, const Rebuild& rebuild) {
  GpuOfExamination none{ExamineOptions{}};
  compile::GpuProgram program;
  program.ptx = std::move(compiled);
  return examine_program(chapter, std::move(kernel), program, none, host_threads, inputs, rebuild);
}

int exit_code(const Examination& e) {
  if (e.passed()) return static_cast<int>(base::ExitCode::Passed);
  const CaseResult* failure = e.evaluation.first_failure();
  const bool limit =
      failure != nullptr && !failure->reasons.empty() && failure->reasons.front().code == "budget-exceeded";
  return static_cast<int>(limit ? base::ExitCode::Limit : base::ExitCode::NotYet);
}

const char* state_of(const Examination& e) {
  return !e.compile.refusal.empty() ? "refused"
         : !e.compiled              ? "does-not-compile"
         : e.load                   ? "cannot-load"
                                    : "judged";
}

}  // namespace lab::judge
