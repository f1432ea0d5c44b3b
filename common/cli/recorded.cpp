// A name from the command line → a recorded run.
#include "common/cli/recorded.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "common/cli/plain_kernel.h"
#include "common/harness/checks.h"
#include "common/harness/errors.h"
#include "common/harness/project.h"

namespace lab::cli {
namespace {

using harness::ExitCode;
using harness::LabError;

// `plain`: a file that belongs to no chapter, which need not have a launch shape.
Recorded run(const std::filesystem::path& file, const std::string& entry, harness::Problem problem,
             bool plain, const Session& session) {
  const harness::CompileResult compiled = compile_file(file, session);
  const std::string shown = harness::shown_path(file);
  if (!compiled.ok) {
    fmt::print(stderr, "{}", compiled.log);
    throw LabError(ExitCode::NotYet, fmt::format("{} does not compile.", shown));
  }
  try {
    harness::Subject subject(compiled.ptx());
    harness::Target target;
    target.entry = resolve_entry(subject, shown, entry);
    if (const std::string wrong = subject.signature_problem(target); !wrong.empty())
      throw harness::UsageError(wrong);
    Recorded recorded;
    if (plain) {
      const KernelFacts facts = facts_of(subject, file, target.entry, {});
      target.shape = facts.shape;
      problem.elem_bytes = facts.elem_bytes;
      recorded.assumed = facts.assumed;
      if (const std::string wrong = harness::what_is_wrong_with(problem); !wrong.empty())
        throw harness::UsageError(wrong);
    }
    recorded.recording = report::record(subject, shown, problem, target);
    if (!recorded.recording.run.faults.empty()) {
      const sim::Fault& fault = recorded.recording.run.faults.front();
      const bool limit = fault.kind == sim::FaultKind::BudgetExceeded;
      throw LabError(limit ? ExitCode::Limit : ExitCode::NotYet,
                     fmt::format("{} stops with a fault on line {}, so there is nothing to draw: {}", shown,
                                 fault.line, fault.message));
    }
    return recorded;
  } catch (const device::LoadError& error) {
    throw LabError(ExitCode::NotYet, fmt::format("{} cannot run: {}", shown, error.fault.message));
  }
}

}  // namespace

Recorded record_choice(const KernelChoice& choice, const Session& session) {
  const harness::ChapterInfo* chapter = harness::find_chapter(choice.name);
  if (chapter == nullptr && choice.kernel.empty()) {
    if (!std::filesystem::is_regular_file(choice.name))
      (void)chapter_named(choice.name);  // says which chapters there are
    if (choice.solution) throw harness::UsageError("--solution goes with a chapter, not with a file.");
    return run(choice.name, "transpose", choice.problem, true, session);
  }
  if (!choice.kernel.empty() && choice.solution)
    throw harness::UsageError("Give --kernel or --solution, not both.");
  if (chapter == nullptr) {
    if (!choice.name.empty()) (void)chapter_named(choice.name);
    return run(choice.kernel, "transpose", choice.problem, true, session);
  }
  const std::filesystem::path file = choice.solution         ? harness::solution_kernel(*chapter)
                                     : choice.kernel.empty() ? harness::chapter_kernel(*chapter)
                                                             : std::filesystem::path(choice.kernel);
  Recorded recorded = run(file, chapter->entry, chapter->measured, false, session);
  recorded.chapter = chapter;
  return recorded;
}

}  // namespace lab::cli
