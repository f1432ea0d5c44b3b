// Which words of shared memory 32 lanes ask for, and how many of them lie in the busiest bank.
//
// Enters: addresses, or a word for each lane with the bit of its place. Leaves: sets of words, largest
// counts. All lanes are looked at side by side.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>

#include "common/sim/base/vec.h"
#include "common/sim/observe/access_analysis.h"

namespace lab::sim {

// Counts of 32 places, a bit of each in every plane: the sum of two of them.
template <class Word, std::size_t n>
std::array<Word, n + 1> sum_of(const std::array<Word, n>& a, const std::array<Word, n>& b) {
  std::array<Word, n + 1> sum;
  Word carry{};
  for (std::size_t k = 0; k < n; ++k) {
    const Word differ = a[k] ^ b[k];
    sum[k] = differ ^ carry;
    carry = (a[k] & b[k]) | (carry & differ);
  }
  sum[n] = carry;
  return sum;
}

// Each word of the planes holds counts of its own: the sum of all words, a half and a half.
template <class Word, std::size_t n>
auto sum_of_words(const std::array<Word, n>& planes) {
  if constexpr (sizeof(Word) == sizeof(std::uint32_t)) {
    return planes;
  } else {
    using Half = std::conditional_t<sizeof(Word) == 32, std::uint32_t __attribute__((vector_size(16))),
                                    std::conditional_t<sizeof(Word) == 16, std::uint64_t, std::uint32_t>>;
    std::array<Half, n> low, high;
    for (std::size_t k = 0; k < n; ++k) {
      std::array<Half, 2> halves;
      std::memcpy(halves.data(), &planes[k], sizeof halves);
      low[k] = halves[0];
      high[k] = halves[1];
    }
    return sum_of_words(sum_of(low, high));
  }
}

// The largest of 32 counts.
template <std::size_t n>
unsigned most_of(const std::array<std::uint32_t, n>& planes) {
  unsigned most = 0;
  std::uint32_t left = ~0u;  // places whose higher bits are those of `most`
  for (std::size_t k = n; k-- > 0;) {
    if ((left & planes[k]) == 0) continue;
    left &= planes[k];
    most |= 1u << k;
  }
  return most;
}

// How many of `lanes` words, 8, 16 or 32, have the bit that most of them have.
inline unsigned most_in_one_place(const std::uint32_t* words, unsigned lanes) {
  using One = std::array<Vec, 1>;
  One part[4] = {};
  for (unsigned k = 0; k < lanes / kVecLanes; ++k) load(part[k][0], words + kVecLanes * k);
  if (lanes == kVecLanes) return most_of(sum_of_words(part[0]));
  const auto half = sum_of(part[0], part[1]);
  if (lanes == 2 * kVecLanes) return most_of(sum_of_words(half));
  return most_of(sum_of_words(sum_of(half, sum_of(part[2], part[3]))));
}

// Lanes that ask for a word each: the words that they ask for, bit by bit, when all lie in two rows of banks,
// each row in the other half. Nothing: they do not.
inline std::optional<std::uint64_t> words_in_two_rows(const std::uint64_t* address, Mask mask) {
  constexpr unsigned kShift = 2, kMost = 64;  // bytes of a word; of two rows
  const std::uint64_t first = address[std::countr_zero(mask)] >> kShift;
  // Rows begin at a multiple of 32 words. Lanes that lie before this one's row are in the row before.
  const auto look = [&](std::uint64_t base) -> std::optional<std::uint64_t> {
    Four words{}, far{};
    for (unsigned k = 0; k < kWarpLanes; k += 4) {
      Four at;
      std::memcpy(&at, address + k, sizeof at);
      const Four acts = four_lanes_of_bits(mask, k);
      const Four behind = ((at >> kShift) - base) & acts;
      far |= behind;
      words |= (acts & 1u) << (behind & (kMost - 1));
    }
    if (bits_of_all(far) >= kMost) return std::nullopt;
    return bits_of_all(words);
  };
  const std::uint64_t row = first & ~std::uint64_t{kBanks - 1};
  const auto words = look(row);
  return words || row == 0 ? words : look(row - kBanks);
}

}  // namespace lab::sim
