// How many blocks of a kernel one multiprocessor holds at once, and what sets that number.
//
// Enters: a GPU, a decoded kernel, a launch shape. Leaves: blocks; 0 when none fits. Registers are given out
// by the assembler, which does not run here: what is alive at once in the text stands for them (registers.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/gpu/device/gpu_data.h"
#include "common/sim/program/program.h"

namespace lab::model {

struct Occupancy {
  std::uint64_t by_threads = 0, by_registers = 0, by_shared = 0;  // blocks that each would let in
  std::uint64_t blocks = 0;                                       // the least of them
  std::uint32_t registers = 0;                                    // of a thread
};

[[nodiscard]] Occupancy occupancy(const device::GpuData& gpu, const sim::Program& program,
                                  std::uint64_t threads, std::size_t dynamic_shared_bytes);
[[nodiscard]] int blocks_per_multiprocessor(const device::GpuData& gpu, const sim::Program& program,
                                            std::uint64_t threads, std::size_t dynamic_shared_bytes);
// Clusters that the GPU holds at once, with `blocks` of the kernel on a multiprocessor. A GPC's
// multiprocessors share its clusters, and a GPC smaller than a cluster takes none; of clusters a
// multiprocessor takes 8 blocks at most (tests/golden/cluster_occupancy.csv).
[[nodiscard]] int active_clusters(const device::GpuData& gpu, std::uint64_t blocks,
                                  std::uint64_t cluster_blocks);
// Threads that a block of this kernel may have.
[[nodiscard]] int most_threads(const sim::Program& program);

}  // namespace lab::model
