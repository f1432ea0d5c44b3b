// The forecast of a kernel file. See forecast_file.h.
#include "common/course/explore/forecast_file.h"

#include <fmt/core.h>

#include <string>

#include "common/base/errors.h"
#include "common/base/project.h"
#include "common/base/sha256.h"
#include "common/compile/remembered.h"
#include "common/course/judge/checks.h"
#include "common/course/judge/examine.h"
#include "common/course/judge/named_kernel.h"

namespace lab::explore {
namespace fs = std::filesystem;
namespace {

using base::ExitCode;
using base::LabError;
using base::UsageError;

void count(FileForecast& counted, judge::Subject& subject, const ForecastRequest& request,
           const device::GpuData& gpu) {
  judge::Target target = judge::target_named(subject, request.file.string(), request.entry, request.chapter);
  const KernelFacts facts = facts_of(subject, request.file, target.entry, request.kernel_options);
  target.shape = facts.shape;
  target.checked = !request.passed;
  if (facts.shape.gpus > 1)
    throw UsageError(msg("{} runs on {} GPUs at once; this command knows what bounds a kernel on one.",
                         counted.kernel, facts.shape.gpus));
  counted.assumed = facts.assumed;
  judge::Problem asked = request.asked;
  asked.elem_bytes = facts.elem_bytes;
  must_fit(asked, request.chapter);
  counted.forecast = forecast(subject, target, asked, gpu);
  const judge::Run& run = counted.forecast.run;
  if (run.correct()) return;
  throw LabError(
      judge::exit_code(run),
      request.chapter != nullptr
          ? msg("{} goes wrong, so it has no time. `./lab check {}` says where.", counted.kernel,
                judge::number_of(*request.chapter))
          : msg("{0} goes wrong, so it has no time. `./lab profile {0}` says where.", counted.kernel));
}

// Remembered as long as this program and the PTX stay the same.
std::optional<double> speed(const ForecastRequest& request, std::optional<compile::CompilerKind> compiler,
                            const device::GpuData& gpu) {
  try {
    const compile::CompileResult compiled = judge::compile_file(request.file, compiler);
    if (!compiled.ok) return std::nullopt;
    const auto predicted = [&] { return forecast_file(request, compiled, gpu).bytes_per_second(); };
    std::error_code error;
    const fs::path lab = fs::read_symlink("/proc/self/exe", error);
    if (error) return predicted();
    const std::string question = fmt::format("reach {} {} {} {}", gpu.key, request.asked.rows,
                                             request.asked.cols, base::sha256(compiled.ptx()));
    const std::string kept =
        compile::remembered(lab, question, [&] { return fmt::format("{}", predicted()); });
    return kept.empty() ? predicted() : std::stod(kept);  // empty where a build has replaced the program
  } catch (const LabError&) {
    return std::nullopt;
  }
}

}  // namespace

double FileForecast::bytes_per_second() const {
  return double(forecast.asked.in_bytes() + forecast.asked.out_bytes()) / forecast.predicted.total;
}

FileForecast forecast_file(const ForecastRequest& request, const compile::CompileResult& compiled,
                           const device::GpuData& gpu) {
  FileForecast counted;
  counted.kernel = base::shown_path(request.file);
  try {
    judge::Subject subject(compiled.ptx(), 1);
    count(counted, subject, request, gpu);
    return counted;
  } catch (const device::LoadError& error) {
    throw LabError(ExitCode::NotYet, msg("{} cannot run: {}", counted.kernel, error.fault.sentence()));
  }
}

std::optional<Reach> reach_of(const ForecastRequest& request, std::optional<compile::CompilerKind> compiler) {
  const device::GpuData gpu = device::gpu_named("h200");
  const std::optional<double> own = speed(request, compiler, gpu);
  if (!own) return std::nullopt;
  Reach reach{request.asked, gpu.key, gpu.name, *own, std::nullopt};
  ForecastRequest reference = request;
  reference.file = judge::solution_kernel(*request.chapter);
  if (fs::weakly_canonical(request.file) != fs::weakly_canonical(reference.file) &&
      fs::is_regular_file(reference.file))
    reach.reference = speed(reference, compiler, gpu);
  return reach;
}

}  // namespace lab::explore
