// A name from the command line → a recorded run.
#include "common/course/explore/recorded.h"

#include <filesystem>

#include "common/base/errors.h"
#include "common/base/project.h"
#include "common/base/text/text.h"
#include "common/course/explore/plain_kernel.h"
#include "common/course/judge/checks.h"
#include "common/course/judge/named_kernel.h"

namespace lab::explore {
namespace {

using base::ExitCode;
using base::LabError;

// `chapter`: null for a file that belongs to none, which need not have a launch shape.
Recorded run(const std::filesystem::path& file, const KernelChoice& choice, const judge::ChapterInfo* chapter,
             std::optional<compile::CompilerKind> compiler) {
  const compile::CompileResult compiled = compiled_kernel(file, compiler);
  const std::string shown = base::shown_path(file);
  try {
    judge::Subject subject(compiled.ptx());
    const judge::Target target = judge::target_named(subject, shown, choice.entry, chapter);
    Recorded recorded;
    judge::Target launched = target;
    judge::Problem problem =
        choice.problem.value_or(chapter != nullptr ? chapter->measured : judge::Problem{1024, 1024});
    if (chapter == nullptr || target.entry != judge::own_entry(chapter)) {
      KernelOptions said;
      said.elem_bytes = choice.elem_bytes;
      const KernelFacts facts = facts_of(subject, file, target.entry, said);
      launched.shape = facts.shape;
      problem.elem_bytes = facts.elem_bytes;
      recorded.assumed = facts.assumed;
    }
    must_fit(problem, chapter);
    recorded.recording = record(subject, shown, problem, launched, choice.line, choice.path);
    recorded.chapter = chapter;
    if (!recorded.recording.run.faults.empty()) {
      const sim::Fault& fault = recorded.recording.run.faults.front();
      throw LabError(judge::exit_code(recorded.recording.run),
                     msg("{} stops with a fault on line {}, so there is nothing to draw: {}", shown,
                         fault.line, fault.sentence()));
    }
    if (choice.timeline) {
      Timeline timeline(recorded.recording.block);
      (void)subject.observed(problem, launched, timeline);
      recorded.timeline = timeline.data();
    }
    return recorded;
  } catch (const device::LoadError& error) {
    throw LabError(ExitCode::NotYet, msg("{} cannot run: {}", shown, error.fault.sentence()));
  }
}

}  // namespace

Recorded record_choice(const KernelChoice& choice, std::optional<compile::CompilerKind> compiler) {
  const judge::ChapterInfo* chapter = judge::find_chapter(choice.name);
  if (chapter == nullptr && !choice.kernel.empty()) {
    if (!choice.name.empty()) (void)judge::chapter_named(choice.name);
    if (choice.solution) throw base::UsageError("Give --kernel or --solution, not both.");
    return run(choice.kernel, choice, nullptr, compiler);
  }
  const std::filesystem::path file = chapter == nullptr
                                         ? judge::file_named(choice.name, choice.solution).path
                                         : judge::kernel_of(*chapter, choice.kernel, choice.solution);
  return run(file, choice, chapter, compiler);
}

}  // namespace lab::explore
