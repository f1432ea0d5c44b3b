// What the files of Subject share: a device with the module on it, and how much all launches may cost.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/course/judge/split_trial.h"
#include "common/course/judge/subject.h"

namespace lab::judge {

// Units of work (sim/program/work.h) that a kernel may cost in all its launches: nearly twice what the
// dearest solution needs (chapter 07: 144 million; the dearest kernel in tests/mutants/right: 131 million).
// Each launch has its own budget besides.
inline constexpr std::uint64_t kMostWork = 270'000'000;

struct Subject::Worker {
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

}  // namespace lab::judge
