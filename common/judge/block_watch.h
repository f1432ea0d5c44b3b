// An observer of a counted run: who does nothing, and how many neighbours stand side by side in a request.
//
// Enters: accesses. Leaves: blocks that write nothing to global memory; warps that have next to no part in
// what their block moves; and, request by request, how many places the lanes touch and in how many runs of
// neighbours these lie, for what is read and what is written.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/sim/base/observer.h"

namespace lab::judge {

// A warp is idle when it moves less than this part of what the busiest warp of its block moves, and asks for
// no bulk copy. One warp that copies for all others of a block moves some ten times as much as each of them.
inline constexpr std::uint64_t kLeastPart = 16;

// What the lanes of plain loads, cp.async or stores touch, request by request: the bytes, and of these the
// ones that belong to a lane with nobody on its left. The mean is how many lanes stand side by side in a row
// of the matrix.
struct SideBySide {
  std::uint64_t bytes = 0, first = 0;
  [[nodiscard]] double mean() const {
    return first == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(first);
  }
  void operator+=(const SideBySide& other) { bytes += other.bytes, first += other.first; }
};

struct BlockFindings {
  std::uint64_t idle_blocks = 0;
  std::uint64_t idle_warps = 0, warps = 0;  // of blocks that move anything
  SideBySide read, written;                 // of global memory
  // Of several launches that do the same: those of one.
  [[nodiscard]] BlockFindings of_one(std::uint64_t launches) const {
    return {idle_blocks / launches,
            idle_warps / launches,
            warps / launches,
            {read.bytes / launches, read.first / launches},
            {written.bytes / launches, written.first / launches}};
  }
};

class BlockWatch final : public sim::Observer {
 public:
  [[nodiscard]] const BlockFindings& findings() const { return found_; }

  [[nodiscard]] std::unique_ptr<sim::Observer> clone() const override {
    return std::make_unique<BlockWatch>();
  }
  void merge(const sim::Observer& other) override;
  void launch_begin(const sim::LaunchInfo& info) override;
  void block_begin(std::uint32_t slot, const sim::WarpPlace& place) override;
  void access(std::uint32_t slot, const sim::Access& access) override;
  void bulk(std::uint32_t slot, const sim::BulkCopy& copy) override;
  void block_end(std::uint32_t slot, const sim::WarpPlace& place) override;

 private:
  struct Block {
    bool writes = false;
    std::vector<std::uint64_t> bytes;  // moved, by warp
    std::vector<std::uint8_t> asks;    // for a bulk copy, by warp
  };
  std::size_t warps_ = 0;      // of a block
  std::vector<Block> blocks_;  // by slot
  BlockFindings found_;
};

}  // namespace lab::judge
