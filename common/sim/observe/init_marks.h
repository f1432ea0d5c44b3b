// Rows of marks, as the check of uninitialised reads keeps them: whether all are set, which are not.
//
// Enters: marks of the bytes or granules that an access touches. Leaves: answers for many at once, and what
// execution learns of bytes without a value.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "common/sim/base/lanes.h"
#include "common/sim/base/observer.h"
#include "common/sim/base/vec.h"
#include "common/sim/memory/memory.h"

namespace lab::sim {

inline bool all_set(const std::uint8_t* marks, std::size_t count) {
  std::uint8_t all = 1;
  for (std::size_t k = 0; k < count; ++k) all &= marks[k];
  return all != 0;
}

inline bool all_equal(const std::uint8_t* marks, std::size_t count, std::uint8_t value) {
  std::uint8_t differ = 0;
  for (std::size_t k = 0; k < count; ++k) differ |= static_cast<std::uint8_t>(marks[k] ^ value);
  return differ == 0;
}

// True when all marks of a lane have the value.
template <std::size_t kCount>
bool lane_has(const std::uint8_t* marks, std::uint8_t value) {
  std::array<std::uint8_t, kCount> expected;
  expected.fill(value);
  return std::memcmp(marks, expected.data(), kCount) == 0;
}

// Passes to execution which bytes of the lane were never written, and what to say when they matter. `marks`:
// one for every `step` bytes.
template <class FaultOf>
void carry(const Access& access, std::uint32_t lane, const std::uint8_t* marks, std::uint8_t written,
           std::size_t step, const FaultOf& fault_of) {
  UndefinedRead& read = *access.undefined;
  read.lanes |= Mask{1} << lane;
  std::uint8_t* const bytes = read.bytes.data() + std::size_t{access.width_bytes} * lane;
  for (std::size_t k = 0; k < access.width_bytes; ++k) bytes[k] = marks[k / step] == written ? 0 : 1;
  if (read.described.insert(access.pc).second) read.fault = fault_of();
}

// Calls body(lane, k) for every `step` bytes from byte k on of what a lane stores that have no value.
template <class Body>
void for_valueless(const Access& access, std::size_t step, const Body& body) {
  if (access.undefined == nullptr) return;
  for (const std::uint32_t lane : lanes_of(access.mask & access.undefined->lanes)) {
    const std::uint8_t* const bytes = access.undefined->bytes.data() + std::size_t{access.width_bytes} * lane;
    for (std::size_t k = 0; k + step <= access.width_bytes; k += step) {
      if (std::all_of(bytes + k, bytes + k + step, [](std::uint8_t b) { return b != 0; })) body(lane, k);
    }
  }
}

// Marks of a store are set; takes back those of bytes that have no value. `unmarked`: what they hold then.
template <class MarkOf>
void take_back(const Access& access, std::size_t step, std::uint8_t unmarked, const MarkOf& mark_of) {
  for_valueless(access, step, [&](std::uint32_t lane, std::size_t k) {
    if (std::uint8_t* const marks = mark_of(lane); marks != nullptr) marks[k / step] = unmarked;
  });
}

// Blocks on several host threads may store to one buffer: what stays is the widest of all.
inline void note_width(const Allocation& a, std::uint8_t width_bytes) {
  std::uint8_t seen = __atomic_load_n(&a.widest_store(), __ATOMIC_RELAXED);
  while (seen < width_bytes && !__atomic_compare_exchange_n(&a.widest_store(), &seen, width_bytes, true,
                                                            __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

}  // namespace lab::sim
