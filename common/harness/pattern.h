// The contents of matrices: no two elements alike, so that every wrong placement is visible.
//
// Enters: an element's number in `in`. Leaves: its bytes; and back, from bytes to the element that they came
// from. Elements are made of 32-bit words, each word a one-to-one mix of its number, so up to 2^32 words
// differ. An element of 1 or 2 bytes has no room for that: such matrices are run in several passes, and pass
// p shows bytes p of the word. All passes together hold the whole word, so nothing stays hidden there either.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace lab::harness {

// What an untouched output holds.
inline constexpr std::byte kPoison{0xCD};
inline constexpr std::uint32_t kPoisonWord = 0xCDCDCDCDu;

inline constexpr std::uint32_t kMixA = 0x9E3779B1u,
                               kMixB = 0x85EBCA77u;  // odd, so multiplication can be undone

// One to one on 32 bits. The seed makes one run's values differ from the next one's.
[[nodiscard]] constexpr std::uint32_t mix(std::uint32_t number, std::uint32_t seed) {
  std::uint32_t x = (number ^ seed) * kMixA;
  x ^= x >> 16;
  return x * kMixB;
}

[[nodiscard]] constexpr std::uint32_t inverse_of_odd(std::uint32_t a) {
  std::uint32_t x = a;  // Newton: each step doubles the number of right bits, 3 to begin with
  for (int i = 0; i < 4; ++i) x *= 2 - a * x;
  return x;
}

[[nodiscard]] constexpr std::uint32_t unmix(std::uint32_t value, std::uint32_t seed) {
  std::uint32_t x = value * inverse_of_odd(kMixB);
  x ^= x >> 16;
  return (x * inverse_of_odd(kMixA)) ^ seed;
}

// A seed with which neither poison nor zero is the word of any of the first 2^31 numbers: an element that was
// never written, or zeroed, is never right by chance.
[[nodiscard]] constexpr std::uint32_t seed_from(std::uint32_t salt) {
  return 0x80000000u | mix(salt, 0);  // mix maps 0 to 0, so the number of word 0 is the seed itself
}

static_assert((unmix(kPoisonWord, 0) & 0x80000000u) == 0, "choose another poison");

// How many passes it takes to show a whole word through elements of this size.
[[nodiscard]] constexpr int passes(int elem_bytes) { return elem_bytes == 1 ? 4 : elem_bytes == 2 ? 2 : 1; }

// The words of element `number`: its bytes in pass `pass`.
template <int kElemBytes>
inline void element_bytes(std::uint64_t number, std::uint32_t seed, int pass, std::byte* to) {
  if constexpr (kElemBytes < 4) {
    const std::uint32_t word = mix(static_cast<std::uint32_t>(number), seed) >> (8 * kElemBytes * pass);
    std::memcpy(to, &word, kElemBytes);
  } else {
    constexpr std::uint32_t kWords = kElemBytes / 4;
    for (std::uint32_t w = 0; w < kWords; ++w) {
      const std::uint32_t word = mix(static_cast<std::uint32_t>(number) * kWords + w, seed);
      std::memcpy(to + 4 * w, &word, 4);
    }
  }
}

}  // namespace lab::harness
