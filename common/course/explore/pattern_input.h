// One warp access as a person types it: what `lab banks` and `lab sectors` take.
//
// Enters: a list of addresses, or base and step, or a line of a file. Leaves: 32 addresses and a mask.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "common/sim/base/observer.h"

namespace lab::explore {

struct AccessPattern {
  bool load = true;
  unsigned width_bytes = 4;
  std::array<std::uint64_t, sim::kWarpLanes> address{};
  sim::Mask mask = 0;
};

// "0,4,-,0x40": up to 32 addresses, `-` for an inactive lane; lanes that are left out are inactive.
// All throw UsageError with what is wrong and where.
[[nodiscard]] AccessPattern pattern_from_list(std::string_view op, unsigned width_bytes,
                                              std::string_view addresses);
[[nodiscard]] AccessPattern pattern_from_step(std::string_view op, unsigned width_bytes, std::uint64_t base,
                                              std::int64_t step, int lanes);
// "load 4 0 4 8 - …": op, width, 32 addresses.
[[nodiscard]] AccessPattern pattern_from_line(std::string_view line);

}  // namespace lab::explore
