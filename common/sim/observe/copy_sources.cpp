// The sources of asynchronous copies. See copy_sources.h.
#include "common/sim/observe/copy_sources.h"

#include <algorithm>
#include <iterator>

#include "common/sim/base/lanes.h"

namespace lab::sim {

void CopySources::begin() {
  reading_.clear();
  piece_of_.clear();
}

void CopySources::start(const Copy& copy) {
  for (const std::uint32_t lane : lanes_of(copy.mask & copy.reads)) {
    const std::uint64_t piece = copy.from[lane] / kPieceBytes;
    reading_.emplace(piece, Source{copy.from[lane], copy.to[lane], copy.width_bytes, copy.pc});
    piece_of_[copy.to[lane]] = piece;
  }
}

void CopySources::land(const Access& access) {
  if (!any()) return;
  for (const std::uint32_t lane : lanes_of(access.mask)) {
    const auto piece = piece_of_.find(access.address[lane]);
    if (piece == piece_of_.end()) continue;
    const auto [first, last] = reading_.equal_range(piece->second);
    for (auto at = first; at != last;)
      at = at->second.to == access.address[lane] ? reading_.erase(at) : std::next(at);
    piece_of_.erase(piece);
  }
}

std::optional<CopySources::Early> CopySources::written(const Access& access) const {
  std::optional<Early> early;
  for (const std::uint32_t lane : lanes_of(access.mask)) {
    const std::uint64_t low = access.address[lane], high = low + access.width_bytes;
    for (std::uint64_t piece = low / kPieceBytes; !early && piece * kPieceBytes < high; ++piece) {
      const auto [first, last] = reading_.equal_range(piece);
      for (auto at = first; at != last; ++at) {
        const Source& source = at->second;
        if (source.low < high && source.low + source.bytes > low)
          early = Early{lane, source.pc, std::max(low, source.low)};
      }
    }
  }
  return early;
}

}  // namespace lab::sim
