// The contents of matrices: no two elements alike, so that every wrong placement is visible.
//
// Enters: an element's number in `in`. Leaves: its bytes; and back, from bytes to the element that they came
// from. Elements are made of words, each word a one-to-one mix of its number. Words have 32 bits. An element
// of 1 or 2 bytes has no room for that: its word has as many bytes as it takes to tell all elements of the
// matrix apart, the matrix is run in several passes, and pass p shows the p-th part of the word. All passes
// together hold the whole word, so nothing stays hidden there either.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace lab::judge {

// What an untouched output holds.
inline constexpr std::byte kPoison{0xCD};
inline constexpr std::uint32_t kPoisonWord = 0xCDCDCDCDu;

inline constexpr std::uint32_t kMixA = 0x9E3779B1u,
                               kMixB = 0x1B873593u;  // odd, so multiplication can be undone

// A word's lowest bits.
[[nodiscard]] constexpr std::uint32_t low_bits(std::uint32_t x, unsigned bits) {
  return bits == 32 ? x : x & ((1u << bits) - 1);
}

// The seed as words of this size take it: see seed_from.
[[nodiscard]] constexpr std::uint32_t seed_of_words(std::uint32_t seed, unsigned bits) {
  return low_bits(seed, bits) | 1u << (bits - 1);
}

// One to one on words of `bits` bits, an even number. The seed makes one run's values differ from the next
// one's.
[[nodiscard]] constexpr std::uint32_t mix(std::uint32_t number, std::uint32_t seed, unsigned bits = 32) {
  std::uint32_t x = low_bits((number ^ seed) * kMixA, bits);
  x ^= x >> bits / 2;
  return low_bits(x * kMixB, bits);
}

[[nodiscard]] constexpr std::uint32_t inverse_of_odd(std::uint32_t a) {
  std::uint32_t x = a;  // Newton: each step doubles the number of right bits, 3 to begin with
  for (int i = 0; i < 4; ++i) x *= 2 - a * x;
  return x;
}

[[nodiscard]] constexpr std::uint32_t unmix(std::uint32_t value, std::uint32_t seed, unsigned bits = 32) {
  std::uint32_t x = low_bits(value * inverse_of_odd(kMixB), bits);
  x ^= x >> bits / 2;
  return low_bits((x * inverse_of_odd(kMixA)) ^ seed, bits);
}

// A seed with which neither poison nor zero is the word of any of the first 2^31 numbers: an element that was
// never written, or zeroed, is never right by chance. With words of b bits, of the first 2^(b-1) numbers.
[[nodiscard]] constexpr std::uint32_t seed_from(std::uint32_t salt) {
  return 0x80000000u | mix(salt, 0);  // mix maps 0 to 0, so the number of word 0 is the seed itself
}

constexpr bool poison_is_far(unsigned bits) {
  return (unmix(low_bits(kPoisonWord, bits), 0, bits) >> (bits - 1)) == 0;
}
static_assert(poison_is_far(8) && poison_is_far(16) && poison_is_far(24) && poison_is_far(32),
              "choose another poison");

// How many passes it takes to show a whole word through elements of this size.
[[nodiscard]] constexpr int passes(int elem_bytes, std::int64_t elems) {
  int count = 1;
  while (count * elem_bytes < 4 && elems > std::int64_t{1} << (8 * count * elem_bytes - 1)) ++count;
  return count;
}

[[nodiscard]] constexpr unsigned word_bits(int elem_bytes, std::int64_t elems) {
  return elem_bytes >= 4 ? 32u : static_cast<unsigned>(8 * elem_bytes * passes(elem_bytes, elems));
}

// The words of one matrix.
struct Words {
  std::uint32_t seed = 0;  // as seed_of_words gives it
  unsigned bits = 32;
};

// The bytes of element `number` in pass `pass`.
template <int kElemBytes>
inline void element_bytes(std::uint64_t number, const Words& words, int pass, std::byte* to) {
  if constexpr (kElemBytes < 4) {
    const std::uint32_t word =
        mix(static_cast<std::uint32_t>(number), words.seed, words.bits) >> (8 * kElemBytes * pass);
    std::memcpy(to, &word, kElemBytes);
  } else {
    constexpr std::uint32_t kWords = kElemBytes / 4;
    for (std::uint32_t w = 0; w < kWords; ++w) {
      const std::uint32_t word = mix(static_cast<std::uint32_t>(number) * kWords + w, words.seed);
      std::memcpy(to + 4 * w, &word, 4);
    }
  }
}

}  // namespace lab::judge
