// Keeps the addresses of some accesses for pictures and for "what if": the first requests of each
// instruction.
//
// Enters: accesses. Leaves: RecordedAccess, sorted by instruction, block, warp and order. Which ones are kept
// does not depend on host threads: those with the smallest block, then warp, then order.
#pragma once

#include <array>
#include <vector>

#include "common/sim/base/observer.h"

namespace lab::sim {

struct RecordedAccess {
  std::uint32_t pc = 0;
  WarpPlace place;
  std::uint32_t order = 0;  // counts the executions of this instruction within the block
  Space space = Space::Global;
  Path path = Path::GlobalLoad;
  std::uint8_t width_bytes = 4;
  bool over_link = false;  // some of it lies in another GPU's memory
  [[nodiscard]] bool acts(std::size_t lane) const { return ((mask >> lane) & 1u) != 0; }
  Mask mask = 0;
  std::array<std::uint64_t, kWarpLanes>
      address{};  // 0 for inactive lanes; offsets in shared and local memory
};

struct RecordFilter {
  std::vector<int> lines;  // source lines; empty: all
  std::uint32_t requests_per_instruction = 64;
  std::uint32_t pieces_per_instruction = 128;  // of bulk copies: 16 bytes each, on either side
};

class Recorder final : public Observer, public Policy {
 public:
  explicit Recorder(RecordFilter filter = {}) : filter_(std::move(filter)) {}
  [[nodiscard]] std::unique_ptr<Observer> clone() const override;
  void merge(const Observer& other) override;
  void launch_begin(const LaunchInfo& info) override;
  void block_begin(std::uint32_t slot, const WarpPlace& place) override;
  [[nodiscard]] Policy& policy() override { return *this; }
  [[nodiscard]] bool pieces(std::uint32_t pc, const WarpPlace& place) const override {
    return may_keep(pc, place.block_index);
  }
  void access(std::uint32_t slot, const Access& access) override;

  [[nodiscard]] std::vector<RecordedAccess> recorded() const;

 private:
  using Kept = std::vector<RecordedAccess>;  // sorted, at most requests_per_instruction
  // Not so once a later block than all that are kept comes: the common case.
  [[nodiscard]] std::size_t most_of(const RecordedAccess& record) const {
    return info(record.path).rule == Rule::BothSides ? filter_.pieces_per_instruction
                                                     : filter_.requests_per_instruction;
  }
  [[nodiscard]] bool may_keep(std::uint32_t pc, std::uint64_t block_index) const;
  void keep(Kept& kept, const RecordedAccess& record) const;

  RecordFilter filter_;
  const Memory* memory_ = nullptr;                  // of several GPUs
  std::vector<bool> wanted_;                        // by pc
  std::vector<Kept> kept_;                          // by pc
  std::vector<std::vector<std::uint32_t>> orders_;  // by slot and pc
};

}  // namespace lab::sim
