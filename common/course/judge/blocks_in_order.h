// An observer of a judged run: do blocks that start together write neighbours?
//
// Enters: stores to global memory. Leaves: pages of 4 KiB, counted from the first byte that is written, that
// each group of successive blocks writes, and how many the same bytes would fill: half of what its widest
// block writes alone at least, as no order makes these fewer and twice the least is allowed. A group is 32
// blocks, or a quarter of a launch that has fewer than four groups. Blocks start in the order of their
// number, x fastest; what they write lies in caches and DRAM beside what others write at the same time.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "common/sim/base/observer.h"

namespace lab::judge {

inline constexpr std::uint64_t kPageBytes = 4096, kTogether = 32;

struct OrderFindings {
  std::uint64_t pages = 0, least = 0;  // over all groups
  std::uint64_t groups = 0, blocks_of_group = 0;
};

class BlocksInOrder final : public sim::Observer {
 public:
  [[nodiscard]] OrderFindings findings() const;

  [[nodiscard]] std::unique_ptr<sim::Observer> clone() const override {
    return std::make_unique<BlocksInOrder>();
  }
  void merge(const sim::Observer& other) override;
  void launch_begin(const sim::LaunchInfo& info) override;
  void block_begin(std::uint32_t slot, const sim::WarpPlace& place) override;
  void access(std::uint32_t slot, const sim::Access& access) override;
  void bulk(std::uint32_t slot, const sim::BulkCopy& copy) override;

 private:
  std::uint64_t together_ = kTogether;
  void write(std::uint64_t block, std::uint64_t address, std::uint64_t bytes);
  std::vector<std::uint64_t> block_;                          // in a slot
  std::set<std::pair<std::uint64_t, std::uint64_t>> chunks_;  // block, 512 bytes that it writes to
  std::vector<std::uint64_t> bytes_;                          // by group
};

}  // namespace lab::judge
