// Fills, launches, reads back, compares: every pass of one problem. See trial.h.
#include "common/course/judge/trial.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "common/course/judge/moved_bytes.h"
#include "common/course/judge/open_world.h"
#include "common/course/judge/pattern.h"
#include "common/course/judge/task.h"
#include "common/course/judge/tensor_maps.h"
#include "common/course/judge/verify.h"

namespace lab::judge {

// In units of work (sim/program/work.h). The first number is what strips need whose blocks have 1,024
// threads. Even one thread that moves every element by itself stays below; an endless loop does not. Nor does
// a grid of a thousand threads for each element: the launch shape is the student's, so it buys no budget
// without end.
std::uint64_t budget_of(const Problem& p, const device::Dim3& grid, const device::Dim3& block) {
  const std::uint64_t elems = p.in_bytes() / static_cast<std::uint64_t>(p.elem_bytes);
  const std::uint64_t warps = std::min(grid.count() * ((block.count() + 31) / 32), elems / 8 + 64);
  return 32'000'000 + 100 * elems + 200 * warps;
}

// Races in global memory cost most to watch, and in the sweep of small shapes, whose blocks run one after the
// other on every machine, they do not hide in one: one in sixteen is watched.
bool watches_global_races(const Problem& p) {
  constexpr std::int64_t kSweepSide = 64;
  return p.rows > kSweepSide || p.cols > kSweepSide || (p.rows + p.cols) % 16 == 0;
}

namespace {

std::uint64_t out_bytes_of(const Problem& problem, const Task* task) {
  return task == nullptr ? problem.out_bytes()
                         : static_cast<std::uint64_t>(task->out_elems(problem) * problem.elem_bytes);
}

// One problem on one device, all passes.
class Trial {
 public:
  Trial(device::Device& device, const device::Kernel& kernel, const LaunchShape& shape,
        const Problem& problem, const Task* task, bool again, const InputKey& key, const OpenWorld& world)
      : device_(device),
        kernel_(kernel),
        problem_(problem),
        task_(task),
        again_(again),
        out_bytes_(out_bytes_of(problem, task)),
        guard_bytes_(device.catches_stray_writes() ? 0 : kGuardZoneBytes),
        key_(key),
        world_(world),
        words_(words_for(problem, key)) {
    const bool adds = task != nullptr && task->adds;
    const auto place_out = [&] {
      device.allocate_high(world.high != world.apart);
      device.leave_room(world.out_gap);
      out_.emplace(device, world.out_begins + out_bytes_ + 2 * guard_bytes_,
                   adds ? device::Content::Data : device::Content::Poison, "out");
    };
    if (world.swapped) place_out();
    device.allocate_high(world.high);
    device.leave_room(world.in_gap);
    in_.emplace(device, world.in_begins + problem.in_bytes(), device::Content::ReadOnly, "in");
    if (!world.swapped) place_out();
    if (task_ != nullptr) {
      before_.resize(out_bytes_, kPoison);
      fill_before(*task_, problem, words_, before_);
    }
    run_.problem = problem;
    run_.shape = shape;
    run_.grid = grid_of(shape, problem);
    run_.block = {static_cast<std::uint32_t>(shape.block.x), static_cast<std::uint32_t>(shape.block.y), 1};
    launch_.grid = run_.grid;
    launch_.block = run_.block;
    launch_.cluster = cluster_of(shape);
    launch_.dynamic_shared_bytes = static_cast<std::uint32_t>(shape.dynamic_shared_bytes);
    launch_.budget_work = budget_of(problem, run_.grid, run_.block);
    launch_.schedule = world.schedule;
    launch_.numbers = world.numbers;
    run_.shared_bytes = kernel.static_shared_bytes() + launch_.dynamic_shared_bytes;
    run_.may_write_global = kernel.may_write_global();
    run_.share = whole_share(shape, problem);
  }

  Run judge(const Target& target, bool count, unsigned host_threads) {
    const device::Address out = out_address();
    Arguments arguments(problem_, out, in_address(), kernel_);
    launch_.parameters =
        pack(arguments, target, tensor_maps(device_, run_.shape, problem_, out, in_address()));
    launch_.observers = target.observers;
    launch_.check = target.checked;
    launch_.checks_stop = !target.goes_on;
    if (target.most_work != 0) launch_.budget_work = target.most_work;
    if (target.placed) target.placed(out, out_bytes_, in_address());
    launch_.host_threads = host_threads;
    if (!count && task_ == nullptr) words_ = with_a_zero(words_, problem_, key_);
    bool right = true;
    const bool asks_bytes = is_huge() && task_ == nullptr;
    MovedBytes moved;
    if (asks_bytes && !count) launch_.observers.push_back(&moved);
    for (int pass = 0; pass < passes(problem_) && run_.faults.empty(); ++pass) {
      launch_.count = count && pass == 0;  // every pass counts the same, and meets the same blocks
      launch_.check = target.checked && pass == 0;
      launch_.global_races =
          launch_.check && !asks_bytes && (target.goes_on || watches_global_races(problem_));
      right &= run_pass(pass);
      if (pass == 0) moved_bytes_ = count ? run_.counters.global_total().bytes : moved.bytes();
    }
    // A launch that is counted and not checked has been checked before, or is too dear; a second one was too.
    const bool asks_races = asks_bytes && (target.checked || (!count && !again_));
    if (asks_races && run_.faults.empty() && !(right && moved_each_element_once())) look_for_races();
    if (run_.faults.empty() && !right) explain();
    return std::move(run_);
  }

 private:
  [[nodiscard]] device::Address out_address() const {
    return out_->address() + world_.out_begins + guard_bytes_;
  }
  [[nodiscard]] device::Address in_address() const { return in_->address() + world_.in_begins; }
  // Here asking for bytes is cheaper than watching races.
  [[nodiscard]] bool is_huge() const {
    constexpr std::int64_t kHugeElems = 1 << 17;
    return problem_.rows * problem_.cols > kHugeElems;
  }

  // Each element of `in` has to be read and each of `out` written. If no more bytes moved than that, no two
  // blocks used the same ones, and the order in which they ran decided nothing.
  [[nodiscard]] bool moved_each_element_once() const {
    const std::uint64_t once =
        2 * static_cast<std::uint64_t>(problem_.batch * problem_.rows * problem_.cols * problem_.elem_bytes);
    return moved_bytes_ == once;
  }

  // Once more, for the races alone. What this costs the judge the kernel's budget need not pay.
  void look_for_races() {
    if (!device_.catches_stray_writes()) return;  // no simulator
    lay_out(0);
    launch_.observers.clear();
    launch_.count = false;
    launch_.check = true;
    launch_.global_races = true;
    run_.faults = device_.launch(kernel_, launch_).faults;
  }

  void lay_out(int pass) {
    input_.resize(problem_.in_bytes());
    fill_input(problem_, words_, pass, input_);
    put_special_values(problem_, world_.special, key_, input_);
    device_.write(in_address(), input_);
    lay_out_before();
    if (!again_) kernel_.renew();
  }

  // True when this pass shows nothing wrong.
  bool run_pass(int pass) {
    lay_out(pass);
    device::LaunchOutcome outcome = device_.launch(kernel_, launch_);
    run_.faults = std::move(outcome.faults);
    run_.notes = std::move(outcome.notes);
    run_.seconds += outcome.seconds;
    run_.work += outcome.work;
    if (pass == 0) {
      run_.findings = std::move(outcome.findings);
      run_.counters = outcome.counters;
      run_.lines = std::move(outcome.lines);
      run_.lane_instructions = outcome.lane_instructions;
      run_.warp_instructions = outcome.warp_instructions;
      run_.output = std::move(outcome.output);
    }
    if (!run_.faults.empty()) return true;
    outputs_.emplace_back(out_bytes_);
    device_.read(out_address(), outputs_.back());
    guards_untouched_ &= guard_bytes_ + world_.out_begins == 0 || guards_hold_poison();
    input_untouched_ &= device_.catches_stray_writes() || input_holds();
    return is_right(outputs_.back()) && guards_untouched_ && input_untouched_;
  }

  [[nodiscard]] bool is_right(std::span<const std::byte> out) const {
    return task_ == nullptr ? output_is_right(problem_, input_, out)
                            : !first_mismatch(*task_, problem_, input_, before_, out);
  }

  // What the kernel adds to counts as written, so it is not poisoned but filled, with the guards around it.
  void lay_out_before() {
    if (task_ == nullptr || !task_->adds) return device_.poison(out_->address(), out_->size_bytes(), kPoison);
    std::vector<std::byte> all(out_->size_bytes(), kPoison);
    std::copy(before_.begin(), before_.end(),
              all.begin() + static_cast<std::ptrdiff_t>(world_.out_begins + guard_bytes_));
    device_.write(out_->address(), all);
  }

  bool guards_hold_poison() {
    return all_poison(device_, out_->address(), world_.out_begins + guard_bytes_) &&
           all_poison(device_, out_address() + out_bytes_, guard_bytes_);
  }

  bool input_holds() { return holds(device_, in_address(), input_); }

  // A place that one tile has and another has not: the threads of a block reach it.
  void look_in_first_tile(Mismatch& mismatch) const {
    const TileShape& tile = run_.shape.tile;
    if (tile.rows == 0 || mismatch.batch != 0) return;
    const std::int64_t row = mismatch.row % tile.cols, col = mismatch.col % tile.rows;
    mismatch.in_first_tile =
        (row != mismatch.row || col != mismatch.col) && is_right_at(problem_, words_, outputs_, row, col);
  }

  void explain() {
    if (world_.special != 0 && problem_.batch == 1 && task_ == nullptr) {
      run_.mismatch = first_wrong_value(problem_, input_, outputs_.back());
      return;
    }
    run_.mismatch = task_ == nullptr ? first_mismatch(problem_, words_, outputs_)
                                     : first_mismatch(*task_, problem_, input_, before_, outputs_.back());
    if (task_ == nullptr && run_.mismatch) look_in_first_tile(*run_.mismatch);
    if (!guards_untouched_) {
      run_.mismatch = {"outside-written", kOutsideWritten, 0, 0, 0, 0};
    } else if (!input_untouched_) {
      run_.mismatch = {"input-changed", kInputChanged, 0, 0, 0, 0};
    }
  }

  device::Device& device_;
  const device::Kernel& kernel_;
  const Problem problem_;
  const Task* const task_;  // null: the transpose
  const bool again_;
  const std::uint64_t out_bytes_;
  std::vector<std::byte> before_;  // what `out` holds before the launch of a task
  const std::uint64_t guard_bytes_;
  const InputKey& key_;
  const OpenWorld world_;
  Words words_;
  std::optional<device::Buffer> in_, out_;  // in the order of the world
  device::Launch launch_;
  std::uint64_t moved_bytes_ = 0;  // in global memory, in the first pass
  Run run_;
  std::vector<std::byte> input_;
  std::vector<std::vector<std::byte>> outputs_;  // one a pass
  bool guards_untouched_ = true, input_untouched_ = true;
};

}  // namespace

Message too_few_gpus(const device::Device& device, int wanted) {
  if (wanted <= device.gpus()) return {};
  return msg(
      "This kernel runs on {} GPUs at once, and each uses the memory of the others. The {} has {} beside it "
      "with which it can do that. The simulator plays them all: --device sim.",
      wanted, device.name(), device.gpus() - 1);
}

bool all_poison(const device::Device& device, device::Address at, std::uint64_t bytes) {
  std::vector<std::byte> zone(bytes);
  device.read(at, zone);
  return std::all_of(zone.begin(), zone.end(), [](std::byte b) { return b == kPoison; });
}

bool holds(const device::Device& device, device::Address at, std::span<const std::byte> expected) {
  std::vector<std::byte> now(expected.size());
  device.read(at, now);
  return std::equal(now.begin(), now.end(), expected.begin());
}

sim::Fault launch_fault(Message message) {
  sim::Fault fault;
  fault.kind = sim::FaultKind::InvalidLaunch;
  fault.message = std::move(message);
  return fault;
}

Run judged(const LaunchShape& shape, const Problem& problem, const std::function<Run()>& judge) {
  if (const Message wrong = what_is_wrong_with(problem); !wrong.empty())
    throw ShapeError(msg("Shape: {}", wrong));
  check_shape(shape);
  try {
    return judge();
  } catch (const SignatureError& error) {
    Run run;
    run.problem = problem;
    run.faults.push_back(launch_fault(text::message_of(error)));
    return run;
  }
}

Run judged_in(const OpenWorld& world, const Target& target, const JudgeIn& judge_in) {
  Run drawn = judge_in(world, target);
  if (drawn.correct() || world == OpenWorld{} || drawn.over_budget()) return drawn;
  Target unobserved = target;  // what observers saw stays what they saw
  unobserved.observers.clear();
  std::uint64_t work = drawn.work;
  const auto with_work = [&](Run run) {
    run.work = work;
    return run;
  };
  Run usual = judge_in({}, unobserved);
  work += usual.work;
  if (!usual.correct()) return with_work(std::move(usual));
  for (const Open part : kOpen) {
    const OpenWorld only = alone(world, part);
    if (only == OpenWorld{}) continue;
    Run run = judge_in(only, unobserved);
    work += run.work;
    if (run.correct()) continue;
    decides(run, part);
    return with_work(std::move(run));
  }
  return drawn;
}

Run judge_on(device::Device& device, const device::Kernel& kernel, const LaunchShape& shape,
             const Problem& problem, const Target& target, bool count, unsigned host_threads,
             const InputKey& key) {
  const bool by_result = !count && device.catches_stray_writes(),
             drawn = !target.as_always && device.catches_stray_writes();
  const auto judge_in = [&](const OpenWorld& world, const Target& how) {
    return Trial(device, kernel, shape, problem, how.task, how.again, key, world)
        .judge(how, count, host_threads);
  };
  // A kernel that takes pitches also gets parts of larger matrices, which begin anywhere.
  const bool is_part = target.arguments != nullptr;
  const std::uint64_t starts_on = is_part ? static_cast<std::uint64_t>(problem.elem_bytes) : kStartsOn;
  return judged(shape, problem, [&] {
    OpenWorld world = by_result ? open_world(key, problem, starts_on)
                      : drawn   ? counted_world(key, problem, is_part)
                                : OpenWorld{};
    if (target.followed) world.schedule = world.special = 0;
    return judged_in(world, target, judge_in);
  });
}

}  // namespace lab::judge
