// A device with a kernel file's module on it, used by one host thread at a time.
//
// Enters: PTX, then problems. Leaves: a Run of each; what cannot be launched is a fault in it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/course/judge/split_trial.h"
#include "common/course/judge/target.h"

namespace lab::judge {

struct Worker {
  Worker(std::shared_ptr<device::Device> d, device::Image i) : device(std::move(d)), image(std::move(i)) {}
  std::shared_ptr<device::Device> device;
  device::Image image;
  std::shared_ptr<device::Module> module = device->load(image);
  std::map<std::string, std::shared_ptr<const device::Kernel>> kernels;
  // GPU 1 and those behind it: each has a module of its own, loaded when it is needed.
  std::vector<std::shared_ptr<device::Module>> further;
  std::map<std::string, std::vector<std::shared_ptr<const device::Kernel>>> further_kernels;

  const device::Kernel& kernel(const std::string& entry) {
    auto& kernel = kernels[entry];
    if (!kernel) kernel = module->kernel(entry);
    return *kernel;
  }
  // LAUNCH_SHAPE_OF(entry) where the file has one, else LAUNCH_SHAPE; throws ShapeError.
  [[nodiscard]] LaunchShape launch_shape(const std::string& entry) const;
  // The kernel on the first `gpus` GPUs.
  std::vector<const device::Kernel*> kernels_of(const std::string& entry, int gpus) {
    std::vector<const device::Kernel*> all{&kernel(entry)};
    auto& loaded = further_kernels[entry];
    for (int gpu = 1; gpu < gpus; ++gpu) {
      const auto at = static_cast<std::size_t>(gpu - 1);
      const OfGpu scope(*device, gpu);
      if (at == further.size()) further.push_back(device->load(image));
      if (at == loaded.size()) loaded.push_back(further[at]->kernel(entry));
      all.push_back(loaded[at].get());
    }
    return all;
  }
};

// Judges one problem there. `shape_of` says the launch shape; its ShapeError is a fault, too.
[[nodiscard]] Run judge_loaded(Worker& on, const std::function<LaunchShape()>& shape_of,
                               const Problem& problem, const Target& target, bool count,
                               unsigned host_threads, const InputKey& key);

}  // namespace lab::judge
