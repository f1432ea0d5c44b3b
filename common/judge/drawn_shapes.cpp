// Which shapes a kernel is measured on: drawn by the key, so that a kernel for one size earns nothing.
#include <algorithm>
#include <bit>
#include <utility>

#include "common/judge/subject.h"

namespace lab::judge {
namespace {

constexpr std::int64_t kSide = 128, kLargestTile = 512;
constexpr std::int64_t kMostElems = 16 * kSide * kSide;
constexpr std::int64_t kMostSides = 16;  // times the step
constexpr int kDrawn = 4;
constexpr std::int64_t kDrawnSide = 300;
// Every other shape is hardly larger than a tile, so that most of it is ragged edge.
constexpr std::int64_t kSmallSide = 9, kSmallSides = 52;

// What sides are multiples of. A tile of another form leaves a rest at the edges, as it does at 1024.
std::int64_t step_of(int tile) {
  const bool larger =
      tile > kSide && tile <= kLargestTile && std::has_single_bit(static_cast<unsigned>(tile));
  return larger ? tile : kSide;
}

// Pairs a < b whose product is at most `most` and more than half of it.
std::vector<std::pair<std::int64_t, std::int64_t>> pairs_up_to(std::int64_t most) {
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  for (std::int64_t a = 1; a < kMostSides; ++a) {
    for (std::int64_t b = a + 1; b <= kMostSides; ++b) {
      if (a * b <= most && 2 * a * b > most) pairs.emplace_back(a, b);
    }
  }
  return pairs;
}

}  // namespace

std::vector<Problem> Subject::measured_shapes(const Problem& measured, const std::string& entry) {
  const TileShape tile = launch_shape(entry).tile;
  const std::int64_t row_step = step_of(tile.rows), col_step = step_of(tile.cols);
  if (inputs_.only && inputs_.only->rows % row_step == 0 && inputs_.only->cols % col_step == 0) {
    Problem alone = measured;
    alone.rows = inputs_.only->rows, alone.cols = inputs_.only->cols;
    return {alone};
  }
  const auto pairs = pairs_up_to(std::max<std::int64_t>(2, kMostElems / (row_step * col_step)));
  std::vector<Problem> shapes = {measured};
  for (const bool wide : {true, false}) {
    const std::uint64_t drawn = input_key_.draw({0x6d656173, wide, measured.elem_bytes});
    const auto [a, b] = pairs[drawn % pairs.size()];
    Problem p = measured;
    p.rows = row_step * (wide ? a : b);
    p.cols = col_step * (wide ? b : a);
    shapes.push_back(p);
  }
  return shapes;
}

std::vector<Problem> Subject::drawn_shapes() const {
  std::vector<Problem> shapes;
  for (int i = 0; i < kDrawn; ++i) {
    const auto side = [&](int which) {
      const std::uint64_t drawn = input_key_.draw({0x7368617065, i, which});
      return i % 2 == 0 ? kSmallSide + static_cast<std::int64_t>(drawn % kSmallSides)
                        : 1 + static_cast<std::int64_t>(drawn % kDrawnSide);
    };
    shapes.push_back({.rows = side(0), .cols = side(1)});
  }
  return shapes;
}

}  // namespace lab::judge
