// Counts what every executed access costs, per instruction, and sums it up per source line and in total.
//
// Enters: accesses, through the observer hooks. Leaves: Counters and LineCounters. Each host thread has its
// own flat array, one row an instruction; sums do not depend on the order in which threads are merged.
#pragma once

#include <array>
#include <vector>

#include "common/sim/base/observer.h"
#include "common/sim/observe/counters.h"

namespace lab::sim {

class CounterObserver final : public Observer {
 public:
  [[nodiscard]] std::unique_ptr<Observer> clone() const override;
  void merge(const Observer& other) override;
  void launch_begin(const LaunchInfo& info) override;
  void access(std::uint32_t slot, const Access& access) override;
  void copy(std::uint32_t slot, const Copy& copy) override;

  [[nodiscard]] Counters totals() const;
  // Sorted by file, line, op; lines of several instructions are summed.
  [[nodiscard]] std::vector<LineCounters> lines(const Program& program) const;

 private:
  // Rows of one instruction, in the order of their names in LineCounters::op.
  enum Kind : std::uint8_t {
    GlobalAtomic,
    GlobalLoad,
    GlobalStore,
    LocalLoad,
    LocalStore,
    SharedAtomic,
    SharedLoad,
    SharedStore,
    None
  };
  struct Row {
    std::uint64_t requests = 0, cost = 0, ideal_cost = 0, active_lanes = 0;
  };
  using Rows = std::array<Row, 8>;

  [[nodiscard]] static Kind kind_of(const Access& access);
  void add_shared(Row& row, const Access& access) const;
  static void add(Counters& counters, Kind kind, const Row& row);

  const Program* program_ = nullptr;  // of the launch that is being counted
  std::vector<Rows> rows_;            // by pc
};

}  // namespace lab::sim
