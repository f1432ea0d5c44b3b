// The forecast of a kernel file. See forecast_file.h.
#include "common/explore/forecast_file.h"

#include <fmt/core.h>

#include <future>

#include "common/base/errors.h"
#include "common/base/project.h"
#include "common/judge/checks.h"
#include "common/judge/examine.h"
#include "common/judge/named_kernel.h"

namespace lab::explore {
namespace {

using base::ExitCode;
using base::LabError;
using base::UsageError;

void count(FileForecast& counted, judge::Subject& subject, const ForecastRequest& request,
           const cudart::GpuData& gpu) {
  judge::Target target =
      subject.target_of(judge::resolve_entry(subject, request.file.string(), request.entry, request.chapter));
  if (const std::string wrong = subject.signature_problem(target); !wrong.empty()) throw UsageError(wrong);
  const KernelFacts facts = facts_of(subject, request.file, target.entry, request.kernel_options);
  target.shape = facts.shape;
  if (facts.shape.gpus > 1)
    throw UsageError(
        fmt::format("{} runs on {} GPUs at once; this command knows what bounds a kernel on one.",
                    counted.kernel, facts.shape.gpus));
  counted.assumed = facts.assumed;
  judge::Problem asked = request.asked;
  asked.elem_bytes = facts.elem_bytes;
  if (const std::string wrong = what_is_wrong_with(asked); !wrong.empty()) throw UsageError(wrong);
  counted.forecast = forecast(subject, target, asked, gpu);
  const judge::Run& run = counted.forecast.run;
  if (run.correct()) return;
  const bool limit = !run.faults.empty() && run.faults[0].kind == sim::FaultKind::BudgetExceeded;
  throw LabError(
      limit ? ExitCode::Limit : ExitCode::NotYet,
      fmt::format("{} goes wrong, so it has no time. `./lab profile` says where.", counted.kernel));
}

}  // namespace

double FileForecast::bytes_per_second() const {
  return double(forecast.asked.in_bytes() + forecast.asked.out_bytes()) / forecast.predicted.total;
}

FileForecast forecast_file(const ForecastRequest& request, const compile::CompileResult& compiled,
                           const cudart::GpuData& gpu) {
  FileForecast counted;
  counted.kernel = base::shown_path(request.file);
  try {
    judge::Subject subject(compiled.ptx(), 1);
    count(counted, subject, request, gpu);
    return counted;
  } catch (const device::LoadError& error) {
    throw LabError(ExitCode::NotYet, fmt::format("{} cannot run: {}", counted.kernel, error.fault.message));
  }
}

std::optional<Reach> reach_of(const ForecastRequest& request, std::optional<compile::CompilerKind> compiler) {
  const cudart::GpuData gpu = cudart::gpu_named("h200");
  const std::filesystem::path solution = judge::solution_kernel(*request.chapter);
  const bool is_reference =
      std::filesystem::weakly_canonical(request.file) == std::filesystem::weakly_canonical(solution);
  const auto speed = [&](const ForecastRequest& of) -> std::optional<double> {
    try {
      const compile::CompileResult compiled = judge::compile_file(of.file, compiler);
      if (!compiled.ok) return std::nullopt;
      return forecast_file(of, compiled, gpu).bytes_per_second();
    } catch (const LabError&) {
      return std::nullopt;
    }
  };
  // The two share no state; where there is no second thread, the reference waits for its turn.
  std::future<std::optional<double>> reference;
  if (!is_reference && std::filesystem::is_regular_file(solution)) {
    ForecastRequest of = request;
    of.file = solution;
    reference = std::async(speed, of);
  }
  const std::optional<double> own = speed(request);
  Reach reach{request.asked, gpu.key, gpu.name, own.value_or(0),
              reference.valid() ? reference.get() : std::nullopt};
  if (!own) return std::nullopt;
  return reach;
}

}  // namespace lab::explore
