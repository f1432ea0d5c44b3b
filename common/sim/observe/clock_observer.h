// What the clocks of a kernel (%clock64, %globaltimer) know beside the instructions: accesses that took
// longer.
//
// Enters: accesses of a block of a kernel that reads a clock. Leaves: their wavefronts and sectors beyond the
// first of each access, one tick each. Assumption, not measured: it makes the order right (a load with bank
// conflicts takes longer than one without), not the distance.
#pragma once

#include "common/sim/base/observer.h"

namespace lab::sim {

// Each resident block has its own.
class ClockObserver final : public Observer {
 public:
  [[nodiscard]] std::unique_ptr<Observer> clone() const override;
  void block_begin(std::uint32_t /*slot*/, const WarpPlace& /*place*/) override { ticks_ = 0; }
  void access(std::uint32_t slot, const Access& access) override;

  [[nodiscard]] std::uint64_t ticks() const { return ticks_; }

 private:
  std::uint64_t ticks_ = 0;
};

}  // namespace lab::sim
