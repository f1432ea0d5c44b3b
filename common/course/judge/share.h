// What of a matrix the blocks of a launch stand for: the tiles at their places in the grid.
//
// Enters: a launch shape, a problem, numbers of clusters. Leaves: the elements of these tiles, and by how
// much the ends of the matrix cut them: what bounds are made of (tests/chapters/everywhere.h), before
// anything runs.
#pragma once

#include <cstdint>
#include <span>

#include "common/course/judge/problem.h"
#include "common/kernel/launch_shape.h"

namespace lab::judge {

// A tile that is declared narrower is reckoned as a part of one of this many rows or columns: else its
// perimeter is all of it.
constexpr int kLeastSide = 8;

// Rows and columns of `in`, of one matrix of the batch. May be empty: grids are whole clusters.
struct Area {
  std::int64_t batch = 0, row0 = 0, row1 = 0, col0 = 0, col1 = 0;
  [[nodiscard]] std::int64_t rows() const { return row1 - row0; }
  [[nodiscard]] std::int64_t cols() const { return col1 - col0; }
  [[nodiscard]] std::int64_t elems() const { return rows() * cols(); }
};

struct Share {
  std::uint64_t elems = 0;    // of the matrix
  std::uint64_t covered = 0;  // of the tiles, also what lies outside of the matrix
  // What of the tiles lies in the matrix; tiles that are cut off count as much as a whole one has, and tiles
  // longer than 128 their pieces of 64. A tile that is declared large hides no waste behind its end.
  std::uint64_t reached = 0;
  std::uint64_t inside = 0;  // elements of tiles that lie inside of the matrix
  std::uint64_t thin = 0;    // elements of tiles of which fewer than 8 rows or columns lie in the matrix
  std::uint64_t edge = 0;    // rows and columns of tiles that the matrix ends in
  std::uint64_t apart = 0;   // elements of these; of tiles longer than 128, behind their last whole 64
  // Rows of tiles that lie below the matrix, and how many elements of it lie above them: a lane may load the
  // last row again in their place, and store nothing.
  std::uint64_t rows_below = 0, below = 0;
};

// The tile at the place of cluster `number`; clusters count along blockIdx.x first.
[[nodiscard]] Area area_of(const LaunchShape& shape, const Problem& problem, std::uint64_t number);
[[nodiscard]] std::uint64_t clusters_of(const LaunchShape& shape, const Problem& problem);
[[nodiscard]] Share share_of(const LaunchShape& shape, const Problem& problem, std::span<const Area> areas);
// The share of all blocks.
[[nodiscard]] Share whole_share(const LaunchShape& shape, const Problem& problem);

}  // namespace lab::judge
