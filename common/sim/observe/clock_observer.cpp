// Ticks of accesses that take longer. See clock_observer.h.
#include "common/sim/observe/clock_observer.h"

#include "common/sim/observe/access_analysis.h"

namespace lab::sim {

std::unique_ptr<Observer> ClockObserver::clone() const { return std::make_unique<ClockObserver>(); }

void ClockObserver::access(std::uint32_t /*slot*/, const Access& access) {
  std::uint64_t cost = 1;
  if (access.space == Space::Shared) cost = shared_cost(access).wavefronts;
  if (access.space == Space::Global) cost = global_cost(access).sectors;
  if (cost > 1) ticks_ += cost - 1;
}

}  // namespace lab::sim
