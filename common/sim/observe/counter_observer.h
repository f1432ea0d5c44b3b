// Counts what every executed access costs, per instruction, and sums it up per source line and in total.
//
// Enters: accesses, through the observer hooks. Leaves: Counters and LineCounters. Each host thread has its
// own flat array, one row per instruction; sums do not depend on the order in which threads are merged.
#pragma once

#include <array>
#include <vector>

#include "common/sim/base/observer.h"
#include "common/sim/observe/access_analysis.h"
#include "common/sim/observe/counters.h"

namespace lab::sim {

class MergePlan;  // common/sim/analysis/merge_plan.h

class CounterObserver final : public Observer {
 public:
  enum class Of : std::uint8_t { Text, MachineCode };
  // Counts the accesses as the PTX has them, or those that `ptxas` makes of them (analysis/merge_plan.h).
  explicit CounterObserver(Of of = Of::Text) : of_(of) {}
  [[nodiscard]] std::unique_ptr<Observer> clone() const override;
  void merge(const Observer& other) override;
  void launch_begin(const LaunchInfo& info) override;
  void access(std::uint32_t slot, const Access& access) override;
  [[nodiscard]] RampPriced* priced(std::uint32_t pc) override {
    return plan_ == nullptr && memory_ == nullptr ? &ramps_[pc].of : nullptr;
  }
  void copy(std::uint32_t slot, const Copy& copy) override;
  void bulk(std::uint32_t slot, const BulkCopy& copy) override;
  void product(std::uint32_t slot, const ProductRead& read) override;

  [[nodiscard]] Counters totals() const;
  // One instruction so far.
  [[nodiscard]] PathCounters at(std::size_t pc, Path path) const;
  // Sorted by file, line, op; lines of several instructions are summed.
  [[nodiscard]] std::vector<LineCounters> lines(const Program& program) const;

 private:
  void count(const Access& access);
  void count_link(const Access& access);
  void add(const Access& access, Rule rule, PathCounters& sum) const;

  using Rows = std::array<PathCounters, kPaths>;  // of one instruction

  // The last accesses of an instruction, a ramp or two halves, and one of another shape, by all lanes. In shared
  // memory the cost does not depend on the word where it begins, in global memory on where in a sector that lies.
  struct RampCost {
    RampPriced of;
    PathCounters each;
  };
  struct Shape {
    std::array<std::uint32_t, kWarpLanes> behind_first{};  // bytes
    std::uint8_t width_bytes = 0, in_word = 0;
    Path path = Path::SharedLoad;
    std::array<PathCounters, kSectorBytes / kBankBytes> each;  // by the word of a sector where it begins
  };
  [[nodiscard]] PathCounters* price_of_shape(const Access& access);

  Of of_;
  const MergePlan* plan_ = nullptr;   // of machine code
  const Program* program_ = nullptr;  // of the launch that is being counted
  const Memory* memory_ = nullptr;    // of several GPUs
  std::vector<Rows> rows_;            // by pc
  std::vector<RampCost> ramps_;       // by pc
  std::vector<Shape> shapes_;         // by pc
};

}  // namespace lab::sim
