// How long a launch takes on a GPU, and which of its parts bounds it: predicted, never measured.
//
// Enters: what the simulator counted of a launch (Work), a GPU of data/gpus. Leaves: seconds that each part needs
// alone, the slowest part, the prediction. The groups memory, multiprocessors and waiting are combined by a norm
// with the exponent `sharpness`; within a group the slowest part counts. Rates of single units were measured; the
// others are calibrated by tools/time_model.py on the rows of kinds.csv and kinds_h100.csv that are marked `fit` and
// on the drawn kernels of blind.csv that are marked `seen`. docs/limits.md has the errors.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include "common/gpu/device/gpu_data.h"
#include "common/gpu/model/traffic.h"
#include "common/sim/gpu.h"

namespace lab::model {

struct Work {
  std::uint64_t blocks = 0, warps_per_block = 0;
  std::uint64_t resident_blocks = 1;  // of a multiprocessor at once
  std::uint64_t wavefronts = 0;       // of shared memory, as ptxas makes the accesses
  std::uint64_t of_ptx = 0;  // instructions of warps as the PTX has them: what the simulator executes
  Traffic traffic;
};
// All of them, in the order of the records that `lab run` passes on.
template <class OfWork>
requires std::same_as<std::remove_const_t<OfWork>, Work>
[[nodiscard]] auto numbers_of(OfWork& w) {
  return std::apply(
      [&](auto*... of_traffic) {
        return std::array{&w.blocks, &w.warps_per_block, &w.resident_blocks,
                          &w.of_ptx, &w.wavefronts,      of_traffic...};
      },
      traffic_numbers(w.traffic));
}
[[nodiscard]] Work work_of(const device::GpuData& gpu, const sim::Program& program,
                           const sim::LaunchConfig& config, const sim::Counters& as_ptxas,
                           const Traffic& traffic);

enum class Part : std::uint8_t { Dram, L2, Atomics, L1, Issue, Starts, Waits };
inline constexpr std::size_t kParts = 7;
struct PartInfo {
  const char *key, *words;
};
inline constexpr std::array<PartInfo, kParts> kPartInfo = {{
    {"dram", /* message */ "bytes of DRAM"},
    {"l2", /* message */ "sectors of L2"},
    {"atomics", /* message */ "atomics on few places"},
    {"l1", /* message */ "passes of shared memory and L1"},
    {"issue", /* message */ "instructions of warps"},
    {"starts", /* message */ "blocks that start one after the other"},
    {"waits", /* message */ "waiting: too little on its way"},
}};

// "launch" of the launch itself.
[[nodiscard]] constexpr PartInfo part_info(std::size_t bound) {
  return bound < kParts ? kPartInfo[bound] : PartInfo{"launch", /* message */ "the launch itself"};
}

struct Prediction {
  std::array<double, kParts> seconds{};  // of each part alone
  // What each adds to the time while the slower ones work: parts of a GPU work at the same time, and hold
  // each other up. With what begins and ends a launch, these make the total.
  std::array<double, kParts> added{};
  [[nodiscard]] double launch() const;
  // The part that needs most alone: what binds multiprocessors that have a block.
  [[nodiscard]] std::size_t slowest() const;
  // What the profiler shows: percent of what a unit can do, a mean over the whole GPU, over the whole launch.
  std::array<double, kParts> busy{};
  // The part that is busy most, if that is 60 % at least; else what the launch waits for. kParts: the launch
  // itself.
  std::size_t bound = kParts;
  double total = 0;   // from one launch to the next
  double kernel = 0;  // of these the kernel alone, as a profiler counts them
};
// All but `bound` and `added`, in the order of the records of `lab run`.
template <class OfPrediction>
requires std::same_as<std::remove_const_t<OfPrediction>, Prediction>
[[nodiscard]] auto numbers_of(OfPrediction& p) {
  std::array<decltype(&p.total), 2 * kParts + 2> all{&p.total, &p.kernel};
  for (std::size_t part = 0; part < kParts; ++part) {
    all[2 + part] = &p.seconds[part];
    all[2 + kParts + part] = &p.busy[part];
  }
  return all;
}
[[nodiscard]] Prediction predict(const Work& work, const device::GpuData& gpu);

}  // namespace lab::model
