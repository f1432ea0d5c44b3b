// `lab check N`: compiles a chapter's kernel, runs its cases, prints the verdict card.
#include <fmt/core.h>

#include <cstdio>

#include "common/base/errors.h"
#include "common/base/text/text.h"
#include "common/cli/cli.h"
#include "common/cli/waiting.h"
#include "common/course/progress.h"
#include "common/judge/checks.h"
#include "common/judge/named_kernel.h"
#include "common/report/card.h"
#include "common/report/explain.h"
#include "common/report/json.h"
#include "common/report/pictures.h"

namespace lab::cli {
namespace {

// `which_kernel`: how to name a file that is not the chapter's own.
std::vector<std::string> next_steps(const judge::Examination& e, const std::string& which_kernel) {
  const std::vector<const judge::ChapterInfo*> chapters = judge::all_chapters();
  const auto here = std::find(chapters.begin(), chapters.end(), e.chapter);
  if (e.passed()) {
    if (here == chapters.end() || here + 1 == chapters.end()) return {"./lab tour"};
    const std::string next = (*(here + 1))->name;
    return {lesson_of(next), fmt::format("./lab check {}", here - chapters.begin() + 2)};
  }
  const int number = judge::number_of(*e.chapter);
  const judge::CaseResult* failure = e.evaluation.first_failure();
  const judge::Reason* reason =
      failure != nullptr && !failure->reasons.empty() ? &failure->reasons.front() : nullptr;
  if (reason != nullptr && failure->kind == judge::CaseKind::Prediction && failure->reached)
    return {fmt::format("./lab predict {}", number), fmt::format("./lab hint {}", number)};
  std::vector<std::string> steps = {fmt::format("./lab hint {}", number)};
  if (reason != nullptr && reason->path && reason->line != 0)
    steps.push_back(fmt::format("./lab show {}{} --line {}", number, which_kernel, reason->line));
  if (reason != nullptr && report::find_explanation(reason->code))
    steps.push_back("./lab explain " + reason->code);
  if (reason != nullptr && reason->problem && failure->reached) {
    // What repeats it, in a moment: the same shape, the same values.
    steps.push_back(fmt::format("./lab check {}{} --rows {} --cols {}{}", number, which_kernel,
                                reason->problem->rows, reason->problem->cols,
                                e.key == judge::kPracticeKey ? "" : fmt::format(" --key '{}'", e.key)));
  }
  return steps;
}

// What other layouts of the tile would have done to the access that the first failure blames, from its
// addresses in the run that judged. Nothing unless that is an access to shared memory in a run that can be
// drawn.
struct WhatIf {
  std::string lines;
  report::Json json = nullptr;
};

WhatIf what_if(const judge::Examination& e) {
  const judge::CaseResult* failure = e.evaluation.first_failure();
  if (failure == nullptr || failure->reasons.empty()) return {};
  const judge::Reason& reason = failure->reasons.front();
  if (!reason.path || sim::info(*reason.path).space != sim::Space::Shared || reason.line == 0) return {};
  if (!e.measured.correct()) return {};
  const explore::Recording recording = explore::recording_of(e.kernel, e.measured, e.watched);
  for (const explore::Site& site : recording.sites) {
    if (site.line == reason.line && site.path == *reason.path)
      return {report::what_if_lines(recording, site),
              report::what_if_json(recording, explore::find_tiles(recording))};
  }
  return {};
}

void remember(const judge::Examination& e) {
  course::Progress progress = course::Progress::load();
  course::ChapterProgress& chapter = progress[e.chapter->name];
  chapter.passed = e.passed();
  chapter.points = e.evaluation.points();
  const judge::CaseResult* failure = e.evaluation.first_failure();
  const bool known = failure != nullptr && !failure->reasons.empty();
  const std::string code = known ? failure->reasons.front().code : "";
  if (code != chapter.diagnosis) chapter.diagnosis_hinted = false;
  chapter.diagnosis = code;
  chapter.line = known ? failure->reasons.front().line : 0;
  progress.save();
}

judge::Inputs inputs_of(const CheckOptions& options) {
  judge::Inputs inputs;
  if (!options.key.empty()) inputs.key = options.key;
  if ((options.rows == 0) != (options.cols == 0)) throw base::UsageError("Give --rows and --cols together.");
  if (options.rows != 0) {
    inputs.only = judge::Problem{.rows = options.rows, .cols = options.cols};
    if (const std::string wrong = judge::what_is_wrong_with(*inputs.only); !wrong.empty())
      throw base::UsageError("Shape: " + wrong);
  }
  return inputs;
}

}  // namespace

int run_check(const Session& session, const CheckOptions& options) {
  if (options.solution && !options.kernel.empty())
    throw base::UsageError("Give --kernel or --solution, not both.");
  const judge::ChapterInfo& chapter =
      options.chapter.empty() ? current_chapter() : judge::chapter_named(options.chapter);
  const std::filesystem::path file = options.solution         ? judge::solution_kernel(chapter)
                                     : options.kernel.empty() ? judge::chapter_kernel(chapter)
                                                              : std::filesystem::path(options.kernel);
  const judge::Inputs inputs = inputs_of(options);
  const judge::Examination examination = [&] {
    const Waiting waiting(text::tr("checking {}", chapter.name), !options.json);
    const judge::DeviceChoice device =
        options.sandbox ? judge::DeviceChoice::Sim
                        : device_choice(options.device);  // nothing of a stranger's on a GPU
    return judge::examine(chapter, file,
                          {session.compiler_kind(), device, options.gpu_index, options.sandbox, inputs});
  }();
  if (!options.solution && options.kernel.empty() && !inputs.only) remember(examination);
  const WhatIf other = what_if(examination);
  if (options.json) {
    report::Json object = report::check_json(examination, "simulator");
    object["what_if"] = other.json;
    fmt::print("{}\n", report::dump(object));
  } else {
    const std::string which_kernel = options.solution         ? " --solution"
                                     : options.kernel.empty() ? ""
                                                              : " --kernel " + options.kernel;
    fmt::print(
        "{}", report::card(examination, next_steps(examination, which_kernel), session.style(), other.lines));
  }
  return judge::exit_code(examination);
}

Command check_command(const Session& session) {
  Command command{
      "check",
      "Judges the kernel of a chapter.\nExample: ./lab check 5    ./lab check 5 --kernel my.cu --json"};
  static CheckOptions options;
  command.option("chapter", options.chapter,
                 "Number or name of the chapter (default: the first one not passed)");
  command.option("--kernel", options.kernel, "Another kernel file than the chapter's own");
  command.option("--solution", options.solution, "Judge the reference solution");
  add_device_options(command, options.device, options.gpu_index);
  command.option("--rows", options.rows, "This shape alone: rows of `in` (repeats a failure)");
  command.option("--cols", options.cols, "This shape alone: columns of `in`");
  command.option("--key", options.key, "Key that decides the inputs (default: the public one)");
  command.option("--sandbox", options.sandbox,
                 "A stranger's file: wall the compiler in, as `lab grade` does");
  command.option("--json", options.json, "One JSON object");
  command.run = [&session] { return run_check(session, options); };
  return command;
}

}  // namespace lab::cli
