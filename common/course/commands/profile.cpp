// `lab profile FILE.cu`: runs a transpose kernel once and prints its counters, line by line.
//
// Enters: a kernel file with or without LAUNCH_SHAPE, a matrix. Leaves: a table or one JSON object.
#include <fmt/core.h>

#include <cstdio>

#include "common/base/errors.h"
#include "common/base/pair.h"
#include "common/base/project.h"
#include "common/course/commands/commands.h"
#include "common/course/explore/plain_kernel.h"
#include "common/course/judge/checks.h"
#include "common/course/judge/named_kernel.h"
#include "common/course/report/as_ptxas.h"
#include "common/course/report/card.h"
#include "common/course/report/json.h"
#include "common/sim/observe/counter_observer.h"
#include "common/ui/waiting.h"
#include "common/ui/wrap.h"

namespace lab::cli {
namespace {

using base::ExitCode;
using base::UsageError;

struct ProfileOptions {
  std::string file;
  LaunchOptions launch;
  explore::KernelOptions kernel_options;
  bool solution = false, json = false, as_ptxas = false;
};

// What the command line leaves unsaid, as a sentence.
std::vector<Message> assumed_matrix(const ProfileOptions& options) {
  if (options.launch.rows_given || judge::find_chapter(options.file) != nullptr) return {};
  return {"No --rows and --cols: a matrix of 1024 × 1024 is assumed."};
}

int does_not_compile(const ProfileOptions& options, const compile::CompileResult& compiled) {
  if (options.json) {
    print_json({{"kernel", base::shown_path(options.file)},
                {"correct", false},
                {"compile", {{"ok", false}, {"log", compiled.log}}}});
  }
  fmt::print(stderr, "{}lab: {}\n", compiled.log_for_reader(), tr("{} does not compile.", options.file));
  return static_cast<int>(ExitCode::NotYet);
}

int profile(const Session& session, ProfileOptions options) {
  std::vector<Message> assumed = assumed_matrix(options);
  judge::Problem problem = problem_of(options.launch, {1024, 1024});
  const auto [path, chapter] = judge::file_named(options.file, options.solution);
  options.file = path;
  if (options.kernel_options.elem_bytes != 0) problem.elem_bytes = options.kernel_options.elem_bytes;
  if (const Message wrong = judge::what_is_wrong_with(problem); !wrong.empty()) throw UsageError(wrong);
  if (!options.kernel_options.block.empty()) (void)base::parse_pair("--block", options.kernel_options.block);
  if (!options.kernel_options.tile.empty()) (void)base::parse_pair("--tile", options.kernel_options.tile);
  const std::string kernel = base::shown_path(options.file);
  const compile::CompileResult compiled = waited(tr("compiling {}", kernel), !options.json, [&] {
    return judge::compile_file(options.file, compile::kind_named(session.compiler));
  });
  if (!compiled.ok) return does_not_compile(options, compiled);
  try {
    judge::Subject subject(compiled.ptx());
    const std::string& entry = options.launch.entry;
    judge::Target target = judge::target_named(subject, options.file, entry, chapter);
    const explore::KernelFacts facts =
        explore::facts_of(subject, options.file, target.entry, options.kernel_options);
    target.shape = facts.shape;
    problem.elem_bytes = facts.elem_bytes;
    assumed.insert(assumed.end(), facts.assumed.begin(), facts.assumed.end());
    sim::CounterObserver machine(sim::CounterObserver::Of::MachineCode);
    if (options.as_ptxas) target.observers.push_back(&machine);
    const judge::Run* ran =
        waited(tr("running {}", kernel), !options.json, [&] { return &subject.run(problem, target); });
    const judge::Run& run = *ran;
    if (options.json) {
      report::Json object = report::profile_json(kernel, "simulator", run);
      object["assumed"] = english(assumed);
      if (options.as_ptxas) object["as_ptxas"] = report::as_ptxas_json(machine.totals());
      print_json(object);
    } else {
      for (const Message& words : assumed) fmt::print("{}\n", report::fitted(translated(words)));
      fmt::print("{}", report::profile(kernel, "simulator", run, session.style(), target.task == nullptr));
      if (options.as_ptxas && run.faults.empty())
        fmt::print("\n{}", report::as_ptxas_table(run.counters, machine.totals(), session.style()));
    }
    return static_cast<int>(judge::exit_code(run));
  } catch (const device::LoadError& error) {
    judge::Run run;
    run.problem = problem;
    run.faults.push_back(error.fault);
    if (options.json) print_json(report::profile_json(options.file, "simulator", run));
    fmt::print(stderr, "lab: {}\n",
               tr("{} cannot run: {}", options.file, text::translated(error.fault.sentence())));
    return static_cast<int>(ExitCode::NotYet);
  }
}

}  // namespace

Command profile_command(const Session& session) {
  Command command{"profile",
                  "Runs a kernel once and prints its counters.\nExample: ./lab "
                  "profile my.cu --rows 1024 --cols 1024 --block 32x8 --tile 32x32"};
  static ProfileOptions options;
  command
      .option("file", options.file,
              "Kernel file: transpose(T* out, const T* in, int rows, int cols); or a chapter")
      .required();
  command.option("--solution", options.solution, "The chapter's reference solution");
  add_launch_options(command, options.launch);
  add_kernel_options(command, options.kernel_options);
  command.option("--as-ptxas", options.as_ptxas,
                 "Counters also as ptxas makes the accesses: what a profiler shows");
  command.json(options.json);
  command.run = [&session] { return profile(session, options); };
  return command;
}

}  // namespace lab::cli
