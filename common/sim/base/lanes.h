// The lanes of a warp: going through those of a mask, lowest first; how many warps a block has.
#pragma once

#include <bit>
#include <cstdint>

#include "common/sim/base/access.h"

namespace lab::sim {

template <class Body>
void for_lanes(Mask lanes, const Body& body) {
  for (; lanes != 0; lanes &= lanes - 1) body(static_cast<std::uint32_t>(std::countr_zero(lanes)));
}

// Of a block of so many threads; the last warp may be short.
constexpr std::uint64_t warps_of(std::uint64_t threads) { return (threads + kWarpLanes - 1) / kWarpLanes; }

}  // namespace lab::sim
