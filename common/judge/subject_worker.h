// What the files of Subject share: a device with the module on it, and how much all launches may cost.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "common/judge/subject.h"

namespace lab::judge {

// Units of work (sim/program/work.h) that a kernel may cost in all its launches: twice what the dearest
// solution needs, and more than one thread needs that moves every element by itself. Each launch has its own
// budget besides.
inline constexpr std::uint64_t kMostWork = 500'000'000;
// A run that was not begun: the budget is spent.
[[nodiscard]] Run too_much_work(const Problem& problem);

struct Subject::Worker {
  std::shared_ptr<device::Device> device;
  std::shared_ptr<device::Module> module;
  std::map<std::string, std::shared_ptr<const device::Kernel>> kernels;

  const device::Kernel& kernel(const std::string& entry) {
    auto& kernel = kernels[entry];
    if (!kernel) kernel = module->kernel(entry);
    return *kernel;
  }
};

}  // namespace lab::judge
