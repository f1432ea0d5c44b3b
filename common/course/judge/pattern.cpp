// Words of matrices under the cipher Speck. See pattern.h.
#include "common/course/judge/pattern.h"

#include <algorithm>
#include <cstring>

namespace lab::judge {
namespace {

// Halves of words side by side. GCC's and clang's own vector types: no intrinsics, right on any machine. One
// is as wide as the machine's own (wider ones are taken apart, badly); a few are on their way at once.
constexpr std::size_t kInOne = 16, kAtOnce = 4, kLanes = kInOne * kAtOnce;
using Halves = std::uint16_t __attribute__((vector_size(2 * kInOne)));

// One round on words of two halves of kHalf bits, each in 16. The rotations are those of Speck32.
template <unsigned kHalf>
struct Round {
  static constexpr std::uint16_t kMask = static_cast<std::uint16_t>((1u << kHalf) - 1);
  static constexpr unsigned kRight = 7 % kHalf, kLeft = 2;

  template <class T>
  static void apply(T& x, T& y, std::uint16_t key) {
    const T k = T{} + key;
    x = static_cast<T>((((x >> kRight) | (x << (kHalf - kRight))) & kMask) + y) & kMask;
    x ^= k;
    y = static_cast<T>((((y << kLeft) | (y >> (kHalf - kLeft))) & kMask) ^ x);
  }
  template <class T>
  static void undo(T& x, T& y, std::uint16_t key) {
    const T k = T{} + key;
    y ^= x;
    y = static_cast<T>(((y >> kLeft) | (y << (kHalf - kLeft))) & kMask);
    x = static_cast<T>(((x ^ k) - y) & kMask);
    x = static_cast<T>(((x << kRight) | (x >> (kHalf - kRight))) & kMask);
  }
};

template <class F>
decltype(auto) with_half(unsigned bits, F&& f) {
  switch (bits) {
    case 8:
      return f(Round<4>{}, std::integral_constant<unsigned, 4>{});
    case 16:
      return f(Round<8>{}, std::integral_constant<unsigned, 8>{});
    case 24:
      return f(Round<12>{}, std::integral_constant<unsigned, 12>{});
    default:
      return f(Round<16>{}, std::integral_constant<unsigned, 16>{});
  }
}

std::uint16_t rotr16(unsigned x, unsigned by) { return static_cast<std::uint16_t>(x >> by | x << (16 - by)); }

}  // namespace

Words::Words(std::uint64_t key, unsigned bits) : bits_(bits) {
  // The schedule of Speck32/64; shorter words take the low bits of its round keys.
  std::array<std::uint16_t, kRounds + 2> l{};
  for (unsigned i = 0; i < 3; ++i) l[i] = static_cast<std::uint16_t>(key >> (16 * (i + 1)));
  auto k = static_cast<std::uint16_t>(key);
  const auto mask = static_cast<std::uint16_t>((1u << bits / 2) - 1);
  for (unsigned i = 0; i < kRounds; ++i) {
    round_keys_[i] = k & mask;
    if (i + 1 == kRounds) break;
    l[i + 3] = static_cast<std::uint16_t>((k + rotr16(l[i], 7)) ^ i);
    k = rotr16(k, 14) ^ l[i + 3];
  }
}

std::uint32_t Words::word(std::uint32_t number) const {
  std::uint32_t word = 0;
  run(number, {&word, 1});
  return word;
}

Words Words::with_zero_at(std::uint32_t number) const {
  Words words = *this;
  words.mask_ ^= word(number);
  return words;
}

std::uint32_t Words::number(std::uint32_t word) const {
  numbers({&word, 1});
  return word;
}

namespace {

// Calls load(first, now) for some words side by side, then rounds(x, y) for their halves. All loops are as
// long as the compiler knows.
template <unsigned kHalf, class Load, class Rounds>
void each_side_by_side(std::span<std::uint32_t> words, std::uint32_t mask, const Load& load,
                       const Rounds& rounds) {
  for (std::size_t done = 0; done < words.size(); done += kLanes) {
    std::uint32_t now[kLanes];
    load(done, now);
    std::uint16_t high[kLanes], low[kLanes];
    for (std::size_t i = 0; i < kLanes; ++i) {
      high[i] = static_cast<std::uint16_t>(low_bits(now[i], 2 * kHalf) >> kHalf);
      low[i] = static_cast<std::uint16_t>(low_bits(now[i], kHalf));
    }
    Halves x[kAtOnce], y[kAtOnce];
    std::memcpy(x, high, sizeof x);
    std::memcpy(y, low, sizeof y);
    rounds(x, y);
    std::memcpy(high, x, sizeof x);
    std::memcpy(low, y, sizeof y);
    for (std::size_t i = 0; i < kLanes; ++i) now[i] = (std::uint32_t{high[i]} << kHalf | low[i]) ^ mask;
    std::memcpy(&words[done], now, std::min(kLanes, words.size() - done) * sizeof now[0]);
  }
}

}  // namespace

void Words::numbers(std::span<std::uint32_t> words) const {
  with_half(bits_, [&](auto round, auto half) {
    each_side_by_side<half()>(
        words, 0,
        [&](std::size_t done, auto& now) {
          for (std::size_t i = 0; i < kLanes; ++i)
            now[i] = done + i < words.size() ? words[done + i] ^ mask_ : 0;
        },
        [&](auto& x, auto& y) {
          for (auto key = round_keys_.rbegin(); key != round_keys_.rend(); ++key)
            for (std::size_t k = 0; k < kAtOnce; ++k) round.undo(x[k], y[k], *key);
        });
  });
}

void Words::run(std::uint32_t first, std::span<std::uint32_t> words) const {
  with_half(bits_, [&](auto round, auto half) {
    each_side_by_side<half()>(
        words, mask_,
        [&](std::size_t done, auto& now) {
          for (std::size_t i = 0; i < kLanes; ++i) now[i] = first + static_cast<std::uint32_t>(done + i);
        },
        [&](auto& x, auto& y) {
          for (const std::uint16_t key : round_keys_)
            for (std::size_t k = 0; k < kAtOnce; ++k) round.apply(x[k], y[k], key);
        });
  });
}

Words words_for(const Problem& p, const InputKey& key) {
  const std::int64_t elems = p.batch * p.rows * p.cols;
  const unsigned bits = word_bits(p.elem_bytes, elems);
  const std::int64_t count = elems * std::max(1, p.elem_bytes / 4);
  constexpr int kTries = 256;  // a matrix of 2^32 words holds every word: then there is no better key
  for (int attempt = 0;; ++attempt) {
    const Words words(key.draw({p.rows, p.cols, p.elem_bytes, p.in_pitch(), p.out_pitch(), p.batch, attempt}),
                      bits);
    const bool clear = words.number(low_bits(kPoisonWord, bits)) >= count && words.number(0) >= count;
    if (clear || attempt == kTries) return words;
  }
}

Words with_a_zero(const Words& words, const Problem& p, const InputKey& key) {
  const std::int64_t elems = p.batch * p.rows * p.cols;
  constexpr std::int64_t kLeast = 256;  // small ones are what students are shown
  if (p.elem_bytes != 4 || elems < kLeast) return words;
  for (int attempt = 0; attempt < 16; ++attempt) {
    const std::uint64_t drawn = key.draw({0x7a65726f, p.rows, p.cols, p.batch, attempt});
    const Words changed =
        words.with_zero_at(static_cast<std::uint32_t>(drawn % static_cast<std::uint64_t>(elems)));
    if (changed.number(kPoisonWord) >= elems) return changed;
  }
  return words;
}

void element_bytes(std::uint64_t number, const Words& words, int elem_bytes, int pass, std::byte* to) {
  const auto size = static_cast<std::size_t>(elem_bytes);
  if (elem_bytes < 4) {
    const std::uint32_t word = words.word(static_cast<std::uint32_t>(number)) >> (8 * elem_bytes * pass);
    std::memcpy(to, &word, size);
    return;
  }
  std::array<std::uint32_t, 4> whole{};
  words.run(static_cast<std::uint32_t>(number * (size / 4)), std::span(whole).first(size / 4));
  std::memcpy(to, whole.data(), size);
}

}  // namespace lab::judge
