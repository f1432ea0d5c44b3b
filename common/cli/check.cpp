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
  if (reason != nullptr && !reason->op.empty() && reason->line != 0)
    steps.push_back(fmt::format("./lab show {}{} --line {}", number, which_kernel, reason->line));
  if (reason != nullptr && report::find_explanation(reason->code))
    steps.push_back("./lab explain " + reason->code);
  return steps;
}

// What other layouts of the tile would have done to the access that the first failure blames, from its
// recorded addresses. Nothing unless that is an access to shared memory in a run that can be drawn.
struct WhatIf {
  std::string lines;
  report::Json json = nullptr;
};

// A corner of the measured problem with the same raggedness: its first block is the same.
judge::Problem corner_of(judge::Problem p) {
  constexpr std::int64_t kSide = 256;
  if (p.rows > 2 * kSide) p.rows = kSide + p.rows % kSide;
  if (p.cols > 2 * kSide) p.cols = kSide + p.cols % kSide;
  if (p.rows > 0 && p.cols > 0) p.in_pitch_elems = p.out_pitch_elems = 0;
  p.batch = 1;
  return p;
}

WhatIf what_if(const judge::Examination& e, const std::filesystem::path& file, const Session& session) {
  const judge::CaseResult* failure = e.evaluation.first_failure();
  if (failure == nullptr || failure->reasons.empty()) return {};
  const judge::Reason& reason = failure->reasons.front();
  if (!reason.op.starts_with("shared") || reason.line == 0) return {};
  const compile::CompileResult compiled = judge::compile_file(file, session.compiler_kind());
  if (!compiled.ok) return {};
  judge::Subject subject(compiled.ptx(), 1);
  judge::Target target;
  target.entry = e.chapter->entry;
  const explore::Recording recording =
      explore::record(subject, e.kernel, corner_of(e.chapter->measured), target);
  if (!recording.run.correct()) return {};
  for (const explore::Site& site : recording.sites) {
    if (site.line == reason.line && site.op == reason.op)
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

}  // namespace

int run_check(const Session& session, const CheckOptions& options) {
  if (options.solution && !options.kernel.empty())
    throw base::UsageError("Give --kernel or --solution, not both.");
  const judge::ChapterInfo& chapter =
      options.chapter.empty() ? current_chapter() : judge::chapter_named(options.chapter);
  const std::filesystem::path file = options.solution         ? judge::solution_kernel(chapter)
                                     : options.kernel.empty() ? judge::chapter_kernel(chapter)
                                                              : std::filesystem::path(options.kernel);
  const judge::Examination examination = [&] {
    const Waiting waiting(text::tr("checking {}", chapter.name), !options.json);
    const judge::DeviceChoice device =
        options.sandbox ? judge::DeviceChoice::Sim
                        : device_choice(options.device);  // nothing of a stranger's on a GPU
    return judge::examine(chapter, file,
                          {session.compiler_kind(), device, options.gpu_index, options.sandbox});
  }();
  if (!options.solution && options.kernel.empty()) remember(examination);
  const WhatIf other = what_if(examination, file, session);
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
  command.option("--sandbox", options.sandbox,
                 "A stranger's file: wall the compiler in, as `lab grade` does");
  command.option("--json", options.json, "One JSON object");
  command.run = [&session] { return run_check(session, options); };
  return command;
}

}  // namespace lab::cli
