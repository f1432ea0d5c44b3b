// The bytes of ld and st, between memory and a row: one copy where lanes stand side by side, else lane by
// lane.
//
// Enters: host memory and the addresses in it, checked. Leaves: moved bytes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>
#include <utility>

#include "common/sim/base/lanes.h"
#include "common/sim/execute/exec_memory.h"

namespace lab::sim {

struct alignas(16) Wide {
  std::uint64_t low, high;
};

// One element of every active lane, from memory to a row. `Mem` may be narrower than `Reg`: it is extended.
template <class Mem, class Reg>
Reg load_lane(const std::byte* from) {
  Mem value;
  std::memcpy(&value, from, sizeof value);
  if constexpr (std::is_same_v<Mem, Wide>) {
    return value;
  } else if constexpr (std::is_signed_v<Mem>) {
    return static_cast<Reg>(static_cast<std::make_signed_t<Reg>>(value));
  } else {
    return static_cast<Reg>(value);
  }
}

// The acting lanes are neighbours, and each has its element right behind that of the one before.
template <class Mem, class Reg>
bool is_one_copy(const AddressRow& row, Mask mask) {
  return sizeof(Mem) == sizeof(Reg) && row.is_one_range(mask, sizeof(Mem));
}

// All lanes. Whole vectors go into the row: the next instruction reads it as vectors, and would wait for 32
// small stores.
template <class Mem, class Reg, class At>
void load_all(const At& at, Reg* to) {
  if constexpr (sizeof(Reg) <= 8) {
    constexpr int kLanes = 32 / sizeof(Reg);
    typedef Reg Vector __attribute__((vector_size(32)));  // NOLINT(modernize-use-using): GCC wants it
    const auto vector = [&]<int... j>(int k, std::integer_sequence<int, j...>) {
      const Vector v = {load_lane<Mem, Reg>(at(k + j))...};
      std::memcpy(to + k, &v, sizeof v);
    };
    for (int k = 0; k < kWarpLanes; k += kLanes) vector(k, std::make_integer_sequence<int, kLanes>{});
  } else {
    for (int k = 0; k < kWarpLanes; ++k) to[k] = load_lane<Mem, Reg>(at(k));
  }
}

// All lanes, whose elements stand side by side and are narrower than the row's.
template <class Mem, class Reg>
void load_widened(const std::byte* from, Reg* to) {
  if constexpr (sizeof(Mem) < sizeof(Reg)) {
    Mem narrow[kWarpLanes];
    std::memcpy(narrow, from, sizeof narrow);
    for (int k = 0; k < kWarpLanes; ++k)
      to[k] = load_lane<Mem, Reg>(reinterpret_cast<const std::byte*>(narrow + k));
  }
}

// The elements of a row that is affine. `from`: as for load_lanes.
template <class Mem, class Reg>
void load_ramp(HostBase base, const AddressRow& row, Mask mask, Reg* to) {
  const HostBase from = base.plus(row.start);
  const auto step = static_cast<std::uint64_t>(row.stride_bytes);
  if (is_one_copy<Mem, Reg>(row, mask)) {
    const auto first = static_cast<unsigned>(std::countr_zero(mask));
    if (mask == kFullMask) {
      std::memcpy(to, from.at(0), sizeof(Mem) * kWarpLanes);  // the size is a constant: no call
    } else {
      std::memcpy(to + first, from.at(first * step),
                  sizeof(Mem) * static_cast<std::size_t>(std::popcount(mask)));
    }
  } else if (mask != kFullMask) {
    for (const int k : lanes_of<unsigned>(mask)) {
      to[k] = load_lane<Mem, Reg>(from.at(k * step));
    }
  } else if (sizeof(Mem) < sizeof(Reg) && step == sizeof(Mem)) {
    load_widened<Mem, Reg>(from.at(0), to);
  } else if (step == 0) {
    std::fill_n(to, kWarpLanes, load_lane<Mem, Reg>(from.at(0)));
  } else {
    load_all<Mem, Reg>([&](unsigned k) { return from.at(k * step); }, to);
  }
}

template <class Mem, class Reg>
void load_halves(HostBase base, const AddressRow& row, Reg* to) {
  const HostBase from = base.plus(row.start);
  const auto gap = static_cast<std::uint64_t>(row.half_gap_bytes),
             step = static_cast<std::uint64_t>(row.stride_bytes);
  if (sizeof(Mem) == sizeof(Reg) && step == sizeof(Mem)) {
    std::memcpy(to, from.at(0), sizeof(Mem) * kHalfWarp);  // the size is a constant: no call
    std::memcpy(to + kHalfWarp, from.at(gap), sizeof(Mem) * kHalfWarp);
  } else if (step == 0) {
    std::fill_n(to, kHalfWarp, load_lane<Mem, Reg>(from.at(0)));
    std::fill_n(to + kHalfWarp, kHalfWarp, load_lane<Mem, Reg>(from.at(gap)));
  } else {
    load_all<Mem, Reg>([&](unsigned k) { return from.at((k < kHalfWarp ? 0 : gap) + k % kHalfWarp * step); },
                       to);
  }
}

template <class Mem, class Reg>
void load_lanes(HostBase from, const AddressRow& row, Mask mask, Reg* to) {
  if (row.affine) return load_ramp<Mem, Reg>(from, row, mask, to);
  if (row.halves) return load_halves<Mem, Reg>(from, row, to);
  if (mask == kFullMask) return load_all<Mem, Reg>([&](unsigned k) { return from.at(row.at[k]); }, to);
  for (const int k : lanes_of<unsigned>(mask)) {
    to[k] = load_lane<Mem, Reg>(from.at(row.at[k]));
  }
}

template <class Mem, class Reg>
void store_lane(std::byte* to, const Reg& from) {
  Mem value;
  if constexpr (std::is_same_v<Mem, Wide>) {
    value = from;
  } else {
    value = static_cast<Mem>(from);
  }
  std::memcpy(to, &value, sizeof value);
}

template <class Mem, class Reg>
void store_ramp(HostBase base, const AddressRow& row, Mask mask, const Reg* from) {
  const HostBase to = base.plus(row.start);
  const auto step = static_cast<std::uint64_t>(row.stride_bytes);
  if (is_one_copy<Mem, Reg>(row, mask)) {
    const auto first = static_cast<unsigned>(std::countr_zero(mask));
    if (mask == kFullMask) {
      std::memcpy(to.at(0), from, sizeof(Mem) * kWarpLanes);
    } else {
      std::memcpy(to.at(first * step), from + first,
                  sizeof(Mem) * static_cast<std::size_t>(std::popcount(mask)));
    }
  } else if (mask == kFullMask) {
    for (unsigned k = 0; k < kWarpLanes; ++k) store_lane<Mem, Reg>(to.at(k * step), from[k]);
  } else {
    for (const int k : lanes_of<unsigned>(mask)) {
      store_lane<Mem, Reg>(to.at(k * step), from[k]);
    }
  }
}

template <class Mem, class Reg>
void store_lanes(HostBase to, const AddressRow& row, Mask mask, const Reg* from) {
  if (row.affine) return store_ramp<Mem, Reg>(to, row, mask, from);
  for (const int k : lanes_of<unsigned>(mask)) {
    store_lane<Mem, Reg>(to.at(row.at[k]), from[k]);
  }
}

}  // namespace lab::sim
