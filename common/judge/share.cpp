// Tiles at the places of blocks. See share.h.
#include "common/judge/share.h"

#include <algorithm>

#include "common/judge/subject.h"

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
  const TileShape tile = covered_at_once(shape);
  Share share;
  for (const Area& area : areas) {
    share.elems += static_cast<std::uint64_t>(area.elems());
    share.covered += static_cast<std::uint64_t>(std::int64_t{tile.rows} * tile.cols);
    if (area.rows() == tile.rows && area.cols() == tile.cols)
      share.inside += static_cast<std::uint64_t>(area.elems());
    if (area.elems() != 0 && (area.rows() < tile.rows || area.cols() < tile.cols))
      share.edge += static_cast<std::uint64_t>(area.rows() + area.cols());
  }
  return share;
}

Share whole_share(const LaunchShape& shape, const Problem& p) {
  const TileShape tile = covered_at_once(shape);
  const bool cut = p.rows % tile.rows != 0 || p.cols % tile.cols != 0;
  return {static_cast<std::uint64_t>(p.batch * p.rows * p.cols),
          clusters_of(shape, p) * static_cast<std::uint64_t>(std::int64_t{tile.rows} * tile.cols),
          static_cast<std::uint64_t>(p.batch * (p.rows / tile.rows * tile.rows) *
                                     (p.cols / tile.cols * tile.cols)),
          cut ? static_cast<std::uint64_t>(p.batch * (p.rows + p.cols)) : 0};
}

}  // namespace lab::judge
