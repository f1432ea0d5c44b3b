// Eight 32-bit values side by side, or four of 64 bits, for the few loops that a compiler does not turn into
// vectors by itself.
//
// Enters and leaves: plain arrays. GCC's and clang's own vector types: no intrinsics, and right on any
// machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace lab::sim {

inline constexpr unsigned kVecLanes = 8;
using Vec = std::uint32_t __attribute__((vector_size(32)));

inline void load(Vec& v, const std::uint32_t* from) { std::memcpy(&v, from, sizeof v); }
inline void store(std::uint32_t* to, const Vec& v) { std::memcpy(to, &v, sizeof v); }

// Four 64-bit values.
using Four = std::uint64_t __attribute__((vector_size(32)));

// The bits of all words of 32 bytes together.
template <class Vector>
[[gnu::always_inline]] inline std::uint64_t bits_of_all(const Vector& v) {
  static_assert(sizeof v == sizeof(Four));
  const auto words = (Four)v;
  return words[0] | words[1] | words[2] | words[3];
}

// True when a bit is set in any lane of 32 bytes.
template <class Vector>
[[gnu::always_inline]] inline bool any(const Vector& v) {
  return bits_of_all(v) != 0;
}

// Lane i of the result is `value` + i.
inline Vec counting_from(std::uint32_t value) { return Vec{0, 1, 2, 3, 4, 5, 6, 7} + value; }

// All ones in lane i of the result where bit 8 * part + i is set.
inline Vec lanes_of_bits(std::uint32_t bits, unsigned part) {
  return (Vec)(((Vec{} + bits) & (Vec{1, 2, 4, 8, 16, 32, 64, 128} << (kVecLanes * part))) != 0);
}
// The same of bit first + i.
[[gnu::always_inline]] inline Four four_lanes_of_bits(std::uint32_t bits, unsigned first) {
  return (Four)(((Four{} + bits) & (Four{1, 2, 4, 8} << std::uint64_t{first})) != 0);
}

// Calls `body` with a size of 1, 2, 4, 8 or 16 as a constant: loops over lanes have no loops and calls
// inside then.
template <class Body>
auto with_constant(std::size_t size, const Body& body) {
  switch (size) {
    case 1:
      return body(std::integral_constant<std::size_t, 1>{});
    case 2:
      return body(std::integral_constant<std::size_t, 2>{});
    case 4:
      return body(std::integral_constant<std::size_t, 4>{});
    case 8:
      return body(std::integral_constant<std::size_t, 8>{});
    default:
      return body(std::integral_constant<std::size_t, 16>{});
  }
}

}  // namespace lab::sim
