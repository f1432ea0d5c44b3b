// Finds shared-memory races: two threads, one place, at least one of them writes, and nothing orders them.
//
// Enters: accesses, barriers, warp synchronisations. Leaves: FaultError (SharedRace; MissingSyncwarp inside
// one warp) that names both threads, both lines, the place, and the call that is missing.
//
// What orders two accesses: the same thread; a barrier of the whole block; inside a warp a __syncwarp whose
// mask holds both lanes. That a warp happens to run in step orders nothing, neither here nor on hardware
// since Volta. Atomics do not race with atomics; `relaxed`, `acquire` and `release` accesses count as
// atomics, `volatile` ones do not; so does the read before a compare-and-swap loop, whose value the swap
// checks (cas_reads.h). Stores of the same value to one place do not race (see race_shadow.h).
// A named barrier of some warps (bar.sync 1, 64) counts for the whole block: whoever it does not join is
// taken to be in order too, so a race between the others may stay unseen, and nobody is accused wrongly.
// Hand-made synchronisation with flags orders nothing here: such kernels are told of a race that they may
// have excluded.
#pragma once

#include <memory>
#include <vector>

#include "common/sim/base/observer.h"
#include "common/sim/observe/race_shadow.h"

namespace lab::sim {

class RaceCheck final : public Observer {
 public:
  [[nodiscard]] std::unique_ptr<Observer> clone() const override;
  void launch_begin(const LaunchInfo& info) override;
  void block_begin(std::uint32_t slot, const WarpPlace& place) override;
  void access(std::uint32_t slot, const Access& access) override;
  void barrier(std::uint32_t slot) override;
  void warp_sync(std::uint32_t slot, std::uint32_t warp, Mask mask) override;

 private:
  // An instruction that touches shared memory; numbered when first seen, so that tables stay small.
  struct Site {
    std::uint32_t number = 0;  // 0: not seen yet
    bool strong = false;       // relaxed, acquire, release
  };
  [[nodiscard]] Site& site_of(std::uint32_t pc);
  [[noreturn]] void report(const Access& access, Touch how, const Collision& collision) const;

  LaunchInfo launch_;
  std::vector<Site> sites_;  // by pc
  std::uint32_t site_count_ = 0;
  std::vector<std::unique_ptr<RaceShadow>> slots_;
};

}  // namespace lab::sim
