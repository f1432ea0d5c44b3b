// The block whose requests on one source line waste most: what a picture of a failure must show.
//
// Enters: an observed launch, a line and a path. Leaves: the number of that block and its accesses.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/sim/observe/recorder.h"

namespace lab::explore {

class WorstBlock final : public sim::Observer {
 public:
  WorstBlock(int line, sim::Path path) : line_(line), path_(path) {}
  [[nodiscard]] std::uint64_t index() const { return best_.index; }
  // The accesses of every instruction of that block, in the order of execution.
  [[nodiscard]] const std::vector<sim::RecordedAccess>& recorded() const { return best_.accesses; }

  [[nodiscard]] std::unique_ptr<sim::Observer> clone() const override;
  void merge(const sim::Observer& other) override;
  void launch_begin(const sim::LaunchInfo& info) override;
  void block_begin(std::uint32_t slot, const sim::WarpPlace& place) override;
  void access(std::uint32_t slot, const sim::Access& access) override;
  void block_end(std::uint32_t slot, const sim::WarpPlace& place) override;

 private:
  struct Block {
    std::uint64_t index = 0, waste = 0;
    std::vector<sim::RecordedAccess> accesses;
    std::vector<std::uint32_t> orders;  // by pc
  };
  void take(Block& block);
  int line_;
  sim::Path path_;
  std::vector<bool> blamed_;   // by pc: on the line
  std::vector<Block> blocks_;  // by slot
  Block best_;
  bool any_ = false;
};

}  // namespace lab::explore
