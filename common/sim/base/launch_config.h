// What a launch is asked to be: its shape, the limits of the device, how long it may run and what is checked.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/sim/base/fault.h"
#include "common/sim/base/observer.h"

namespace lab::sim {

// Limits of the simulated device; the H200's by default.
struct DeviceLimits {
  std::uint32_t max_threads_per_block = 1024;
  Dim3 max_block{1024, 1024, 64};
  Dim3 max_grid{2147483647u, 65535u, 65535u};
  std::uint32_t max_static_shared_bytes = 48 * 1024;  // static + dynamic without opting in
  std::uint32_t max_shared_bytes = 227 * 1024;        // after opting in (see LaunchConfig)
  std::uint32_t multiprocessors = 132;
  std::uint32_t max_cluster = 8;  // blocks, on every GPU that has clusters
};

struct LaunchConfig {
  Dim3 grid, block;
  Dim3 cluster{0, 0, 0};  // blocks; none given: what the kernel was compiled for, else one
  std::uint32_t dynamic_shared_bytes = 0;
  bool allow_large_shared = false;  // cudaFuncAttributeMaxDynamicSharedMemorySize was raised
  bool cooperative = false;         // grid sync: every block resident at once
};

// What a kernel asked the device runtime to do behind it: a launch, a copy or a fill in one of its streams.
struct DeviceLaunch {
  enum class What : std::uint8_t { Kernel, Copy, Fill } what = What::Kernel;
  static constexpr std::uint64_t kTailStream = 3;  // cudaStreamTailLaunch: behind all that is no tail
  std::uint64_t stream = 0;
  std::uint64_t number = 0;  // in the order in which the kernel asked
  std::string kernel;        // its name in the module
  Dim3 grid, block;
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<std::byte> parameters;
  std::uint64_t to = 0, from = 0;  // addresses
  std::uint64_t size_bytes = 0;
  std::uint8_t value = 0;
};

struct LaunchOptions {
  unsigned host_threads = 0;                                 // 0: as many as the machine has
  std::uint64_t budget_instructions = 20'000'000'000ull;     // warp instructions of the whole launch
  std::uint64_t block_budget_instructions = 200'000'000ull;  // of one block: an endless loop ends here
  std::uint64_t budget_work = ~0ull;     // of the launch, and of each block (program/work.h)
  bool count = true;                     // counters
  bool check_races = true;               // in shared memory,
  bool check_global_races = true;        // and in global memory too
  std::uint64_t check_memory_bytes = 0;  // what the search for races in global memory may take; 0: as usual
  bool check_uninitialised = true;       // shared and global
  bool checks_stop = true;  // what those two find ends the launch; else it is listed in `findings`
  bool go_on = false;  // reads behind a buffer, inside its 512 bytes, are findings too (checks_stop is false)
  bool kernels_launch = false;  // the caller runs what a kernel launches; else such a kernel is refused
  bool turn_at_loads = false;   // warps take turns where a GPU's wait for global memory (decode/load_waits.h)
  // Clusters of the grid (of one block each, most often) that run, in ascending order; empty: all. A
  // sample of a large grid costs little, and its blocks see the whole of it.
  std::vector<std::uint64_t> clusters;
  std::uint64_t schedule = 0;  // 0: warps and blocks take their turns in order; else in one drawn from this
  std::uint64_t numbers = 0;   // 0: the hardware's numbers and clocks are as always; else drawn from this
  std::vector<Observer*> observers;  // further ones; not owned; merged into after the launch

  // Warp instructions.
  [[nodiscard]] std::uint64_t most_of_a_block() const {
    return std::min(block_budget_instructions, budget_instructions);
  }
};

}  // namespace lab::sim
