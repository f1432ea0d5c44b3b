// One problem on several GPUs at once: rows of both matrices are shared out (common/kernel/gpus.h).
//
// Enters: the kernel as each GPU has it, its launch shape, a problem. Leaves: a Run, with the counters of all
// GPUs together. The GPUs are simulated one after the other; each must do its own part, whatever the others
// have done before.
#pragma once

#include <span>

#include "common/course/judge/target.h"

namespace lab::judge {

// Within this scope another GPU is the current one.
class OfGpu {
 public:
  OfGpu(device::Device& device, int gpu) : device_(device) { device_.use_gpu(gpu); }
  ~OfGpu() { device_.use_gpu(0); }
  OfGpu(const OfGpu&) = delete;
  OfGpu& operator=(const OfGpu&) = delete;

 private:
  device::Device& device_;
};

// The rows that one GPU has of so many.
struct RowShare {
  std::int64_t first = 0, count = 0;
};
[[nodiscard]] RowShare share_of(std::int64_t rows, int gpu, int gpus, bool uneven);

// What the kernel of GPU `self` gets: the shares, and where the rows of `out` begin.
[[nodiscard]] Gpus gpus_of(const Problem& problem, int self, std::span<const device::Address> out);

// The grid of one GPU: tiles over its rows of `in` and over the widest share of the columns, one z for each
// GPU that these may belong to. A GPU without rows has none: zeros.
[[nodiscard]] device::Dim3 split_grid(const LaunchShape& shape, const Problem& problem, int gpu, int gpus);

// `kernels`: one for each GPU, loaded there.
[[nodiscard]] Run judge_split(device::Device& device, std::span<const device::Kernel* const> kernels,
                              const LaunchShape& shape, const Problem& problem, const Target& target,
                              bool count, unsigned host_threads, const InputKey& key);

}  // namespace lab::judge
