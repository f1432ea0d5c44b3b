// `lab check N`: compiles a chapter's kernel, runs its cases, prints the verdict card.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "common/base/errors.h"
#include "common/base/printable.h"
#include "common/base/text/text.h"
#include "common/course/commands/commands.h"
#include "common/course/commands/what_if.h"
#include "common/course/explore/forecast_file.h"
#include "common/course/explore/plain_kernel.h"
#include "common/course/explore/step_run.h"
#include "common/course/judge/checks.h"
#include "common/course/judge/named_kernel.h"
#include "common/course/lessons/progress.h"
#include "common/course/report/card.h"
#include "common/course/report/json.h"
#include "common/course/report/pictures.h"
#include "common/course/report/verdict_places.h"
#include "common/sim/base/fault.h"
#include "common/ui/explain.h"
#include "common/ui/python.h"
#include "common/ui/waiting.h"

namespace lab::cli {
namespace {

// How further commands name the kernel that was judged.
struct WhichKernel {
  int chapter = 0;
  std::string options;  // behind the chapter's number: "", " --solution", " --kernel my.cu"
  std::string file;     // "": the chapter's own, or its solution
  // As a command names it that takes a chapter or a file.
  [[nodiscard]] std::string alone() const { return file.empty() ? with_chapter() : file; }
  [[nodiscard]] std::string with_chapter() const { return fmt::format("{}{}", chapter, options); }
};

WhichKernel which_kernel(const judge::ChapterInfo& chapter, const CheckOptions& options) {
  WhichKernel which{judge::number_of(chapter), options.solution ? " --solution" : "", {}};
  if (options.solution || options.kernel.empty()) return which;
  which.file = base::shell_word(options.kernel);
  which.options = " --kernel " + which.file;
  return which;
}

// What shows the access that a reason blames: its picture, and where none can be drawn (asynchronous copies,
// copies of tiles) the counters of its line.
std::string look_at(const judge::Examination& e, const judge::Reason& reason, const WhichKernel& which) {
  judge::Reason launch = reason;
  if (e.blamed) {
    const explore::Recording recording = explore::recording_of(e.kernel, e.blamed->run, e.blamed->watched);
    const explore::Site* site = explore::find_site(recording, reason.line, *reason.path);
    const bool is_default = site != nullptr && site == explore::worst_site(recording, reason.line);
    if (site != nullptr)
      return fmt::format("./lab show {} --line {}{}{}", which.with_chapter(), reason.line,
                         is_default ? "" : fmt::format(" --op {}", sim::info(site->path).key),
                         launch_words(reason));
    if (!launch.problem) launch.problem = e.blamed->run.problem;
  }
  return fmt::format("./lab profile {}{}", which.alone(), launch_words(launch));
}

// Found at one step of a run that ends soon.
bool is_of_a_step(const std::string& code) {
  using enum sim::FaultKind;
  constexpr std::array kKinds = {OutOfBounds,     Misaligned, WriteToConst,        SharedRace,
                                 MissingSyncwarp, GlobalRace, UninitialisedShared, UninitialisedLocal,
                                 PoisonedGlobal,  AsyncEarly, ProxyFence,          WarpSync};
  return std::any_of(kKinds.begin(), kKinds.end(),
                     [&](sim::FaultKind kind) { return sim::code(kind) == code; });
}

// Where the kernel can be watched as it goes wrong, on the shape that shows it; "" where no recording does.
std::string watch(const judge::Examination& e, const judge::Reason& reason, const WhichKernel& which,
                  const Session& session, const CheckOptions& options) {
  const bool wrong = reason.code == "wrong-element";
  if (options.sandbox || (!wrong && !is_of_a_step(reason.code))) return "";
  explore::StepChoice choice;
  choice.kernel.name = which.file.empty() ? e.chapter->name : options.kernel;
  choice.kernel.solution = options.solution;
  choice.kernel.entry = reason.entry;
  choice.kernel.problem = reason.problem;
  try {
    const explore::StepRun run = explore::step_run(choice, compile::kind_named(session.compiler));
    if (!explore::next_step(run, 0, wrong ? explore::StepTo::Wrong : explore::StepTo::Fault)) return "";
  } catch (const base::LabError&) {
    return "";
  }
  return fmt::format("./lab step {}{} --to {}", which.alone(), launch_words(reason),
                     wrong ? "wrong" : "fault");
}

std::vector<std::string> next_steps(const judge::Examination& e, const WhichKernel& which,
                                    const Session& session, const CheckOptions& options) {
  const std::vector<const judge::ChapterInfo*> chapters = judge::all_chapters();
  const auto here = std::find(chapters.begin(), chapters.end(), e.chapter);
  if (e.passed()) {
    if (here == chapters.end() || here + 1 == chapters.end()) return {"./lab tour"};
    const judge::ChapterInfo& next = **(here + 1);
    return {lesson_of(next.name), fmt::format("./lab check {}", judge::number_of(next))};
  }
  const int number = judge::number_of(*e.chapter);
  const judge::CaseResult* failure = e.evaluation.first_failure();
  const judge::Reason* reason =
      failure != nullptr && !failure->reasons.empty() ? &failure->reasons.front() : nullptr;
  if (reason != nullptr && failure->kind == judge::CaseKind::Prediction && failure->reached)
    return {fmt::format("./lab predict {}", number), fmt::format("./lab hint {}", number)};
  std::vector<std::string> steps = {fmt::format("./lab hint {}", number)};
  if (reason != nullptr && reason->code == "not-in-flight")
    steps.push_back(fmt::format("./lab show {} --timeline", which.with_chapter()));
  else if (reason != nullptr && reason->path && reason->line != 0)
    steps.push_back(look_at(e, *reason, which));
  if (reason != nullptr && report::find_explanation(reason->code))
    steps.push_back("./lab explain " + reason->code);
  const bool is_missing =
      reason != nullptr && reason->code == "bad-ptx";  // nothing ran that could be repeated
  if (reason != nullptr && reason->problem && failure->reached && !reason->path && !is_missing) {
    if (std::string watched = watch(e, *reason, which, session, options); !watched.empty())
      steps.insert(steps.begin() + 1, std::move(watched));
    // What repeats it, in a moment: the same shape, the same values. What the check's options do not name is
    // one launch of one kernel.
    const bool plain = launch_words(*reason) ==
                       fmt::format(" --rows {} --cols {}", reason->problem->rows, reason->problem->cols);
    const std::string key = e.key == judge::kPracticeKey ? "" : fmt::format(" --key '{}'", e.key);
    steps.push_back(plain
                        ? fmt::format("./lab check {}{}{}", which.with_chapter(), launch_words(*reason), key)
                        : fmt::format("./lab profile {}{}", which.alone(), launch_words(*reason)));
  }
  return steps;
}

// What the kernel would reach on a GPU: for those who have passed, beside the reference.
struct Reached {
  std::string line;
  report::Json json = nullptr;
};

std::uint64_t in_gigabytes(double bytes) { return static_cast<std::uint64_t>(std::llround(1e-9 * bytes)); }

Reached reached(const judge::Examination& e, const explore::ForecastRequest& request, const Session& session,
                const WhichKernel& which) {
  if (!e.passed() || !e.measured.correct() || e.measured.shape.gpus > 1) return {};
  const std::optional<explore::Reach> reach =
      explore::reach_of(request, compile::kind_named(session.compiler));
  if (!reach) return {};
  const std::string on = fmt::format("{}×{}", reach->problem.rows, reach->problem.cols);
  const std::string speed = report::grouped(in_gigabytes(reach->bytes_per_second));
  const std::string ask = "./lab limits " + which.alone();
  Reached reached{tr("predicted for an {}, {}: {} GB/s read and written; what bounds it: {}", reach->gpu_name,
                     on, speed, ask),
                  {{"gpu", reach->gpu},
                   {"rows", reach->problem.rows},
                   {"cols", reach->problem.cols},
                   {"bytes_per_second", reach->bytes_per_second},
                   {"reference_bytes_per_second", nullptr}}};
  if (!reach->reference) return reached;
  reached.line = tr("predicted for an {}, {}: {} GB/s read and written, the reference {}; what bounds it: {}",
                    reach->gpu_name, on, speed, report::grouped(in_gigabytes(*reach->reference)), ask);
  reached.json["reference_bytes_per_second"] = *reach->reference;
  return reached;
}

// The answers that were wrong at first, by case.
std::map<std::string, int> wrong_first_guesses(const judge::Examination& e,
                                               const course::ChapterProgress& chapter) {
  std::map<std::string, int> wrong;
  for (const judge::CaseResult& c : e.evaluation.cases) {
    const auto guess = c.passed && e.passed() ? course::wrong_first_guess(chapter, c) : std::nullopt;
    if (guess) wrong[c.id] = *guess;
  }
  return wrong;
}

// The student's own verdict; `notes` gets what is known of them from before.
void remember(const judge::Examination& e, report::CardNotes& notes) {
  course::Progress progress = course::Progress::load();
  course::ChapterProgress& chapter = progress[e.chapter->name];
  course::note_first_guesses(chapter, e.predictions);
  notes.wrong_first_guess = wrong_first_guesses(e, chapter);
  // Under another key other tables stand behind the same letters.
  if (e.key == judge::kPracticeKey)
    notes.first_finding_costs = course::note_first_findings(chapter, e.evaluation);
  // What would help is shown to those who asked for help.
  if (!chapter.asked) notes.what_if.clear();
  // A later check takes nothing away: the best is kept.
  chapter.passed |= e.passed();
  chapter.again &= !e.passed();
  chapter.points = std::max(chapter.points, report::points_of(e, notes));
  const judge::CaseResult* failure = e.evaluation.first_failure();
  const judge::Reason reason =
      failure != nullptr && !failure->reasons.empty() ? failure->reasons.front() : judge::Reason{};
  const bool guesses = failure != nullptr && failure->kind == judge::CaseKind::Prediction && failure->reached;
  // Guess after guess the same hint would come first.
  chapter.diagnosis_hinted &= guesses && chapter.prediction && chapter.diagnosis == reason.code;
  chapter.diagnosis = reason.code;
  chapter.line = reason.line;
  chapter.prediction = guesses;
  chapter.facts = reason.facts;
  if (failure != nullptr) chapter.facts.push_back(failure->id);
  progress.save();
}

judge::Inputs inputs_of(const CheckOptions& options, const judge::ChapterInfo& chapter) {
  judge::Inputs inputs;
  if (!options.key.empty()) inputs.key = options.key;
  inputs.drawn_by = options.drawn_by;
  if ((options.rows == 0) != (options.cols == 0)) throw base::UsageError("Give --rows and --cols together.");
  if (options.rows != 0) {
    inputs.only =
        judge::Problem{.rows = options.rows, .cols = options.cols, .elem_bytes = chapter.measured.elem_bytes};
    explore::must_fit(*inputs.only, &chapter);
  }
  return inputs;
}

// What a program reads. `false`: a person reads, the card is for them.
bool print_for_programs(const judge::Examination& e, const CheckOptions& options, const WhatIf& other,
                        const Reached& reach) {
  if (options.format == "lines") {
    fmt::print("{}", report::compiler_lines(report::annotations(e)));
  } else if (options.format == "github") {
    fmt::print("{}", report::github_lines(report::annotations(e)));
  } else if (options.format == "sarif") {
    print_json(report::sarif(report::annotations(e)));
  } else if (options.json) {
    report::Json object = report::check_json(e, "simulator");
    object["what_if"] = other.json;
    object["reach"] = reach.json;
    print_json(object);
  } else {
    return false;
  }
  return true;
}

int check_problem(const CheckOptions& options) {
  if (options.kernel.empty())
    throw base::UsageError("--problem goes with --kernel FILE, the kernel to judge.");
  if (!options.chapter.empty() || options.solution || options.rows != 0 || options.cols != 0)
    throw base::UsageError(
        "--problem has sizes and a reference of its own: give no chapter, shape or --solution.");
  std::vector<std::string> words{"check", "--problem", options.problem, "--kernel", options.kernel};
  if (options.seed >= 0) words.insert(words.end(), {"--seed", fmt::format("{}", options.seed)});
  if (options.sandbox) words.emplace_back("--sandbox");
  if (options.json) words.emplace_back("--json");
  return become_python(words);
}

}  // namespace

int run_check(const Session& session, const CheckOptions& options) {
  if (options.json && !options.format.empty() && options.format != "json")
    throw base::UsageError("Give --json or --format, not both.");
  const judge::ChapterInfo& chapter = current_chapter(options.chapter);
  const std::filesystem::path file = judge::kernel_of(chapter, options.kernel, options.solution);
  const judge::Inputs inputs = inputs_of(options, chapter);
  const judge::Examination examination = [&] {
    const Waiting waiting(text::tr("checking {}", chapter.name), !options.json && options.format.empty());
    const judge::DeviceChoice device = options.sandbox
                                           ? judge::DeviceChoice::Sim
                                           : device_choice(options.device);  // nothing untrusted on a GPU
    return judge::examine(chapter, file,
                          {.compiler = compile::kind_named(session.compiler),
                           .device = device,
                           .gpu_index = options.gpu_index,
                           .sandbox = options.sandbox,
                           .inputs = inputs,
                           .shown_name = {},
                           .tries_fixes = options.try_fixes && !options.sandbox});
  }();
  const WhatIf other = what_if(examination);
  const WhichKernel which = which_kernel(chapter, options);
  // An untrusted file is compiled once, behind the wall, and never again.
  const Reached reach =
      options.sandbox
          ? Reached{}
          : reached(examination, {.file = file, .chapter = &chapter, .passed = true}, session, which);
  report::CardNotes notes{other.lines, reach.line, {}, {}};
  if (!options.solution && options.kernel.empty() && !inputs.only) remember(examination, notes);
  if (!print_for_programs(examination, options, other, reach))
    fmt::print("{}", report::card(examination, next_steps(examination, which, session, options),
                                  session.style(), notes));
  return judge::exit_code(examination);
}

Command check_command(const Session& session) {
  Command command{
      "check",
      "Judges the kernel of a chapter.\nExample: ./lab check 5    ./lab check 5 --kernel my.cu --json"};
  static CheckOptions options;
  command.option("chapter", options.chapter,
                 "Number or name of the chapter (default: that of the folder, or the first one not passed)");
  command.option("--kernel", options.kernel, "Another kernel file than the chapter's own");
  command.option("--solution", options.solution, "Judge the reference solution");
  add_device_options(command, options.device, options.gpu_index);
  command.option("--rows", options.rows, "This shape alone: rows of `in` (repeats a failure)");
  command.option("--cols", options.cols, "This shape alone: columns of `in`");
  command.option("--key", options.key, "Key that decides the inputs (default: the public one)");
  command.option("--draw-by", options.drawn_by,
                 "Text that decides the inputs in the kernel's place, so that two compilers get the same");
  command.option("--problem", options.problem, "Judge by a problem file, not by a chapter (docs/python.md)");
  command.option("--seed", options.seed, "With --problem: draw the same sizes again").between(0, INT64_MAX);
  command.option("--sandbox", options.sandbox,
                 "A stranger's file: wall the compiler in, as `lab grade` does");
  command.json(options.json);
  command.option("--try-fixes", options.try_fixes,
                 "With --json: try which line, changed, makes right what fails; it takes some seconds");
  command
      .option("--format", options.format,
              "What a program reads: json, lines (as compilers write them), github or sarif")
      .one_of({"json", "lines", "github", "sarif"});
  command.run = [&session] {
    options.json |= options.format == "json";
    return options.problem.empty() ? run_check(session, options) : check_problem(options);
  };
  return command;
}

}  // namespace lab::cli
