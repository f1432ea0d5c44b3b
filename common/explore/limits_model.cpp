// The bound model. See limits_model.h.
#include "common/explore/limits_model.h"

#include <algorithm>

namespace lab::explore {

Parts work_of(const judge::Run& run, double scale) {
  const auto& c = run.counters;
  Parts work = {static_cast<double>(2 * run.problem.rows * run.problem.cols * run.problem.elem_bytes),
                static_cast<double>(c.global_store.sectors),
                static_cast<double>(c.shared_load.wavefronts + c.shared_store.wavefronts),
                static_cast<double>(run.lane_instructions) / 32};
  for (double& units : work) units *= scale;
  return work;
}

Rates rates_of(const cudart::GpuData& gpu) {
  const cudart::GpuData base = gpu.rates.measured() ? gpu : cudart::gpu_named("h200");
  const auto& r = base.rates;
  const double width =
      double(gpu.multiprocessors) * gpu.clock_mhz / (double(base.multiprocessors) * base.clock_mhz);
  const double memory = double(gpu.bandwidth) / double(base.bandwidth);
  return {.per_second = {r.dram_bytes * memory, r.store_sectors * width, r.shared_wavefronts * width,
                         r.warp_instructions * width},
          .measured = gpu.rates.measured()};
}

Prediction predict(const Parts& work, const Rates& rates) {
  Prediction p;
  for (std::size_t part = 0; part < kParts; ++part) p.seconds[part] = work[part] / rates.per_second[part];
  p.bound =
      static_cast<std::size_t>(std::max_element(p.seconds.begin(), p.seconds.end()) - p.seconds.begin());
  p.total = p.seconds[p.bound] + kLaunchSeconds;
  return p;
}

}  // namespace lab::explore
