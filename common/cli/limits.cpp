// `lab inspect limits`: which part of a GPU bounds a kernel, and the time that this predicts.
//
// Enters: a chapter or a kernel file, a matrix, a GPU of data/gpus. Leaves: a table or one JSON object. The
// counters come from the simulator, so no GPU is needed; the time is predicted, never measured.
#include <fmt/core.h>

#include <cmath>
#include <cstdio>
#include <filesystem>

#include "common/base/errors.h"
#include "common/base/pair.h"
#include "common/base/project.h"
#include "common/cli/cli.h"
#include "common/explore/limits_model.h"
#include "common/explore/plain_kernel.h"
#include "common/judge/checks.h"
#include "common/judge/named_kernel.h"
#include "common/report/json.h"
#include "common/report/table.h"

namespace lab::cli {
namespace {

using base::ExitCode;
using base::LabError;
using base::UsageError;
using judge::Problem;

struct LimitsOptions {
  std::string name, gpu = "h200", size = "8192";
  LaunchOptions launch;
  explore::KernelOptions kernel_options;
  bool solution = false, json = false;
};

struct Counted {
  std::string kernel;
  Problem asked, simulated;
  explore::Parts work{};
  std::vector<std::string> assumed;
};

Problem problem_of(const std::string& size) {
  const bool square = size.find('x') == std::string::npos;
  const base::Pair sides = base::parse_pair("--size", square ? size + "x" + size : size);
  return {sides.first, sides.second};
}

// Counters grow with the matrix, so a large one is counted on a smaller one that ends its rows and columns
// alike.
Problem small_enough(Problem p) {
  constexpr std::int64_t kSide = 1024;
  const auto side = [](std::int64_t n) { return n >= 2 * kSide ? kSide + n % kSide : n; };
  const std::int64_t in_gap = p.in_pitch() - p.cols, out_gap = p.out_pitch() - p.rows;
  p.rows = side(p.rows), p.cols = side(p.cols);
  p.in_pitch_elems = p.cols + in_gap, p.out_pitch_elems = p.rows + out_gap;
  return p;
}

std::filesystem::path file_of(const LimitsOptions& options) {
  if (const judge::ChapterInfo* chapter = judge::find_chapter(options.name); chapter != nullptr)
    return options.solution ? judge::solution_kernel(*chapter) : judge::chapter_kernel(*chapter);
  if (!std::filesystem::is_regular_file(options.name))
    (void)judge::chapter_named(options.name);  // says which there are
  if (options.solution) throw UsageError("--solution goes with a chapter, not with a file.");
  return options.name;
}

Counted count(const Session& session, const LimitsOptions& options) {
  const std::filesystem::path file = file_of(options);
  Counted counted;
  counted.kernel = base::shown_path(file);
  counted.asked = problem_of(options.launch, problem_of(options.size));
  const compile::CompileResult compiled = judge::compile_file(file, session.compiler_kind());
  if (!compiled.ok) {
    fmt::print(stderr, "{}", compiled.log);
    throw LabError(ExitCode::NotYet, fmt::format("{} does not compile.", counted.kernel));
  }
  try {
    judge::Subject subject(compiled.ptx());
    const std::string& entry = options.launch.entry;
    judge::Target target =
        subject.target_of(judge::resolve_entry(subject, file, entry, judge::find_chapter(options.name)));
    if (const std::string wrong = subject.signature_problem(target); !wrong.empty()) throw UsageError(wrong);
    const explore::KernelFacts facts = explore::facts_of(subject, file, target.entry, options.kernel_options);
    target.shape = facts.shape;
    counted.assumed = facts.assumed;
    counted.asked.elem_bytes = facts.elem_bytes;
    if (const std::string wrong = what_is_wrong_with(counted.asked); !wrong.empty()) throw UsageError(wrong);
    counted.simulated = small_enough(counted.asked);
    const judge::Run& run = subject.run(counted.simulated, target);
    if (!run.correct()) {
      const bool limit = !run.faults.empty() && run.faults[0].kind == sim::FaultKind::BudgetExceeded;
      throw LabError(
          limit ? ExitCode::Limit : ExitCode::NotYet,
          fmt::format("{} goes wrong, so it has no time. `./lab profile` says where.", counted.kernel));
    }
    counted.work =
        explore::work_of(run, double(counted.asked.in_bytes()) / double(counted.simulated.in_bytes()));
    return counted;
  } catch (const device::LoadError& error) {
    throw LabError(ExitCode::NotYet, fmt::format("{} cannot run: {}", counted.kernel, error.fault.message));
  }
}

report::Json by_part(const explore::Parts& values) {
  report::Json object;
  for (std::size_t part = 0; part < explore::kParts; ++part)
    object[explore::kPartNames[part].key] = values[part];
  return object;
}

report::Json limits_json(const Counted& c, const cudart::GpuData& gpu, const explore::Rates& rates,
                         const explore::Prediction& p) {
  return {{"kernel", c.kernel},
          {"gpu", gpu.key},
          {"rates", rates.measured ? "measured" : "data sheet"},
          {"rows", c.asked.rows},
          {"cols", c.asked.cols},
          {"elem_bytes", c.asked.elem_bytes},
          {"counted_on", {c.simulated.rows, c.simulated.cols}},
          {"work", by_part(c.work)},
          {"parts", by_part(p.seconds)},
          {"bound", explore::kPartNames[p.bound].key},
          {"launch_seconds", explore::kLaunchSeconds},
          {"seconds", p.total},
          {"assumed", c.assumed}};
}

// 4.2e12 → "4.20 T"
std::string metric(double value) {
  constexpr std::array<const char*, 5> kPrefixes = {"", "k", "M", "G", "T"};
  std::size_t k = 0;
  for (; value >= 1000 && k + 1 < kPrefixes.size(); ++k) value /= 1000;
  return fmt::format("{:.3g} {}", value, kPrefixes[k]);
}

std::string microseconds(double seconds) { return fmt::format("{:.1f} µs", seconds * 1e6); }

void print_text(const Counted& c, const cudart::GpuData& gpu, const explore::Rates& rates,
                const explore::Prediction& p, const report::Style& style) {
  for (const std::string& words : c.assumed) fmt::print("{}\n", retell(words));
  fmt::print("{}\n", tr("{}   {}×{} of {}-byte elements on {}", c.kernel, c.asked.rows, c.asked.cols,
                        c.asked.elem_bytes, gpu.name));
  if (c.simulated.rows != c.asked.rows || c.simulated.cols != c.asked.cols)
    fmt::print("{}\n",
               tr("Counted on {}×{} in the simulator, and scaled.", c.simulated.rows, c.simulated.cols));
  report::Table table;
  table.column("part of the GPU", report::Align::Left)
      .column("the kernel asks for")
      .column("at best, a second");
  table.column("needs alone").column("", report::Align::Left);
  for (std::size_t part = 0; part < explore::kParts; ++part) {
    const report::Ink ink = part == p.bound ? report::Ink::Strong : report::Ink::Plain;
    table.row({{text::retell(explore::kPartNames[part].words), ink},
               {metric(c.work[part]), ink},
               {metric(rates.per_second[part]), ink},
               {microseconds(p.seconds[part]), ink},
               {part == p.bound ? tr("<- bounds it") : "", ink}});
  }
  fmt::print("{}", table.text(style, "  "));
  fmt::print("{}\n", tr("Predicted: {} a launch, {} of them to start it; {} GB/s read and written.",
                        microseconds(p.total), microseconds(explore::kLaunchSeconds),
                        std::lround(2e-9 * double(c.asked.in_bytes()) / p.total)));
  fmt::print("{}\n",
             rates.measured
                 ? tr("The rates were measured on this GPU; the time is predicted, not measured.")
                 : tr("Nothing was measured on this GPU: its rates are those of an H200, scaled by the "
                      "data sheets."));
  fmt::print("{}\n", tr("docs/limits.md says what the model leaves out, and how far off it was."));
}

int limits(const Session& session, const LimitsOptions& options) {
  cudart::GpuData gpu;
  try {
    gpu = cudart::gpu_named(options.gpu);
  } catch (const std::invalid_argument& error) {
    throw UsageError(tr("--gpu: {}.", error.what()));
  }
  const Counted counted = count(session, options);
  const explore::Rates rates = explore::rates_of(gpu);
  const explore::Prediction prediction = explore::predict(counted.work, rates);
  if (options.json)
    fmt::print("{}\n", report::dump(limits_json(counted, gpu, rates, prediction)));
  else
    print_text(counted, gpu, rates, prediction, session.style());
  return static_cast<int>(ExitCode::Passed);
}

}  // namespace

Command limits_command(const Session& session) {
  Command command{"limits",
                  "What limits a kernel on a GPU, and the time that this predicts.\n"
                  "Example: ./lab inspect limits 8 --solution    ./lab inspect limits my.cu --gpu t4 "
                  "--size 1000x7777"};
  static LimitsOptions options;
  command.option("kernel", options.name, "Chapter, or a kernel file").required();
  command.option("--solution", options.solution, "The chapter's reference solution");
  command.option("--gpu", options.gpu, "h200 (measured), a100, rtx3090, t4 (data sheets)").with_default();
  command.option("--size", options.size, "The matrix: 8192 or ROWSxCOLS").with_default();
  add_launch_options(command, options.launch);
  add_kernel_options(command, options.kernel_options);
  command.option("--json", options.json, "One JSON object");
  command.run = [&session] { return limits(session, options); };
  return command;
}

}  // namespace lab::cli
