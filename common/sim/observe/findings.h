// A check that notes what it finds and lets the kernel go on, as the tools for whole programs do.
//
// Enters: any observer that throws FaultError from a callback. Leaves: the faults as a list, one an
// instruction, each that of the lowest block. After a finding the check does not see further accesses of that
// instruction in that block.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "common/sim/base/observer.h"

namespace lab::sim {

class Findings final : public Observer, public Policy {
 public:
  explicit Findings(std::unique_ptr<Observer> check) : check_(std::move(check)) {}
  [[nodiscard]] std::unique_ptr<Observer> clone() const override;
  void merge(const Observer& other) override;
  void launch_begin(const LaunchInfo& info) override { check_->launch_begin(info); }
  [[nodiscard]] Policy& policy() override { return *this; }
  [[nodiscard]] bool follows_values() const override { return check_->follows_values(); }
  [[nodiscard]] bool values() const override { return check_->policy().values(); }
  void block_begin(std::uint32_t slot, const WarpPlace& place) override;
  void access(std::uint32_t slot, const Access& access) override;
  [[nodiscard]] Beginnings ignored_range(std::uint32_t pc, Space space, std::uint32_t width_bytes,
                                         std::uint64_t at) override {
    return check_->policy().ignored_range(pc, space, width_bytes, at);
  }
  [[nodiscard]] bool may_wait(bool writes) override { return check_->policy().may_wait(writes); }
  [[nodiscard]] Repeats repeats() const override { return check_->policy().repeats(); }
  [[nodiscard]] bool found_nothing(std::uint32_t slot) const override {
    return silenced_[slot].empty() && check_->policy().found_nothing(slot);
  }
  void copy(std::uint32_t slot, const Copy& copy) override;
  void frame(std::uint32_t slot, std::uint32_t warp, Mask lanes, const LocalFrame& made) override {
    check_->frame(slot, warp, lanes, made);
  }
  void barrier(std::uint32_t slot) override { check_->barrier(slot); }
  void warp_sync(std::uint32_t slot, std::uint32_t warp, Mask mask) override {
    check_->warp_sync(slot, warp, mask);
  }
  void fence(std::uint32_t slot, std::uint32_t warp, Mask lanes, bool whole_warp, Scope scope) override {
    check_->fence(slot, warp, lanes, whole_warp, scope);
  }
  void meet(std::uint32_t slot, const Meeting& meeting, bool whole_warp) override {
    check_->meet(slot, meeting, whole_warp);
  }
  void bulk(std::uint32_t slot, const BulkCopy& copy) override;
  void engine(std::uint32_t slot, const EngineEvent& event) override;
  void block_end(std::uint32_t slot, const WarpPlace& place) override;

  // In the order of the program's instructions.
  [[nodiscard]] std::vector<Fault> list() const;

 private:
  template <class Act>
  void watched(std::uint32_t slot, std::uint32_t pc, const Act& act);
  void note(std::uint32_t pc, const Fault& fault);

  std::unique_ptr<Observer> check_;
  std::map<std::uint32_t, Fault> found_;           // by pc
  std::vector<std::set<std::uint32_t>> silenced_;  // by slot: pcs that are done with in this block
};

}  // namespace lab::sim
