// Tiles at the places of blocks. See share.h.
#include "common/course/judge/share.h"

#include <algorithm>

#include "common/course/judge/target.h"

namespace lab::judge {
namespace {

struct ClusterGrid {
  std::uint64_t x, y, z;
};

ClusterGrid cluster_grid(const LaunchShape& shape, const Problem& problem) {
  const device::Dim3 grid = grid_of(shape, problem);
  return {grid.x / static_cast<std::uint64_t>(std::max(1, shape.cluster.x)),
          grid.y / static_cast<std::uint64_t>(std::max(1, shape.cluster.y)), grid.z};
}

std::uint64_t elems_of(const TileShape& tile) {
  return static_cast<std::uint64_t>(std::int64_t{tile.rows} * tile.cols);
}

constexpr std::int64_t kLongest = 128, kPiece = 64;

std::int64_t step_of(std::int64_t tile) { return tile <= kLongest ? tile : kPiece; }
std::int64_t rounded_up(std::int64_t side, std::int64_t tile) {
  return std::min(tile, (side + step_of(tile) - 1) / step_of(tile) * step_of(tile));
}

// `count` tiles of which so many rows and columns lie in the matrix.
// In a cluster each block has a piece of every tile of the cluster, whatever of it lies in the matrix.
void add(Share& share, const LaunchShape& shape, std::int64_t rows, std::int64_t cols, std::int64_t count) {
  const TileShape tile = covered_at_once(shape);
  const bool cluster = cluster_of(shape).count() > 1;
  const auto times = static_cast<std::uint64_t>(count), elems = static_cast<std::uint64_t>(rows * cols);
  share.covered += times * elems_of(tile);
  share.elems += times * elems;
  if (elems == 0) return;
  share.reached +=
      times * (cluster
                   ? elems_of(tile)
                   : static_cast<std::uint64_t>(rounded_up(rows, tile.rows) * rounded_up(cols, tile.cols)));
  if (rows == tile.rows && cols == tile.cols) {
    share.inside += times * elems;
    return;
  }
  constexpr std::int64_t kThin = 8;
  if ((rows < kThin && rows < tile.rows) || (cols < kThin && cols < tile.cols)) share.thin += times * elems;
  const std::int64_t high = std::max(tile.rows, kLeastSide), wide = std::max(tile.cols, kLeastSide);
  share.edge +=
      static_cast<std::uint64_t>(count * (rows * tile.cols * high + cols * tile.rows * wide) / (high * wide));
  share.rows_below += times * static_cast<std::uint64_t>(tile.rows - rows);
  share.below += times * static_cast<std::uint64_t>((tile.rows - rows) * cols);
  const auto whole = [](std::int64_t side, std::int64_t of) { return side / step_of(of) * step_of(of); };
  share.apart +=
      times * (elems - static_cast<std::uint64_t>(whole(rows, tile.rows) * whole(cols, tile.cols)));
}

}  // namespace

std::uint64_t clusters_of(const LaunchShape& shape, const Problem& problem) {
  const ClusterGrid grid = cluster_grid(shape, problem);
  return grid.x * grid.y * grid.z;
}

Area area_of(const LaunchShape& shape, const Problem& problem, std::uint64_t number) {
  const ClusterGrid grid = cluster_grid(shape, problem);
  const TileShape tile = covered_at_once(shape);
  auto x = static_cast<std::int64_t>(number % grid.x),
       y = static_cast<std::int64_t>(number / grid.x % grid.y);
  if (shape.block_x_walks == kCols) std::swap(x, y);  // x along rows from here on
  Area area;
  area.batch = static_cast<std::int64_t>(number / (grid.x * grid.y));
  area.row0 = std::min(x * tile.rows, problem.rows);
  area.row1 = std::min(area.row0 + tile.rows, problem.rows);
  area.col0 = std::min(y * tile.cols, problem.cols);
  area.col1 = std::min(area.col0 + tile.cols, problem.cols);
  return area;
}

Share share_of(const LaunchShape& shape, const Problem& /*problem*/, std::span<const Area> areas) {
  Share share;
  for (const Area& area : areas) add(share, shape, area.rows(), area.cols(), 1);
  return share;
}

Share whole_share(const LaunchShape& shape, const Problem& p) {
  const TileShape tile = covered_at_once(shape);
  const std::int64_t down = p.rows / tile.rows, across = p.cols / tile.cols, rows = p.rows % tile.rows,
                     cols = p.cols % tile.cols;
  Share share;
  add(share, shape, tile.rows, tile.cols, p.batch * down * across);
  add(share, shape, rows, tile.cols, p.batch * across);
  add(share, shape, tile.rows, cols, p.batch * down);
  add(share, shape, rows, cols, p.batch);
  share.covered = clusters_of(shape, p) * elems_of(tile);
  return share;
}

}  // namespace lab::judge
