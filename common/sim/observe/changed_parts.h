// The bytes that a swap changes of a word in which it may mean one byte or one half: PTX has no smaller
// atomics, so that cuda::atomic_ref<char> swaps the word around. The rest of the word may be of any thread.
//
// Enters: an atomic access with what it found and what it left. Leaves: one access for each width, of the
// lanes whose changed bytes it holds; lanes that changed nothing are in none.
#pragma once

#include <algorithm>
#include <array>

#include "common/sim/base/access.h"
#include "common/sim/base/lanes.h"

namespace lab::sim {

template <class Act>
void for_changed_parts(const Access& access, std::uint32_t least_bytes, const Act& act) {
  std::array<std::uint64_t, kWarpLanes> at{};
  for (std::uint32_t width = least_bytes; width <= access.width_bytes; width *= 2) {
    Access part = access;
    part.width_bytes = static_cast<std::uint8_t>(width);
    part.mask = 0;
    part.ramps() = {};
    part.address = at.data();
    part.value = part.old_value = nullptr;
    for (const std::uint32_t lane : lanes_of(access.mask)) {
      const std::size_t from = std::size_t{lane} * access.width_bytes;
      std::uint32_t first = access.width_bytes, last = 0;
      for (std::uint32_t k = 0; k < access.width_bytes; ++k) {
        if (access.value[from + k] == access.old_value[from + k]) continue;
        first = std::min(first, k);
        last = k;
      }
      const auto holds = [&](std::uint32_t bytes) { return first / bytes == last / bytes; };
      const bool narrower = width > least_bytes && holds(width / 2);
      if (first > last || !holds(width) || narrower) continue;
      part.mask |= Mask{1} << lane;
      at[lane] = access.address[lane] + first / width * width;
    }
    if (part.mask != 0) act(part);
  }
}

}  // namespace lab::sim
