// `lab check N`: compiles a chapter's kernel, runs its cases, prints the verdict card.
#include <fmt/format.h>

#include <cstdio>

#include "common/cli/cli.h"
#include "common/harness/checks.h"
#include "common/harness/errors.h"
#include "common/harness/progress.h"
#include "common/report/card.h"
#include "common/report/explain.h"
#include "common/report/json.h"

namespace lab::cli {
namespace {

std::vector<std::string> next_steps(const harness::Examination& e) {
  const std::vector<const harness::ChapterInfo*> chapters = harness::all_chapters();
  const auto here = std::find(chapters.begin(), chapters.end(), e.chapter);
  if (e.passed()) {
    if (here == chapters.end() || here + 1 == chapters.end()) return {"./lab tour"};
    const std::string next = (*(here + 1))->name;
    return {fmt::format("chapters/{}/README.md", next),
            fmt::format("./lab check {}", here - chapters.begin() + 2)};
  }
  std::vector<std::string> steps = {fmt::format("./lab hint {}", here - chapters.begin() + 1)};
  const harness::CaseResult* failure = e.evaluation.first_failure();
  if (failure != nullptr && !failure->reasons.empty() &&
      report::find_explanation(failure->reasons.front().code)) {
    steps.push_back("./lab explain " + failure->reasons.front().code);
  }
  if (e.compiled && !e.load) {
    steps.push_back(fmt::format("./lab profile {} --rows {} --cols {}", e.kernel, e.chapter->measured.rows,
                                e.chapter->measured.cols));
  }
  return steps;
}

void remember(const harness::Examination& e) {
  harness::Progress progress = harness::Progress::load();
  harness::ChapterProgress& chapter = progress[e.chapter->name];
  chapter.passed = e.passed();
  chapter.points = e.evaluation.points();
  progress.save();
}

}  // namespace

int run_check(const Session& session, const CheckOptions& options) {
  if (options.solution && !options.kernel.empty())
    throw harness::UsageError("Give --kernel or --solution, not both.");
  const harness::ChapterInfo& chapter =
      options.chapter.empty() ? current_chapter() : chapter_named(options.chapter);
  const std::filesystem::path file = options.solution         ? harness::solution_kernel(chapter)
                                     : options.kernel.empty() ? harness::chapter_kernel(chapter)
                                                              : std::filesystem::path(options.kernel);
  const harness::Examination examination = harness::examine(chapter, file, session.compiler_kind());
  if (!options.solution && options.kernel.empty()) remember(examination);
  if (options.json) {
    fmt::print("{}\n", report::dump(report::check_json(examination, "simulator")));
  } else {
    fmt::print("{}", report::card(examination, next_steps(examination), session.style()));
  }
  return harness::exit_code(examination);
}

void add_check(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand(
      "check",
      "Judges the kernel of a chapter.\nExample: ./lab check 5    ./lab check 5 --kernel my.cu --json");
  auto options = std::make_shared<CheckOptions>();
  command->add_option("chapter", options->chapter,
                      "Number or name of the chapter (default: the first one not passed)");
  command->add_option("--kernel", options->kernel, "Another kernel file than the chapter's own");
  command->add_flag("--solution", options->solution, "Judge the reference solution");
  command->add_flag("--json", options->json, "One JSON object");
  command->callback(
      [&session, options] { session.action = [&session, options] { return run_check(session, *options); }; });
}

}  // namespace lab::cli
