// From a kernel file to a verdict: compile, load, run a chapter's cases.
#include "common/harness/examine.h"

#include <chrono>
#include <new>
#include <stdexcept>
#include <utility>

#include "common/harness/checks.h"
#include "common/harness/errors.h"
#include "common/harness/project.h"

namespace lab::harness {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Reason does_not_compile(const Examination& e) {
  Reason reason;
  reason.code = "does-not-compile";
  reason.message = "The kernel does not compile; the compiler says:\n" + e.compile_log;
  return reason;
}

Reason cannot_load(const sim::Fault& fault) {
  Reason reason;
  reason.code = sim::code(fault.kind);
  reason.message = fault.message;
  reason.file = fault.file;
  reason.line = fault.line;
  return reason;
}

void run_cases(Examination& e, const std::string& ptx, unsigned host_threads) {
  const auto start = std::chrono::steady_clock::now();
  Subject subject(ptx, host_threads);
  e.predictions = subject.predictions();
  e.evaluation = evaluate(*e.chapter, subject);
  Target target;
  target.entry = e.chapter->entry;
  // A goal has run it already: then this only fetches it. A kernel that does not end is not started again.
  const bool endless = exit_code(e) == static_cast<int>(ExitCode::Limit);
  if (!endless) e.measured = subject.run(e.chapter->measured, target);
  e.simulate_seconds = seconds_since(start);
}

}  // namespace

Examination examine(const ChapterInfo& chapter, const std::filesystem::path& kernel,
                    std::optional<CompilerKind> compiler) {
  CompileRequest request;
  request.file = kernel;
  request.compiler = compiler;
  return examine_compiled(chapter, shown_path(kernel), compile(request));
}

Examination examine_compiled(const ChapterInfo& chapter, std::string kernel, CompileResult compiled,
                             unsigned host_threads) {
  Examination e;
  e.chapter = &chapter;
  e.kernel = std::move(kernel);
  e.measured.problem = chapter.measured;
  e.compile = std::move(compiled);
  const std::string ptx = std::exchange(e.compile.output, {});
  e.compiled = e.compile.ok;
  e.compile_log = e.compile.log;
  try {
    if (!e.compiled) {
      e.evaluation = not_evaluated(chapter, does_not_compile(e));
    } else {
      run_cases(e, ptx, host_threads);
    }
  } catch (const device::LoadError& error) {
    e.load = cannot_load(error.fault);
    e.evaluation = not_evaluated(chapter, *e.load);
  } catch (const ShapeError& error) {
    Reason reason;
    reason.code = "invalid-launch";
    reason.message = error.what();
    e.load = reason;
    e.evaluation = not_evaluated(chapter, reason);
  } catch (const std::logic_error& error) {
    throw EnvironmentError(error.what());
  } catch (const std::bad_alloc&) {
    throw EnvironmentError(
        "This machine has not enough free memory to run the checks; close something and try again.");
  }
  return e;
}

int exit_code(const Examination& e) {
  if (e.passed()) return static_cast<int>(ExitCode::Passed);
  const CaseResult* failure = e.evaluation.first_failure();
  const bool limit =
      failure != nullptr && !failure->reasons.empty() && failure->reasons.front().code == "budget-exceeded";
  return static_cast<int>(limit ? ExitCode::Limit : ExitCode::NotYet);
}

std::filesystem::path chapter_kernel(const ChapterInfo& chapter) {
  return project_root() / "chapters" / chapter.name / "transpose.cu";
}

std::filesystem::path solution_kernel(const ChapterInfo& chapter) {
  return project_root() / "solutions" / chapter.name / "transpose.cu";
}

std::filesystem::path skeleton_kernel(const ChapterInfo& chapter) {
  return project_root() / "solutions" / chapter.name / "skeleton.cu";
}

}  // namespace lab::harness
