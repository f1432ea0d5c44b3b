// Times a kernel on several GPUs at once, beside copies of what crosses the link.
//
// Enters: a GPU with others together with it (device.h), a problem. Leaves: times, or why there are none. All
// GPUs begin when the clock of GPU 0 is read, and it is read again when all have ended: a GPU goes on to its
// next repeat without waiting for the others, in the kernel as in the copy.
#pragma once

#include <memory>
#include <vector>

#include "common/course/judge/stopwatch.h"

namespace lab::judge {

class SplitStopwatch {
 public:
  // Makes and fills the buffers. Throws std::bad_alloc, DeviceError; ShapeError when there are too few GPUs.
  SplitStopwatch(device::Gpu& gpu, int gpus, const Problem& problem, const StopwatchOptions& options = {});

  // What the GPU that sends most sends to the others.
  [[nodiscard]] std::uint64_t crossing_bytes() const;
  // The yardstick: each GPU copies as many bytes to each other one, in one piece, all at the same time.
  [[nodiscard]] Timed copy();
  // Once on each GPU and once on all at the same time, each with every element, guard zones and `in`
  // compared; then timed. Throws LoadError, ShapeError.
  [[nodiscard]] Timed kernel(const device::Image& image, const LaunchShape& shape, const Target& target);

 private:
  using Parts = std::vector<std::unique_ptr<device::Buffer>>;  // by GPU
  struct Pair {
    Parts in, out;
    std::vector<device::Address> begins;  // of the parts of `out`, behind their guard zones
  };
  [[nodiscard]] std::uint64_t bytes(std::int64_t elems) const;
  [[nodiscard]] std::uint64_t in_bytes(int gpu) const;
  [[nodiscard]] std::uint64_t out_bytes(int gpu) const;
  [[nodiscard]] std::uint64_t crossing_bytes(int gpu) const;  // what it sends to the others
  [[nodiscard]] Pair make_pair();
  void poison(const Pair& pair);
  [[nodiscard]] device::TimedWork work_of(int gpu, const device::Kernel& kernel, const LaunchShape& shape,
                                          const Target& target) const;
  [[nodiscard]] Message what_is_wrong();  // with the first pair

  device::Gpu& gpu_;
  const int gpus_;
  Problem problem_;
  StopwatchOptions options_;
  Words words_;
  unsigned threads_;
  std::vector<std::byte> input_, seen_;
  std::vector<Pair> pairs_;
};

}  // namespace lab::judge
