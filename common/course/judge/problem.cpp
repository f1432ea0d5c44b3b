// Sizes, their limits, and the lists of shapes on which a transpose must be right.
#include "common/course/judge/problem.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <set>

namespace lab::judge {
namespace {

// A kernel takes rows and cols as int.
constexpr std::int64_t kMaxSide = 2147483647;

std::uint64_t host_memory_bytes() {
  // Asked for every shape of a check, and it does not change.
  static const long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
  const std::uint64_t has = pages > 0 && page_bytes > 0
                                ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes)
                                : std::uint64_t{4} << 30;
  return std::min<std::uint64_t>(has, SIZE_MAX / 2);  // WebAssembly has addresses of 32 bits
}

}  // namespace

Message describe(const Problem& p) {
  Message text = msg("{}×{}", p.rows, p.cols);
  if (p.elem_bytes != 4) text = msg("{} of {}-byte elements", text, p.elem_bytes);
  if (p.in_pitch() != p.cols) text += msg(", {}", msg("rows of `in` {} apart", p.in_pitch()));
  if (p.out_pitch() != p.rows) text += msg(", {}", msg("rows of `out` {} apart", p.out_pitch()));
  if (p.batch != 1) text += msg(", {}", msg("{} matrices", p.batch));
  if (p.gpus > 1) text += msg(", {}", msg("over {} GPUs", p.gpus));
  if (p.uneven) text += msg(", {}", msg("shared out unevenly"));
  return text;
}

Message what_is_wrong_with(const Problem& p) {
  const auto bad_side = [](const char* what, std::int64_t n) -> Message {
    if (n < 1) return msg("{} is {}; it must be at least 1.", what, n);
    if (n > kMaxSide) return msg("{} is {}; a kernel takes it as an int, at most {}.", what, n, kMaxSide);
    return {};
  };
  for (const Message& text :
       {bad_side("rows", p.rows), bad_side("cols", p.cols), bad_side("batch", p.batch),
        bad_side("the pitch of `in`", p.in_pitch()), bad_side("the pitch of `out`", p.out_pitch())}) {
    if (!text.empty()) return text;
  }
  if (p.elem_bytes != 1 && p.elem_bytes != 2 && p.elem_bytes != 4 && p.elem_bytes != 8 &&
      p.elem_bytes != 16) {
    return msg("an element has {} bytes; 1, 2, 4, 8 or 16 are possible.", p.elem_bytes);
  }
  if (p.in_pitch() < p.cols)
    return msg("the pitch of `in` is {}, less than its {} cols.", p.in_pitch(), p.cols);
  if (p.out_pitch() < p.rows)
    return msg("the pitch of `out` is {}, less than its {} cols.", p.out_pitch(), p.rows);
  // The device's matrices, its map of what was written, and the host's copies. In doubles: no overflow.
  const double in = double(p.batch) * double(p.rows) * double(p.in_pitch());
  const double out = double(p.batch) * double(p.cols) * double(p.out_pitch());
  const double need = (2 * in + 3 * out) * p.elem_bytes, have = double(host_memory_bytes());
  if (need > 0.8 * have) {
    return msg("{} needs {:.1f} GiB to simulate and this machine has {:.1f} GiB; take a smaller matrix.",
               describe(p), need / (1 << 30), have / (1 << 30));
  }
  return {};
}

std::vector<Problem> small_shapes(int elem_bytes) {
  std::vector<Problem> shapes;
  shapes.reserve(64 * 64);
  for (int rows = 1; rows <= 64; ++rows) {
    for (int cols = 1; cols <= 64; ++cols)
      shapes.push_back({.rows = rows, .cols = cols, .elem_bytes = elem_bytes});
  }
  return shapes;
}

std::vector<Problem> awkward_shapes(int elem_bytes) {
  // Vectors, primes, one less and one more than a tile or a block, long against short, and one that is even.
  // What a side leaves over of a tile matters, and that several tiles fit; how many do is given by the last.
  static constexpr std::int64_t kSides[][2] = {
      {1, 1000},  {1000, 1},  {1, 1025}, {1023, 1}, {2, 777},   {777, 2},   {61, 67},   {67, 61},
      {31, 97},   {97, 33},   {65, 64},  {64, 65},  {96, 160},  {127, 129}, {129, 127}, {100, 300},
      {300, 100}, {33, 1000}, {999, 31}, {256, 96}, {488, 265}, {265, 488}, {512, 512}, {1023, 1025}};
  std::vector<Problem> shapes;
  for (const auto& [rows, cols] : kSides)
    shapes.push_back({.rows = rows, .cols = cols, .elem_bytes = elem_bytes});
  return shapes;
}

std::vector<Problem> every_shape(int elem_bytes) {
  std::vector<Problem> shapes = small_shapes(elem_bytes);
  for (const Problem& p : awkward_shapes(elem_bytes)) shapes.push_back(p);
  return shapes;
}

Message needs_other_rows(const Problem& p, int row_bytes) {
  const auto fits = [&](std::int64_t elems) { return elems * p.elem_bytes % row_bytes == 0; };
  if (fits(p.in_pitch()) && fits(p.out_pitch())) return {};
  return msg("The rows of both matrices must be multiples of {} bytes: rows and columns multiples of {}.",
             row_bytes, std::max(1, row_bytes / p.elem_bytes));
}

std::vector<Problem> with_rows_of(const std::vector<Problem>& shapes, int row_bytes, int elem_bytes) {
  const std::int64_t step = std::max(1, row_bytes / elem_bytes);
  const auto up = [&](std::int64_t side) { return (side + step - 1) / step * step; };
  std::vector<Problem> rounded;
  std::set<Problem> known;
  for (Problem p : shapes) {
    p.rows = up(p.rows), p.cols = up(p.cols), p.elem_bytes = elem_bytes;
    if (step == 1 || known.insert(p).second) rounded.push_back(p);
  }
  return rounded;
}

}  // namespace lab::judge
