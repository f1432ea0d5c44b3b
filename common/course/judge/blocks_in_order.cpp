// The order of blocks, by the pages that they write. See blocks_in_order.h.
#include "common/course/judge/blocks_in_order.h"

#include <algorithm>

#include "common/sim/base/lanes.h"

namespace lab::judge {
namespace {

// Allocations start at multiples of this; pages are counted when the first byte of all is known.
constexpr std::uint64_t kChunk = 512;

}  // namespace

void BlocksInOrder::launch_begin(const sim::LaunchInfo& info) {
  together_ = std::clamp<std::uint64_t>(info.grid.count() / 4, 1, kTogether);
}

void BlocksInOrder::block_begin(std::uint32_t slot, const sim::WarpPlace& place) {
  if (slot >= block_.size()) block_.resize(slot + 1);
  block_[slot] = place.block_index;
}

void BlocksInOrder::write(std::uint64_t block, std::uint64_t address, std::uint64_t bytes) {
  if (bytes == 0) return;
  const std::uint64_t group = block / together_;
  if (group >= bytes_.size()) bytes_.resize(group + 1);
  bytes_[group] += bytes;
  for (std::uint64_t chunk = address / kChunk; chunk <= (address + bytes - 1) / kChunk; ++chunk)
    chunks_.emplace(block, chunk);
}

void BlocksInOrder::access(std::uint32_t slot, const sim::Access& access) {
  if (access.space != sim::Space::Global || !sim::writes(access.path)) return;
  for (const std::uint32_t lane : sim::lanes_of(access.mask))
    write(block_[slot], access.address[lane], access.width_bytes);
}

void BlocksInOrder::bulk(std::uint32_t slot, const sim::BulkCopy& copy) {
  if (sim::info(copy.written).space != sim::Space::Global) return;
  for (const sim::BulkPiece& piece : copy.pieces)
    write(block_[slot], piece.global + piece.first, piece.last - piece.first);
}

void BlocksInOrder::merge(const sim::Observer& other) {
  const auto& from = dynamic_cast<const BlocksInOrder&>(other);
  together_ = from.together_;
  chunks_.insert(from.chunks_.begin(), from.chunks_.end());
  bytes_.resize(std::max(bytes_.size(), from.bytes_.size()));
  for (std::size_t group = 0; group < from.bytes_.size(); ++group) bytes_[group] += from.bytes_[group];
}

OrderFindings BlocksInOrder::findings() const {
  OrderFindings found;
  found.groups = bytes_.size();
  found.blocks_of_group = together_;
  std::uint64_t first = ~std::uint64_t{0};
  for (const auto& [block, chunk] : chunks_) first = std::min(first, chunk);
  std::vector<std::set<std::uint64_t>> together(bytes_.size());
  std::vector<std::uint64_t> widest(bytes_.size());  // pages of the one block that writes to most
  std::uint64_t pages = 0;                           // of one block
  std::pair<std::uint64_t, std::uint64_t> last{~std::uint64_t{0}, 0};
  for (const auto& [block, chunk] : chunks_) {  // in order: chunks of a page lie side by side
    const std::pair at{block, (chunk - first) / (kPageBytes / kChunk)};
    if (at == last) continue;
    pages = block == last.first ? pages + 1 : 1;
    last = at;
    const std::uint64_t group = block / together_;
    together[group].insert(at.second);
    widest[group] = std::max(widest[group], pages);
  }
  for (std::size_t group = 0; group < bytes_.size(); ++group) {
    found.pages += together[group].size();
    found.least += std::max((bytes_[group] + kPageBytes - 1) / kPageBytes, widest[group] / 2);
  }
  return found;
}

}  // namespace lab::judge
