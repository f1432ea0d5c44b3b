// What a GPU is made of, as far as programs can ask and the clock must know.
//
// Enters: data/gpus/*.toml, one file per GPU, as gpu_table.py writes them into the program. Leaves: numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/sim/gpu.h"

namespace lab::device {

// What the model of time knows of a GPU (common/gpu/model/prediction.h), calibrated by tools/time_model.py.
struct TimeRates {
  double launch_seconds = 0;                     // from one launch to the next, however little it does
  double begin_seconds = 0;                      // before a launch that takes longer runs, and when it ends
  double dram_bytes = 0, scattered_penalty = 0;  // a second; a scattered byte counts as this many more
  double l2_sectors = 0;                         // that the second level moves, and packets that it takes in
  double l2_packets = 0,
         partial_penalty = 0;  // a sector written in part counts as this much of a packet more
  double atomic_seconds = 0, float_atomic_seconds = 0;  // one sector in one slice; a float added to one word
  double l1_passes = 0, instructions = 0;
  double block_start_seconds = 0;  // from one block's start to the next one's, on the whole GPU
  double block_seconds = 0,
         warp_seconds = 0;  // that a block lives which does nothing; and more for each warp
  double near_wait_seconds = 0, l2_wait_seconds = 0, dram_wait_seconds = 0;
  double barrier_seconds = 0, barrier_warp_seconds = 0;  // and more for each warp of the block
  double instruction_wait_seconds = 0;
  double sharpness = 0;
};

struct GpuData {
  std::string key;   // "h200": the file's name
  std::string name;  // "NVIDIA H200"
  int major = 0, minor = 0;
  std::uint32_t multiprocessors = 0;
  std::vector<std::uint32_t> gpc_multiprocessors;  // of each GPC; empty: this GPU has no clusters
  std::uint32_t clock_mhz = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t bandwidth = 0;  // bytes per second
  std::uint32_t bus_bits = 0, memory_clock_mhz = 0;
  std::uint32_t l2_bytes = 0;
  std::uint32_t threads_per_multiprocessor = 0, blocks_per_multiprocessor = 0;
  std::uint32_t registers_per_multiprocessor = 0;
  std::uint32_t shared_bytes = 0, shared_bytes_per_block = 0, shared_bytes_reserved = 0;
  std::uint32_t warp_schedulers = 4;
  TimeRates time;  // of a GPU that was not measured: the H200's, scaled by the data sheet
  bool time_measured = false;
  [[nodiscard]] sim::DeviceLimits limits() const;
  [[nodiscard]] int architecture() const { return 10 * major + minor; }
  // What of the second-level cache may be set aside: three quarters on an H200 (tests/golden/units.txt.gz),
  // taken for the others from compute capability 8.0 on, where there is such a thing.
  [[nodiscard]] std::uint32_t persisting_l2_bytes() const { return major >= 8 ? l2_bytes / 4 * 3 : 0; }
  [[nodiscard]] std::uint32_t access_window_bytes() const { return major >= 8 ? 128u << 20 : 0; }
};

[[nodiscard]] std::vector<std::string> gpu_names();
// Throws std::invalid_argument that lists the names there are.
[[nodiscard]] GpuData gpu_named(const std::string& name);

}  // namespace lab::device
