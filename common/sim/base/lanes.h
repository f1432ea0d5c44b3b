// The lanes of a warp: going through those of a mask, lowest first; how many warps a block has.
#pragma once

#include <bit>
#include <cstdint>

#include "common/sim/base/access.h"

namespace lab::sim {

// The set bits of a mask, to go through.
template <class Number>
class LanesOf {
 public:
  struct Iterator {
    Mask left;
    Number operator*() const { return static_cast<Number>(std::countr_zero(left)); }
    Iterator& operator++() { return left &= left - 1, *this; }
    bool operator==(const Iterator&) const = default;
  };
  explicit LanesOf(Mask lanes) : lanes_(lanes) {}
  [[nodiscard]] Iterator begin() const { return {lanes_}; }
  [[nodiscard]] Iterator end() const { return {0}; }

 private:
  Mask lanes_;
};

template <class Number = std::uint32_t>
[[nodiscard]] LanesOf<Number> lanes_of(Mask lanes) {
  return LanesOf<Number>(lanes);
}

// The warps of a block of so many threads; the last one may be short.
constexpr std::uint64_t warps_of(std::uint64_t threads) { return (threads + kWarpLanes - 1) / kWarpLanes; }

}  // namespace lab::sim
