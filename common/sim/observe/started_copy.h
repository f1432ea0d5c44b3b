// A cp.async between two reports: it is reported before the access that says whose it is.
//
// Enters: Observer::copy. Leaves: its lanes and targets, once, at the first access of Path::GlobalAsync;
// those of its shorter lanes follow, and say nothing new.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "common/sim/base/lanes.h"

namespace lab::sim {

class StartedCopy {
 public:
  void start(const Copy& copy) {
    reads_ = copy.reads;
    lane_bytes_ = copy.width_bytes;
    for (const std::uint32_t lane : lanes_of(copy.mask)) to_[lane] = copy.to[lane];
    started_ = true;
  }
  [[nodiscard]] bool take() { return std::exchange(started_, false); }  // true for the first access
  [[nodiscard]] Mask reads() const { return reads_; }                   // lanes that read anything
  [[nodiscard]] std::uint32_t lane_bytes() const { return lane_bytes_; }
  [[nodiscard]] std::uint64_t target(std::uint32_t lane) const { return to_[lane]; }

 private:
  Mask reads_ = 0;
  std::uint32_t lane_bytes_ = 0;
  std::array<std::uint64_t, kWarpLanes> to_{};
  bool started_ = false;
};

}  // namespace lab::sim
