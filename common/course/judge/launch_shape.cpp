// Reads what a kernel file says about itself, and works out the grid.
//
// Enters: the bytes of two constants of the compiled module. Leaves: structs that make sense, or a sentence
// that says which field does not and what would.
#include <fmt/core.h>

#include <cstring>
#include <iterator>

#include "common/course/judge/split_trial.h"
#include "common/course/judge/target.h"
#include "common/kernel/gpus.h"
#include "common/sim/base/launch_config.h"

namespace lab::judge {
namespace {

constexpr sim::DeviceLimits kGpu;
constexpr int kMostCluster = kGpu.max_cluster, kMaxThreads = kGpu.max_threads_per_block,
              kMaxSharedBytes = kGpu.max_shared_bytes, kMaxTileSide = 65536;

// `least`: bytes of a file without the fields of several GPUs, which stand at the end.
template <class T>
T from_bytes(std::span<const std::byte> bytes, const char* macro, int version,
             std::size_t least = sizeof(T)) {
  T value;
  if (bytes.size() < sizeof(int)) throw ShapeError(msg("{} is empty; see common/kernel/lab.cuh.", macro));
  std::memcpy(&value.version, bytes.data(), sizeof(int));
  if (value.version != version || (bytes.size() != sizeof(T) && bytes.size() != least)) {
    throw ShapeError(
        msg("{} has version {} and {} bytes; this build reads version {} with {} bytes. Include "
            "common/kernel/lab.cuh of this project.",
            macro, value.version, bytes.size(), version, sizeof(T)));
  }
  std::memcpy(&value, bytes.data(), bytes.size());
  return value;
}

std::uint32_t tiles(std::int64_t side, int tile) {
  return static_cast<std::uint32_t>((side + tile - 1) / tile);
}

// What only GPUs from Hopper on have: clusters and tensor maps. What a box must be, sim::refusal says.
void check_moves(const LaunchShape& s) {
  if (s.cluster.x < 1 || s.cluster.y < 1 || s.cluster.x > kMostCluster || s.cluster.y > kMostCluster ||
      s.cluster.x * s.cluster.y > kMostCluster) {
    throw ShapeError(msg("The launch shape says .cluster = {{{}, {}}}; 1 to {} blocks are possible.",
                         s.cluster.x, s.cluster.y, kMostCluster));
  }
  for (std::size_t k = 0; k < std::size(s.maps); ++k) {
    const TensorMapShape& map = s.maps[k];
    if (map.of < kNoMap || map.of > kOut)
      throw ShapeError(
          msg("The launch shape says .maps[{}].of = {}; use kIn or kOut.", k, static_cast<int>(map.of)));
    if (map.swizzle < kNoSwizzle || map.swizzle > kSwizzle128)
      throw ShapeError(
          msg("The launch shape says .maps[{}].swizzle = {}; use kNoSwizzle, kSwizzle32, kSwizzle64 or "
              "kSwizzle128.",
              k, static_cast<int>(map.swizzle)));
  }
}

}  // namespace

LaunchShape read_launch_shape(std::span<const std::byte> bytes) {
  const auto s =
      from_bytes<LaunchShape>(bytes, "LAUNCH_SHAPE", kLaunchShapeVersion, kFieldsOfOneGpu * sizeof(int));
  check_shape(s);
  return s;
}

void check_shape(const LaunchShape& s) {
  if (s.block.x < 1 || s.block.y < 1) {
    throw ShapeError(msg("The launch shape says .block = {{{}, {}}}; both sides must be at least 1.",
                         s.block.x, s.block.y));
  }
  const std::int64_t threads = std::int64_t{s.block.x} * s.block.y;
  if (threads > kMaxThreads) {
    throw ShapeError(msg("The launch shape says .block = {{{}, {}}}, {} threads; a block has at most {}.",
                         s.block.x, s.block.y, threads, kMaxThreads));
  }
  if (s.tile.rows < 1 || s.tile.cols < 1 || s.tile.rows > kMaxTileSide || s.tile.cols > kMaxTileSide) {
    throw ShapeError(msg("The launch shape says .tile = {{{}, {}}}; rows and cols must be 1 to {}.",
                         s.tile.rows, s.tile.cols, kMaxTileSide));
  }
  if (s.block_x_walks != kRows && s.block_x_walks != kCols) {
    throw ShapeError(msg("The launch shape says .block_x_walks = {}; use kRows or kCols.",
                         static_cast<int>(s.block_x_walks)));
  }
  check_moves(s);
  if (s.gpus < 1 || s.gpus > kMostGpus)
    throw ShapeError(msg("The launch shape says .gpus = {}; 1 to {} are possible.", s.gpus, kMostGpus));
  if (s.dynamic_shared_bytes < 0 || s.dynamic_shared_bytes > kMaxSharedBytes) {
    throw ShapeError(msg("The launch shape says .dynamic_shared_bytes = {}; 0 to {} are possible.",
                         s.dynamic_shared_bytes, kMaxSharedBytes));
  }
}

Predictions read_predictions(std::span<const std::byte> bytes) {
  return from_bytes<Predictions>(bytes, "PREDICTIONS", kPredictionsVersion,
                                 (1 + kQuestionsOfOneGpu) * sizeof(int));
}

Finding read_finding(std::span<const std::byte> bytes) {
  return from_bytes<Finding>(bytes, "FINDING_OF", kFindingVersion);
}

device::Dim3 grid_of(const LaunchShape& s, const Problem& p) {
  device::Dim3 grid{tiles(p.cols, s.tile.cols), tiles(p.rows, s.tile.rows),
                    static_cast<std::uint32_t>(p.batch)};
  if (s.block_x_walks == kRows) std::swap(grid.x, grid.y);
  const auto whole = [](std::uint32_t blocks, int cluster) {
    const auto of = static_cast<std::uint32_t>(cluster);
    return (blocks + of - 1) / of * of;
  };
  grid.x = whole(grid.x, s.cluster.x), grid.y = whole(grid.y, s.cluster.y);
  return grid;
}

Message beyond_the_grid(const LaunchShape& shape, const Problem& problem) {
  // GPUs share the rows of both matrices, and none has more than the last one.
  const auto grid_for = [&](const Problem& p) {
    return shape.gpus > 1 ? split_grid(shape, p, shape.gpus - 1, shape.gpus) : grid_of(shape, p);
  };
  const device::Dim3 grid = grid_for(problem);
  const sim::Dim3 most = kGpu.max_grid;
  const bool along_y = grid.y > most.y;
  if (grid.x <= most.x && !along_y) return {};
  const bool rows = (shape.block_x_walks == kRows) != along_y;
  Problem held = problem;
  std::int64_t& side = rows ? held.rows : held.cols;
  std::int64_t fits = 1;
  for (std::int64_t too_long = side; too_long - fits > 1;) {
    side = (fits + too_long) / 2;
    const device::Dim3 tried = grid_for(held);
    (tried.x <= most.x && tried.y <= most.y ? fits : too_long) = side;
  }
  return msg(
      "{} takes a grid of {} × {} blocks, and a grid ends at {} blocks along {} on every GPU. With this "
      "launch shape {}",
      describe(problem), grid.x, grid.y, along_y ? most.y : most.x, along_y ? "y" : "x",
      rows ? msg("a matrix has at most {} rows.", fits) : msg("a matrix has at most {} columns.", fits));
}

TileShape covered_at_once(const LaunchShape& shape) {
  const bool rows_first = shape.block_x_walks == kRows;
  return {shape.tile.rows * std::max(1, rows_first ? shape.cluster.x : shape.cluster.y),
          shape.tile.cols * std::max(1, rows_first ? shape.cluster.y : shape.cluster.x)};
}

device::Dim3 cluster_of(const LaunchShape& s) {
  if (s.cluster.x * s.cluster.y == 1) return {0, 0, 0};
  return {static_cast<std::uint32_t>(s.cluster.x), static_cast<std::uint32_t>(s.cluster.y), 1};
}

}  // namespace lab::judge
