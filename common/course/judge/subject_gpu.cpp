// A kernel on a GPU beside the simulator: what one says is held against the other.
//
// Enters: problems, and what the simulator found in them. Leaves: the first that is wrong on either, or on
// which they disagree.
#include <memory>
#include <span>

#include "common/course/judge/subject.h"
#include "common/course/judge/trial.h"
#include "common/course/judge/worker.h"

namespace lab::judge {
namespace {

// One device says that the kernel is wrong, the other that it is right.
Mismatch devices_disagree(const Message& who, const Message& finding, const Message& other) {
  Mismatch mismatch;
  mismatch.code = "devices-disagree";
  mismatch.message =
      msg("On {} the result is wrong, on the {} it is right. One of them is mistaken, or the kernel depends "
          "on luck.\nFound: {}",
          who, other, finding);
  return mismatch;
}

}  // namespace

std::optional<Run> Subject::first_wrong_on_gpu(std::span<const Problem> problems, const Target& target) {
  if (!gpu_.device) return std::nullopt;  // it failed before: gpu_problem() says so
  gpu_problem_ = too_few_gpus(*gpu_.device, shape_or_none(target).gpus);
  if (!gpu_problem_.empty()) {
    gpu_.device.reset();
    return std::nullopt;
  }
  if (gpu_endless_) return gpu_endless_;  // who waited once for a kernel that does not end waits no more
  Target plain = target;
  plain.observers.clear();
  try {
    if (!gpu_worker_) {
      gpu_worker_ = std::make_unique<Worker>(gpu_.device, device::Image(ptx_, gpu_.cubin));
    }
    for (const Problem& problem : problems) {
      if (!fits_gpu(problem)) continue;
      Run run = judge(*gpu_worker_, problem, plain, false, 1);
      if (run.over_budget()) gpu_endless_ = run;
      if (!run.correct()) return run;
      ++gpu_shapes_;
    }
  } catch (const device::LoadError& error) {
    Run run;
    run.problem = problems.front();
    run.faults.push_back(error.fault);
    return run;
  } catch (const device::DeviceError& error) {
    gpu_problem_ = text::message_of(error);
  } catch (const std::bad_alloc&) {
    gpu_problem_ = msg("The {} has not enough free memory for these shapes.", gpu_.device->name());
  }
  if (!gpu_problem_.empty()) gpu_worker_.reset(), gpu_.device.reset();
  return std::nullopt;
}

// What the simulator found, held against the GPU. A fault of the simulator stands: a GPU lets many pass.
std::optional<Run> Subject::compared(std::optional<Run> simulated, std::span<const Problem> problems,
                                     const Target& target) {
  if (!gpu_.device || (simulated && (!simulated->faults.empty() || !fits_gpu(simulated->problem))))
    return simulated;
  const std::string gpu = gpu_.device->name();
  const int before = gpu_shapes_;
  std::optional<Run> other =
      simulated ? first_wrong_on_gpu({&simulated->problem, 1}, target) : first_wrong_on_gpu(problems, target);
  if (!gpu_problem_.empty()) return simulated;
  if (simulated && !other) {
    simulated->mismatch =
        devices_disagree("the simulator", simulated->mismatch->message, text::verbatim(gpu));
    gpu_shapes_ = before;
    return simulated;
  }
  if (simulated || !other) return simulated;
  other->mismatch = devices_disagree(
      msg("the {}", gpu), other->faults.empty() ? other->mismatch->message : other->faults.front().sentence(),
      "simulator");
  other->faults.clear();
  return other;
}

}  // namespace lab::judge
