// What the shadow of global memory cuts an access into. See global_shadow.h.
#pragma once

#include "common/sim/observe/global_shadow.h"

namespace lab::sim {

// The access that is being checked.
struct GlobalShadow::Now {
  const Access& access;
  const BlockClock& clock;
  std::uint32_t run;
  const std::uint32_t& epoch;  // its number may change while lines are tidied
  std::uint32_t first_thread;
  bool writes, strong, narrow, is_volatile, only_stores, takes_data, non_coherent;
  GlobalCollision& collision;
  int width = 0;  // of the collision found: 0 none, 1 a lane, 2 a warp, 3 a block
};

struct GlobalShadow::Piece {
  DeviceAddress address = 0;                     // of the first granule
  std::uint32_t first = 0, count = 0, mask = 0;  // granules in the line
  std::int32_t home = 0;
  std::uint32_t shift = 0;
  [[nodiscard]] std::uint32_t thread(std::uint32_t granule) const {
    return static_cast<std::uint32_t>(home + static_cast<std::int32_t>(granule >> shift));
  }
};

}  // namespace lab::sim
