// Several GPUs, one after the other, each with its rows. See split_trial.h.
#include "common/course/judge/split_trial.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <numeric>
#include <tuple>
#include <utility>

#include "common/course/judge/open_world.h"
#include "common/course/judge/pattern.h"
#include "common/course/judge/trial.h"
#include "common/course/judge/verify.h"

namespace lab::judge {
namespace {

// An element of `out` that a GPU changed although the row of `in` that it comes from is another's.
struct Foreign {
  int gpu = 0;
  std::int64_t row = 0, col = 0;  // of `out`
};

class SplitTrial {
 public:
  SplitTrial(device::Device& device, std::span<const device::Kernel* const> kernels, const LaunchShape& shape,
             const Problem& problem, const InputKey& key, const OpenWorld& world)
      : device_(device),
        world_(world),
        kernels_(kernels),
        gpus_(static_cast<int>(kernels.size())),
        problem_(problem),
        guard_bytes_(device.catches_stray_writes() ? 0 : kGuardZoneBytes),
        key_(key),
        words_(words_for(problem, key)) {
    run_.problem = problem;
    run_.shape = shape;
    run_.block = {static_cast<std::uint32_t>(shape.block.x), static_cast<std::uint32_t>(shape.block.y), 1};
    run_.grid = {0, 0, 0};
    for (int gpu = 0; gpu < gpus_ && run_.grid.count() == 0; ++gpu)
      run_.grid = split_grid(shape, problem, gpu, gpus_);
    run_.shared_bytes =
        kernels.front()->static_shared_bytes() + static_cast<std::uint32_t>(shape.dynamic_shared_bytes);
    run_.may_write_global = kernels.front()->may_write_global();
    run_.share = whole_share(shape, problem);
    // Each share of the rows and columns ends by itself.
    const TileShape tile = covered_at_once(shape);
    run_.share.inside = run_.share.covered = 0;
    run_.share.edge = static_cast<std::uint64_t>(gpus_ * (problem.rows + problem.cols));
    for (int gpu = 0; gpu < gpus_; ++gpu)
      run_.share.covered += split_grid(shape, problem, gpu, gpus_).count() *
                            static_cast<std::uint64_t>(std::int64_t{tile.rows} * tile.cols);
    run_.share.reached = run_.share.covered;
    device.allocate_high(world.high);
    // All of `out` together, so that nothing else lies between its parts.
    if (world.swapped) place_in();
    device.leave_room(world.out_gap);
    for (int gpu = 0; gpu < gpus_; ++gpu) {
      out_.push_back(buffer(gpu, out_share(gpu).count * problem.rows, world.out_begins + 2 * guard_bytes_,
                            device::Content::Poison, "out"));
      begins_.push_back(out_.back()->address() + world.out_begins + guard_bytes_);
    }
    if (!world.swapped) place_in();
  }

  Run judge(const Target& target, bool count, unsigned host_threads) {
    if (target.placed) {
      const device::Buffer& last = *out_.back();
      target.placed(out_.front()->address(), last.address() + last.size_bytes() - out_.front()->address(),
                    in_begins(0));
    }
    if (!count) words_ = with_a_zero(words_, problem_, key_);
    bool right = true;
    for (int pass = 0; pass < passes(problem_) && run_.faults.empty(); ++pass)
      right &= run_pass(pass, target, count && pass == 0, host_threads);
    if (run_.faults.empty() && !right) explain();
    for (auto& [place, line] : lines_) run_.lines.push_back(std::move(line));
    return std::move(run_);
  }

 private:
  // CUDA does not say which GPU is first.
  [[nodiscard]] std::vector<int> order() const {
    std::vector<int> gpus(static_cast<std::size_t>(gpus_));
    std::iota(gpus.begin(), gpus.end(), 0);
    for (std::size_t k = gpus.size(); world_.schedule != 0 && k > 1; --k)
      std::swap(
          gpus[k - 1],
          gpus[key_.draw({0x67707573, problem_.rows, problem_.cols, static_cast<std::int64_t>(k)}) % k]);
    return gpus;
  }
  [[nodiscard]] RowShare in_share(int gpu) const { return share(problem_.rows, gpu); }
  [[nodiscard]] RowShare out_share(int gpu) const { return share(problem_.cols, gpu); }
  [[nodiscard]] RowShare share(std::int64_t rows, int gpu) const {
    return share_of(rows, gpu, gpus_, problem_.uneven);
  }

  std::unique_ptr<device::Buffer> buffer(int gpu, std::int64_t elems, std::uint64_t more,
                                         device::Content content, const char* name) {
    const OfGpu scope(device_, gpu);
    return std::make_unique<device::Buffer>(device_, bytes(elems) + more, content, name);
  }

  void place_in() {
    device_.leave_room(world_.in_gap);
    for (int gpu = 0; gpu < gpus_; ++gpu)
      in_.push_back(buffer(gpu, in_share(gpu).count * problem_.cols, world_.in_begins,
                           device::Content::ReadOnly, "in"));
  }
  [[nodiscard]] device::Address in_begins(int gpu) const {
    return in_[static_cast<std::size_t>(gpu)]->address() + world_.in_begins;
  }
  // The rows of `in` that a GPU has.
  [[nodiscard]] std::span<const std::byte> part_of_input(int gpu) const {
    return std::span(input_).subspan(bytes(in_share(gpu).first * problem_.cols),
                                     bytes(in_share(gpu).count * problem_.cols));
  }

  bool run_pass(int pass, const Target& target, bool count, unsigned host_threads) {
    input_.resize(problem_.in_bytes());
    fill_input(problem_, words_, pass, input_);
    put_special_values(problem_, world_.special, key_, input_);
    expected_.assign(problem_.out_bytes(), kPoison);
    for (int gpu = 0; gpu < gpus_; ++gpu) {
      const auto at = static_cast<std::size_t>(gpu);
      device_.write(in_begins(gpu), part_of_input(gpu));
      device_.poison(out_[at]->address(), out_[at]->size_bytes(), kPoison);
    }
    for (const int gpu : order()) {
      if (!run_.faults.empty()) break;
      const device::Dim3 grid = split_grid(run_.shape, problem_, gpu, gpus_);
      if (grid.count() != 0) launch(gpu, grid, target, count, host_threads);
      if (run_.faults.empty()) look_at(gpu);
    }
    if (!run_.faults.empty()) return true;
    const bool right = as_expected() && !foreign_ && !outside_written_ && !input_changed_;
    outputs_.push_back(std::move(now_));
    return right;
  }

  void launch(int gpu, const device::Dim3& grid, const Target& target, bool count, unsigned host_threads) {
    const auto at = static_cast<std::size_t>(gpu);
    const OfGpu scope(device_, gpu);
    const device::Kernel& kernel = *kernels_[at];
    device::Launch launch;
    launch.grid = grid;
    launch.block = run_.block;
    launch.cluster = cluster_of(run_.shape);
    launch.dynamic_shared_bytes = static_cast<std::uint32_t>(run_.shape.dynamic_shared_bytes);
    launch.budget_work = budget_of(problem_, grid, run_.block);
    launch.parameters = parameters(gpu, kernel, target);
    launch.observers = target.observers;
    launch.host_threads = host_threads;
    launch.count = count;
    launch.schedule = world_.schedule;
    launch.numbers = world_.numbers;
    launch.global_races = watches_global_races(problem_);
    kernel.renew();
    device::LaunchOutcome outcome = device_.launch(kernel, launch);
    for (sim::Fault& fault : outcome.faults)
      fault.after.line(msg("It happened on GPU {} of {}.", gpu, gpus_));
    run_.faults = std::move(outcome.faults);
    run_.notes = std::move(outcome.notes);
    run_.seconds += outcome.seconds;
    run_.work += outcome.work;
    if (count) add(outcome);
  }

  std::vector<std::byte> parameters(int gpu, const device::Kernel& kernel, const Target& target) {
    const auto at = static_cast<std::size_t>(gpu);
    Arguments arguments(problem_, begins_[at], in_begins(gpu), kernel);
    if (target.arguments) {
      target.arguments(arguments);
    } else {
      arguments.gpus(gpus_of(problem_, gpu, begins_)).in().integer(problem_.rows).integer(problem_.cols);
    }
    return arguments.packed();
  }

  void add(device::LaunchOutcome& outcome) {
    run_.counters += outcome.counters;
    run_.lane_instructions += outcome.lane_instructions;
    run_.warp_instructions += outcome.warp_instructions;
    run_.output += outcome.output;
    for (sim::LineCounters& line : outcome.lines) {
      auto key = std::make_tuple(line.file, line.line, std::string(sim::info(line.path).key));
      const auto [known, is_new] = lines_.try_emplace(std::move(key), line);
      if (!is_new) known->second.counters += line.counters;
    }
  }

  // A comparison of vectors goes byte by byte.
  [[nodiscard]] bool as_expected() const {
    return std::memcmp(now_.data(), expected_.data(), now_.size()) == 0;
  }

  // Rows of `in` at their places in `out`. A small square at once: each cache line is touched once.
  void expect(const RowShare& own, auto elem) {
    constexpr std::int64_t kTogether = 16;
    const std::int64_t end = own.first + own.count;
    for (std::int64_t row0 = own.first; row0 < end; row0 += kTogether)
      for (std::int64_t col0 = 0; col0 < problem_.cols; col0 += kTogether)
        for (std::int64_t col = col0; col < std::min(col0 + kTogether, problem_.cols); ++col)
          for (std::int64_t row = row0; row < std::min(row0 + kTogether, end); ++row)
            std::memcpy(&expected_[static_cast<std::size_t>(col * problem_.rows + row) * elem],
                        &input_[static_cast<std::size_t>(row * problem_.cols + col) * elem], elem);
  }

  // What this GPU had to write is there, and nothing else has changed.
  void look_at(int gpu) {
    const RowShare own = in_share(gpu);
    if (problem_.elem_bytes == 4)
      expect(own, std::integral_constant<std::size_t, 4>{});
    else
      expect(own, bytes(1));
    now_.resize(problem_.out_bytes());
    for (int part = 0; part < gpus_; ++part) {
      const auto at = static_cast<std::size_t>(part);
      const std::size_t size = bytes(out_share(part).count * problem_.rows);
      device_.read(begins_[at], std::span(now_).subspan(bytes(out_share(part).first * problem_.rows), size));
      if (guard_bytes_ == 0) continue;
      outside_written_ |= !all_poison(device_, out_[at]->address(), world_.out_begins + guard_bytes_) ||
                          !all_poison(device_, begins_[at] + size, guard_bytes_);
      input_changed_ |= !holds(device_, in_begins(part), part_of_input(part));
    }
    if (foreign_ || as_expected()) return;
    for (std::int64_t index = 0; index < problem_.out_elems() && !foreign_; ++index) {
      const std::int64_t row = index / problem_.rows, col = index % problem_.rows;
      const bool is_own = col >= own.first && col < own.first + own.count;
      const std::size_t place = bytes(index);
      if (!is_own && std::memcmp(&now_[place], &expected_[place], bytes(1)) != 0)
        foreign_ = Foreign{gpu, row, col};
    }
  }

  // A wrong element says more than the GPU that it comes from; but an element that another GPU writes over is
  // right in the end.
  void explain() {
    run_.mismatch = world_.special != 0 ? first_wrong_value(problem_, input_, outputs_.back())
                                        : first_mismatch(problem_, words_, outputs_);
    if (outside_written_)
      run_.mismatch = {"outside-written", kOutsideWritten, 0, 0, 0, 0};
    else if (input_changed_)
      run_.mismatch = {"input-changed", kInputChanged, 0, 0, 0, 0};
    if (run_.mismatch || !foreign_) return;
    Mismatch& mismatch = run_.mismatch.emplace();
    mismatch.code = "others-element";
    mismatch.row = foreign_->row, mismatch.col = foreign_->col;
    mismatch.message =
        msg("GPU {} wrote to out({},{}), which holds in({},{}): that row of `in` lies on another GPU, which "
            "writes it at the same time.",
            foreign_->gpu, foreign_->row, foreign_->col, foreign_->col, foreign_->row);
  }

  [[nodiscard]] std::size_t bytes(std::int64_t elems) const {
    return static_cast<std::size_t>(elems * problem_.elem_bytes);
  }

  device::Device& device_;
  const OpenWorld world_;
  const std::span<const device::Kernel* const> kernels_;
  const int gpus_;
  const Problem problem_;
  const std::uint64_t guard_bytes_;  // before and behind each part of `out`
  const InputKey& key_;
  Words words_;
  std::vector<std::unique_ptr<device::Buffer>> out_, in_;  // by GPU
  Run run_;
  std::map<std::tuple<std::string, int, std::string>, sim::LineCounters> lines_;
  std::vector<std::byte> input_, expected_, now_;  // `expected_`: when the GPUs so far have run
  std::vector<std::vector<std::byte>> outputs_;    // one a pass
  std::vector<device::Address> begins_;            // of the parts of `out`
  std::optional<Foreign> foreign_;
  bool outside_written_ = false, input_changed_ = false;
};

}  // namespace

RowShare share_of(std::int64_t rows, int gpu, int gpus, bool uneven) {
  const auto parts = [&](std::int64_t g) { return uneven ? g * (g + 1) / 2 : g; };
  const auto first = [&](std::int64_t g) { return rows * parts(g) / parts(gpus); };
  return {first(gpu), first(gpu + 1) - first(gpu)};
}

Gpus gpus_of(const Problem& problem, int self, std::span<const device::Address> out) {
  Gpus gpus{};
  gpus.count = static_cast<int>(out.size()), gpus.self = self;
  std::copy(out.begin(), out.end(), gpus.out);
  for (int g = 0; g <= gpus.count; ++g) {
    const auto next = static_cast<std::size_t>(g);
    gpus.row[next] = static_cast<int>(share_of(problem.rows, g, gpus.count, problem.uneven).first);
    gpus.col[next] = static_cast<int>(share_of(problem.cols, g, gpus.count, problem.uneven).first);
  }
  return gpus;
}

device::Dim3 split_grid(const LaunchShape& shape, const Problem& problem, int gpu, int gpus) {
  const std::int64_t rows = share_of(problem.rows, gpu, gpus, problem.uneven).count;
  if (rows == 0) return {0, 0, 0};
  std::int64_t widest = 0;
  for (int g = 0; g < gpus; ++g)
    widest = std::max(widest, share_of(problem.cols, g, gpus, problem.uneven).count);
  return grid_of(shape, {.rows = rows, .cols = widest, .batch = gpus});
}

Run judge_split(device::Device& device, std::span<const device::Kernel* const> kernels,
                const LaunchShape& shape, const Problem& problem, const Target& target, bool count,
                unsigned host_threads, const InputKey& key) {
  const auto judge_in = [&](const OpenWorld& world, const Target& how) {
    return SplitTrial(device, kernels, shape, problem, key, world).judge(how, count, host_threads);
  };
  return judged(shape, problem, [&] {
    const bool drawn = !target.as_always && device.catches_stray_writes();
    OpenWorld world = !drawn  ? OpenWorld{}
                      : count ? counted_world(key, problem)
                              : open_world(key, problem, kStartsOn);
    if (count) world.out_begins = 0;  // a packet is a line, which begins where the rows of `out` do
    return judged_in(world, target, judge_in);
  });
}

}  // namespace lab::judge
