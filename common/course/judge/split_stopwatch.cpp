// Parts on each GPU, verification, then one clock. See split_stopwatch.h.
#include "common/course/judge/split_stopwatch.h"

#include <algorithm>
#include <new>
#include <span>

#include "common/base/threads.h"
#include "common/course/judge/split_trial.h"
#include "common/course/judge/trial.h"
#include "common/course/judge/verify.h"

namespace lab::judge {

SplitStopwatch::SplitStopwatch(device::Gpu& gpu, int gpus, const Problem& problem,
                               const StopwatchOptions& options)
    : gpu_(gpu),
      gpus_(gpus),
      problem_(problem),
      options_(options),
      words_(words_for(problem, {})),
      threads_(base::usable_cores()),
      input_(problem.in_bytes()) {
  if (const Message problem_here = too_few_gpus(gpu, gpus); !problem_here.empty())
    throw ShapeError(problem_here);
  fill_input(problem_, words_, 0, input_, threads_);
  const std::uint64_t of_each = (problem.in_bytes() + problem.out_bytes()) / static_cast<unsigned>(gpus);
  const int wanted = buffer_pairs(of_each, gpu.info().l2_bytes, room_bytes(gpu));
  try {
    while (static_cast<int>(pairs_.size()) < wanted) pairs_.push_back(make_pair());
  } catch (const std::bad_alloc&) {
    if (pairs_.empty()) throw;  // fewer pairs than wished for still do
  }
}

std::uint64_t SplitStopwatch::bytes(std::int64_t elems) const {
  return static_cast<std::uint64_t>(elems * problem_.elem_bytes);
}
std::uint64_t SplitStopwatch::in_bytes(int gpu) const {
  return bytes(share_of(problem_.rows, gpu, gpus_, problem_.uneven).count * problem_.cols);
}
std::uint64_t SplitStopwatch::out_bytes(int gpu) const {
  return bytes(share_of(problem_.cols, gpu, gpus_, problem_.uneven).count * problem_.rows);
}

SplitStopwatch::Pair SplitStopwatch::make_pair() {
  Pair pair;
  for (int gpu = 0; gpu < gpus_; ++gpu) {
    const OfGpu scope(gpu_, gpu);
    pair.in.push_back(std::make_unique<device::Buffer>(gpu_, in_bytes(gpu), device::Content::Data, "in"));
    pair.out.push_back(std::make_unique<device::Buffer>(gpu_, out_bytes(gpu) + 2 * kGuardZoneBytes,
                                                        device::Content::Poison, "out"));
    pair.begins.push_back(pair.out.back()->address() + kGuardZoneBytes);
    const std::int64_t first = share_of(problem_.rows, gpu, gpus_, problem_.uneven).first;
    gpu_.write(pair.in.back()->address(),
               std::span(input_).subspan(bytes(first * problem_.cols), in_bytes(gpu)));
  }
  poison(pair);
  return pair;
}

void SplitStopwatch::poison(const Pair& pair) {
  for (const auto& part : pair.out) gpu_.poison(part->address(), part->size_bytes(), kPoison);
}

std::uint64_t SplitStopwatch::crossing_bytes(int gpu) const {
  const std::int64_t rows = share_of(problem_.rows, gpu, gpus_, problem_.uneven).count;
  const std::int64_t own = share_of(problem_.cols, gpu, gpus_, problem_.uneven).count;
  return bytes(rows * (problem_.cols - own));
}

std::uint64_t SplitStopwatch::crossing_bytes() const {
  std::uint64_t most = 0;
  for (int gpu = 0; gpu < gpus_; ++gpu) most = std::max(most, crossing_bytes(gpu));
  return most;
}

Timed SplitStopwatch::copy() {
  std::vector<device::TimedWork> by_gpu(static_cast<std::size_t>(gpus_));
  for (int gpu = 0; gpu < gpus_; ++gpu) {
    device::TimedWork& work = by_gpu[static_cast<std::size_t>(gpu)];
    work.kind = device::TimedWork::Kind::Copy;
    work.turns_at_once = gpus_ - 1;
    work.copy_bytes = crossing_bytes(gpu) / static_cast<unsigned>(gpus_ - 1);
    for (const Pair& pair : pairs_)
      for (int to = 1; to < gpus_ && work.copy_bytes != 0; ++to) {
        const auto peer = static_cast<std::size_t>((gpu + to) % gpus_);
        work.turns.push_back({{}, pair.begins[peer], pair.in[static_cast<std::size_t>(gpu)]->address()});
      }
  }
  settle(gpu_, by_gpu);
  return measured(gpu_, by_gpu, options_);
}

device::TimedWork SplitStopwatch::work_of(int gpu, const device::Kernel& kernel, const LaunchShape& shape,
                                          const Target& target) const {
  device::TimedWork work;
  work.kernel = &kernel;
  work.launch.grid = split_grid(shape, problem_, gpu, gpus_);
  work.launch.block = {static_cast<std::uint32_t>(shape.block.x), static_cast<std::uint32_t>(shape.block.y),
                       1};
  work.launch.cluster = cluster_of(shape);
  work.launch.dynamic_shared_bytes = static_cast<std::uint32_t>(shape.dynamic_shared_bytes);
  if (work.launch.grid.count() == 0) return work;
  const auto at = static_cast<std::size_t>(gpu);
  for (const Pair& pair : pairs_) {
    Arguments arguments(problem_, pair.begins[at], pair.in[at]->address(), kernel);
    if (target.arguments) {
      target.arguments(arguments);
    } else {
      arguments.gpus(gpus_of(problem_, gpu, pair.begins)).in().integer(problem_.rows).integer(problem_.cols);
    }
    work.turns.push_back({arguments.packed(), 0, 0});
  }
  return work;
}

Timed SplitStopwatch::kernel(const device::Image& image, const LaunchShape& shape, const Target& target) {
  Timed timed;
  std::vector<std::shared_ptr<device::Module>> modules;
  std::vector<std::shared_ptr<const device::Kernel>> kernels;
  std::vector<device::TimedWork> by_gpu;
  try {
    for (int gpu = 0; gpu < gpus_; ++gpu) {
      const OfGpu scope(gpu_, gpu);
      modules.push_back(gpu_.load(image));
      kernels.push_back(modules.back()->kernel(target.entry));
      by_gpu.push_back(work_of(gpu, *kernels.back(), shape, target));
    }
  } catch (const SignatureError& error) {
    timed.problem = text::message_of(error);
    return timed;
  }
  poison(pairs_.front());
  for (int gpu = 0; gpu < gpus_; ++gpu) {
    const device::TimedWork& work = by_gpu[static_cast<std::size_t>(gpu)];
    if (work.turns.empty()) continue;
    const OfGpu scope(gpu_, gpu);
    device::Launch first = work.launch;
    first.parameters = work.turns.front().parameters;
    const device::LaunchOutcome outcome = gpu_.launch(*work.kernel, first);
    timed.problem = outcome.faults.empty() ? Message() : outcome.faults.front().sentence();
    if (!timed.problem.empty()) return timed;
  }
  timed.problem = what_is_wrong();
  if (!timed.problem.empty()) return timed;
  poison(pairs_.front());
  (void)gpu_.time_at_once(by_gpu, {.warm_ups = 0, .samples = 1, .repeats = 1});
  timed.problem = what_is_wrong();
  return timed.problem.empty() ? measured(gpu_, by_gpu, options_) : timed;
}

Message SplitStopwatch::what_is_wrong() {
  const Pair& pair = pairs_.front();
  seen_.resize(problem_.out_bytes());
  for (int gpu = 0; gpu < gpus_; ++gpu) {
    const std::int64_t first = share_of(problem_.cols, gpu, gpus_, problem_.uneven).first;
    gpu_.read(pair.begins[static_cast<std::size_t>(gpu)],
              std::span(seen_).subspan(bytes(first * problem_.rows), out_bytes(gpu)));
  }
  if (!output_is_right(problem_, input_, seen_, threads_))
    return "The result is wrong; ./lab check says where.";
  for (int gpu = 0; gpu < gpus_; ++gpu) {
    const auto at = static_cast<std::size_t>(gpu);
    if (!all_poison(gpu_, pair.out[at]->address(), kGuardZoneBytes) ||
        !all_poison(gpu_, pair.begins[at] + out_bytes(gpu), kGuardZoneBytes))
      return kOutsideWritten;
    const std::int64_t first = share_of(problem_.rows, gpu, gpus_, problem_.uneven).first;
    if (!holds(gpu_, pair.in[at]->address(),
               std::span(input_).subspan(bytes(first * problem_.cols), in_bytes(gpu))))
      return kInputChanged;
  }
  return {};
}

}  // namespace lab::judge
