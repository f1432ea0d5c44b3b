// Times kernels, copies and cuBLAS on a GPU, on matrices that are verified first.
//
// Enters: a GPU, a problem. Leaves: for each contender its times, or why there are none: a kernel that is
// wrong or that the GPU stops is never timed. One Stopwatch holds the buffers of one problem.
#pragma once

#include <memory>
#include <vector>

#include "common/course/judge/pattern.h"
#include "common/course/judge/problem.h"
#include "common/course/judge/subject.h"
#include "common/course/judge/timing.h"
#include "common/gpu/device/gpu.h"

namespace lab::judge {

struct StopwatchOptions {
  int samples = 20;
  double sample_seconds = 0.002;  // about
};

// One contender on one problem.
struct Timed {
  Message problem;  // why there is no time, a whole sentence; "" when there is one
  Spread seconds;   // of one transpose
  int repeats = 0;  // in a sample
};

// Tries the work, then takes as many repeats as a sample needs.
[[nodiscard]] Timed measured(device::Gpu& gpu, std::span<const device::TimedWork> by_gpu,
                             const StopwatchOptions& options);
// Works until the clocks have come up.
void settle(device::Gpu& gpu, std::span<const device::TimedWork> by_gpu);
// What the GPU has room for.
[[nodiscard]] std::uint64_t room_bytes(const device::Gpu& gpu);

class Stopwatch {
 public:
  // Makes and fills the buffers. Throws std::bad_alloc when not even one pair fits, DeviceError.
  Stopwatch(device::Gpu& gpu, const Problem& problem, const StopwatchOptions& options = {});

  [[nodiscard]] int pairs() const { return static_cast<int>(pairs_.size()); }
  // Bytes read and written by one transpose.
  [[nodiscard]] std::uint64_t bytes() const { return problem_.in_bytes() + problem_.out_bytes(); }

  // A device-to-device copy of `in`, the yardstick. `settle`: first until the clocks have come up.
  [[nodiscard]] Timed copy(bool settle = false);
  // Poisons `out`, launches once, compares every element, guard zones and `in`; then times.
  [[nodiscard]] Timed kernel(const device::Kernel& kernel, const LaunchShape& shape,
                             const Target& target = {});
  // NVIDIA's transpose, `geam`.
  [[nodiscard]] Timed cublas();

 private:
  struct Pair {
    std::unique_ptr<device::Buffer> in, out;
  };
  void make_pairs();
  void poison(const Pair& pair);
  [[nodiscard]] device::Address out_of(const Pair& pair) const;
  [[nodiscard]] Message what_is_wrong();         // with the output of the first pair
  [[nodiscard]] Message what_is_wrong_finite();  // the same for arithmetic: NaN and the like are left out

  device::Gpu& gpu_;
  Problem problem_;
  StopwatchOptions options_;
  Words words_;
  unsigned threads_;
  std::vector<std::byte> input_, seen_;
  std::vector<Pair> pairs_;
};

}  // namespace lab::judge
