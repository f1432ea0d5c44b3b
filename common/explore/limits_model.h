// The bound model of `lab limits`: a launch takes as long as the slowest of four parts of a GPU.
//
// Enters: the counters of a run, a GPU of data/gpus. Leaves: seconds that each part needs alone, the one that
// binds, and their prediction. docs/limits.md says how far off that is; tools/limits.py calibrates the rates.
#pragma once

#include <array>
#include <cstddef>

#include "common/device/gpu_data.h"
#include "common/judge/run.h"

namespace lab::explore {

inline constexpr std::size_t kParts = 4;
using Parts = std::array<double, kParts>;

struct PartName {
  const char *key, *words, *unit;
};
inline constexpr std::array<PartName, kParts> kPartNames = {{
    {"dram", /* message */ "DRAM bytes", "B/s"},
    {"l2", /* message */ "sectors written to L2", "/s"},
    {"shared", /* message */ "shared wavefronts", "/s"},
    {"issue", /* message */ "instructions of warps", "/s"},
}};

inline constexpr double kLaunchSeconds = 2e-6;  // an assumption, far below every time it was judged on

// What a launch asks of each part, `scale` times over.
[[nodiscard]] Parts work_of(const judge::Run& run, double scale);

struct Rates {
  Parts per_second{};
  bool measured = false;  // else scaled by the data sheet
};
// A GPU that was not measured takes the H200's rates: DRAM by bandwidth, the rest by multiprocessors times
// clock.
[[nodiscard]] Rates rates_of(const cudart::GpuData& gpu);

struct Prediction {
  Parts seconds{};        // of each part alone
  std::size_t bound = 0;  // the slowest
  double total = 0;       // with the launch
};
[[nodiscard]] Prediction predict(const Parts& work, const Rates& rates);

}  // namespace lab::explore
