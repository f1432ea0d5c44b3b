// An observer of a judged run: how many bytes the hardware turned on their way into the tile or out of it.
//
// Enters: accesses. Leaves: bytes that ldmatrix.trans and stmatrix.trans moved, and whether the kernel has a
// movmatrix, which turns between registers and is no access.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/sim/base/observer.h"

namespace lab::course {

class MatrixTurns final : public sim::Observer {
 public:
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] bool between_registers() const { return between_registers_; }

  [[nodiscard]] std::unique_ptr<sim::Observer> clone() const override {
    return std::make_unique<MatrixTurns>();
  }
  void merge(const sim::Observer& other) override;
  void launch_begin(const sim::LaunchInfo& info) override;
  void access(std::uint32_t slot, const sim::Access& access) override;

 private:
  std::vector<bool> turns_;  // by pc
  std::uint64_t bytes_ = 0;
  bool between_registers_ = false;
};

}  // namespace lab::course
