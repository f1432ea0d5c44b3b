// Counts in 32 places at once: how many lanes want the bank that is wanted most.
//
// Enters: words with a bit for a place. Leaves: the largest count.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace lab::sim {

// A binary counter for each place, bit 0 of all of them in the first word: bytes in memory would be slower,
// since each addition to one waits for the one before.
class MostInOnePlace {
 public:
  void add(std::uint32_t bits) {
    for (std::size_t k = 0; k < planes_.size(); ++k) {
      const std::uint32_t carry = planes_[k] & bits;
      planes_[k] ^= bits;
      bits = carry;
      if (k > 0 && bits == 0) return;  // mostly after two: at most three share a place
    }
  }
  [[nodiscard]] unsigned most() const {
    unsigned most = 0;
    std::uint32_t left = ~0u;  // places whose higher bits are those of `most`
    for (std::size_t k = planes_.size(); k-- > 0;) {
      if ((left & planes_[k]) == 0) continue;
      left &= planes_[k];
      most |= 1u << k;
    }
    return most;
  }

 private:
  std::array<std::uint32_t, 6> planes_{};  // up to 32
};

}  // namespace lab::sim
