// A GPU where none can be: in a browser. Linked in the place of gpu_client.cpp into the lab for browsers.
#include <utility>

#include "common/gpu/device/gpu.h"

namespace lab::device {

struct PendingGpu::State {};

PendingGpu::PendingGpu(const GpuOptions&) {}
PendingGpu::~PendingGpu() = default;
PendingGpu::PendingGpu(PendingGpu&&) noexcept = default;

std::unique_ptr<Gpu> PendingGpu::get() {
  GpuSurvey survey;
  survey.problem = "The lab as WebAssembly uses no GPU.";
  survey.advice = "Run it with the lab on your own machine.";
  const Message words = Message(survey.problem).then(survey.advice);
  throw GpuUnavailable(std::move(survey), words);
}

}  // namespace lab::device
