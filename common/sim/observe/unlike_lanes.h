// Which lanes of a warp have a place that no lane before them has: each key is compared with all in front of it.
//
// Enters: addresses. Leaves: marks by lane, or how many places differ.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "common/sim/base/lanes.h"
#include "common/sim/base/vec.h"

namespace lab::sim {

// 32-bit keys, which must distinguish the addresses. Before lane 0 stand 32 places that equal no key, so that every
// comparison has a full vector.
inline constexpr std::uint32_t kKeyBits = 0x7fffffffu;
struct Keys {
  alignas(32) std::array<std::uint32_t, 2 * kWarpLanes> key;
  Keys() { std::fill_n(key.begin(), kWarpLanes, ~0u); }
  // Calls act(part, all ones where a lane equals one before it) for each vector of lanes.
  template <class Act>
  void each_repeated(const Act& act) const {
    const auto repeated = [&]<unsigned... back>(unsigned part, std::integer_sequence<unsigned, back...>) {
      const std::uint32_t* const at = &key[kWarpLanes + part];
      Vec own, other, seen{};
      load(own, at);
      ((load(other, at - 1 - back), seen |= own == other), ...);
      act(part, seen);
    };
    repeated(0, std::make_integer_sequence<unsigned, kVecLanes - 1>{});
    repeated(kVecLanes, std::make_integer_sequence<unsigned, 2 * kVecLanes - 1>{});
    repeated(2 * kVecLanes, std::make_integer_sequence<unsigned, 3 * kVecLanes - 1>{});
    repeated(3 * kVecLanes, std::make_integer_sequence<unsigned, 4 * kVecLanes - 1>{});
  }
};

// The addresses of a warp with the gaps closed: an inactive lane repeats the active one before it (leading
// ones the first), which adds nothing distinct.
struct Dense {
  alignas(32) std::array<std::uint64_t, kWarpLanes> address;
  unsigned first_lane;
  std::uint64_t differing_bits = 0;  // bits in which any address differs from the first
  bool sorted = true;                // addresses do not fall

  Dense(const std::uint64_t* from, Mask mask) : first_lane(static_cast<unsigned>(std::countr_zero(mask))) {
    const std::uint64_t first = from[first_lane];
    std::uint64_t last = first;
    if (mask == kFullMask) {
      std::copy_n(from, kWarpLanes, address.begin());
    } else {
      // Chosen by arithmetic: which lanes act is mostly no pattern that a processor learns.
      for (unsigned i = 0; i < kWarpLanes; ++i)
        address[i] = last ^= (last ^ from[i]) & (std::uint64_t{0} - ((mask >> i) & 1u));
    }
    std::uint64_t falls = 0;
    for (unsigned i = 0; i < kWarpLanes; ++i) differing_bits |= address[i] ^ first;
    for (unsigned i = 1; i < kWarpLanes; ++i) falls |= address[i] < address[i - 1] ? 1u : 0u;
    sorted = falls == 0;
  }
};

// Bit i: lane i differs from the lane before it. Enough where equal addresses are neighbours.
[[nodiscard]] inline Mask steps(const Dense& lanes, unsigned shift) {
  Mask step = 1;
  for (unsigned i = 1; i < kWarpLanes; ++i) {
    step |= (lanes.address[i] >> shift != lanes.address[i - 1] >> shift ? 1u : 0u) << i;
  }
  return step;
}

// Bit i: lane i differs from all lanes before it.
[[nodiscard]] inline Mask unlike_all_before(const Dense& lanes, unsigned shift) {
  Keys keys;
  for (unsigned i = 0; i < kWarpLanes; ++i)
    keys.key[kWarpLanes + i] = static_cast<std::uint32_t>(lanes.address[i] >> shift) & kKeyBits;
  Mask unlike = 0;
  keys.each_repeated([&](unsigned part, const Vec& seen) {
    const Vec bit = (~seen & 1u) << counting_from(part);
    for (unsigned i = 0; i < kVecLanes; ++i) unlike |= bit[i];
  });
  return unlike;
}

[[nodiscard]] inline Mask unlike_all_before_slowly(const Dense& lanes, unsigned shift) {
  Mask unlike = 0;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    bool seen = false;
    for (unsigned j = 0; j < i; ++j) seen |= lanes.address[i] >> shift == lanes.address[j] >> shift;
    unlike |= (seen ? 0u : 1u) << i;
  }
  return unlike;
}

// One bit for every distinct value of address >> shift: the first active lane that has it.
[[nodiscard]] inline Mask first_of_each(const Dense& lanes, unsigned shift) {
  const Mask first = lanes.sorted                               ? steps(lanes, shift)
                     : lanes.differing_bits >> shift > kKeyBits ? unlike_all_before_slowly(lanes, shift)
                                                                : unlike_all_before(lanes, shift);
  return (first & ~1u) | (1u << lanes.first_lane);  // lane 0 may only repeat it
}

// How many values of address >> shift active lanes have. Idle ones repeat the first that acts, which adds none. Nothing:
// they lie too far apart for keys.
[[nodiscard]] inline std::optional<unsigned> distinct(const std::uint64_t* address, Mask mask,
                                                      unsigned shift) {
  using Half = std::uint32_t __attribute__((vector_size(16)));
  const std::uint64_t first = address[std::countr_zero(mask)];
  Keys keys;
  Four differ{};
  for (unsigned i = 0; i < kWarpLanes; i += 4) {
    Four lanes;
    std::memcpy(&lanes, address + i, sizeof lanes);
    lanes = (lanes ^ first) & four_lanes_of_bits(mask, i);
    differ |= lanes;
    const Half four = __builtin_convertvector((lanes ^ first) >> std::uint64_t{shift}, Half) & kKeyBits;
    std::memcpy(&keys.key[kWarpLanes + i], &four, sizeof four);
  }
  if (bits_of_all(differ) >> shift > kKeyBits) return std::nullopt;
  Vec repeated{};
  keys.each_repeated([&](unsigned /*part*/, const Vec& seen) { repeated -= seen; });
  unsigned count = kWarpLanes;
  for (unsigned i = 0; i < kVecLanes; ++i) count -= repeated[i];
  return count;
}

}  // namespace lab::sim
