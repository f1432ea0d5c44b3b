// Shared memory that blocks of a cluster touch in one another (distributed shared memory): two blocks, one
// place, one of them writes, and nothing happened between that could order them.
//
// Enters: accesses to the shared memory of one block, by its own threads and by peers, with the time of the
// cluster. Leaves: collisions. Time passes at whatever may order blocks, whoever does it: barriers of the
// cluster, mbarriers, fences and strong accesses wider than a block. So there are no false positives, and a
// race beside such an event may stay unseen.
#pragma once

#include <cstdint>
#include <vector>

#include "common/sim/base/access.h"

namespace lab::sim {

class PeerShadow {
 public:
  struct Touch {
    std::uint64_t time = 0;  // 0: none
    std::uint64_t block = 0;
    std::uint32_t pc = 0, thread = 0;
    bool writes = false, atomic = false;
  };
  PeerShadow(std::uint32_t shared_bytes, std::uint32_t granule_bytes)
      : granule_bytes_(granule_bytes), cells_((shared_bytes + granule_bytes - 1) / granule_bytes) {}

  // `address`: an offset in this memory. The earlier touch that it collides with; null: none.
  [[nodiscard]] const Touch* touch(std::uint64_t address, std::uint32_t width_bytes, const Touch& mine);

 private:
  struct Cell {
    Touch write, read, other_read;  // the last of each
  };
  std::uint32_t granule_bytes_;
  std::vector<Cell> cells_;
  Touch found_;
};

}  // namespace lab::sim
