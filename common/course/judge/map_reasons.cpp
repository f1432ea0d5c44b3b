// What a tensor map has to do with a wrong element. See tensor_maps.h.
#include <fmt/core.h>

#include <memory>

#include "common/course/judge/subject.h"
#include "common/course/judge/tensor_maps.h"

namespace lab::judge {
namespace {

struct NoObserver final : sim::Observer {
  [[nodiscard]] std::unique_ptr<sim::Observer> clone() const override {
    return std::make_unique<NoObserver>();
  }
};

bool right_on(Subject& subject, const Target& target, const Problem& problem) {
  try {
    NoObserver none;
    return subject.observed(problem, target, none).correct();
  } catch (const SignatureError&) {
    return false;  // the unit has no such mode for this box
  }
}

}  // namespace

Message mode_that_fits(Subject& subject, const Run& wrong) {
  static constexpr const char* kModes[] = {"kNoSwizzle", "kSwizzle32", "kSwizzle64", "kSwizzle128"};
  const std::size_t count = map_count(wrong.shape);
  Problem large = wrong.problem;  // a small matrix fits into one chunk, and any mode is right
  large.rows = large.cols = 128;
  for (std::size_t k = 0; k <= count; ++k) {  // each map alone, then all of them
    for (int mode = kNoSwizzle; mode <= kSwizzle128 && count != 0; ++mode) {
      Target target = subject.target_of(wrong.entry);
      target.shape = wrong.shape;
      std::string said;
      for (std::size_t m = k < count ? k : 0; m < (k < count ? k + 1 : count); ++m) {
        target.shape->maps[m].swizzle = static_cast<MapSwizzle>(mode);
        said += fmt::format("{}.maps[{}].swizzle = {}", said.empty() ? "" : ", ", m, kModes[mode]);
      }
      if (right_on(subject, target, wrong.problem) && right_on(subject, target, large))
        return msg(
            "With {} the result would be right: the kernel's formula is that mode's. Give the formula and "
            "the tensor map the same mode.",
            said);
    }
  }
  return {};
}

Message about_tile_left_out(const LaunchShape& shape, std::int64_t row, std::int64_t col) {
  if (map_count(shape) != 0)
    return "A tile begins there, and none was sent to it. A copy's coordinates are columns before rows: in "
           "`out` its column is the tile's first row of `in`, and its row the first column; and "
           ".block_x_walks says along which of the two blockIdx.x counts tiles.";
  const std::int64_t down = row / shape.tile.rows, right = col / shape.tile.cols;
  if (shape.block_x_walks == kCols)
    return msg(
        "A tile begins there, and no block has taken it. .block_x_walks says that blockIdx.x counts tiles "
        "along the columns of `in`, and .tile that they have {} rows and {} columns: does block ({},{}) "
        "begin in row {} and column {} of `in`?",
        shape.tile.rows, shape.tile.cols, right, down, row, col);
  return msg(
      "A tile begins there, and no block has taken it. .block_x_walks says that blockIdx.x counts tiles "
      "along the rows of `in`, and .tile that they have {} rows and {} columns: does block ({},{}) begin in "
      "row {} and column {} of `in`?",
      shape.tile.rows, shape.tile.cols, down, right, row, col);
}

Message about_swizzled_tiles(const Run& run) {
  const LaunchShape& shape = run.shape;
  bool swizzled = false;
  for (std::size_t k = 0; k < map_count(shape); ++k) swizzled |= shape.maps[k].swizzle != kNoSwizzle;
  if (!swizzled || !run.mismatch || run.mismatch->copied) return {};
  if (run.mismatch->in_first_tile)  // the formula is right there, and the same for all tiles
    return "In the first tile the same place is right, so this tile was fetched or sent with other "
           "coordinates. A copy's coordinates are columns before rows: column and row of `in` where it is "
           "fetched, of `out` where it is sent.";
  return "The tensor maps ask for a swizzle: the TMA unit lets chunks of 16 bytes change places within a "
         "row, and the elements of a chunk stay together. Does each index of a tile follow chapter 07's "
         "formula with such chunks, and does each tile begin at a multiple of 1024 bytes?";
}

}  // namespace lab::judge
