// Eight 32-bit values side by side, for the few loops that a compiler does not turn into vectors by itself.
//
// Enters and leaves: plain arrays. GCC's and clang's own vector types: no intrinsics, and right on any
// machine.
#pragma once

#include <cstdint>
#include <cstring>

namespace lab::sim {

inline constexpr unsigned kVecLanes = 8;
using Vec = std::uint32_t __attribute__((vector_size(32)));

inline void load(Vec& v, const std::uint32_t* from) { std::memcpy(&v, from, sizeof v); }
inline void store(std::uint32_t* to, const Vec& v) { std::memcpy(to, &v, sizeof v); }

// True when a bit is set in any lane of 32 bytes.
template <class Vector>
[[gnu::always_inline]] inline bool any(const Vector& v) {
  using Words = std::uint64_t __attribute__((vector_size(32)));
  static_assert(sizeof v == sizeof(Words));
  const auto words = (Words)v;
  return (words[0] | words[1] | words[2] | words[3]) != 0;
}

// Lane i of the result is `value` + i.
inline Vec counting_from(std::uint32_t value) { return Vec{0, 1, 2, 3, 4, 5, 6, 7} + value; }

// All ones in lane i of the result where bit 8 * part + i is set.
inline Vec lanes_of_bits(std::uint32_t bits, unsigned part) {
  return (Vec)(((Vec{} + bits) & (Vec{1, 2, 4, 8, 16, 32, 64, 128} << (kVecLanes * part))) != 0);
}

}  // namespace lab::sim
