// What several chapters ask. See the header.
#include "tests/chapters/course_checks.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "common/course/judge/keyed_world.h"
#include "common/course/judge/subject.h"
#include "common/course/judge/tensor_maps.h"
#include "common/sim/memory/memory.h"

namespace lab::course {
namespace {

using namespace lab::judge;

// Short side × long side: 4,800,000,000 elements, more than 32 bits can count. Multiples of 4, so that
// kernels with wide accesses take them.
constexpr std::int64_t kShort = 80, kLong = 60'000'000, kMostOfBlock = 1 << 20;

// The tiles along the short side at the start of the long one.
class Strip {
 public:
  Strip(device::Device& device, const device::Kernel& kernel, Subject& subject, const Target& target,
        bool long_rows, std::int64_t length = kLong)
      : problem_{.rows = long_rows ? kShort : length, .cols = long_rows ? length : kShort},
        device_(device),
        kernel_(kernel),
        target_(target),
        world_(problem_, subject.input_key()),
        shape_(subject.launch_shape(target.entry)),
        rows_(std::min<std::int64_t>(problem_.rows, std::max<std::int64_t>(shape_.tile.rows, kShort))),
        cols_(std::min<std::int64_t>(problem_.cols, std::max<std::int64_t>(shape_.tile.cols, kShort))),
        in_(device_, problem_.in_bytes(), device::Content::SparseReadOnly, "in"),
        out_(device_, problem_.out_bytes(), device::Content::Poison, "out") {
    // Only the tiles that hold something of the corner: one along the long side.
    const std::int64_t tile_rows = long_rows ? kShort : shape_.tile.rows;
    const std::int64_t tile_cols = long_rows ? shape_.tile.cols : kShort;
    corner_ = {.rows = tile_rows, .cols = tile_cols};
    rows_ = std::min(problem_.rows, tile_rows);
    cols_ = std::min(problem_.cols, tile_cols);
    device_.provide(in_.address(), world_);
  }

  // "" when right.
  Message run(sim::Fault& fault) {
    Arguments arguments(problem_, out_.address(), in_.address(), kernel_);
    const auto maps = tensor_maps(device_, shape_, problem_, out_.address(), in_.address());
    device::Launch launch;
    launch.grid = grid_of(shape_, corner_);
    launch.block = {static_cast<std::uint32_t>(shape_.block.x), static_cast<std::uint32_t>(shape_.block.y),
                    1};
    launch.dynamic_shared_bytes = static_cast<std::uint32_t>(shape_.dynamic_shared_bytes);
    launch.cluster = cluster_of(shape_);
    launch.parameters = pack(arguments, target_, maps);
    launch.count = false;
    launch.host_threads = 1;
    launch.budget_work = 50'000'000;
    kernel_.renew();
    const device::LaunchOutcome outcome = device_.launch(kernel_, launch);
    if (!outcome.faults.empty()) {
      fault = outcome.faults.front();
      return fault.sentence();
    }
    return first_wrong();
  }

  [[nodiscard]] std::string name() const { return fmt::format("{}×{}", problem_.rows, problem_.cols); }

 private:
  Message first_wrong() const {
    std::vector<std::uint32_t> line(static_cast<std::size_t>(rows_)),
        row_of_in(static_cast<std::size_t>(cols_));
    std::vector<std::uint32_t> wanted(line.size() * row_of_in.size());
    for (std::int64_t row = 0; row < rows_; ++row) {
      device_.read(in_.address() + static_cast<std::uint64_t>(row * problem_.cols) * 4,
                   std::as_writable_bytes(std::span(row_of_in)));
      std::copy(row_of_in.begin(), row_of_in.end(), wanted.begin() + row * cols_);
    }
    for (std::int64_t col = 0; col < cols_; ++col) {
      device_.read(out_.address() + static_cast<std::uint64_t>(col * problem_.rows) * 4,
                   std::as_writable_bytes(std::span(line)));
      for (std::int64_t row = 0; row < rows_; ++row) {
        if (line[static_cast<std::size_t>(row)] != wanted[static_cast<std::size_t>(row * cols_ + col)])
          return msg("out({},{}) does not hold in({},{}).", col, row, row, col);
      }
    }
    return {};
  }

  Problem problem_, corner_;
  device::Device& device_;
  const device::Kernel& kernel_;
  const Target& target_;
  KeyedWorld world_;
  LaunchShape shape_;
  std::int64_t rows_, cols_;  // of the corner that is filled and compared
  device::Buffer in_, out_;
};

Metric worse_side(const Run& run) {
  return run.counters[sim::Path::GlobalLoad].cost > run.counters[sim::Path::GlobalStore].cost
             ? Metric::GlobalLoadSectors
             : Metric::GlobalStoreSectors;
}

std::uint64_t rounded(std::uint64_t cost, std::uint64_t requests) {
  return requests == 0 ? 0 : (cost + requests / 2) / requests;
}

}  // namespace

const char* const kAllPaths = "Every path counts: loads, stores, atomics, copies and local memory together.";

const char* const kWholeRows =
    "Let a warp read along the rows of `in` and write along the rows of `out`: lanes that are neighbours "
    "move neighbours of a row. A tile that hands blocks from one thread to another, and leaves them where "
    "they were, does not help.";

namespace {

// Blocks anywhere in these: what is right on a smaller one of the same rests is right here. Long both ways;
// and as long one way as a grid goes, so that blocks and rows have numbers of more than 16 bits.
std::vector<Problem> drawn_beyond_32_bits(Check& check, const Target& target, std::int64_t batch_rows) {
  constexpr std::int64_t kMore = 4'400'000'000, kMostBlocks = 65'535, kStep = 4, kHalf = 2'300'000'000,
                         kMostSide = 2'100'000'000, kFar = 1 << 24;
  const auto draw = [&](std::int64_t which, std::int64_t of) {
    return static_cast<std::int64_t>(check.subject().input_key().draw({0x62657932, which, batch_rows}) %
                                     static_cast<std::uint64_t>(of));
  };
  const LaunchShape shape = check.subject().launch_shape(target.entry);
  if (batch_rows != 0) {
    Problem p;
    p.rows = batch_rows + draw(0, 300) * kStep, p.cols = batch_rows + draw(1, 300) * kStep;
    p.in_pitch_elems = p.cols + 12, p.out_pitch_elems = p.rows + 20;
    p.batch = kMore / std::min(p.in_stride(), p.out_stride()) + 1;
    // And one matrix whose pitches no float and no product of 24 bits has.
    Problem far;
    far.rows = 300 + draw(2, 100) * kStep, far.cols = 300 + draw(3, 100) * kStep;
    far.in_pitch_elems = kFar + draw(4, 1 << 20) * kStep,
    far.out_pitch_elems = kFar + draw(5, 1 << 20) * kStep;
    return {p, far};
  }
  const bool rows_along_y = shape.block_x_walks == kCols;
  const std::int64_t tile = rows_along_y ? shape.tile.rows : shape.tile.cols;
  std::vector<Problem> all;
  for (const std::int64_t wanted : {66'000 + draw(0, 3'000), 4'000'000 - draw(2, 3'000), 80 + draw(3, 300)}) {
    const std::int64_t along_y = std::min(wanted, kMostBlocks * tile) / kStep * kStep,
                       along_x = (kMore / along_y + draw(1, 3'000)) / kStep * kStep;
    Problem& p = all.emplace_back();
    p.rows = rows_along_y ? along_y : along_x, p.cols = rows_along_y ? along_x : along_y;
  }
  // More than 2^24 blocks in a row, which a float cannot count; and between 2^31 and 2^32 elements.
  const std::int64_t far_x = (kMostSide - draw(4, 1 << 20)) / kStep * kStep, strip = kStep * (2 + draw(5, 3)),
                     half = 47'000 + draw(6, 8'000) / kStep * kStep;
  for (const auto& [along_x, along_y] :
       {std::pair(far_x, strip), {half, (kHalf / half + draw(7, 5'000)) / kStep * kStep}}) {
    Problem& p = all.emplace_back();
    p.rows = rows_along_y ? along_y : along_x, p.cols = rows_along_y ? along_x : along_y;
  }
  return all;
}

// Smaller ones with the same rests, wide or high as it is: a side that is short stays as it is, since kernels may
// choose by it what they do. In all of them each block must write its own tile before the size is blamed: of
// blocks that overlap or do nothing, a few may do by chance what is asked.
std::optional<Problem> right_when_smaller(Check& check, const Target& target, const Problem& huge) {
  Problem twin = huge;
  for (int larger = 3; larger >= 0; --larger) {
    if (huge.batch > 1) {
      twin.batch = 3 + larger;
    } else if (huge.in_pitch_elems != 0) {
      twin.in_pitch_elems = huge.cols + 12 + 4 * larger, twin.out_pitch_elems = huge.rows + 20 + 4 * larger;
    } else {
      const std::int64_t side = 2048 + 1024 * larger;
      const bool wide = huge.rows < huge.cols;
      std::int64_t &least = wide ? twin.rows : twin.cols, &most = wide ? twin.cols : twin.rows;
      least = std::min(huge.rows, huge.cols);
      if (least >= 2048) least = side + least % 1024;
      most = std::max(side * side / least / 1024 * 1024, side) + 1024 + std::max(huge.rows, huge.cols) % 1024;
    }
    if (!check.subject().blocks_write_their_own(twin, target)) return std::nullopt;
  }
  return twin;
}

// Where even a matrix of the same rests that every size holds has others in its first tiles, so few blocks do
// not write these: they draw work from a counter, in an order of their own.
bool writes_first_tiles(device::Device& device, const device::Kernel& kernel, Subject& subject,
                        const Target& target, bool long_rows) {
  constexpr std::int64_t kShorter = 40'000 + kLong % 1024 - 40'000 % 1024;
  sim::Fault fault;
  return Strip(device, kernel, subject, target, long_rows, kShorter).run(fault).empty();
}

// Launches that blocks do not stand for are asked for the first tiles, in a grid that ends with them.
void right_on_first_tiles_beyond_32_bits(Check& check, const Target& target) {
  const std::unique_ptr<device::Device> device = device::make_simulator();
  std::shared_ptr<device::Module> module;
  std::shared_ptr<const device::Kernel> kernel;
  for (const bool long_rows : {true, false}) {
    Reason reason;
    try {
      if (!module) module = device->load(check.subject().ptx());
      if (!kernel) kernel = module->kernel(target.entry);
      Strip strip(*device, *kernel, check.subject(), target, long_rows);
      sim::Fault fault;
      const Message wrong = strip.run(fault);
      // A loop over all tiles that has so few blocks does not end here; a block that covers so much by itself
      // would not end anywhere.
      const TileShape tile = check.subject().launch_shape(target.entry).tile;
      const bool loops = std::int64_t{tile.rows} * tile.cols <= kMostOfBlock;
      if (wrong.empty() || (loops && fault.kind == sim::FaultKind::BudgetExceeded) ||
          !writes_first_tiles(*device, *kernel, check.subject(), target, long_rows)) {
        check.that(true, "index-overflow", "");
        continue;
      }
      reason.message = msg(
          "shape {}, its first tiles: this matrix has more than 2^32 elements, and row * cols does not fit "
          "into 32 bits. Compute indices in 64 bits (size_t).\nWhat went wrong there: {}",
          strip.name(), wrong);
      reason.file = fault.file;
      reason.line = fault.line;
      reason.code = "index-overflow";
    } catch (const std::bad_alloc&) {
      check.leave_out("not tried: it takes 60 GiB of address space, and here is less");
      continue;
    } catch (const std::exception& error) {
      reason.code = "index-overflow";
      reason.message = lab::text::message_of(error);
    }
    return check.fail(std::move(reason));
  }
}

// Whether blocks stand for the launch; where they do not, and none of a smaller one do, nothing is known.
bool right_on_blocks_beyond_32_bits(Check& check, const Target& target, const Problem& huge) {
  if (check.subject().some_blocks(huge, target)) {
    check.that(true, "index-overflow", "");
    return true;
  }
  const std::optional<Problem> twin = right_when_smaller(check, target, huge);
  if (!twin) return false;
  // The first tiles may say where.
  right_on_first_tiles_beyond_32_bits(check, target);
  if (!check.passing()) return true;
  check.that(
      false, "index-overflow",
      msg("shape {}, blocks anywhere in it: they are right in a matrix of {}, and not in this one, which has "
          "more than 2^32 elements. Compute indices in 64 bits (size_t), those of a matrix in a batch too.",
          describe(huge), describe(*twin)));
  return true;
}

}  // namespace

void right_on_long(Check& check, const Target& target) try {
  constexpr std::int64_t kMost = std::int64_t{1} << 31, kStep = 128;
  const std::vector<Problem> far = check.subject().far_sample(check.chapter().measured, target.entry);
  const auto longest = std::max_element(far.begin(), far.end(), [](const Problem& a, const Problem& b) {
    return a.rows * a.cols < b.rows * b.cols;
  });
  if (longest == far.end()) return;
  Problem p = *longest;
  p.cols = std::min(p.cols, (kMost - 1) / p.rows / kStep * kStep);
  if (check.subject().some_blocks(p, target)) return;
  if (const std::optional<Problem> twin = right_when_smaller(check, target, p))
    check.that(false, "wrong-element",
               msg("shape {}, blocks anywhere in it: they are right in a matrix of {}, and not in this one.",
                   describe(p), describe(*twin)));
} catch (const std::bad_alloc&) {
  return;  // here is less address space than a GPU has memory
}

void right_beyond_32_bits(Check& check, const Target& target) {
  bool all_stand = true;
  try {
    const bool pitched = target.arguments != nullptr;
    for (const Problem& huge : drawn_beyond_32_bits(check, target, pitched ? 1000 : 0))
      if (check.passing()) all_stand &= right_on_blocks_beyond_32_bits(check, target, huge);
  } catch (const std::bad_alloc&) {
    return check.leave_out("not tried: it takes 60 GiB of address space, and here is less");
  }
  if (check.passing() && !all_stand) right_on_first_tiles_beyond_32_bits(check, target);
}

void whole_sectors(Check& check, const Run& run, const Message& why) {
  // What a load or store wastes is reported first: it has a line and a pattern of its own.
  check.at_most(run, Metric::GlobalStoreSectors, ideal_sectors(run), "uncoalesced", why);
  check.at_most(run, Metric::GlobalLoadSectors, ideal_sectors(run), "uncoalesced", why);
  if (check.passing())
    check.at_most(run, Metric::GlobalSectors, 2 * ideal_sectors(run), "other-path", kAllPaths);
  if (check.passing()) few_atomics(check, run);
}

void few_atomics(Check& check, const Run& run) {
  // Flags and counters: three for each 32 elements are of no matter; more of them could carry elements.
  const std::uint64_t shared = run.counters[sim::Path::SharedAtomic].requests,
                      flags = std::min(run.blocks.one_word.atomics, 3 * run.share.covered / 32),
                      bytes = run.counters[sim::Path::GlobalAtomic].bytes +
                              128 * (shared - std::min(shared, flags)),
                      most = run.share.elems * static_cast<std::uint64_t>(run.problem.elem_bytes) / 16;
  if (bytes <= most) return check.that(true, "other-path", "");
  Reason reason;
  reason.code = "other-path";
  reason.message =
      msg("shape {}: atomics move {} bytes. An atomic reads, changes and writes, one lane after the other "
          "where they meet; elements go by loads and stores.",
          describe(run.problem), big(bytes));
  reason.figures.push_back({"bytes moved by atomics", bytes, most});
  reason.problem = run.problem;
  check.fail(std::move(reason));
}

void rows_on_measured(Check& check) {
  on_measured(check, [&](const Run& run) { check.rows_both_ways(run, kWholeRows); });
}

void exchanged_by_type(Check& check, Target (*target_of)(int elem_bytes)) {
  for (const int bytes : kTypeBytes) {
    if (!check.passing()) return;
    const Target target = target_of(bytes);
    const Problem square{.rows = 1024, .cols = 1024, .elem_bytes = bytes};
    check.exchanged(check.subject().measured_shapes(square, target.entry).back(), target);
  }
}

void sectors_both_ways_at_most(Check& check, const Run& run, std::uint64_t bound, const Message& why) {
  const Metric worse = worse_side(run);
  const std::uint64_t other = run.counters[sim::Path::GlobalLoad].cost +
                              run.counters[sim::Path::GlobalStore].cost - value(run.counters, worse);
  check.at_most(run, worse, bound - std::min(other, bound / 2), "uncoalesced", why);
  if (check.passing()) check.at_most(run, Metric::GlobalSectors, bound, "other-path", kAllPaths);
}

std::uint64_t sectors_per_request(const sim::PathCounters& c) { return rounded(c.cost, c.requests); }
std::uint64_t wavefronts_per_request(const sim::PathCounters& c) { return rounded(c.cost, c.requests); }

std::vector<Problem> smaller_awkward_shapes(int elem_bytes) {
  std::vector<Problem> shapes = awkward_shapes(elem_bytes);
  std::erase_if(shapes, [](const Problem& p) { return p.rows * p.cols > 20'000; });
  return shapes;
}

std::vector<Problem> typed_shapes(int elem_bytes) {
  constexpr std::array kSides = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 48, 63, 64};
  std::vector<Problem> shapes;
  for (const int rows : kSides) {
    for (const int cols : kSides) shapes.push_back({.rows = rows, .cols = cols, .elem_bytes = elem_bytes});
  }
  for (const Problem& p : smaller_awkward_shapes(elem_bytes)) shapes.push_back(p);
  return shapes;
}

void right_on_typed_shapes(Check& check, int elem_bytes) {
  const std::size_t which = elem_bytes == 1 ? 0 : elem_bytes == 2 ? 1 : elem_bytes == 8 ? 2 : 3;
  check.right_on_a_part(typed_shapes(elem_bytes), {.of = 4, .which = which}, typed_target(elem_bytes));
}

Target typed_target(int elem_bytes) {
  Target target;
  target.entry = elem_bytes == 4 ? "transpose" : fmt::format("transpose_u{}", 8 * elem_bytes);
  return target;
}

Target pitched_target(int elem_bytes) {
  Target target;
  target.entry = fmt::format("transpose_u{}", 8 * elem_bytes);
  target.arguments = with_pitches;
  return target;
}

std::uint64_t sectors_of_rows(std::int64_t rows, std::int64_t cols, std::int64_t pitch, int elem_bytes,
                              int request_elems) {
  constexpr std::int64_t kSectorBytes = 32;
  std::uint64_t sectors = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t col = 0; col < cols; col += request_elems) {
      const std::int64_t first = (row * pitch + col) * elem_bytes;
      const std::int64_t end = (row * pitch + std::min(col + request_elems, cols)) * elem_bytes;
      sectors += static_cast<std::uint64_t>((end - 1) / kSectorBytes - first / kSectorBytes + 1);
    }
  }
  return sectors;
}

}  // namespace lab::course
