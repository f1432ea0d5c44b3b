// Fills inputs, and compares outputs bit by bit. See pattern.h for what elements hold.
#include "common/course/judge/verify.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <string>

#include "common/base/threads.h"
#include "common/course/judge/pattern.h"

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
  base::Threads others;
  for (std::int64_t t = 1; t < pieces; ++t)
    others.start([&, t] { work(count * t / pieces, count * (t + 1) / pieces); });
  work(std::int64_t{0}, count / pieces);
}

// Rows [first, end) of `out`, which are columns of `in`. A small square at once: each cache line is touched
// once, whatever the pitch.
template <int kBytes>
bool rows_match(const Problem& p, const std::byte* in, const std::byte* out, std::int64_t first_row,
                std::int64_t end_row) {
  constexpr std::int64_t kTogether = 16;
  std::array<std::byte, kTogether * kTogether * kBytes> turned;
  const std::int64_t padding_bytes = (p.out_pitch() - p.rows) * kBytes;
  for (std::int64_t b = 0; b < p.batch; ++b) {
    const std::byte* matrix = in + b * p.in_stride() * kBytes;
    for (std::int64_t c0 = first_row; c0 < end_row; c0 += kTogether) {
      const std::int64_t c1 = std::min(c0 + kTogether, end_row);
      const std::byte* rows = out + (b * p.out_stride() + c0 * p.out_pitch()) * kBytes;
      bool wrong = false;
      for (std::int64_t r0 = 0; r0 < p.rows; r0 += kTogether) {
        const std::int64_t count = std::min(kTogether, p.rows - r0);
        for (std::int64_t r = 0; r < count; ++r) {
          const std::byte* from = matrix + ((r0 + r) * p.in_pitch() + c0) * kBytes;
          for (std::int64_t c = 0; c < c1 - c0; ++c)
            std::memcpy(turned.data() + (c * kTogether + r) * kBytes, from + c * kBytes, kBytes);
        }
        for (std::int64_t c = 0; c < c1 - c0; ++c)
          wrong |=
              std::memcmp(turned.data() + c * kTogether * kBytes, rows + (c * p.out_pitch() + r0) * kBytes,
                          static_cast<std::size_t>(count) * kBytes) != 0;
      }
      for (std::int64_t c = c0; c < c1; ++c) {
        const std::byte* padding = rows + ((c - c0) * p.out_pitch() + p.rows) * kBytes;
        wrong |= std::any_of(padding, padding + padding_bytes, [](std::byte x) { return x != kPoison; });
      }
      if (wrong) return false;
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
std::optional<std::uint64_t> number_seen(const Words& cipher, const Seen& seen) {
  if (seen.zero()) return std::nullopt;  // it may be an element's word (with_a_zero), and means mostly none
  const std::uint64_t words = seen.words();
  const std::uint64_t number = cipher.number(seen.word(0)) / words;
  for (std::size_t w = 0; w < words; ++w) {
    if (cipher.number(seen.word(w)) != number * words + w) return std::nullopt;
  }
  return number;
}

std::optional<Place> origin_of(const Problem& p, const Words& cipher, const Seen& seen) {
  const std::optional<std::uint64_t> number = number_seen(cipher, seen);
  if (!number || *number >= static_cast<std::uint64_t>(p.batch * p.rows * p.cols)) return std::nullopt;
  return place_of_number(p, *number);
}

// fill_input numbers what stands between rows behind all elements.
bool is_between_rows(const Problem& p, const Words& cipher, const Seen& seen) {
  const std::optional<std::uint64_t> number = number_seen(cipher, seen);
  return number && *number < static_cast<std::uint64_t>(p.batch * p.rows * p.in_pitch()) &&
         !origin_of(p, cipher, seen);
}

bool is_copied(const Place& from, const Place& at) {
  return from.batch == at.batch && from.row == at.row && from.col == at.col;
}

Message what_stands_there(const Problem& p, const Words& words, const Seen& seen, const Place& at) {
  const Place wanted{at.batch, at.col, at.row};
  const std::string here = name_of("out", p, at);
  const Message should = msg("{} belongs there", name_of("in", p, wanted));
  if (const auto from = origin_of(p, words, seen)) {
    const Place home{from->batch, from->col, from->row};
    const Message text = msg("{} holds {}, which belongs at {}; {}", here, name_of("in", p, *from),
                             name_of("out", p, home), should);
    if (is_copied(*from, at)) return msg("{}: row and column have not changed places", text);
    if (from->batch != at.batch) return msg("{}: it is of another matrix of the batch", text);
    return text;
  }
  if (seen.zero()) return msg("{} holds zero; {}", here, should);
  if (is_between_rows(p, words, seen))
    return msg("{} holds what lies behind a row of `in`, where the pitch leaves a gap; {}", here, should);
  return msg("{} holds {}, which is no element of `in`; {}", here, seen.hex(), should);
}

// Does element `index` of `out` hold element `number` of `in`, in every pass?
bool range_holds(const Problem& p, const Words& words, std::span<const std::vector<std::byte>> out,
                 std::int64_t index, std::uint64_t number) {
  const auto size = static_cast<std::size_t>(p.elem_bytes);
  for (int pass = 0; pass < passes(p); ++pass) {
    std::array<std::byte, 16> expected;
    element_bytes(number, words, p.elem_bytes, pass, expected.data());
    const std::byte* at = out[static_cast<std::size_t>(pass)].data() + index * p.elem_bytes;
    if (std::memcmp(at, expected.data(), size) != 0) return false;
  }
  return true;
}

// `count` neighbouring elements of `in` from the words of their numbers.
template <int kBytes>
void fill_elements(const Words& words, std::uint64_t first, std::uint64_t count, int pass, std::byte* to) {
  constexpr std::uint64_t kWords = std::max(1, kBytes / 4), kRoom = 1024;
  std::array<std::uint32_t, kRoom> room;
  for (std::uint64_t done = 0; done < count * kWords; done += kRoom) {
    const auto part = std::span(room).first(std::min(kRoom, count * kWords - done));
    words.run(static_cast<std::uint32_t>(first * kWords + done), part);
    if constexpr (kBytes >= 4) {
      std::memcpy(to + done * 4, part.data(), part.size_bytes());
    } else {
      for (std::size_t i = 0; i < part.size(); ++i) {
        const std::uint32_t bytes = part[i] >> (8 * kBytes * pass);
        std::memcpy(to + (done + i) * kBytes, &bytes, kBytes);
      }
    }
  }
}

}  // namespace

int passes(const Problem& problem) {
  return passes(problem.elem_bytes, problem.batch * problem.rows * problem.cols);
}

void fill_input(const Problem& p, const Words& words, int pass, std::span<std::byte> in, unsigned threads) {
  const bool padded = p.in_pitch() != p.cols;
  // What stands between rows looks like what stands in them.
  if (padded)
    with_elem_bytes(p.elem_bytes, [&](auto n) {
      const std::int64_t gap = p.in_pitch() - p.cols, elems = p.batch * p.rows * p.cols;
      for (std::int64_t row = 0; row < p.batch * p.rows; ++row)
        fill_elements<n()>(words, static_cast<std::uint64_t>(elems + row * gap),
                           static_cast<std::uint64_t>(gap), pass,
                           in.data() + (row * p.in_pitch() + p.cols) * n());
    });
  // Rows without padding are one long row; matrices lie one behind the other.
  const std::int64_t rows = padded ? p.batch * p.rows : 1;
  const std::int64_t cols = padded ? p.cols : p.batch * p.rows * p.cols;
  with_elem_bytes(p.elem_bytes, [&](auto n) {
    spread_over(threads, rows * cols, [&](std::int64_t first, std::int64_t end) {
      while (first < end) {
        const std::int64_t row = first / cols, col = first % cols, count = std::min(cols - col, end - first);
        fill_elements<n()>(words, static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(count), pass,
                           in.data() + (row * p.in_pitch() + col) * n());
        first += count;
      }
    });
  });
}

bool output_is_right(const Problem& p, std::span<const std::byte> in, std::span<const std::byte> out,
                     unsigned threads) {
  return with_elem_bytes(p.elem_bytes, [&](auto n) {
    std::atomic<bool> right = true;
    spread_over(threads, p.cols, [&](std::int64_t first, std::int64_t end) {
      if (!rows_match<n()>(p, in.data(), out.data(), first, end)) right = false;
    });
    return right.load();
  });
}

std::optional<Mismatch> first_mismatch(const Problem& p, const Words& words,
                                       std::span<const std::vector<std::byte>> out) {
  std::optional<Mismatch> first;
  std::int64_t wrong = 0;
  for (std::int64_t index = 0; index < p.out_elems(); ++index) {
    const Place at{index / p.out_stride(), index % p.out_stride() / p.out_pitch(), index % p.out_pitch()};
    const bool padding = at.col >= p.rows;
    if (padding ? Seen(p, out, index).poison()
                : range_holds(p, words, out, index, number_of(p, {at.batch, at.col, at.row}))) {
      continue;
    }
    if (wrong++ != 0) continue;
    const Seen seen(p, out, index);
    first.emplace();
    first->row = at.row, first->col = at.col, first->batch = at.batch;
    if (padding) {
      first->code = "padding-written";
      first->message = msg("{} is padding behind the row of {} elements, and something was written there.",
                           name_of("out", p, at), p.rows);
    } else if (seen.poison()) {
      first->code = "never-written";
      first->message = msg("{} was never written; {} belongs there.", name_of("out", p, at),
                           name_of("in", p, {at.batch, at.col, at.row}));
    } else {
      first->code = "wrong-element";
      first->message = msg("{}.", what_stands_there(p, words, seen, at));
      first->holds_zero = seen.zero();
      const auto from = origin_of(p, words, seen);
      first->copied = from && is_copied(*from, at);
      if (from && from->batch == at.batch && !first->copied)
        first->rows_off = from->row - at.col, first->cols_off = from->col - at.row;
      first->foreign = !from && !seen.zero() && !is_between_rows(p, words, seen);
    }
  }
  if (first) first->wrong_elems = wrong, first->elems = p.batch * p.rows * p.cols;
  return first;
}

std::optional<Mismatch> first_wrong_value(const Problem& p, std::span<const std::byte> in,
                                          std::span<const std::byte> out) {
  const auto bytes = static_cast<std::size_t>(p.elem_bytes);
  const auto hex = [&](const std::byte* at) {
    std::string text = "0x";
    for (std::size_t k = bytes; k-- > 0;) text += fmt::format("{:02x}", std::to_integer<int>(at[k]));
    return text;
  };
  for (std::int64_t col = 0; col < p.cols; ++col)
    for (std::int64_t row = 0; row < p.rows; ++row) {
      const std::byte* from = &in[static_cast<std::size_t>(row * p.in_pitch() + col) * bytes];
      const std::byte* to = &out[static_cast<std::size_t>(col * p.out_pitch() + row) * bytes];
      if (std::equal(from, from + bytes, to)) continue;
      return Mismatch{
          "wrong-element",
          msg("in({},{}) holds {}, and out({},{}) holds {}.", row, col, hex(from), col, row, hex(to)),
          col,
          row,
          0,
          0};
    }
  return std::nullopt;
}

bool is_right_at(const Problem& p, const Words& words, std::span<const std::vector<std::byte>> out,
                 std::int64_t row, std::int64_t col) {
  return range_holds(p, words, out, row * p.out_pitch() + col, number_of(p, {0, col, row}));
}

}  // namespace lab::judge
