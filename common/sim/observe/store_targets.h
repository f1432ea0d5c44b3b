// Global memory that the TMA unit may still write: targets of bulk stores until their thread has waited for
// all of it. cp.async.bulk.wait_group.read waits for the source alone.
//
// Enters: stores as they start, what their threads have waited for, accesses to global memory. Leaves: the
// store that an access comes too early for. Of blocks that talk, those of a block that has exited stay: only
// the end of the kernel is a wait for them.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "common/sim/base/access.h"

namespace lab::sim {

class StoreTargets {
 public:
  void clear() { blocks_.clear(), left_.clear(), count_ = 0; }
  [[nodiscard]] bool any() const { return count_ != 0; }
  void begin_block(std::uint32_t slot);
  void start(std::uint32_t slot, const BulkCopy& copy, std::uint32_t group);
  void waited(std::uint32_t slot, std::uint32_t thread, std::uint32_t groups);
  void end_block(std::uint32_t slot, bool stay);
  // Whether the access touches such a target; `lane` and `pc` (of the store) are set then.
  [[nodiscard]] bool touches(const Access& access, std::uint32_t& lane, std::uint32_t& pc) const;

 private:
  struct Target {
    std::uint64_t low = 0, high = 0;                            // of all runs
    std::vector<std::pair<std::uint64_t, std::uint64_t>> runs;  // first byte, and the one behind the last
    std::uint32_t pc = 0, thread = 0, group = 0;
  };
  // What is never waited for may grow without end: the oldest are let go.
  static constexpr std::size_t kMostOfBlock = 64, kMostLeft = 1024;
  void count();

  std::vector<std::vector<Target>> blocks_;  // by slot
  std::vector<Target> left_;
  std::size_t count_ = 0;
};

}  // namespace lab::sim
