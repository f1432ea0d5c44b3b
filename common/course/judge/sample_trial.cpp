// One launch of some blocks, compared tile by tile. See sample_trial.h.
#include "common/course/judge/sample_trial.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <set>
#include <vector>

#include "common/course/judge/keyed_world.h"
#include "common/course/judge/open_world.h"
#include "common/course/judge/share.h"
#include "common/course/judge/tensor_maps.h"
#include "common/course/judge/trial.h"
#include "common/course/judge/written_ranges.h"

namespace lab::judge {
namespace {

// Elements whose blocks run: two tiles of 32 × 32, two blocks unless they are large, and one at least.
constexpr std::int64_t kElemsOfSample = 2 * 1024, kLargeBlock = 8 * 1024;
constexpr std::uint64_t kWorkOfSample = 50'000'000;
constexpr std::int64_t kEnds = 0x656e6473;  // of a draw

// Buffers lie where the world of a counted launch has them.
device::Device& ready(device::Device& device, const OpenWorld& world) {
  device.allocate_high(world.high);
  device.leave_room(world.in_gap);
  return device;
}

class SampleTrial {
 public:
  SampleTrial(device::Device& device, const device::Kernel& kernel, const LaunchShape& shape,
              const Problem& problem, Blocks which, const InputKey& key)
      : SampleTrial(device, kernel, shape, problem, key, which) {
    choose(which);
  }
  SampleTrial(device::Device& device, const device::Kernel& kernel, const LaunchShape& shape,
              const Problem& problem, const std::set<std::uint64_t>& chosen, const InputKey& key)
      : SampleTrial(device, kernel, shape, problem, key, Blocks::Drawn) {
    compare(chosen);
    run_them(chosen);
  }

  SomeBlocks judge(const Target& target) {
    Run run;
    run.problem = problem_;
    run.shape = shape_;
    run.grid = grid_of(shape_, problem_);
    run.block = {static_cast<std::uint32_t>(shape_.block.x), static_cast<std::uint32_t>(shape_.block.y), 1};
    device::Launch launch;
    launch.grid = run.grid;
    launch.block = run.block;
    launch.cluster = cluster_of(shape_);
    launch.dynamic_shared_bytes = static_cast<std::uint32_t>(shape_.dynamic_shared_bytes);
    launch.clusters = clusters_;
    launch.check = target.checked;
    launch.global_races = false;
    launch.budget_work = kWorkOfSample;
    launch.numbers = target.as_always ? 0 : open_.numbers;
    launch.observers = target.observers;
    Written written(out_.address(), problem_.out_bytes(), anywhere_);
    launch.observers.push_back(&written);
    launch.host_threads = 1;
    run.shared_bytes = kernel_.static_shared_bytes() + launch.dynamic_shared_bytes;
    Arguments arguments(problem_, out_.address(), in_.address(), kernel_);
    launch.parameters =
        pack(arguments, target, tensor_maps(device_, shape_, problem_, out_.address(), in_.address()));
    if (target.placed) target.placed(out_.address(), problem_.out_bytes(), in_.address());
    kernel_.renew();
    device::LaunchOutcome outcome = device_.launch(kernel_, launch);
    if (!outcome.faults.empty())
      return {std::nullopt, outcome.faults.front().kind == sim::FaultKind::BudgetExceeded};
    run.counters = outcome.counters;
    run.lines = std::move(outcome.lines);
    run.lane_instructions = outcome.lane_instructions;
    run.warp_instructions = outcome.warp_instructions;
    run.work = outcome.work;
    run.share = share_of(shape_, problem_, all_);
    run.sampled = true;
    if (written.beside()) return {std::nullopt};
    const bool stand_for_all =
        anywhere_ ? write_whole_tiles(run, written.take()) : stands_for_all(run, written.by_atomics());
    return {stand_for_all ? std::optional(std::move(run)) : std::nullopt};
  }

 private:
  SampleTrial(device::Device& device, const device::Kernel& kernel, const LaunchShape& shape,
              const Problem& problem, const InputKey& key, Blocks which)
      : open_(counted_world(key, problem)),
        device_(ready(device, open_)),
        kernel_(kernel),
        shape_(shape),
        problem_(problem),
        key_(key),
        anywhere_(which == Blocks::Anywhere || which == Blocks::Counted),
        counters_count_(which != Blocks::Counted),
        world_(problem, key),
        in_(device, problem.in_bytes(), device::Content::SparseReadOnly, "in"),
        out_(device, problem.out_bytes(), device::Content::SparsePoison, "out") {
    device.provide(in_.address(), world_);
  }

  [[nodiscard]] std::uint64_t draw(std::int64_t which, std::uint64_t of) const {
    return key_.draw({0x73616d706c65, problem_.rows, problem_.cols, problem_.elem_bytes, which}) % of;
  }

  // One place of each part of the grid. In two of three launches the last is where both sides of the matrix
  // end; in the others all are whole, where there is such a place: what may be spent on an end hides nothing.
  void choose(Blocks which) {
    const TileShape tile = covered_at_once(shape_);
    const std::uint64_t all = clusters_of(shape_, problem_);
    const std::int64_t elems = std::int64_t{tile.rows} * tile.cols;
    const auto wanted = static_cast<std::uint64_t>(
        std::max<std::int64_t>(elems <= kLargeBlock ? 2 : 1, kElemsOfSample / elems));
    const std::uint64_t count = std::min(all - beyond_32_bits(all), wanted);
    std::set<std::uint64_t> chosen;
    const bool ends = draw(kEnds, 3) != 0;
    for (std::uint64_t k = 0; k < count; ++k) {
      const std::uint64_t first = beyond_32_bits(all), rest = all - first;
      const std::uint64_t begin = first + rest * k / count, end = first + rest * (k + 1) / count;
      const bool last = ends && count >= 2 && k + 1 == count;
      chosen.insert(last ? all - 1 : place(begin, end, static_cast<std::int64_t>(k), ends));
    }
    if (!ends && count >= 2) add_middle(chosen);
    add_those_of_equal_low_bits(chosen);
    compare(chosen);
    if (which == Blocks::WithAround) add_around(chosen);
    run_them(chosen);
  }

  // The middle of both axes, where it is no end of one.
  void add_middle(std::set<std::uint64_t>& chosen) const {
    constexpr std::uint64_t kLeast = 3;
    const device::Dim3 grid = grid_of(shape_, problem_);
    const std::uint64_t width = grid.x / std::max<std::uint32_t>(1, cluster_of(shape_).x),
                        height = grid.y / std::max<std::uint32_t>(1, cluster_of(shape_).y);
    if (width >= kLeast && height >= kLeast && problem_.batch == 1)
      chosen.insert(height / 2 * width + width / 2);
  }

  // Very long matrices get also those whose numbers, of blocks or of elements, are the same in 16 bits: where
  // these get lost, two write one tile.
  void add_those_of_equal_low_bits(std::set<std::uint64_t>& chosen) const {
    constexpr std::uint64_t kApart = 1 << 16, kFloat = 1 << 24;
    const device::Dim3 grid = grid_of(shape_, problem_);
    if (cluster_of(shape_).count() > 1) return;
    const auto tile_y =
        static_cast<std::uint64_t>(shape_.block_x_walks == kCols ? shape_.tile.rows : shape_.tile.cols);
    for (const std::uint64_t number : std::vector(chosen.begin(), chosen.end())) {
      const std::uint64_t x = number % grid.x, y = number / grid.x % grid.y, rest = number - y * grid.x - x,
                          down = kApart / tile_y;
      if (grid.x > kFloat && (x ^ 1) < grid.x)  // a float holds every other number there
        chosen.insert(rest + y * grid.x + (x ^ 1));
      if (grid.x > kApart)
        chosen.insert(rest + y * grid.x +
                      (x >= kApart ? x - kApart : std::min(x + kApart, std::uint64_t{grid.x} - 1)));
      if (grid.y > down)
        chosen.insert(rest + (y >= down ? y - down : std::min(y + down, std::uint64_t{grid.y} - 1)) * grid.x +
                      x);
    }
  }

  void compare(const std::set<std::uint64_t>& chosen) {
    for (const std::uint64_t number : chosen)
      if (const Area area = area_of(shape_, problem_, number); area.elems() != 0) compared_.push_back(area);
  }
  void run_them(const std::set<std::uint64_t>& chosen) {
    clusters_.assign(chosen.begin(), chosen.end());
    for (const std::uint64_t number : chosen) all_.push_back(area_of(shape_, problem_, number));
  }

  // The first place of a batch whose elements have numbers of more than 32 bits; 0 where there is none.
  [[nodiscard]] std::uint64_t beyond_32_bits(std::uint64_t all) const {
    if (problem_.batch == 1) return 0;
    const double elems = double(problem_.batch) * double(problem_.rows) * double(problem_.cols),
                 share = std::max(0.0, 1 - 4294967296.0 / elems);
    const auto beyond = static_cast<std::uint64_t>(share * double(all));
    return beyond == 0 ? 0 : all - beyond;
  }

  [[nodiscard]] std::uint64_t place(std::uint64_t begin, std::uint64_t end, std::int64_t which,
                                    bool any) const {
    constexpr std::int64_t kTries = 16, kStep = 1024;
    const TileShape tile = covered_at_once(shape_);
    std::uint64_t number = begin;
    for (std::int64_t k = 0; k < kTries; ++k) {
      number = begin + draw(which + k * kStep, end - begin);
      const Area area = area_of(shape_, problem_, number);
      if (any || (area.rows() == tile.rows && area.cols() == tile.cols)) break;
    }
    return number;
  }

  void add_around(std::set<std::uint64_t>& chosen) const {
    const device::Dim3 grid = grid_of(shape_, problem_);
    const auto width = static_cast<std::int64_t>(grid.x) / std::max(1, shape_.cluster.x),
               height = static_cast<std::int64_t>(grid.y) / std::max(1, shape_.cluster.y);
    for (const std::uint64_t number : std::vector(chosen.begin(), chosen.end())) {
      const auto centre = static_cast<std::int64_t>(number);
      const std::int64_t x = centre % width, y = centre / width % height, z = centre / width / height;
      for (std::int64_t dy = -1; dy <= 1; ++dy)
        for (std::int64_t dx = -1; dx <= 1; ++dx)
          if (x + dx >= 0 && x + dx < width && y + dy >= 0 && y + dy < height)
            chosen.insert(static_cast<std::uint64_t>((z * height + y + dy) * width + x + dx));
    }
  }

  [[nodiscard]] bool stands_for_all(const Run& run, const std::vector<Range>& by_atomics) const {
    if (run.counters[sim::Path::GlobalBulkReduce].requests != 0) return false;
    // Its own tile tells a block nothing of others; theirs, and a counter, could.
    if (compared_.size() != all_.size() && !by_atomics.empty()) return false;
    if (!std::all_of(by_atomics.begin(), by_atomics.end(), [&](const Range& r) { return lies_in_tiles(r); }))
      return false;
    const std::uint64_t written = run.stored_bytes(), elem = static_cast<std::uint64_t>(problem_.elem_bytes),
                        bytes = run.share.elems * elem;
    // Where tiles begin with sectors and not at their own place, a block writes a little more or less.
    const std::uint64_t slack = compared_.size() == all_.size() ? 0 : bytes / 4;
    return written <= bytes + slack && written + slack >= bytes &&
           std::all_of(compared_.begin(), compared_.end(), [&](const Area& area) { return holds(area); });
  }

  // Bytes of `out`: all of them in tiles that are compared.
  [[nodiscard]] bool lies_in_tiles(const Range& range) const {
    const auto elem = static_cast<std::uint64_t>(problem_.elem_bytes);
    for (std::uint64_t at = range.first / elem; at * elem < range.second; ++at) {
      const Place place = place_in_out(at);
      const bool inside = std::any_of(compared_.begin(), compared_.end(), [&](const Area& area) {
        return place.batch == area.batch && place.row >= area.row0 && place.row < area.row1 &&
               place.col >= area.col0 && place.col < area.col1;
      });
      if (!inside) return false;
    }
    return true;
  }

  // An element of `out`: its matrix, row and column in `in`. Padding lies below the last row.
  struct Place {
    std::int64_t batch = 0, row = 0, col = 0;
  };
  [[nodiscard]] Place place_in_out(std::uint64_t at) const {
    const auto number = static_cast<std::int64_t>(at);
    const std::int64_t left = number % problem_.out_stride();
    return {number / problem_.out_stride(), left % problem_.out_pitch(), left / problem_.out_pitch()};
  }

  // Whole tiles, wherever they lie, and one for each block or more: these are its share.
  [[nodiscard]] bool write_whole_tiles(Run& run, const std::vector<Range>& written) const {
    const auto elem = static_cast<std::uint64_t>(problem_.elem_bytes);
    const TileShape tile = covered_at_once(shape_);
    std::map<std::array<std::int64_t, 3>, std::int64_t> tiles;  // matrix, row and column: elements written
    for (const auto& [first, end] : written) {
      if (first % elem != 0 || end % elem != 0) return false;
      for (std::uint64_t at = first; at < end; at += elem) {
        const auto [batch, row, col] = place_in_out(at / elem);
        if (row >= problem_.rows) return false;
        ++tiles[{batch, row / tile.rows * tile.rows, col / tile.cols * tile.cols}];
      }
    }
    std::vector<Area> areas;
    for (const auto& [at, count] : tiles) {
      const auto& [batch, row, col] = at;
      const Area area{batch, row, std::min(row + tile.rows, problem_.rows), col,
                      std::min(col + tile.cols, problem_.cols)};
      if (count != area.elems() || !holds(area)) return false;
      areas.push_back(area);
    }
    run.share = share_of(shape_, problem_, areas);
    const bool waits = counters_count_ && run.counters[sim::Path::GlobalAtomic].requests +
                                                  run.counters[sim::Path::GlobalBulkReduce].requests !=
                                              0;
    return !waits && areas.size() >= clusters_.size();
  }

  // The elements of `out` that belong there.
  [[nodiscard]] bool holds(const Area& area) const {
    const auto elem = static_cast<std::size_t>(problem_.elem_bytes);
    const auto rows = static_cast<std::size_t>(area.rows()), cols = static_cast<std::size_t>(area.cols());
    std::vector<std::byte> expected(rows * cols * elem), line(cols * elem), found(rows * elem);
    for (std::size_t r = 0; r < rows; ++r) {
      const std::int64_t at = area.batch * problem_.in_stride() +
                              (area.row0 + static_cast<std::int64_t>(r)) * problem_.in_pitch() + area.col0;
      device_.read(in_.address() + static_cast<std::uint64_t>(at) * elem, line);
      for (std::size_t c = 0; c < cols; ++c)
        std::memcpy(&expected[(c * rows + r) * elem], &line[c * elem], elem);
    }
    for (std::size_t c = 0; c < cols; ++c) {
      const std::int64_t at = area.batch * problem_.out_stride() +
                              (area.col0 + static_cast<std::int64_t>(c)) * problem_.out_pitch() + area.row0;
      device_.read(out_.address() + static_cast<std::uint64_t>(at) * elem, found);
      if (std::memcmp(found.data(), &expected[c * rows * elem], found.size()) != 0) return false;
    }
    return true;
  }

  const OpenWorld open_;
  device::Device& device_;
  const device::Kernel& kernel_;
  const LaunchShape& shape_;
  const Problem problem_;
  const InputKey& key_;
  const bool anywhere_, counters_count_;
  KeyedWorld world_;
  device::Buffer in_, out_;
  std::vector<std::uint64_t> clusters_;
  std::vector<Area> compared_, all_;
};

}  // namespace

bool run_blocks_in(device::Device& device, const device::Kernel& kernel, const LaunchShape& shape,
                   const Problem& problem, const std::set<std::uint64_t>& blocks, const Target& target,
                   const InputKey& key) {
  return SampleTrial(device, kernel, shape, problem, blocks, key).judge(target).run.has_value();
}

bool run_one_block_in(device::Device& device, const device::Kernel& kernel, const LaunchShape& shape,
                      const Problem& problem, const Subject::Every& blocks, const Target& target,
                      const InputKey& key) {
  std::set<std::uint64_t> chosen;
  for (std::uint64_t k = blocks.rest; k < clusters_of(shape, problem); k += blocks.of) chosen.insert(k);
  return run_blocks_in(device, kernel, shape, problem, chosen, target, key);
}

SomeBlocks run_some_blocks(device::Device& device, const device::Kernel& kernel, const LaunchShape& shape,
                           const Problem& problem, Blocks which, const Target& target, const InputKey& key) {
  check_shape(shape);
  return SampleTrial(device, kernel, shape, problem, which, key).judge(target);
}

}  // namespace lab::judge
