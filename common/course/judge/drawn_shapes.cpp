// Which shapes a kernel is tried and measured on: drawn by the key, so that a kernel for one size earns
// nothing.
#include <algorithm>
#include <array>
#include <bit>
#include <set>
#include <utility>

#include "common/course/judge/subject.h"

namespace lab::judge {
namespace {

constexpr std::int64_t kSide = 128, kSideOfOtherTypes = 64, kLargestTile = 512;
// The size of a measured shape from the key, in squares of the step: enough for every tile. What several GPUs
// send at a time shows in more blocks.
constexpr std::int64_t kMostSquares = 8, kMostSquaresOfSeveral = 16;
constexpr int kDrawn = 4;
constexpr std::int64_t kDrawnSide = 300;
// Every other shape is hardly larger than a tile, so that most of it is ragged edge.
constexpr std::int64_t kSmallSide = 9, kSmallSides = 52;

// Sides of the sweep up to 64 × 64 on which tiles, warps and vectors end, each with each.
constexpr std::int64_t kSweepSide = 64, kRests = 8;
constexpr std::int64_t kCorners[] = {1, 2, 4, 16, 17, 31, 32, 33, 64};

// What sides are multiples of. A tile of another form leaves a rest at the edges, as it does at 1024; of
// several GPUs, sides are divided among them.
std::int64_t step_of(int tile, std::int64_t least, int gpus) {
  constexpr int kStrip = 64;
  const bool whole = std::has_single_bit(static_cast<unsigned>(tile)) || (gpus <= 1 && tile % kStrip == 0);
  return tile > least && tile <= kLargestTile && whole ? tile : least;
}

// For each pair of rests by 4 another way through the octants, so that each octant of rows meets each of
// columns.
std::array<std::int64_t, 16> shuffled_ways(const InputKey& key) {
  std::array<std::int64_t, 16> ways{};
  for (std::size_t i = 0; i < ways.size(); ++i) {
    ways[i] = static_cast<std::int64_t>(i);
    std::swap(ways[i], ways[key.draw({0x72657374, ways[i]}) % (i + 1)]);
  }
  return ways;
}

// Pairs a < b whose product is at most `most` and more than half of it.
std::vector<std::pair<std::int64_t, std::int64_t>> pairs_up_to(std::int64_t most) {
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  for (std::int64_t a = 1; a < most; ++a) {
    for (std::int64_t b = a + 1; b <= most; ++b) {
      if (a * b <= most && 2 * a * b > most) pairs.emplace_back(a, b);
    }
  }
  return pairs;
}

}  // namespace

std::vector<Problem> Subject::measured_shapes(const Problem& measured, const std::string& entry) {
  const TileShape tile = covered_at_once(launch_shape(entry));
  const bool floats = measured.elem_bytes == 4;
  const std::int64_t side = floats ? kSide : kSideOfOtherTypes;
  const std::int64_t row_step = step_of(tile.rows, side, measured.gpus),
                     col_step = step_of(tile.cols, side, measured.gpus);
  if (inputs_.only && inputs_.only->rows % row_step == 0 && inputs_.only->cols % col_step == 0) {
    Problem alone = measured;
    alone.rows = inputs_.only->rows, alone.cols = inputs_.only->cols;
    return {alone};
  }
  const std::int64_t squares = measured.gpus > 1 ? kMostSquaresOfSeveral : kMostSquares;
  const auto pairs = pairs_up_to(std::max<std::int64_t>(2, squares * side * side / (row_step * col_step)));
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

// In the order of the whole list. Each number of rows meets each rest of the columns by 4 once, each number
// of columns each rest of the rows; rests by 8 all meet each other, in four of the 8 × 8 octants of the
// square. The key says in which.
std::vector<Problem> sampled_shapes(const InputKey& key, int elem_bytes) {
  std::set<std::pair<std::int64_t, std::int64_t>> sides;
  for (const std::int64_t rows : kCorners)
    for (const std::int64_t cols : kCorners) sides.emplace(rows, cols);
  for (std::int64_t side = 1; side <= kSweepSide; ++side) sides.emplace(side, side);
  const std::size_t fixed = sides.size();
  const std::array<std::int64_t, 16> ways = shuffled_ways(key);
  for (std::int64_t row = 0; row < kRests; ++row) {
    for (std::int64_t col = 0; col < kRests; ++col) {
      const std::int64_t way = ways[static_cast<std::size_t>(row % 4 * 4 + col % 4)];
      const std::int64_t shift = way + 2 * (2 * (row / 4) + col / 4);
      // Every other octant of rows: of rests that are alike by 4 one has the even ones, one the odd ones.
      for (std::int64_t k = (way / kRests + row / 4 + col / 4) % 2; k < kRests; k += 2)
        sides.emplace(1 + kRests * k + row, 1 + kRests * ((k + shift) % kRests) + col);
    }
  }
  // As many for every kernel: what was there already is made up for.
  for (std::int64_t i = 0; sides.size() < fixed + kSweepSide * kRests / 2; ++i) {
    const std::uint64_t drawn = key.draw({0x66696c6c, i}) % (kSweepSide * kSweepSide);
    const auto at = static_cast<std::int64_t>(drawn);
    sides.emplace(1 + at / kSweepSide, 1 + at % kSweepSide);
  }
  std::vector<Problem> shapes;
  for (const auto& [rows, cols] : sides)
    shapes.push_back({.rows = rows, .cols = cols, .elem_bytes = elem_bytes});
  return shapes;
}

std::vector<Problem> a_part_of(std::span<const Problem> problems, const InputKey& key, Part part) {
  std::vector<Problem> chosen;
  for (std::size_t first = 0; first < problems.size(); first += part.of) {
    const Problem& p = problems[first];
    const std::uint64_t at = (key.draw({0x7468697264, p.rows, p.cols}) + part.which) % part.of;
    if (first + at < problems.size()) chosen.push_back(problems[first + at]);
  }
  return chosen;
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

std::vector<Problem> Subject::strips() const {
  constexpr int kStrips = 8;
  constexpr std::int64_t kShortSides = 16, kLeastLong = 65, kLongSides = 536;
  const auto draw = [&](int strip, bool of_short, std::int64_t of) {
    return static_cast<std::int64_t>(input_key_.draw({0x7374726970, strip, of_short}) %
                                     static_cast<std::uint64_t>(of));
  };
  std::vector<Problem> shapes;
  for (int i = 0; i < kStrips; ++i) {
    const std::int64_t less = 1 + i / 2 * kShortSides + draw(i, true, kShortSides),
                       more = kLeastLong + draw(i, false, kLongSides);
    const bool wide = i % 2 == 0;
    shapes.push_back({.rows = wide ? less : more, .cols = wide ? more : less});
  }
  return shapes;
}

}  // namespace lab::judge
