// What an access moves between GPUs. See link_cost.h.
#include "common/sim/observe/link_cost.h"

#include <bit>

#include "common/sim/base/lanes.h"
#include "common/sim/observe/access_analysis.h"

namespace lab::sim {
namespace {

// Remembers the buffer that the last address lay in: lanes beside each other are in one.
class Owners {
 public:
  explicit Owners(const Memory& memory) : memory_(memory) {}
  bool is_peers(std::uint64_t address, std::uint64_t bytes) {
    if (last_ == nullptr || address < last_->base || address - last_->base + bytes > last_->size_bytes)
      last_ = memory_.find(address, bytes);
    return last_ != nullptr && memory_.is_peers(*last_);
  }

 private:
  const Memory& memory_;
  const Allocation* last_ = nullptr;
};

}  // namespace

PathCounters link_cost(const Memory& memory, const Access& access) {
  Owners owners(memory);
  Access part = access;
  part.mask = 0;
  for (const int lane : lanes_of<int>(access.mask)) {
    if (owners.is_peers(access.address[lane], access.width_bytes)) part.mask |= Mask{1} << lane;
  }
  if (part.mask == 0) return {};
  const GlobalCost cost = global_cost(part);
  const auto lanes = static_cast<std::uint64_t>(std::popcount(part.mask));
  return {1, cost.sectors, cost.ideal_sectors, lanes, lanes * access.width_bytes};
}

PathCounters link_cost(const Memory& memory, const BulkCopy& copy) {
  Owners owners(memory);
  PathCounters sum;
  for (const BulkPiece& piece : copy.pieces) {
    const std::uint64_t low = piece.global + piece.first, bytes = piece.last - piece.first;
    if (bytes == 0 || !owners.is_peers(low, bytes)) continue;
    sum.cost += (low + bytes - 1) / kSectorBytes - low / kSectorBytes + 1;
    sum.bytes += bytes;
  }
  if (sum.bytes == 0) return {};
  sum.requests = sum.active_lanes = 1;
  sum.ideal = (sum.bytes + kSectorBytes - 1) / kSectorBytes;
  return sum;
}

}  // namespace lab::sim
