// Fills inputs, and compares outputs bit by bit. See pattern.h for what elements hold.
#include "common/judge/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <string>
#include <thread>

#include "common/judge/pattern.h"

namespace lab::judge {
namespace {

template <class F>
decltype(auto) with_elem_bytes(int elem_bytes, F&& f) {
  switch (elem_bytes) {
    case 1:
      return f(std::integral_constant<int, 1>{});
    case 2:
      return f(std::integral_constant<int, 2>{});
    case 8:
      return f(std::integral_constant<int, 8>{});
    case 16:
      return f(std::integral_constant<int, 16>{});
    default:
      return f(std::integral_constant<int, 4>{});
  }
}

// An element of `in`: its matrix, row and column; `number` counts without padding.
struct Place {
  std::int64_t batch = 0, row = 0, col = 0;
};

Words words_of(const Problem& p, std::uint32_t seed) {
  const unsigned bits = word_bits(p.elem_bytes, p.batch * p.rows * p.cols);
  return {seed_of_words(seed, bits), bits};
}

std::uint64_t number_of(const Problem& p, const Place& in) {
  return static_cast<std::uint64_t>((in.batch * p.rows + in.row) * p.cols + in.col);
}

std::string name_of(const char* matrix, const Problem& p, const Place& at) {
  if (p.batch == 1) return fmt::format("{}({},{})", matrix, at.row, at.col);
  return fmt::format("{}[{}]({},{})", matrix, at.batch, at.row, at.col);
}

// Calls work(first, end) for pieces of [0, count), each on a thread of its own.
template <class F>
void spread_over(unsigned threads, std::int64_t count, const F& work) {
  const std::int64_t pieces = std::clamp<std::int64_t>(threads, 1, std::max<std::int64_t>(count, 1));
  std::vector<std::jthread> others;
  for (std::int64_t t = 1; t < pieces; ++t)
    others.emplace_back([&, t] { work(count * t / pieces, count * (t + 1) / pieces); });
  work(std::int64_t{0}, count / pieces);
}

// Rows [first, end) of `out`.
template <int kBytes>
bool rows_match(const Problem& p, const Words& words, int pass, const std::byte* out, std::int64_t first_row,
                std::int64_t end_row) {
  const std::int64_t padding_bytes = (p.out_pitch() - p.rows) * kBytes;
  for (std::int64_t b = 0; b < p.batch; ++b) {
    for (std::int64_t c = first_row; c < end_row; ++c) {  // row c of `out` is column c of `in`
      const std::byte* row = out + (b * p.out_stride() + c * p.out_pitch()) * kBytes;
      const std::uint64_t first = number_of(p, {b, 0, c});
      std::uint64_t wrong = 0;
      for (std::int64_t r = 0; r < p.rows; ++r) {
        std::array<std::byte, kBytes> expected;
        element_bytes<kBytes>(first + static_cast<std::uint64_t>(r * p.cols), words, pass, expected.data());
        wrong += std::memcmp(row + r * kBytes, expected.data(), kBytes) != 0;
      }
      const std::byte* padding = row + p.rows * kBytes;
      if (wrong != 0 ||
          std::any_of(padding, padding + padding_bytes, [](std::byte x) { return x != kPoison; })) {
        return false;
      }
    }
  }
  return true;
}

// One element of `out` over all passes, as the four bytes (or more) of its words.
class Seen {
 public:
  Seen(const Problem& p, std::span<const std::vector<std::byte>> out, std::int64_t index) {
    for (const std::vector<std::byte>& pass : out) {
      const std::byte* at = pass.data() + index * p.elem_bytes;
      bytes_.insert(bytes_.end(), at, at + p.elem_bytes);
    }
  }
  [[nodiscard]] bool poison() const {
    return std::all_of(bytes_.begin(), bytes_.end(), [](std::byte b) { return b == kPoison; });
  }
  [[nodiscard]] bool zero() const {
    return std::all_of(bytes_.begin(), bytes_.end(), [](std::byte b) { return b == std::byte{0}; });
  }
  [[nodiscard]] std::size_t words() const { return (bytes_.size() + 3) / 4; }
  [[nodiscard]] std::uint32_t word(std::size_t w) const {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes_.data() + 4 * w, std::min<std::size_t>(4, bytes_.size() - 4 * w));
    return value;
  }
  [[nodiscard]] std::string hex() const {
    std::string text = "0x";
    for (auto b = bytes_.rbegin(); b != bytes_.rend(); ++b)
      text += fmt::format("{:02x}", std::to_integer<int>(*b));
    return text;
  }

 private:
  std::vector<std::byte> bytes_;
};

Place place_of_number(const Problem& p, std::uint64_t number) {
  const auto n = static_cast<std::int64_t>(number);
  return {n / (p.rows * p.cols), n / p.cols % p.rows, n % p.cols};
}

// The element of `in` that these bytes came from, whole; none when they are a mixture or no element at all.
std::optional<Place> origin_of(const Problem& p, std::uint32_t seed, const Seen& seen) {
  const auto [own_seed, bits] = words_of(p, seed);
  const std::uint64_t words = seen.words();
  const std::uint64_t number = unmix(seen.word(0), own_seed, bits) / words;
  if (number >= static_cast<std::uint64_t>(p.batch * p.rows * p.cols)) return std::nullopt;
  for (std::size_t w = 0; w < words; ++w) {
    if (unmix(seen.word(w), own_seed, bits) != number * words + w) return std::nullopt;
  }
  return place_of_number(p, number);
}

std::string what_stands_there(const Problem& p, std::uint32_t seed, const Seen& seen, const Place& at) {
  const Place wanted{at.batch, at.col, at.row};
  const std::string here = name_of("out", p, at);
  const std::string should = name_of("in", p, wanted) + " belongs there";
  if (const auto from = origin_of(p, seed, seen)) {
    const Place home{from->batch, from->col, from->row};
    return fmt::format("{} holds {}, which belongs at {}; {}", here, name_of("in", p, *from),
                       name_of("out", p, home), should);
  }
  if (seen.zero()) return fmt::format("{} holds zero; {}", here, should);
  return fmt::format("{} holds {}, which is no element of `in`; {}", here, seen.hex(), should);
}

// Does element `index` of `out` hold element `number` of `in`, in every pass?
bool holds(const Problem& p, std::uint32_t seed, std::span<const std::vector<std::byte>> out,
           std::int64_t index, std::uint64_t number) {
  const Words words = words_of(p, seed);
  return with_elem_bytes(p.elem_bytes, [&](auto n) {
    for (int pass = 0; pass < passes(p); ++pass) {
      std::array<std::byte, n()> expected;
      element_bytes<n()>(number, words, pass, expected.data());
      if (std::memcmp(out[static_cast<std::size_t>(pass)].data() + index * n(), expected.data(), n()) != 0)
        return false;
    }
    return true;
  });
}

}  // namespace

int passes(const Problem& problem) {
  return passes(problem.elem_bytes, problem.batch * problem.rows * problem.cols);
}

void fill_input(const Problem& p, std::uint32_t seed, int pass, std::span<std::byte> in, unsigned threads) {
  if (p.in_pitch() != p.cols) std::fill(in.begin(), in.end(), kPoison);
  const Words words = words_of(p, seed);
  with_elem_bytes(p.elem_bytes, [&](auto n) {
    spread_over(threads, p.batch * p.rows, [&](std::int64_t first_row, std::int64_t end_row) {
      for (std::int64_t row = first_row; row < end_row; ++row) {  // matrices lie one behind the other
        std::byte* to = in.data() + row * p.in_pitch() * n();
        const auto first = static_cast<std::uint64_t>(row * p.cols);
        for (std::int64_t c = 0; c < p.cols; ++c) {
          element_bytes<n()>(first + static_cast<std::uint64_t>(c), words, pass, to + c * n());
        }
      }
    });
  });
}

bool output_is_right(const Problem& p, std::uint32_t seed, int pass, std::span<const std::byte> out,
                     unsigned threads) {
  return with_elem_bytes(p.elem_bytes, [&](auto n) {
    const Words words = words_of(p, seed);
    std::atomic<bool> right = true;
    spread_over(threads, p.cols, [&](std::int64_t first, std::int64_t end) {
      if (!rows_match<n()>(p, words, pass, out.data(), first, end)) right = false;
    });
    return right.load();
  });
}

std::optional<Mismatch> first_mismatch(const Problem& p, std::uint32_t seed,
                                       std::span<const std::vector<std::byte>> out) {
  std::optional<Mismatch> first;
  std::int64_t wrong = 0;
  for (std::int64_t index = 0; index < p.out_elems(); ++index) {
    const Place at{index / p.out_stride(), index % p.out_stride() / p.out_pitch(), index % p.out_pitch()};
    const bool padding = at.col >= p.rows;
    if (padding ? Seen(p, out, index).poison()
                : holds(p, seed, out, index, number_of(p, {at.batch, at.col, at.row}))) {
      continue;
    }
    if (wrong++ != 0) continue;
    const Seen seen(p, out, index);
    first.emplace();
    first->row = at.row, first->col = at.col, first->batch = at.batch;
    if (padding) {
      first->code = "padding-written";
      first->message =
          fmt::format("{} is padding behind the row of {} elements, and something was written there.",
                      name_of("out", p, at), p.rows);
    } else if (seen.poison()) {
      first->code = "never-written";
      first->message = fmt::format("{} was never written; {} belongs there.", name_of("out", p, at),
                                   name_of("in", p, {at.batch, at.col, at.row}));
    } else {
      first->code = "wrong-element";
      first->message = what_stands_there(p, seed, seen, at) + ".";
    }
  }
  if (first) first->wrong_elems = wrong;
  return first;
}

}  // namespace lab::judge
