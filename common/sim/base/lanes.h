// Going through the lanes of a mask, lowest first.
#pragma once

#include <bit>
#include <cstdint>

#include "common/sim/base/order.h"

namespace lab::sim {

template <class Body>
void for_lanes(Mask lanes, const Body& body) {
  for (; lanes != 0; lanes &= lanes - 1) body(static_cast<std::uint32_t>(std::countr_zero(lanes)));
}

}  // namespace lab::sim
