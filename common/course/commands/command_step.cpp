// `lab step N`: one block of a kernel on a small matrix, statement by statement.
//
// Enters: a chapter or a kernel file, a matrix, a block, where to go. Leaves: a table with a sentence a step,
// one step in full, a page, or one JSON object.
#include <fmt/core.h>

#include "common/base/errors.h"
#include "common/course/commands/commands.h"
#include "common/course/commands/step_keys.h"
#include "common/course/report/step_words.h"
#include "common/ui/keys.h"
#include "common/ui/pager.h"
#include "common/ui/waiting.h"

namespace lab::cli {
namespace {

using base::ExitCode;
using base::LabError;

struct StepOptions {
  explore::StepChoice choice;
  LaunchOptions launch;
  std::string to, html, choose;
  int line = 0, step = -1, first_warp = -1;
  bool json = false, pager = true, keys = true;
};

struct Destination {
  std::string name;  // of --to
  explore::StepTo step;
  Message otherwise;
};

const std::vector<Destination>& destinations() {
  using To = explore::StepTo;
  static const std::vector<Destination> all = {
      {"barrier", To::Barrier, "no barrier of this block opens from there on."},
      {"fault", To::Fault, "nothing is found at any step of this block from there on."},
      {"wrong", To::Wrong, "this block stores nothing to `out` that does not belong there from there on."},
      {"tile", To::Tile, "this block loads nothing from shared memory from there on."},
      {"store", To::Store, "this block stores nothing to global memory or another block from there on."},
      {"copy", To::Copy, "this block starts no asynchronous copy from there on."},
  };
  return all;
}

std::size_t found_step(const explore::StepRun& run, std::optional<std::size_t> step,
                       const Message& otherwise) {
  if (!step) throw LabError(ExitCode::NotYet, msg("{}: {}", run.kernel, otherwise));
  return *step;
}

// Where the options lead; none: nowhere.
std::optional<std::size_t> wanted_step(const explore::StepRun& run, const StepOptions& options) {
  std::optional<std::size_t> at;
  if (options.step >= 0) {
    at = static_cast<std::size_t>(options.step);
    if (*at >= run.data.steps.size())
      throw base::UsageError(
          msg("--step {}: the recording has {} steps, from 0 on.", options.step, run.data.steps.size()));
  }
  if (options.line != 0)
    at = found_step(run, explore::next_step_on(run, at.value_or(0), options.line),
                    msg("no step of this block stands on line {} from there on.", options.line));
  for (const Destination& to : destinations())
    if (options.to == to.name)
      at = found_step(run, explore::next_step(run, at.value_or(0), to.step), to.otherwise);
  return at;
}

// The command line that records the same, but for choices and where it leads.
std::string command_of(const StepOptions& o, const explore::StepRun& run) {
  std::string words = "./lab step " + o.choice.kernel.name;
  if (o.choice.kernel.solution) words += " --solution";
  words += launch_words(run.run.problem);
  for (const auto& [name, value] :
       {std::pair("--entry", o.launch.entry), std::pair("--block", o.choice.shape.block),
        std::pair("--tile", o.choice.shape.tile), std::pair("--at", o.choice.at)})
    if (!value.empty()) words += fmt::format(" {} {}", name, value);
  if (o.choice.shape.elem_bytes != 0) words += fmt::format(" --elem-bytes {}", o.choice.shape.elem_bytes);
  return words;
}

// From its beginning where the step that is wanted is not there, and the page says so.
int write_page(const explore::StepRun& run, const StepOptions& options) {
  std::size_t start = 0;
  std::vector<Message> notes;
  try {
    start = wanted_step(run, options).value_or(0);
  } catch (const LabError& missing) {
    notes.push_back(text::message_of(missing));
  }
  write_named(options.html, report::step_page(run, start, command_of(options, run), notes));
  fmt::print("{}\n", tr("wrote {}", options.html));
  return static_cast<int>(ExitCode::Passed);
}

int step(const Session& session, StepOptions options) {
  if (options.choice.kernel.name.empty()) options.choice.kernel.name = current_chapter().name;
  options.choice.kernel.entry = options.launch.entry;
  if (options.launch.names_matrix()) options.choice.kernel.problem = problem_of(options.launch, {64, 48});
  options.choice.turns = explore::turns_named(options.choose);
  if (options.first_warp >= 0) options.choice.turns[0] = static_cast<std::uint32_t>(options.first_warp);
  const auto recorded = [&] {
    return explore::step_run(options.choice, compile::kind_named(session.compiler));
  };
  const explore::StepRun run = waited(tr("running {}", options.choice.kernel.name), !options.json, recorded);
  if (!options.html.empty()) return write_page(run, options);
  const std::optional<std::size_t> at = wanted_step(run, options);
  if (options.json) {
    print_json(report::step_json(run, at));
    return static_cast<int>(ExitCode::Passed);
  }
  if (options.keys && Keys::are_there() && !run.data.steps.empty()) {
    step_by_keys(run, at.value_or(0), session.style(), [&](const explore::StepTurns& turns) {
      options.choice.turns = turns;
      return recorded();
    });
    return static_cast<int>(ExitCode::Passed);
  }
  const std::string text = at ? report::step_text(run, *at, session.style()) : report::step_table(run);
  options.pager ? print_paged(text) : fmt::print("{}", text);
  return static_cast<int>(ExitCode::Passed);
}

}  // namespace

Command step_command(const Session& session) {
  Command command{"step",
                  "Shows what each warp of a block does, statement by statement, on a small matrix.\n"
                  "Example: ./lab step 4 --solution    ./lab step 4 --rows 64 --cols 40 --to barrier"};
  static StepOptions o;
  static bool no_pager = false;
  command.option("chapter", o.choice.kernel.name,
                 "A kernel file, or number or name of the chapter (default: that of the folder, or the first "
                 "one not passed)");
  command.option("--solution", o.choice.kernel.solution, "The reference solution");
  command.option("--at", o.choice.at,
                 "Which block of the grid, X,Y (default: the first that something is found in, else 0,0)");
  command.option("--step", o.step, "This step in full, from 0 on").between(0, 1'000'000);
  command.option("--line", o.line, "The first step on this source line, from --step on")
      .between(1, 1'000'000);
  std::vector<std::string> names;
  for (const Destination& to : destinations()) names.push_back(to.name);
  command
      .option(
          "--to", o.to,
          "The first barrier that opens, fault or race that is found, wrong store, load from shared memory, "
          "store to global memory or another block, or asynchronous copy")
      .one_of(names);
  command.option("--first-warp", o.first_warp, "This warp goes first, the same as --choose 0:WARP")
      .between(0, 31);
  command.option("--choose", o.choose,
                 "At this step that warp goes on until it waits, STEP:WARP,… in the order of the steps");
  add_launch_options(command, o.launch);
  add_kernel_options(command, o.choice.shape);
  command.option("--no-pager", no_pager,
                 "Print at once: no keys, and not through $PAGER what is longer than the terminal");
  command.option("--html", o.html, "Write a page on which to step through the recording to this file");
  command.json(o.json);
  command.run = [&session] {
    o.pager = o.keys = !no_pager && !session.plain;
    return step(session, o);
  };
  return command;
}

}  // namespace lab::cli
