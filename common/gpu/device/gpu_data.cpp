// What a GPU is made of. See gpu_data.h.
#include "common/gpu/device/gpu_data.h"

#include <unistd.h>

#include <stdexcept>

namespace lab::device {
namespace {

// Also before this file's own start-up code ran: programs register their kernels that early.
const auto& gpus() {
#include "common/gpu/device/gpu_table.h"
  return kGpus;
}

// Memory goes with its bandwidth, the rest with multiprocessors and clock; waits stay what they are.
TimeRates scaled(const GpuData& measured, const GpuData& gpu) {
  TimeRates rates = measured.time;
  const double width =
      double(gpu.multiprocessors) * gpu.clock_mhz / (double(measured.multiprocessors) * measured.clock_mhz);
  rates.dram_bytes *= double(gpu.bandwidth) / double(measured.bandwidth);
  rates.block_start_seconds *= double(measured.clock_mhz) / gpu.clock_mhz;
  for (double* rate : {&rates.l2_sectors, &rates.l2_packets, &rates.l1_passes, &rates.instructions})
    *rate *= width;
  return rates;
}

}  // namespace

sim::DeviceLimits GpuData::limits() const {
  sim::DeviceLimits limits;
  limits.max_shared_bytes = shared_bytes_per_block;
  limits.multiprocessors = multiprocessors;
  return limits;
}

std::vector<std::string> gpu_names() {
  std::vector<std::string> names;
  for (const GpuData& gpu : gpus()) names.push_back(gpu.key);
  return names;
}

GpuData gpu_named(const std::string& name) {
  std::string known;
  for (const GpuData& listed : gpus()) {
    if (name == listed.key) {
      GpuData gpu = listed;
      if (!gpu.time_measured) gpu.time = scaled(gpu_named("h200"), gpu);
      return gpu;
    }
    known += (known.empty() ? "" : ", ") + listed.key;
  }
  throw std::invalid_argument("there is no GPU \"" + name + "\"; there are: " + known);
}

}  // namespace lab::device
