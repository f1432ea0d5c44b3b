// Reads what a kernel file says about itself, and works out the grid.
//
// Enters: the bytes of two constants of the compiled module. Leaves: structs that make sense, or a sentence
// that says which field does not and what would.
#include <fmt/format.h>

#include <cstring>

#include "common/judge/subject.h"

namespace lab::judge {
namespace {

constexpr int kMaxThreads = 1024, kMaxTileSide = 65536, kMaxSharedBytes = 227 * 1024;

template <class T>
T from_bytes(std::span<const std::byte> bytes, const char* macro, int version) {
  T value;
  if (bytes.size() < sizeof(int))
    throw ShapeError(fmt::format("{} is empty; see common/kernel/lab.cuh.", macro));
  std::memcpy(&value.version, bytes.data(), sizeof(int));
  if (value.version != version || bytes.size() != sizeof(T)) {
    throw ShapeError(
        fmt::format("{} has version {} and {} bytes; this build reads version {} with {} bytes. Include "
                    "common/kernel/lab.cuh of this project.",
                    macro, value.version, bytes.size(), version, sizeof(T)));
  }
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

std::uint32_t tiles(std::int64_t side, int tile) {
  return static_cast<std::uint32_t>((side + tile - 1) / tile);
}

}  // namespace

LaunchShape read_launch_shape(std::span<const std::byte> bytes) {
  const auto s = from_bytes<LaunchShape>(bytes, "LAUNCH_SHAPE", kLaunchShapeVersion);
  check_shape(s);
  return s;
}

void check_shape(const LaunchShape& s) {
  if (s.block.x < 1 || s.block.y < 1) {
    throw ShapeError(fmt::format("The launch shape says .block = {{{}, {}}}; both sides must be at least 1.",
                                 s.block.x, s.block.y));
  }
  const std::int64_t threads = std::int64_t{s.block.x} * s.block.y;
  if (threads > kMaxThreads) {
    throw ShapeError(
        fmt::format("The launch shape says .block = {{{}, {}}}, {} threads; a block has at most {}.",
                    s.block.x, s.block.y, threads, kMaxThreads));
  }
  if (s.tile.rows < 1 || s.tile.cols < 1 || s.tile.rows > kMaxTileSide || s.tile.cols > kMaxTileSide) {
    throw ShapeError(fmt::format("The launch shape says .tile = {{{}, {}}}; rows and cols must be 1 to {}.",
                                 s.tile.rows, s.tile.cols, kMaxTileSide));
  }
  if (s.block_x_walks != kRows && s.block_x_walks != kCols) {
    throw ShapeError(fmt::format("The launch shape says .block_x_walks = {}; use kRows or kCols.",
                                 static_cast<int>(s.block_x_walks)));
  }
  if (s.dynamic_shared_bytes < 0 || s.dynamic_shared_bytes > kMaxSharedBytes) {
    throw ShapeError(fmt::format("The launch shape says .dynamic_shared_bytes = {}; 0 to {} are possible.",
                                 s.dynamic_shared_bytes, kMaxSharedBytes));
  }
}

Predictions read_predictions(std::span<const std::byte> bytes) {
  return from_bytes<Predictions>(bytes, "PREDICTIONS", kPredictionsVersion);
}

Finding read_finding(std::span<const std::byte> bytes) {
  return from_bytes<Finding>(bytes, "FINDING_OF", kFindingVersion);
}

device::Dim3 grid_of(const LaunchShape& s, const Problem& p) {
  device::Dim3 grid{tiles(p.cols, s.tile.cols), tiles(p.rows, s.tile.rows),
                    static_cast<std::uint32_t>(p.batch)};
  if (s.block_x_walks == kRows) std::swap(grid.x, grid.y);
  return grid;
}

}  // namespace lab::judge
