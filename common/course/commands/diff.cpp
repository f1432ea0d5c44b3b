// `lab diff A B`: the counters of two kernels side by side.
#include <fmt/core.h>

#include "common/base/errors.h"
#include "common/base/project.h"
#include "common/course/commands/commands.h"
#include "common/course/explore/plain_kernel.h"
#include "common/course/judge/checks.h"
#include "common/course/judge/named_kernel.h"
#include "common/course/report/json.h"
#include "common/ui/table.h"
#include "common/ui/waiting.h"
#include "common/ui/wrap.h"

namespace lab::cli {
namespace {

using judge::Metric;

struct DiffOptions {
  std::string a, b;
  LaunchOptions launch;
  bool solution = false, json = false;
};

struct Side {
  std::string name;
  judge::Run run;
  std::vector<Message> assumed;
};

Side run_side(const Session& session, const DiffOptions& options, const std::string& text, bool solution) {
  const auto [file, chapter] = judge::file_named(text, solution && judge::find_chapter(text) != nullptr);
  Side side{base::shown_path(file), {}, {}};
  const Waiting waiting(tr("running {}", side.name), !options.json);
  const compile::CompileResult compiled =
      explore::compiled_kernel(file, compile::kind_named(session.compiler));
  try {
    judge::Subject subject(compiled.ptx());
    const std::string& entry = options.launch.entry;
    judge::Target target = judge::target_named(subject, side.name, entry, chapter);
    judge::Problem problem = problem_of(options.launch, {1024, 1024});
    if (chapter == nullptr || !entry.empty()) {
      const explore::KernelFacts facts = explore::facts_of(subject, file, target.entry, {});
      target.shape = facts.shape;
      problem.elem_bytes = facts.elem_bytes;
      side.assumed = facts.assumed;
    }
    side.run = subject.run(problem, target);
  } catch (const device::LoadError& error) {
    throw base::LabError(base::ExitCode::NotYet, msg("{} cannot run: {}", side.name, error.fault.sentence()));
  }
  if (!side.run.faults.empty()) {
    throw base::LabError(judge::exit_code(side.run),
                         msg("{}: {}", side.name, side.run.faults.front().sentence()));
  }
  return side;
}

std::string ratio(std::uint64_t a, std::uint64_t b) {
  if (a == b) return tr("same");
  if (a == 0 || b == 0) return "";
  return b < a ? tr("1/{:.3g} of A", double(a) / double(b)) : tr("{:.3g} × A", double(b) / double(a));
}

std::string table_of(const Side& a, const Side& b, const report::Style& style) {
  report::Table table;
  table.column("", report::Align::Left).column("A").column("B").column("B is", report::Align::Left);
  // Fewer is better where both do the same thing, and the better side is green; a path that one side does not
  // take says nothing.
  const auto paint_row = [&](std::string_view name, std::uint64_t x, std::uint64_t y, bool comparable) {
    if (x == 0 && y == 0) return;
    const auto ink = [&](std::uint64_t one, std::uint64_t other) {
      return comparable && one < other ? report::Ink::Good : report::Ink::Plain;
    };
    table.row({{text::translated_form(name)},
               {report::grouped(x), ink(x, y)},
               {report::grouped(y), ink(y, x)},
               {ratio(x, y)}});
  };
  const auto row = [&](std::string_view name, std::uint64_t x, std::uint64_t y) {
    paint_row(name, x, y, x != 0 && y != 0);
  };
  for (const Metric metric : judge::kMetrics)
    row(metric.name, value(a.run.counters, metric), value(b.run.counters, metric));
  bool others = false;
  for (const sim::PathInfo& path : sim::kPathTable) {
    const bool has_metric = path.rule == sim::Rule::Sectors || path.rule == sim::Rule::Wavefronts;
    if (has_metric || sim::is_part(path.path) || path.rule == sim::Rule::Free) continue;
    const sim::PathCounters x = a.run.counters[path.path], y = b.run.counters[path.path];
    others = others || x.requests != 0 || y.requests != 0;
    const std::string name = text::translated_form(path.name);
    row(tr("{}: requests", name), x.requests, y.requests);
    row(path.weighs == sim::Space::Shared ? tr("{}: wavefronts", name) : tr("{}: sectors", name), x.cost,
        y.cost);
  }
  if (others) {
    for (const Metric metric : {Metric::GlobalSectors, Metric::SharedWavefronts})
      row(metric.name, value(a.run.counters, metric), value(b.run.counters, metric));
  }
  const auto shares = [](const Side& side) { return side.run.counters.shared_total().requests != 0; };
  paint_row("bank conflicts", judge::bank_conflicts(a.run.counters), judge::bank_conflicts(b.run.counters),
            shares(a) && shares(b));
  row("shared bytes per block", a.run.shared_bytes, b.run.shared_bytes);
  paint_row("lane instructions", a.run.lane_instructions, b.run.lane_instructions, false);
  return table.text(style, "  ");
}

int diff(const Session& session, const DiffOptions& options) {
  (void)problem_of(options.launch, {1024, 1024});
  const bool with_reference = options.b.empty();  // mine against the reference
  if (with_reference && judge::find_chapter(options.a) == nullptr)
    throw base::UsageError(
        "Name two kernels; one alone must be a chapter: yours is compared with its solution then.");
  const Side a = run_side(session, options, options.a, options.solution && !with_reference);
  const Side b =
      run_side(session, options, with_reference ? options.a : options.b, options.solution || with_reference);
  const bool right = a.run.correct() && b.run.correct();
  if (options.json) {
    print_json({{"a", report::profile_json(a.name, "simulator", a.run)},
                {"b", report::profile_json(b.name, "simulator", b.run)}});
  } else {
    fmt::print("A  {}\nB  {}\n  {}\n\n{}", a.name, b.name, translated(describe(a.run.problem)),
               table_of(a, b, session.style()));
    for (const Side* side : {&a, &b}) {
      for (const Message& words : side->assumed)
        fmt::print("{}\n",
                   report::fitted(fmt::format("{}: {}", side->name, translated(words)), "  ", "    "));
      if (side->run.mismatch)
        fmt::print("{}\n", report::fitted("✗ " + tr("{} is not right: {}", side->name,
                                                    translated(side->run.mismatch->message)),
                                          "  ", "    "));
    }
  }
  return static_cast<int>(right ? base::ExitCode::Passed : base::ExitCode::NotYet);
}

}  // namespace

Command diff_command(const Session& session) {
  Command command{"diff",
                  "Counters of two kernels side by side; of one chapter: yours and the reference.\n"
                  "Example: ./lab diff 9    ./lab diff 4 5 --solution    ./lab diff mine.cu 5"};
  static DiffOptions options;
  command.option("A", options.a, "Chapter or kernel file").required();
  command.option("B", options.b, "Chapter or kernel file (default: the reference solution of A)");
  command.option("--solution", options.solution, "A chapter means its solution");
  add_launch_options(command, options.launch);
  command.json(options.json);
  command.run = [&session] { return diff(session, options); };
  return command;
}

}  // namespace lab::cli
