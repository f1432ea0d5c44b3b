// Launches what a worker has loaded. See worker.h.
#include "common/course/judge/worker.h"

#include "common/course/judge/task.h"
#include "common/course/judge/trial.h"

namespace lab::judge {
namespace {

Message one_gpu_alone(int gpus) {
  return msg(
      "The matrix lies on {} GPUs, and the launch shape says nothing of them: include common/kernel/gpus.cuh "
      "in place of lab.cuh, and write .gpus = 2 in LAUNCH_SHAPE.",
      gpus);
}

}  // namespace

LaunchShape Worker::launch_shape(const std::string& entry) const {
  auto bytes = module->constant("lab_launch_shape_" + entry);
  if (!bytes) bytes = module->constant("lab_launch_shape");
  if (!bytes)
    throw ShapeError("The kernel file has no LAUNCH_SHAPE; common/kernel/lab.cuh shows how to write one.");
  return read_launch_shape(*bytes);
}

Run judge_loaded(Worker& on, const std::function<LaunchShape()>& shape_of, const Problem& problem,
                 const Target& target, bool count, unsigned host_threads, const InputKey& key) {
  Run failed;
  failed.problem = problem;
  failed.entry = target.entry;
  if (target.task != nullptr) failed.task = target.task->name;
  try {
    const LaunchShape shape = shape_of();
    const int gpus = problem.gpus == 0 ? shape.gpus : problem.gpus;
    if (gpus > shape.gpus && shape.gpus == 1) throw ShapeError(one_gpu_alone(gpus));
    Run run = shape.gpus == 1 ? judge_on(*on.device, on.kernel(target.entry), shape, problem, target, count,
                                         host_threads, key)
                              : judge_split(*on.device, on.kernels_of(target.entry, gpus), shape, problem,
                                            target, count, host_threads, key);
    run.entry = failed.entry;
    run.task = failed.task;
    run.shape = shape;
    return run;
  } catch (const device::LoadError& error) {
    failed.faults.push_back(error.fault);
  } catch (const ShapeError& error) {
    failed.faults.push_back(launch_fault(text::message_of(error)));
  }
  return failed;
}

}  // namespace lab::judge
