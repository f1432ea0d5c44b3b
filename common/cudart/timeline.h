// The simulated clock: when work on streams begins and ends.
//
// Enters: what each piece of work moved and executed, and the stream it was handed to. Leaves: seconds since
// the start of the program, for events. It is a bound, not a measurement: the larger of memory time and
// instruction time, plus a fixed cost a launch. It never goes back and never depends on the machine that
// simulates.
#pragma once

#include <cstdint>

#include "common/device/gpu_data.h"
#include "common/sim/gpu.h"

namespace lab::cudart {

// When the last work of a stream will be done.
struct StreamClock {
  double ready = 0;
  bool blocks = true;  // waits for the legacy default stream and the other way round
};

class Timeline {
 public:
  explicit Timeline(const GpuData& gpu) : gpu_(gpu) {}

  // Work that takes `seconds`; `legacy`: the legacy default stream, which all blocking streams wait for.
  void add(StreamClock& stream, bool legacy, double seconds);
  // The host waits until then.
  void host_waits_for(double moment);
  [[nodiscard]] double end_of_everything() const { return latest_; }

  [[nodiscard]] double kernel_seconds(const sim::LaunchResult& result) const;
  [[nodiscard]] double copy_seconds(std::uint64_t bytes, bool over_the_bus) const;

 private:
  const GpuData& gpu_;
  double host_ = 0;            // when the host hands over the next piece
  double legacy_ready_ = 0;    // of the legacy default stream
  double blocking_ready_ = 0;  // latest of all blocking streams
  double latest_ = 0;
};

}  // namespace lab::cudart
