// Two launches of some blocks: one that shows what they write, one that is judged. See large_trial.h.
#include "common/judge/large_trial.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "common/judge/tensor_maps.h"
#include "common/judge/trial.h"
#include "common/sim/base/lanes.h"

namespace lab::judge {
namespace {

using Range = std::pair<std::uint64_t, std::uint64_t>;  // bytes of `out`, from its first

// What is written to `out`, by stores and by the TMA unit.
class WrittenRanges final : public sim::Observer {
 public:
  WrittenRanges(device::Address out, std::uint64_t bytes) : out_(out), bytes_(bytes) {}
  [[nodiscard]] std::unique_ptr<sim::Observer> clone() const override {
    return std::make_unique<WrittenRanges>(out_, bytes_);
  }
  void merge(const sim::Observer& other) override {
    const auto& from = dynamic_cast<const WrittenRanges&>(other).ranges_;
    ranges_.insert(ranges_.end(), from.begin(), from.end());
  }
  void access(std::uint32_t /*slot*/, const sim::Access& access) override {
    if (access.space != sim::Space::Global || !sim::writes(access.path)) return;
    const auto first = static_cast<std::uint32_t>(std::countr_zero(access.mask));
    const sim::Mask lanes = access.mask >> first;
    if (access.affine && access.stride_bytes == access.width_bytes && (lanes & (lanes + 1)) == 0) {
      const std::uint64_t from = access.address[first];
      return add(from, from + static_cast<std::uint64_t>(std::popcount(lanes)) * access.width_bytes);
    }
    sim::for_lanes(access.mask, [&](std::uint32_t lane) {
      add(access.address[lane], access.address[lane] + access.width_bytes);
    });
  }
  void bulk(std::uint32_t /*slot*/, const sim::BulkCopy& copy) override {
    if (sim::info(copy.written).space != sim::Space::Global) return;
    for (const sim::BulkPiece& piece : copy.pieces)
      add(piece.global + piece.first, piece.global + piece.last);
  }
  // In order, none twice.
  [[nodiscard]] std::vector<Range> take() {
    std::sort(ranges_.begin(), ranges_.end());
    std::vector<Range> apart;
    for (const auto& [from, to] : ranges_) {
      if (apart.empty() || from > apart.back().second) {
        apart.emplace_back(from, to);
      } else {
        apart.back().second = std::max(apart.back().second, to);
      }
    }
    return apart;
  }

 private:
  void add(std::uint64_t from, std::uint64_t to) {
    if (from >= out_ && from < to && to - out_ <= bytes_) ranges_.emplace_back(from - out_, to - out_);
  }
  device::Address out_;
  std::uint64_t bytes_;
  std::vector<Range> ranges_;
};

// One of each part of the grid.
std::vector<std::uint64_t> drawn_clusters(const LaunchShape& shape, const device::Dim3& grid,
                                          const Problem& p, const InputKey& key) {
  const TileShape covered = covered_at_once(shape);
  const std::uint64_t blocks = std::max<std::uint64_t>(1, cluster_of(shape).count());
  const std::uint64_t all = grid.count() / blocks;
  const auto wanted = static_cast<std::uint64_t>(
      std::max<std::int64_t>(2, kElemsOfLarge / (std::int64_t{covered.rows} * covered.cols)));
  const std::uint64_t count = std::min(all, wanted);
  std::vector<std::uint64_t> clusters;
  for (std::uint64_t k = 0; k < count; ++k) {
    const std::uint64_t begin = all * k / count, end = all * (k + 1) / count;
    clusters.push_back(begin +
                       key.draw({0x736f6d65, p.rows, p.cols, static_cast<std::int64_t>(k)}) % (end - begin));
  }
  return clusters;
}

// What stands at an element of `in`, by its number in memory: bits that nobody guesses, and never 0.
using Element = std::array<std::byte, 16>;
Element element(std::uint64_t number, std::uint64_t secret) {
  std::array<std::uint64_t, 2> words{};
  for (std::uint64_t& word : words) {
    number = (number ^ secret) * 0x9e3779b97f4a7c15u;
    word = number ^= number >> 29;
    word |= 0x0101010101010101u;
  }
  Element bytes;
  std::memcpy(bytes.data(), words.data(), sizeof words);
  return bytes;
}

class LargeTrial {
 public:
  LargeTrial(device::Device& device, const device::Kernel& kernel, const LaunchShape& shape,
             const LargeProblem& large, const InputKey& key)
      : device_(device),
        kernel_(kernel),
        large_(large),
        problem_(large.problem),
        secret_(key.draw({0x6c61726765, problem_.rows, problem_.cols, problem_.elem_bytes})),
        in_(device, problem_.in_bytes(), device::Content::SparseReadOnly, "in"),
        out_(device, problem_.out_bytes(), device::Content::SparsePoison, "out") {
    run_.problem = problem_;
    run_.shape = shape;
    run_.grid = grid_of(shape, problem_);
    run_.block = {static_cast<std::uint32_t>(shape.block.x), static_cast<std::uint32_t>(shape.block.y), 1};
    launch_.grid = run_.grid;
    launch_.block = run_.block;
    launch_.cluster = cluster_of(shape);
    launch_.dynamic_shared_bytes = static_cast<std::uint32_t>(shape.dynamic_shared_bytes);
    launch_.clusters = drawn_clusters(shape, run_.grid, problem_, key);
    launch_.global_races = false;
    launch_.budget_work = 50'000'000;
    run_.shared_bytes = kernel.static_shared_bytes() + launch_.dynamic_shared_bytes;
  }

  LargeRun judge(const Target& target) {
    Arguments arguments(problem_, out_.address(), in_.address(), kernel_);
    launch_.parameters =
        pack(arguments, target, tensor_maps(device_, run_.shape, problem_, out_.address(), in_.address()));
    WrittenRanges written(out_.address(), problem_.out_bytes());
    launch_.observers = {&written};
    launch_.count = launch_.check = false;
    LargeRun result;
    if (launch()) {
      written_ = written.take();
      fill();
      launch_.observers = target.observers;
      launch_.count = launch_.check = true;
      if (launch()) compare();
    }
    result.blocks = launch_.clusters.size() * std::max<std::uint64_t>(1, launch_.cluster.count());
    result.elems = elems_;
    result.edge = edge_;
    result.run = std::move(run_);
    return result;
  }

 private:
  struct Place {
    std::int64_t batch, row, col;  // of `in`
  };

  bool launch() {
    kernel_.renew();
    device::LaunchOutcome outcome = device_.launch(kernel_, launch_);
    run_.faults = std::move(outcome.faults);
    run_.work += outcome.work;
    run_.counters = outcome.counters;
    run_.lines = std::move(outcome.lines);
    run_.lane_instructions = outcome.lane_instructions;
    run_.warp_instructions = outcome.warp_instructions;
    return run_.faults.empty();
  }

  // Calls f(place, byte of `out`) for each element that was written. Padding is none.
  template <class F>
  void for_elements(const Range& range, const F& f) const {
    const auto bytes = static_cast<std::uint64_t>(problem_.elem_bytes);
    for (std::uint64_t at = range.first / bytes * bytes; at < range.second; at += bytes) {
      const auto number = static_cast<std::int64_t>(at / bytes);
      const std::int64_t batch = number / problem_.out_stride(), left = number % problem_.out_stride();
      const Place place{batch, left % problem_.out_pitch(), left / problem_.out_pitch()};
      if (place.row < problem_.rows) f(place, at);
    }
  }
  [[nodiscard]] std::uint64_t number_in(const Place& p) const {
    return static_cast<std::uint64_t>(p.batch * problem_.in_stride() + p.row * problem_.in_pitch() + p.col);
  }

  // What belongs into `out` there, row by row of `in`.
  void fill() {
    std::vector<std::uint64_t> numbers;
    for (const Range& range : written_) {
      for_elements(range, [&](const Place& place, std::uint64_t) {
        numbers.push_back(number_in(place));
        edge_ += place.row >= large_.whole_rows || place.col >= large_.whole_cols;
      });
    }
    elems_ = numbers.size();
    std::sort(numbers.begin(), numbers.end());
    const auto bytes = static_cast<std::size_t>(problem_.elem_bytes);
    std::vector<std::byte> row;
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      const Element value = element(numbers[k], secret_);
      row.insert(row.end(), value.begin(), value.begin() + problem_.elem_bytes);
      if (k + 1 < numbers.size() && numbers[k + 1] == numbers[k] + 1) continue;
      device_.write(in_.address() + (numbers[k] + 1) * bytes - row.size(), row);
      row.clear();
    }
  }

  void compare() {
    const auto bytes = static_cast<std::size_t>(problem_.elem_bytes);
    for (const Range& range : written_) {
      std::vector<std::byte> found(range.second - range.first);
      device_.read(out_.address() + range.first, found);
      for_elements(range, [&](const Place& p, std::uint64_t at) {
        const bool right =
            at >= range.first && at + bytes <= range.second &&
            std::memcmp(found.data() + (at - range.first), element(number_in(p), secret_).data(), bytes) == 0;
        if (right || run_.mismatch) return;
        run_.mismatch = {
            "wrong-element", fmt::format("out({},{}) does not hold in({},{}).", p.col, p.row, p.row, p.col),
            p.col,           p.row,
            p.batch,         1};
      });
    }
  }

  device::Device& device_;
  const device::Kernel& kernel_;
  const LargeProblem large_;
  const Problem problem_;
  const std::uint64_t secret_;
  device::Buffer in_, out_;
  device::Launch launch_;
  Run run_;
  std::vector<Range> written_;
  std::uint64_t elems_ = 0, edge_ = 0;  // that the blocks write
};

}  // namespace

LargeRun run_some_blocks(device::Device& device, const device::Kernel& kernel, const LaunchShape& shape,
                         const LargeProblem& large, const Target& target, const InputKey& key) {
  LargeRun found;
  Run failed = judged(shape, large.problem, [&] {
    found = LargeTrial(device, kernel, shape, large, key).judge(target);
    return Run{};
  });
  if (!failed.faults.empty()) found.run = std::move(failed);
  return found;
}

}  // namespace lab::judge
