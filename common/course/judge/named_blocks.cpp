// Blocks and shapes that a kernel's own comparisons name.
//
// Enters: the program of counted runs. Leaves: the first block that is wrong where
// others of the same matrix are right. What follows from a comparison may be a branch that no drawn block took, or no
// branch at all: the numbers that a kernel compares its shape or block with are tried as blocks, as elements and as
// sides. So are the places that a grid names by itself: its ends, middle and quarters, and powers of two.
#include <algorithm>
#include <cstdint>
#include <new>
#include <optional>
#include <set>
#include <vector>

#include "common/course/judge/sample_trial.h"
#include "common/course/judge/share.h"
#include "common/course/judge/subject.h"
#include "common/course/judge/worker.h"
#include "common/sim/analysis/shape_branches.h"
#include "common/sim/program/program.h"

namespace lab::judge {
namespace {

constexpr std::int64_t kLeastNumber = 2, kMostNumber = 2'000'000'000, kMostOfGridY = 65'535;
constexpr double kMostElems = 16e9;
constexpr double kMostOfStrip = 2e9;  // indices of 32 bits have a check of their own
constexpr std::int64_t kMostRunWhole = 1 << 21;
constexpr std::size_t kMostTried = 640;

struct Named {
  Problem problem;
  std::int64_t x = -1, y = -1;  // of the block; -1: any
};

std::uint64_t number_in(const device::Dim3& grid, const Named& one) {
  return static_cast<std::uint64_t>(one.y) * grid.x + static_cast<std::uint64_t>(one.x);
}

// A matrix in which block (x, y) is, with some blocks behind it.
std::optional<Named> with_block(const LaunchShape& shape, const Problem& like, std::int64_t x,
                                std::int64_t y) {
  constexpr std::int64_t kBehind = 2;
  const bool rows_along_y = shape.block_x_walks == kCols;
  const std::int64_t tile_x = rows_along_y ? shape.tile.cols : shape.tile.rows,
                     tile_y = rows_along_y ? shape.tile.rows : shape.tile.cols,
                     along_x = (x + kBehind) * tile_x, along_y = (y + kBehind) * tile_y;
  if (x < 0 || y < 0 || y + kBehind > kMostOfGridY || along_x > kMostNumber || along_y > kMostNumber ||
      double(along_x) * double(along_y) > kMostElems)
    return std::nullopt;
  Named named{like, x, y};
  named.problem.rows = rows_along_y ? along_y : along_x;
  named.problem.cols = rows_along_y ? along_x : along_y;
  return named;
}

std::vector<Named> tried_for(const std::set<std::int64_t>& numbers, const LaunchShape& shape,
                             const Problem& like) {
  const std::int64_t tile = std::max({shape.tile.rows, shape.tile.cols, 1});
  std::vector<Named> all;
  const auto block = [&](std::int64_t x, std::int64_t y) {
    if (std::optional<Named> one = with_block(shape, like, x, y)) all.push_back(*one);
  };
  std::int64_t before = 1;
  for (const std::int64_t n : numbers) {
    for (const std::int64_t at : {n, n + 1, n / tile}) {
      block(at, 1), block(1, at);
      block(at, at);
    }
    block(n, before), block(before, n);
    before = n;
    for (const std::int64_t side : {n, n + 1}) {
      Named one{like};
      one.problem.rows = side, one.problem.cols = 3 * tile;
      if (side <= kMostNumber / 4) all.push_back(one);
      std::swap(one.problem.rows, one.problem.cols);
      if (side <= kMostNumber / 4) all.push_back(one);
    }
  }
  return all;
}

// Places that a number of the grid itself names, in one matrix each: its ends, its middle, its quarters; in a strip
// along each axis powers of two.
std::vector<std::vector<Named>> marked_places(const LaunchShape& shape, const Problem& like,
                                              const InputKey& key) {
  constexpr std::int64_t kLeastBlocks = 44, kBlocks = 64, kParts = 4, kMostX = 1 << 23, kMostY = 1 << 15;
  const auto draw = [&](std::int64_t which) {
    return kLeastBlocks + static_cast<std::int64_t>(key.draw({0x6d61726b, which}) % kBlocks);
  };
  const bool rows_along_y = shape.block_x_walks == kCols;
  const std::int64_t tile_x = rows_along_y ? shape.tile.cols : shape.tile.rows,
                     tile_y = rows_along_y ? shape.tile.rows : shape.tile.cols;
  const auto matrix = [&](std::int64_t blocks_x, std::int64_t blocks_y) {
    Named one{like};
    one.problem.rows = rows_along_y ? blocks_y * tile_y : blocks_x * tile_x;
    one.problem.cols = rows_along_y ? blocks_x * tile_x : blocks_y * tile_y;
    return one;
  };
  const auto places = [](std::int64_t blocks) {
    std::set<std::int64_t> found{1, blocks - 2};
    for (std::int64_t part = 0; part <= kParts; ++part)
      found.insert(std::min(blocks - 1, blocks * part / kParts));
    return found;
  };
  // False: a tile so large that no such matrix is tried.
  const auto fits = [&](std::int64_t blocks_x, std::int64_t blocks_y) {
    const double along_x = double(blocks_x) * double(tile_x), along_y = double(blocks_y) * double(tile_y);
    return along_x <= kMostNumber && along_y <= kMostNumber && along_x * along_y <= kMostOfStrip;
  };
  std::vector<std::vector<Named>> all;
  const auto try_at = [&](std::int64_t blocks_x, std::int64_t blocks_y, const std::set<std::int64_t>& xs,
                          const std::set<std::int64_t>& ys) {
    if (xs.empty() || ys.empty() || !fits(blocks_x, blocks_y)) return;
    std::vector<Named>& places_there = all.emplace_back();
    for (const std::int64_t y : ys)
      for (const std::int64_t x : xs) {
        Named& one = places_there.emplace_back(matrix(blocks_x, blocks_y));
        one.x = x, one.y = y;
      }
  };
  const std::int64_t width = draw(0), height = draw(1);
  try_at(width, height, places(width), places(height));
  const auto powers = [](std::int64_t most) {
    std::set<std::int64_t> found;
    for (std::int64_t at = 2; at <= most; at *= 2) found.insert({at - 1, at});
    return found;
  };
  std::int64_t most = kMostX;
  while (most > 1 && !fits(most + 2, 1)) most /= 2;
  try_at(most + 2, 1, powers(most), {0});
  most = std::min(most, kMostY);
  try_at(1, most + 2, {0}, powers(most));
  return all;
}

}  // namespace

std::optional<NamedBlock> Subject::wrong_at_named(const Problem& like, int row_bytes,
                                                  const Target& target) try {
  const LaunchShape shape = shape_or_none(target);
  const sim::Program* const program = ways_[target.entry].program;
  if (inputs_.only || shape.gpus > 1 || gpu_.alone || cluster_of(shape).count() > 1 || program == nullptr)
    return std::nullopt;
  std::set<std::int64_t> numbers = sim::compared_with_shape(program->data());
  std::erase_if(numbers, [](std::int64_t n) { return n < kLeastNumber || n > kMostNumber; });
  std::vector<Named> all = tried_for(numbers, shape, like);
  // Where numbers are very many, some are tried.
  for (std::size_t k = all.size(); k > 1 && all.size() > kMostTried; --k)
    std::swap(all[k - 1], all[shape_key_.draw({0x6e616d6564, static_cast<std::int64_t>(k)}) % k]);
  if (all.size() > kMostTried) all.resize(kMostTried);
  const std::vector<std::vector<Named>> marked = marked_places(shape, like, shape_key_);
  const auto problem_of = [&](const Named& one) {
    return with_rows_of({one.problem}, row_bytes, like.elem_bytes).front();
  };
  const Problem usual = marked.empty() ? like : problem_of(marked.front().front());
  Worker& on = worker(0);
  for (const std::vector<Named>& places : marked) {
    const Problem p = problem_of(places.front());
    const device::Dim3 grid = grid_of(shape, p);
    std::set<std::uint64_t> blocks;
    for (const Named& one : places) blocks.insert(number_in(grid, one));
    if (*blocks.rbegin() >= grid.count() ||
        run_blocks_in(*on.device, on.kernel(target.entry), shape, p, blocks, target, input_key_))
      continue;
    all.insert(all.end(), places.begin(), places.end());  // one of them
  }
  for (const RareChoice& rare : rare_choices_of(like, row_bytes, target))
    if (rare.by_block) all.push_back({rare.problem, rare.x, rare.y});
  int patience = 3;
  std::optional<bool> owns;
  for (const Named& one : all) {
    const Problem p = problem_of(one);
    const device::Dim3 grid = grid_of(shape, p);
    const std::uint64_t at =
        one.x < 0 ? shape_key_.draw({0x6e616d65, p.rows, p.cols}) % grid.count() : number_in(grid, one);
    if (at >= grid.count()) continue;
    if (run_blocks_in(*on.device, on.kernel(target.entry), shape, p, {at}, target, input_key_)) continue;
    // A small matrix runs whole. In a large one, blocks of a kernel that orders them by itself, or draws work from a
    // counter, write no tiles of their own, here or elsewhere.
    const bool small = p.rows * p.cols <= kMostRunWhole;
    if (!owns && !small) owns = blocks_write_their_own(usual, target);
    Target unchecked = target;
    unchecked.checked = false;
    if (small ? !judge(on, p, unchecked, false, host_threads_).correct()
              : *owns && blocks_write_their_own(p, target))
      return NamedBlock{p, at % grid.x, at / grid.x};
    if (--patience == 0) return std::nullopt;
  }
  return std::nullopt;
} catch (const std::bad_alloc&) {
  return std::nullopt;  // here is less address space than a GPU has memory
}

}  // namespace lab::judge
