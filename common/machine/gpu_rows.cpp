// What `lab doctor` says of GPUs. See gpu_rows.h.
#include "common/machine/gpu_rows.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>

#include "common/compile/compile.h"

namespace lab::machine {
namespace {

constexpr const char* kNotNeeded = "Not needed: kernels run on the simulated GPU.";

EnvironmentRow gpu_row(const device::GpuSurvey& survey, const device::GpuInfo& gpu) {
  Message where =
      msg("{} GiB, sm_{}, driver {}for CUDA {}", gpu.memory_bytes >> 30, gpu.architecture(),
          survey.driver.empty() ? "" : survey.driver + " ", device::cuda_version_text(survey.cuda_version));
  return {msg("GPU {}", gpu.index), EnvironmentRow::State::Ok, text::verbatim(gpu.name), std::move(where),
          ""};
}

EnvironmentRow gpu_programs_row(const device::GpuSurvey& survey) {
  const std::vector<compile::KernelCompiler>& compilers = compile::kernel_compilers();
  const auto ours = std::find_if(compilers.begin(), compilers.end(), [](const compile::KernelCompiler& c) {
    return c.kind != compile::CompilerKind::Clang &&
           c.kind != compile::CompilerKind::Builtin;  // the others make programs for the GPU themselves
  });
  if (ours == compilers.end())
    return {"GPU programs", EnvironmentRow::State::Ok, "", "made by the driver from clang's PTX", ""};
  const Message problem = what_driver_cannot_run(name(ours->kind), ours->version, survey.cuda_version);
  if (problem.empty())
    return {"GPU programs", EnvironmentRow::State::Ok, "",
            msg("made by {} {}", name(ours->kind), ours->version), ""};
  return {"GPU programs", EnvironmentRow::State::Absent, "", problem,
          "kernels run on the simulated GPU meanwhile."};
}

EnvironmentRow cublas_row() {
  try {
    return {"cuBLAS", EnvironmentRow::State::Ok, text::verbatim(device::open_gpu()->cublas()),
            "for lab bench --against cublas", ""};
  } catch (const device::DeviceError& error) {
    return {"cuBLAS", EnvironmentRow::State::Absent, "", error.message(),
            "Only lab bench --against cublas uses it."};
  }
}

}  // namespace

Message what_driver_cannot_run(const std::string& compiler, const std::string& version, int cuda_version) {
  const int made_for = std::atoi(version.c_str()), driver = cuda_version / 1000;
  if (made_for <= driver) return {};
  return msg("{} {} is newer than the driver (CUDA {}): update the driver, or use --compiler clang", compiler,
             version, device::cuda_version_text(cuda_version));
}

std::vector<EnvironmentRow> describe_gpus() {
  const device::GpuSurvey survey = device::survey_gpus();
  if (!survey.usable()) {
    const Message words = Message(survey.problem).then(survey.advice).then(kNotNeeded);
    return {{"GPU", EnvironmentRow::State::Absent, "", text::verbatim(survey.error), words}};
  }
  std::vector<EnvironmentRow> rows;
  for (const device::GpuInfo& gpu : survey.gpus) rows.push_back(gpu_row(survey, gpu));
  rows.push_back(gpu_programs_row(survey));
  rows.push_back(cublas_row());
  return rows;
}

}  // namespace lab::machine
