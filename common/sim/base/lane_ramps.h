// The lanes of a warp, and what can be said of their 32 addresses at once.
//
// Enters: address rows, described when they are computed (execute/address_row.cpp). Leaves: ramps that every
// reader of an access may use instead of its addresses.
#pragma once

#include <bit>
#include <cstdint>

namespace lab::sim {

inline constexpr int kWarpLanes = 32, kHalfWarp = kWarpLanes / 2;
using Mask = std::uint32_t;  // bit i: lane i
inline constexpr Mask kFullMask = 0xffffffffu;

// Neighbouring lanes only; at least one.
[[nodiscard]] inline bool is_run(Mask mask) {
  const Mask run = mask >> std::countr_zero(mask);
  return (run & (run + 1)) == 0;
}

struct LaneRamps {
  bool affine = false;  // full mask, or not: address[i] == address[first] + (i - first) * stride
  // Not affine, full mask: lanes 0 to 15 are so, and lanes 16 to 31 with the same stride, the first of which
  // stands `half_gap_bytes` behind lane 0. Blocks of 16 × 16 threads have such rows.
  bool halves = false;
  std::int64_t stride_bytes = 0;    // when affine or halves; for active lanes only
  std::int64_t half_gap_bytes = 0;  // when halves
  [[nodiscard]] bool known() const { return affine || halves; }
  // Neighbouring lanes, each right behind the one before: one range of bytes.
  [[nodiscard]] bool is_one_range(Mask mask, std::int64_t width_bytes) const {
    return affine && stride_bytes == width_bytes && is_run(mask);
  }
  [[nodiscard]] LaneRamps& ramps() { return *this; }
  [[nodiscard]] const LaneRamps& ramps() const { return *this; }
  bool operator==(const LaneRamps&) const = default;
};
// Ramps of several warps, each as far behind the one before; modulo 2^64.
struct WarpBand {
  std::uint64_t start = 0, lane_step = 0, warp_step = 0;
  bool operator==(const WarpBand&) const = default;
};
// Lane `lane` of ramps that are known, where the first lane that acts stands at `at_first`.
[[nodiscard]] inline std::uint64_t lane_address(const LaneRamps& ramps, std::uint64_t at_first, int first,
                                                int lane) {
  if (ramps.affine) return at_first + static_cast<std::uint64_t>((lane - first) * ramps.stride_bytes);
  return at_first + static_cast<std::uint64_t>((lane < kHalfWarp ? 0 : ramps.half_gap_bytes) +
                                               lane % kHalfWarp * ramps.stride_bytes);
}

}  // namespace lab::sim
