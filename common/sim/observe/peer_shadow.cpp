// What blocks of a cluster touch in one another. See peer_shadow.h.
#include "common/sim/observe/peer_shadow.h"

#include <algorithm>

namespace lab::sim {

const PeerShadow::Touch* PeerShadow::touch(std::uint64_t address, std::uint32_t width_bytes,
                                           const Touch& mine) {
  bool hit = false;
  const auto look = [&](const Touch& earlier) {
    const bool collides = earlier.time == mine.time && earlier.block != mine.block &&
                          (earlier.writes || mine.writes) && !(earlier.atomic && mine.atomic);
    if (collides && !hit) found_ = earlier;
    hit = hit || collides;
  };
  const std::uint64_t first = address / granule_bytes_;
  for (std::uint64_t g = first; g < first + std::max(1u, width_bytes / granule_bytes_); ++g) {
    Cell& cell = cells_.at(g);
    for (const Touch* const earlier : {&cell.write, &cell.read, &cell.other_read}) look(*earlier);
    if (mine.writes) {
      cell.write = mine;
    } else {
      if (cell.read.block != mine.block) cell.other_read = cell.read;
      cell.read = mine;
    }
  }
  return hit ? &found_ : nullptr;
}

}  // namespace lab::sim
