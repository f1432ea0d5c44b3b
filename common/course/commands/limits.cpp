// `lab inspect limits`: which part of a GPU bounds a kernel, and the time that this predicts.
//
// Enters: a chapter or a kernel file, a matrix, a GPU of data/gpus. Leaves: a page of text or one JSON
// object. Everything is counted in the simulator, so no GPU is needed; the time is predicted, never measured.
#include <fmt/core.h>

#include <cmath>
#include <optional>

#include "common/base/errors.h"
#include "common/base/pair.h"
#include "common/base/project.h"
#include "common/course/commands/commands.h"
#include "common/course/explore/forecast_file.h"
#include "common/course/judge/checks.h"
#include "common/course/judge/named_kernel.h"
#include "common/course/report/roofline.h"
#include "common/gpu/model/modelled.h"
#include "common/ui/waiting.h"
#include "common/ui/wrap.h"

namespace lab::cli {
namespace {

using base::ExitCode;
using judge::Problem;

struct LimitsOptions {
  std::string name, before, gpu = "h200", size = "8192";
  LaunchOptions launch;
  explore::KernelOptions kernel_options;
  bool solution = false, json = false;
};

Problem problem_of(const std::string& size) {
  const bool square = size.find('x') == std::string::npos;
  const base::Pair sides = base::parse_pair("--size", square ? size + "x" + size : size);
  return {sides.first, sides.second};
}

report::Json limits_json(const explore::FileForecast& c, const device::GpuData& gpu) {
  const explore::Forecast& f = c.forecast;
  const model::Traffic& t = f.work.traffic;
  const model::Occupancy& o = f.at_once.occupancy;
  const report::Json modelled = report::modelled_json(f.work, f.predicted);
  return {{"kernel", c.kernel},
          {"gpu", gpu.key},
          {"rates", gpu.time_measured ? "measured" : "data sheet"},
          {"rows", f.asked.rows},
          {"cols", f.asked.cols},
          {"elem_bytes", f.asked.elem_bytes},
          {"counted_on", {f.simulated.rows, f.simulated.cols}},
          {"work",
           {{"dram", t.dram.read_bytes + t.dram.write_bytes},
            {"l2", t.l2_write_sectors},
            {"shared", f.work.wavefronts},
            {"issue", f.work.traffic.instructions}}},
          {"parts", modelled["parts"]},
          {"bound", modelled["bound"]},
          {"launch_seconds", gpu.time.launch_seconds},
          {"seconds", f.predicted.total},
          {"occupancy",
           {{"blocks", o.blocks},
            {"by_threads", o.by_threads},
            {"by_registers", o.by_registers},
            {"by_shared", o.by_shared},
            {"registers", o.registers}}},
          {"bytes_at_once", f.at_once.multiprocessor_bytes()},
          {"instructions_per_byte", f.instructions_per_byte},
          {"instructions_per_byte_of_gpu", explore::balance_of(gpu)},
          {"modelled", modelled},
          {"assumed", english(c.assumed)}};
}

void print_line(const std::string& sentence) { fmt::print("{}\n", report::fitted(sentence, "", "  ")); }

void print_text(const explore::FileForecast& c, const device::GpuData& gpu, const report::Style& style) {
  const explore::Forecast& f = c.forecast;
  for (const Message& words : c.assumed) print_line(translated(words));
  print_line(tr("{}   {}×{} of {}-byte elements on {}", c.kernel, f.asked.rows, f.asked.cols,
                f.asked.elem_bytes, gpu.name));
  if (f.simulated.rows != f.asked.rows || f.simulated.cols != f.asked.cols)
    print_line(tr("Counted on {}×{} in the simulator, and scaled.", f.simulated.rows, f.simulated.cols));
  fmt::print("{}", report::roofline_text({.seconds = f.predicted,
                                          .occupancy = f.at_once.occupancy,
                                          .block_threads = f.run.block.count(),
                                          .block_shared_bytes = f.run.shared_bytes,
                                          .thread_bytes_at_once = f.at_once.thread_bytes,
                                          .bytes_at_once = f.at_once.multiprocessor_bytes(),
                                          .instructions_per_byte = f.instructions_per_byte,
                                          .balance = explore::balance_of(gpu)},
                                         style));
  print_line(tr("Predicted: {:.1f} µs per launch; {} GB/s read and written.", f.predicted.total * 1e6,
                report::grouped(static_cast<std::uint64_t>(std::llround(1e-9 * c.bytes_per_second())))));
  print_line(gpu.time_measured
                 ? tr("The rates were measured on this GPU; the time is predicted, not measured.")
                 : tr("Nothing was measured on this GPU: its rates are those of an H200, scaled by the "
                      "data sheets."));
  print_line(tr("docs/limits.md says what the model leaves out, and how far off it was."));
}

// `name`: a chapter, or a kernel file.
explore::FileForecast forecast_of(const Session& session, const LimitsOptions& options,
                                  const std::string& name, bool solution, const device::GpuData& gpu) {
  const auto [file, chapter] = judge::file_named(name, solution);
  const explore::ForecastRequest request{.file = file,
                                         .chapter = chapter,
                                         .entry = options.launch.entry,
                                         .kernel_options = options.kernel_options,
                                         .asked = problem_of(options.launch, problem_of(options.size))};
  const compile::CompileResult compiled =
      explore::compiled_kernel(file, compile::kind_named(session.compiler));
  return waited(tr("running {}", base::shown_path(request.file)), !options.json,
                [&] { return explore::forecast_file(request, compiled, gpu); });
}

void print_difference(const explore::FileForecast& before, const explore::FileForecast& now,
                      const report::Style& style) {
  fmt::print("\n");
  print_line(tr("Before: {}", before.kernel));
  fmt::print("{}", report::difference_text(before.forecast.predicted, now.forecast.predicted, style));
}

int limits(const Session& session, const LimitsOptions& options) {
  const device::GpuData gpu = device::gpu_named(options.gpu);
  const explore::FileForecast counted = forecast_of(session, options, options.name, options.solution, gpu);
  std::optional<explore::FileForecast> before;
  if (!options.before.empty()) before = forecast_of(session, options, options.before, false, gpu);
  if (options.json) {
    report::Json json = limits_json(counted, gpu);
    if (before) json["before"] = limits_json(*before, gpu);
    print_json(json);
  } else {
    print_text(counted, gpu, session.style());
    if (before) print_difference(*before, counted, session.style());
  }
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
  command.option("--before", options.before,
                 "A chapter or file to compare with: what each part of the time was there");
  command
      .option("--gpu", options.gpu,
              "The GPU; times of those that were not measured follow from their data sheets")
      .one_of(device::gpu_names())
      .with_default();
  command.option("--size", options.size, "The matrix: 8192 or ROWSxCOLS").with_default();
  add_launch_options(command, options.launch);
  add_kernel_options(command, options.kernel_options);
  command.json(options.json);
  command.run = [&session] { return limits(session, options); };
  return command;
}

}  // namespace lab::cli
