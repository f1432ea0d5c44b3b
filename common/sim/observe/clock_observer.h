// What the clocks of a kernel (%clock64, %globaltimer) know beside the instructions: accesses that took
// longer.
//
// Enters: accesses of a kernel that reads a clock. Leaves: for each resident block the wavefronts and sectors
// beyond the first of each access, one tick each. Assumption, not measured: it makes the order right (a load
// with bank conflicts takes longer than one without), not the distance.
#pragma once

#include <vector>

#include "common/sim/base/observer.h"

namespace lab::sim {

class ClockObserver final : public Observer {
 public:
  [[nodiscard]] std::unique_ptr<Observer> clone() const override;
  void block_begin(std::uint32_t slot, const WarpPlace& place) override;
  void access(std::uint32_t slot, const Access& access) override;

  [[nodiscard]] std::uint64_t clock_ticks(std::uint32_t slot) const override {
    return slot < ticks_.size() ? ticks_[slot] : 0;
  }

 private:
  std::vector<std::uint64_t> ticks_;  // by slot
};

}  // namespace lab::sim
