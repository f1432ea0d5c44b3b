// Draws worlds. See open_world.h.
#include "common/course/judge/open_world.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace lab::judge {
namespace {

constexpr std::uint64_t kBegins = 256;  // every buffer of CUDA begins there
constexpr std::int64_t kShownElems = 256;
constexpr std::uint64_t kNoBands = 2;  // of what draws special values

// By width; of 8 and 16 bytes also as two or four of four.
constexpr std::uint64_t kOf1[] = {0x00, 0x80, 0xff, 0x01, 0x7f};
constexpr std::uint64_t kOf2[] = {0x0000, 0x8000, 0x7c00, 0xfc00, 0x7e00,
                                  0x3c00, 0xbc00, 0x0001, 0xffff, 0x3f80};
constexpr std::uint64_t kOf4[] = {0x00000000, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001,
                                  0x7f800001, 0x3f800000, 0xbf800000, 0x00000001, 0x80000001, 0x00800000,
                                  0xffffffff, 0x7fffffff, 2,          3,          7,          16,
                                  32,         64,         100,        255,        0xfffffffe, 0x40000000};
constexpr std::uint64_t kOf8[] = {0,
                                  0x8000000000000000,
                                  0x7ff0000000000000,
                                  0xfff0000000000000,
                                  0x7ff8000000000000,
                                  0x3ff0000000000000,
                                  0xffffffffffffffff,
                                  1,
                                  0x00000000ffffffff,
                                  0xffffffff00000000,
                                  0x8000000080000000,
                                  0x3f8000003f800000};

std::span<const std::uint64_t> values_of(int bytes) {
  switch (bytes) {
    case 1:
      return kOf1;
    case 2:
      return kOf2;
    case 4:
      return kOf4;
    default:
      return kOf8;
  }
}

void put(const Problem& p, std::int64_t row, std::int64_t col, std::uint64_t value, std::span<std::byte> in) {
  const std::array<std::uint64_t, 2> element{value, value};
  const auto at = static_cast<std::size_t>((row * p.in_pitch() + col) * p.elem_bytes);
  std::memcpy(&in[at], element.data(), static_cast<std::size_t>(p.elem_bytes));
}

// In some matrices 32 rows are zeros and 32 columns hold one value: a kernel that stores nothing where all lanes of a
// warp hold the same is wrong there. Not in all, since misplaced elements are not seen among equal ones.
void put_bands(const Problem& p, std::uint64_t drawn, std::uint64_t value, std::span<std::byte> in) {
  constexpr std::int64_t kBand = 32;
  const auto first = [&](int shift, std::int64_t side) {
    return static_cast<std::int64_t>(drawn >> shift) % (side / kBand) * kBand;
  };
  const auto fill = [&](std::int64_t row, std::int64_t rows, std::int64_t col, std::int64_t cols,
                        std::uint64_t what) {
    for (std::int64_t r = row; r < row + rows; ++r)
      for (std::int64_t c = col; c < col + cols; ++c) put(p, r, c, what, in);
  };
  if ((drawn & (3 * kNoBands)) != 0) return;
  if (p.rows >= 2 * kBand) fill(first(9, p.rows), kBand, 0, p.cols, 0);
  if (p.cols >= 2 * kBand) fill(0, p.rows, first(23, p.cols), kBand, value);
}

constexpr std::int64_t kWord = 4;

// A word of several elements, along a row and along a column.
void put_word(const Problem& p, std::int64_t row, std::int64_t col, std::uint64_t word,
              std::span<std::byte> in) {
  const std::int64_t parts = kWord / p.elem_bytes;
  for (std::int64_t k = 0; k < parts; ++k) {
    const std::uint64_t part = word >> (8 * p.elem_bytes * static_cast<int>(k));
    if (col + k < p.cols) put(p, row, col + k, part, in);
    if (row + k < p.rows && col + parts < p.cols) put(p, row + k, col + parts, part, in);
  }
}

// Elements that are to each other as those of no draw are: the same along a diagonal, and one more at each step along a
// row and a column.
void put_relations(const Problem& p, std::uint64_t drawn, std::uint64_t value, std::span<std::byte> in) {
  constexpr std::int64_t kSteps = 8;
  const auto row = static_cast<std::int64_t>((drawn >> 17) % static_cast<std::uint64_t>(p.rows)),
             col = static_cast<std::int64_t>((drawn >> 29) % static_cast<std::uint64_t>(p.cols));
  const std::int64_t first_row = row / 2 / kSteps * kSteps, first_col = col / 2 / kSteps * kSteps;
  const auto put_inside = [&](std::int64_t r, std::int64_t c, std::uint64_t what) {
    if (r < p.rows && c < p.cols) put(p, r, c, what, in);
  };
  for (std::int64_t k = 0; k < kSteps; ++k) {
    const std::uint64_t more = (drawn >> 32) + static_cast<std::uint64_t>(k);
    put_inside(row, col + k, more), put_inside(row + k, col, more);
    put_inside(first_row + k, first_col + k, value);
  }
}

std::uint64_t drawn(const InputKey& key, const Problem& p, std::int64_t what) {
  return key.draw({0x6f70656e, what, p.rows, p.cols, p.elem_bytes, p.batch, p.in_pitch()}) | 1;
}

// Where both buffers lie: up to 256 MiB further than they need to, in each of two ranges. The lower has room for one
// in 32 to lie 4 096 times as far: addresses are not used again.
void place(OpenWorld& world, std::uint64_t draw) {
  constexpr std::uint64_t kLeast = 512, kDoublings = 20, kFar = 12;
  world.swapped = (draw >> 1) % 2 != 0, world.high = (draw >> 2) % 2 != 0;
  world.apart = (draw >> 23) % 4 == 0;
  const auto gap = [&](int shift, bool high) {
    const std::uint64_t bits = draw >> shift;
    const std::uint64_t doublings = bits % kDoublings + (!high && bits / kDoublings % 32 == 0 ? kFar : 0);
    // Any multiple of the least of each length: what kernels make of a distance is no matter of powers of two.
    const std::uint64_t less = (draw * 0x9e3779b97f4a7c15U >> (shift / 2)) % (std::uint64_t{1} << doublings);
    return (kLeast << doublings) - less / 2 * kLeast;
  };
  world.in_gap = gap(3, world.high);
  world.out_gap = gap(29, world.high != world.apart);
}

}  // namespace

OpenWorld open_world(const InputKey& key, const Problem& p, std::uint64_t starts_on) {
  const auto draw = [&](std::int64_t what) { return drawn(key, p, what); };
  OpenWorld world;
  world.schedule = world.numbers = draw(1);
  // Where any element may come first, half of the worlds are as elsewhere, or wide accesses were seldom tried.
  const std::uint64_t step = (draw(5) >> 1) % 2 == 0 ? std::max(starts_on, kStartsOn) : starts_on;
  world.in_begins = (draw(2) >> 1) % (kBegins / step) * step;
  world.out_begins = (draw(3) >> 1) % (kBegins / step) * step;
  place(world, draw(6));
  if (p.batch * p.rows * p.cols >= kShownElems) world.special = draw(4);
  return world;
}

// Small matrices begin at any sector, and narrow ones hold special values; of larger ones the pages of `out` are
// counted, too. Where rows of what may be a part of a larger matrix begin with 16 bytes, so does `in`, and `out` in
// half: as many of them begin with sectors as otherwise. The order is drawn for kernels that can tell it: others cost the same in any.
OpenWorld counted_world(const InputKey& key, const Problem& p, bool is_part) {
  constexpr std::uint64_t kSector = 32;
  constexpr std::int64_t kSmall = 1 << 16;
  OpenWorld world;
  world.numbers = drawn(key, p, 7);
  place(world, drawn(key, p, 8));
  if (p.batch * p.rows * p.cols > kSmall) return world;
  if (p.batch * p.rows * p.cols >= kShownElems && std::min(p.rows, p.cols) < kLeastFollowedSide)
    world.special = drawn(key, p, 12) | kNoBands;
  if (key.learns_order() && (drawn(key, p, 11) >> 1) % 2 == 0) world.schedule = drawn(key, p, 11);
  const auto begins = [&](std::int64_t what, std::int64_t pitch) {
    const std::uint64_t sectors = (drawn(key, p, what) >> 1) % (2 * kBegins / kSector),
                        bytes = static_cast<std::uint64_t>(pitch * p.elem_bytes);
    const bool inside = is_part && bytes % kSector == kStartsOn && (sectors % 2 != 0 || what == 9);
    return sectors / 2 * kSector + (inside ? kStartsOn : 0);
  };
  world.in_begins = begins(9, p.in_pitch()), world.out_begins = begins(10, p.out_pitch());
  return world;
}

OpenWorld alone(const OpenWorld& world, Open part) {
  switch (part) {
    case Open::Order:
      return {.schedule = world.schedule, .numbers = world.numbers};
    case Open::Begins:
      return {.in_begins = world.in_begins,
              .out_begins = world.out_begins,
              .swapped = world.swapped,
              .high = world.high,
              .apart = world.apart,
              .in_gap = world.in_gap,
              .out_gap = world.out_gap};
    default:
      return {.special = world.special};
  }
}

void decides(Run& run, Open part) {
  if (run.mismatch && part == Open::Order) run.mismatch->code = "order-decides";
  if (run.mismatch) run.mismatch->message.line(words_of(part));
  if (!run.faults.empty()) run.faults.front().after = words_of(part);
}

Message words_of(Open part) {
  switch (part) {
    case Open::Order:
      return "That is where blocks and warps take their turns in another order, registers that were never "
             "set hold something, and the hardware has other numbers for warps and multiprocessors; CUDA "
             "leaves all of it open. Wait for what another block or warp writes: by a barrier, or by a loop "
             "that reads a flag until it is set. Give every variable a value, and compute a warp's number "
             "from threadIdx.";
    case Open::Begins:
      return "That is where `in` and `out` lie at other addresses: either may come first, and they need not "
             "begin at multiples of 256. The lesson says which addresses a kernel has to expect.";
    default:
      return "That is where some elements are values that their type treats specially: signed zeros, "
             "infinities, NaN, one, all ones, small integers, numbers that the kernel itself names, or rows "
             "and columns are all alike. A transpose moves bits, whatever they mean.";
  }
}

void put_special_values(const Problem& p, std::uint64_t drawn, const InputKey& key, std::span<std::byte> in) {
  if (drawn == 0) return;
  // The last are of the kernel's own: one in so many elements, of elements that are parts of a word whole words.
  constexpr std::uint64_t kOften = 32, kAlways = 4, kMost = 64;
  const auto elems = static_cast<std::uint64_t>(p.rows * p.cols);
  const std::uint64_t of_kernel = key.named().empty() ? kAlways : std::clamp(elems / kOften, kAlways, kMost),
                      in_all = kAlways + of_kernel;
  const std::span<const std::uint64_t> values = values_of(p.elem_bytes);
  put_bands(p, drawn, values[(drawn >> 5) % values.size()], in);
  put_relations(p, drawn, values[(drawn >> 7) % values.size()], in);
  for (std::uint64_t k = 0; k < in_all; ++k) {
    const bool named = k >= kAlways && !key.named().empty();
    const std::uint64_t value =
        named ? key.named()[((drawn >> 3) + k) % key.named().size()] : values[(drawn + k) % values.size()];
    const auto row = static_cast<std::int64_t>(std::rotr(drawn, static_cast<int>(8 + 5 * k)) %
                                               static_cast<std::uint64_t>(p.rows)),
               col = static_cast<std::int64_t>(std::rotr(drawn, static_cast<int>(11 + 7 * k)) %
                                               static_cast<std::uint64_t>(p.cols));
    for (const auto& [r, c] : {std::pair(row, col), {row, col + 1}, {row + 1, col}}) {
      if (r < p.rows && c < p.cols) put(p, r, c, value, in);
    }
    if (named && p.elem_bytes < kWord) put_word(p, row / kWord * kWord, col / kWord * kWord, value, in);
  }
}

}  // namespace lab::judge
