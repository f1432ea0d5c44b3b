// The contents of matrices: no two elements are alike, and none can be computed from others.
//
// Enters: an element's number in `in`, the cipher of this run. Leaves: its bytes; and from bytes the element.
// An element is made of 32-bit words, each its number under the block cipher Speck32/64 (Beaulieu and others,
// 2013). A cipher is one to one, so all words differ. Elements of 1 or 2 bytes are too short for that: the
// matrix is run in several passes, and pass p shows the p-th part of a word that is long enough.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "common/course/judge/input_key.h"
#include "common/course/judge/problem.h"

namespace lab::judge {

// What an untouched output holds.
inline constexpr std::byte kPoison{0xCD};
inline constexpr std::uint32_t kPoisonWord = 0xCDCDCDCDu;

// A word's lowest bits.
[[nodiscard]] constexpr std::uint32_t low_bits(std::uint32_t x, unsigned bits) {
  return bits == 32 ? x : x & ((1u << bits) - 1);
}

// How many passes it takes to show a whole word through elements of this size.
[[nodiscard]] constexpr int passes(int elem_bytes, std::int64_t elems) {
  int count = 1;
  while (count * elem_bytes < 4 && elems > std::int64_t{1} << (8 * count * elem_bytes - 1)) ++count;
  return count;
}

[[nodiscard]] constexpr unsigned word_bits(int elem_bytes, std::int64_t elems) {
  return elem_bytes >= 4 ? 32u : static_cast<unsigned>(8 * elem_bytes * passes(elem_bytes, elems));
}

// The words of one matrix: a permutation of all words of `bits` bits (8, 16, 24 or 32).
class Words {
 public:
  static constexpr int kRounds = 22;
  Words(std::uint64_t key, unsigned bits);
  [[nodiscard]] unsigned bits() const { return bits_; }
  [[nodiscard]] std::uint32_t word(std::uint32_t number) const;
  [[nodiscard]] std::uint32_t number(std::uint32_t word) const;  // the inverse
  // The same words by other numbers: that of `number` is zero.
  [[nodiscard]] Words with_zero_at(std::uint32_t number) const;
  // The same of many, each in its place.
  void numbers(std::span<std::uint32_t> words) const;
  // The words of `words.size()` neighbouring numbers.
  void run(std::uint32_t first, std::span<std::uint32_t> words) const;

 private:
  std::array<std::uint16_t, kRounds> round_keys_{};
  unsigned bits_;
  std::uint32_t mask_ = 0;  // by which all words differ from the cipher's
};

// The words of a problem's matrix. Neither poison nor zero is the word of any of its elements: what was never
// written, or zeroed, is never right by chance.
[[nodiscard]] Words words_for(const Problem& problem, const InputKey& key);
// One element of 4 bytes, where the key says, is zero: for launches of which nothing but the result is asked.
// Code that skips zeros is right on all others.
[[nodiscard]] Words with_a_zero(const Words& words, const Problem& problem, const InputKey& key);

// The bytes of element `number` in pass `pass`: elem_bytes of them.
void element_bytes(std::uint64_t number, const Words& words, int elem_bytes, int pass, std::byte* to);

}  // namespace lab::judge
