// Pieces of rows, block by block. See footprint.h.
#include "tests/chapters/footprint.h"

#include <algorithm>

#include "common/sim/base/lanes.h"

namespace lab::course {
namespace {

Pieces pieces_of(std::vector<std::pair<std::uint64_t, std::uint64_t>>& touched) {
  std::sort(touched.begin(), touched.end());
  Pieces found;
  std::uint64_t end = 0;
  for (const auto& [from, to] : touched) {
    found.pieces += from > end || end == 0;
    found.bytes += to - std::min(to, std::max(from, end));
    end = std::max(end, to);
  }
  return found;
}

}  // namespace

void Footprint::merge(const sim::Observer& other) {
  const FootprintFindings& from = dynamic_cast<const Footprint&>(other).found_;
  found_.read += from.read;
  found_.written += from.written;
  found_.blocks += from.blocks;
}

void Footprint::block_begin(std::uint32_t slot, const sim::WarpPlace& /*place*/) {
  if (slot >= blocks_.size()) blocks_.resize(slot + 1);
  blocks_[slot].read.clear();
  blocks_[slot].written.clear();
}

void Footprint::access(std::uint32_t slot, const sim::Access& access) {
  const bool read = access.path == sim::Path::GlobalLoad || access.path == sim::Path::GlobalAsync;
  if (!read && access.path != sim::Path::GlobalStore) return;
  Touched& touched = read ? blocks_[slot].read : blocks_[slot].written;
  for (const std::uint32_t lane : sim::lanes_of(access.mask)) {
    const std::uint64_t from = access.address[lane];
    touched.emplace_back(from, from + access.width_bytes);
  }
}

void Footprint::block_end(std::uint32_t slot, const sim::WarpPlace& /*place*/) {
  found_.read += pieces_of(blocks_[slot].read);
  found_.written += pieces_of(blocks_[slot].written);
  ++found_.blocks;
}

}  // namespace lab::course
