// The simulated clock: when work on streams begins and ends.
//
// Enters: what each piece of work moved and executed, and the stream it was handed to. Leaves: seconds since
// the start of the program, for events. It is a bound, not a measurement: the larger of memory time and
// instruction time, plus a fixed cost a launch; the predicted time where launches are timed (`--time`). It
// never goes back and never depends on the machine that simulates.
#pragma once

#include <array>
#include <cstdint>

#include "common/gpu/device/gpu_data.h"
#include "common/sim/gpu.h"

namespace lab::cudart {

using device::GpuData;

// When the last work of a stream will be done.
struct StreamClock {
  double ready = 0;
  bool blocks = true;  // waits for the legacy default stream and the other way round
  int device = 0;      // these two rules hold among streams of one GPU
};

class Timeline {
 public:
  explicit Timeline(const GpuData& gpu) : gpu_(gpu) {}

  // Work that takes `seconds`; `legacy`: the legacy default stream, which all blocking streams wait for.
  void add(StreamClock& stream, bool legacy, double seconds);
  // The host waits until then.
  void host_waits_for(double moment);
  [[nodiscard]] double end_of(int device) const { return of(device).latest; }
  // A copy between two GPUs waits for all work of both, and later work of both for the copy.
  void wait_for_device(StreamClock& stream, int device) const;
  void hold_device(const StreamClock& stream, int device);

  [[nodiscard]] double kernel_seconds(const sim::LaunchResult& result) const;
  enum class Road : std::uint8_t { Memory, Link, Bus };  // inside a GPU, between two, to the host
  [[nodiscard]] double copy_seconds(std::uint64_t bytes, Road road) const;

 private:
  struct OfDevice {
    double legacy_ready = 0;    // of the legacy default stream
    double blocking_ready = 0;  // latest of all blocking streams
    double latest = 0;
  };
  [[nodiscard]] const OfDevice& of(int device) const { return devices_.at(static_cast<std::size_t>(device)); }
  [[nodiscard]] OfDevice& of(int device) { return devices_.at(static_cast<std::size_t>(device)); }

  const GpuData& gpu_;
  double host_ = 0;  // when the host hands over the next piece
  std::array<OfDevice, sim::kMostDevices> devices_{};
};

}  // namespace lab::cudart
