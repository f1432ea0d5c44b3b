// The granules of shared memory that one access touches, and the tag that it leaves in each: for the race
// check.
//
// Enters: an access. Leaves: its granules in groups of eight, to be compared and stored as vectors. Two
// kinds, one interface, so that the check is written once.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "common/sim/base/observer.h"
#include "common/sim/base/vec.h"
#include "common/sim/observe/race_shadow.h"

namespace lab::sim {

// Row: neighbouring granules, lane after lane.
struct Row {
  static constexpr bool kDistinct = true;
  static constexpr bool distinct = true;  // no granule is touched by two lanes
  std::uint32_t first = 0, count = 0;     // count: eight or more
  Tag first_tag = 0;
  unsigned shift = 0;  // log2 of granules a lane
  [[nodiscard]] std::uint32_t granule(std::uint32_t k) const { return first + k; }
  [[nodiscard]] Tag tag(std::uint32_t k) const { return first_tag + (k >> shift); }

  [[nodiscard]] std::uint32_t groups() const { return (count + kVecLanes - 1) / kVecLanes; }
  // The last group reaches back into the one before it rather than beyond the row.
  [[nodiscard]] std::uint32_t start(std::uint32_t group) const {
    return std::min(group * kVecLanes, count - kVecLanes);
  }
  void tags(Vec& v, std::uint32_t group) const { v = first_tag + (counting_from(start(group)) >> shift); }
  void load(Vec& v, const Tag* from, std::uint32_t group) const { sim::load(v, from + first + start(group)); }
  void store(Tag* to, std::uint32_t group, const Vec& v) const { sim::store(to + first + start(group), v); }
};

// List: any lanes, each with kPerLane neighbouring granules. The last lane is repeated to fill a group.
template <unsigned kPerLane>
struct List {
  static constexpr bool kDistinct = false;
  bool distinct = false;  // known to be; else it must be checked
  std::uint32_t count = 0;
  std::array<std::uint32_t, kWarpLanes + kVecLanes> first;
  std::array<Tag, kWarpLanes + kVecLanes> lane_tag;

  List(const Access& access, Tag tag, unsigned granule_shift, Mask mask) {
    std::uint32_t lanes = 0;
    if (mask == kFullMask) {
      for (; lanes < kWarpLanes; ++lanes) {
        first[lanes] = static_cast<std::uint32_t>(access.address[lanes] >> granule_shift);
        lane_tag[lanes] = tag + lanes;
      }
      mask = 0;
    }
    for (Mask rest = mask; rest != 0; rest &= rest - 1, ++lanes) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      first[lanes] = static_cast<std::uint32_t>(access.address[lane] >> granule_shift);
      lane_tag[lanes] = tag + lane;
    }
    count = lanes * kPerLane;
    distinct = access.affine && access.stride_bytes != 0;  // aligned lanes a stride apart do not overlap
    for (std::uint32_t i = lanes; i < lanes + kVecLanes; ++i) {
      first[i] = first[lanes - 1];
      lane_tag[i] = lane_tag[lanes - 1];
    }
  }
  [[nodiscard]] std::uint32_t granule(std::uint32_t k) const { return first[k / kPerLane] + k % kPerLane; }
  [[nodiscard]] Tag tag(std::uint32_t k) const { return lane_tag[k / kPerLane]; }

  [[nodiscard]] std::uint32_t groups() const { return (count + kVecLanes - 1) / kVecLanes; }
  void tags(Vec& v, std::uint32_t group) const {
    const std::uint32_t k = group * kVecLanes;
    if constexpr (kPerLane >= kVecLanes) {
      v = Vec{} + tag(k);
    } else {
      v = Vec{tag(k), tag(k + 1), tag(k + 2), tag(k + 3), tag(k + 4), tag(k + 5), tag(k + 6), tag(k + 7)};
    }
  }
  void load(Vec& v, const Tag* from, std::uint32_t group) const {
    const std::uint32_t k = group * kVecLanes;
    if constexpr (kPerLane == 1) {
      const auto at = [&](std::uint32_t j) { return from[first[k + j]]; };
      v = Vec{at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7)};
    } else {
      using Pairs = std::uint64_t __attribute__((vector_size(32)));
      const auto at = [&](std::uint32_t j) {
        std::uint64_t pair;
        std::memcpy(&pair, from + granule(k + j), sizeof pair);
        return pair;
      };
      v = (Vec)Pairs{at(0), at(2), at(4), at(6)};
    }
  }
  // `v` is what tags() gives: the same in all granules of a lane.
  void store(Tag* to, std::uint32_t group, const Vec& v) const {
    constexpr unsigned kStep = std::min(kPerLane, kVecLanes);
    for (std::uint32_t j = 0; j < kVecLanes; j += kStep) {
      std::array<Tag, kStep> same;
      same.fill(v[j]);
      std::memcpy(to + granule(group * kVecLanes + j), same.data(), sizeof same);
    }
  }
};

}  // namespace lab::sim
