// An observer of a large launch that is not counted: how many bytes it moves in global memory.
//
// Enters: accesses and bulk copies. Leaves: their bytes, loads and stores together. A launch that moves
// each element once each way has no blocks that meet (trial.cpp); this check costs less than counting.
#pragma once

#include <cstdint>
#include <memory>

#include "common/sim/base/observer.h"

namespace lab::judge {

class MovedBytes final : public sim::Observer, public sim::Policy {
 public:
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

  [[nodiscard]] std::unique_ptr<sim::Observer> clone() const override {
    return std::make_unique<MovedBytes>();
  }
  void merge(const sim::Observer& other) override { bytes_ += dynamic_cast<const MovedBytes&>(other).bytes_; }
  [[nodiscard]] sim::Policy& policy() override { return *this; }
  [[nodiscard]] sim::Beginnings ignored_range(std::uint32_t /*pc*/, sim::Space space,
                                              std::uint32_t /*width_bytes*/, std::uint64_t /*at*/) override {
    return space == sim::Space::Shared ? sim::kEverywhere : sim::Beginnings{};
  }
  [[nodiscard]] sim::Repeats repeats() const override { return sim::Repeats::SinceBarrier; }
  void access(std::uint32_t slot, const sim::Access& access) override;
  void bulk(std::uint32_t slot, const sim::BulkCopy& copy) override;

 private:
  std::uint64_t bytes_ = 0;
};

}  // namespace lab::judge
