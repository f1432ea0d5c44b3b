// Buffers, verification, then the clock. See stopwatch.h.
#include "common/course/judge/stopwatch.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>

#include "common/base/threads.h"
#include "common/course/judge/tensor_maps.h"
#include "common/course/judge/trial.h"
#include "common/course/judge/verify.h"

namespace lab::judge {
namespace {

constexpr double kShareOfMemory = 0.8;  // others use the GPU too
constexpr double kSettleSeconds = 0.1;  // an idle GPU runs at a fraction of its clock
constexpr device::TimingPlan kTry{.warm_ups = 1, .samples = 3, .repeats = 1};

// A plain number of 4 or 8 bytes: neither NaN nor infinite nor so small that arithmetic may make it zero.
template <typename T>
bool is_plain(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return std::isnormal(value);
}

bool survives_arithmetic(const std::byte* at, int elem_bytes) {
  if (elem_bytes == 4) return is_plain<float>(at);
  return is_plain<double>(at) && (elem_bytes == 8 || is_plain<double>(at + 8));
}

}  // namespace

Timed measured(device::Gpu& gpu, std::span<const device::TimedWork> by_gpu, const StopwatchOptions& options) {
  Timed timed;
  const double once = spread_of(gpu.time_at_once(by_gpu, kTry)).least;
  timed.repeats = repeats_for(once, options.sample_seconds);
  timed.seconds = spread_of(gpu.time_at_once(
      by_gpu,
      {.warm_ups = std::max(timed.repeats, 3), .samples = options.samples, .repeats = timed.repeats}));
  return timed;
}

void settle(device::Gpu& gpu, std::span<const device::TimedWork> by_gpu) {
  const double once = spread_of(gpu.time_at_once(by_gpu, kTry)).least;
  const double wanted = once > 0 ? kSettleSeconds / once : 1;
  (void)gpu.time_at_once(by_gpu,
                         {.warm_ups = static_cast<int>(std::clamp(wanted, 1.0, 20'000.0)), .samples = 1});
}

std::uint64_t room_bytes(const device::Gpu& gpu) {
  return static_cast<std::uint64_t>(kShareOfMemory * double(gpu.info().memory_bytes));
}

Stopwatch::Stopwatch(device::Gpu& gpu, const Problem& problem, const StopwatchOptions& options)
    : gpu_(gpu),
      problem_(problem),
      options_(options),
      words_(words_for(problem, {})),
      threads_(base::usable_cores()),
      input_(problem.in_bytes()) {
  fill_input(problem_, words_, 0, input_, threads_);
  make_pairs();
}

void Stopwatch::make_pairs() {
  const int wanted = buffer_pairs(bytes(), gpu_.info().l2_bytes, room_bytes(gpu_));
  try {
    while (pairs() < wanted) {
      Pair pair;
      pair.in = std::make_unique<device::Buffer>(gpu_, problem_.in_bytes(), device::Content::Data, "in");
      pair.out = std::make_unique<device::Buffer>(gpu_, problem_.out_bytes() + 2 * kGuardZoneBytes,
                                                  device::Content::Poison, "out");
      pairs_.push_back(std::move(pair));
    }
  } catch (const std::bad_alloc&) {
    if (pairs_.empty()) throw;  // fewer pairs than wished for still do
  }
  gpu_.write(pairs_.front().in->address(), input_);
  device::TimedWork spread;  // the same data for all
  spread.kind = device::TimedWork::Kind::Copy;
  spread.copy_bytes = problem_.in_bytes();
  for (const Pair& pair : pairs_) {
    poison(pair);
    if (&pair != &pairs_.front())
      spread.turns.push_back({{}, pair.in->address(), pairs_.front().in->address()});
  }
  if (!spread.turns.empty())
    (void)gpu_.time(spread, {.warm_ups = static_cast<int>(spread.turns.size()), .samples = 1, .repeats = 1});
}

device::Address Stopwatch::out_of(const Pair& pair) const { return pair.out->address() + kGuardZoneBytes; }

void Stopwatch::poison(const Pair& pair) {
  gpu_.poison(pair.out->address(), pair.out->size_bytes(), kPoison);
}

Timed Stopwatch::copy(bool settled) {
  device::TimedWork work;
  work.kind = device::TimedWork::Kind::Copy;
  work.copy_bytes = std::min(problem_.in_bytes(), problem_.out_bytes());
  for (const Pair& pair : pairs_) work.turns.push_back({{}, out_of(pair), pair.in->address()});
  if (settled) settle(gpu_, {&work, 1});
  return measured(gpu_, {&work, 1}, options_);
}

Timed Stopwatch::kernel(const device::Kernel& kernel, const LaunchShape& shape, const Target& target) {
  Timed timed;
  device::TimedWork work;
  work.kernel = &kernel;
  work.launch.grid = grid_of(shape, problem_);
  work.launch.block = {static_cast<std::uint32_t>(shape.block.x), static_cast<std::uint32_t>(shape.block.y),
                       1};
  work.launch.cluster = cluster_of(shape);
  work.launch.dynamic_shared_bytes = static_cast<std::uint32_t>(shape.dynamic_shared_bytes);
  try {
    for (const Pair& pair : pairs_) {
      Arguments arguments(problem_, out_of(pair), pair.in->address(), kernel);
      const auto maps = tensor_maps(gpu_, shape, problem_, out_of(pair), pair.in->address());
      work.turns.push_back({pack(arguments, target, maps), 0, 0});
    }
  } catch (const SignatureError& error) {
    timed.problem = error.message();
    return timed;
  }
  poison(pairs_.front());
  device::Launch first = work.launch;
  first.parameters = work.turns.front().parameters;
  const device::LaunchOutcome outcome = gpu_.launch(kernel, first);
  timed.problem = outcome.faults.empty() ? what_is_wrong() : outcome.faults.front().sentence();
  if (!outcome.faults.empty()) {  // the driver's context ended with the kernel, and the buffers with it
    pairs_.clear();
    make_pairs();
  }
  return timed.problem.empty() ? measured(gpu_, {&work, 1}, options_) : timed;
}

Timed Stopwatch::cublas() {
  Timed timed;
  device::TimedWork work;
  work.kind = device::TimedWork::Kind::Cublas;
  work.rows = problem_.rows, work.cols = problem_.cols, work.elem_bytes = problem_.elem_bytes;
  for (const Pair& pair : pairs_) work.turns.push_back({{}, out_of(pair), pair.in->address()});
  if (problem_.batch != 1 || problem_.in_pitch() != problem_.cols || problem_.out_pitch() != problem_.rows) {
    timed.problem = "cuBLAS is measured on plain matrices, without pitch or batch.";
    return timed;
  }
  try {
    (void)gpu_.cublas();
    poison(pairs_.front());
    device::TimedWork first = work;
    first.turns.resize(1);
    (void)gpu_.time(first, {.warm_ups = 0, .samples = 1, .repeats = 1});
    timed.problem = what_is_wrong_finite();
    return timed.problem.empty() ? measured(gpu_, {&work, 1}, options_) : timed;
  } catch (const device::DeviceError& error) {  // not installed, not for this element
    timed.problem = error.message();
    return timed;
  }
}

Message Stopwatch::what_is_wrong() {
  const Pair& pair = pairs_.front();
  seen_.resize(std::max(problem_.out_bytes(), problem_.in_bytes()));
  const std::span<std::byte> out = std::span(seen_).first(problem_.out_bytes());
  gpu_.read(out_of(pair), out);
  if (!output_is_right(problem_, input_, out, threads_)) {
    if (passes(problem_) != 1) return "The result is wrong; ./lab check says where.";
    const std::vector<std::vector<std::byte>> outputs = {{out.begin(), out.end()}};
    const std::optional<Mismatch> mismatch = first_mismatch(problem_, words_, outputs);
    return msg("The result is wrong: {}",
               (mismatch ? mismatch->message : "an element is not what it should be."));
  }
  for (const device::Address at : {pair.out->address(), out_of(pair) + problem_.out_bytes()})
    if (!all_poison(gpu_, at, kGuardZoneBytes)) return kOutsideWritten;
  return holds(gpu_, pair.in->address(), input_) ? "" : kInputChanged;
}

Message Stopwatch::what_is_wrong_finite() {
  seen_.resize(std::max(problem_.out_bytes(), problem_.in_bytes()));
  gpu_.read(out_of(pairs_.front()), std::span(seen_).first(problem_.out_bytes()));
  const auto size = static_cast<std::size_t>(problem_.elem_bytes);
  std::uint64_t compared = 0;
  for (std::int64_t row = 0; row < problem_.rows; ++row) {
    for (std::int64_t col = 0; col < problem_.cols; ++col) {
      const std::byte* in = input_.data() + static_cast<std::size_t>(row * problem_.cols + col) * size;
      const std::byte* out = seen_.data() + static_cast<std::size_t>(col * problem_.rows + row) * size;
      if (!survives_arithmetic(in, problem_.elem_bytes)) continue;
      ++compared;
      if (std::memcmp(in, out, size) != 0) return "The result of cuBLAS is not the transpose.";
    }
  }
  return compared > 0 ? "" : "Nothing of the result of cuBLAS could be compared.";
}

}  // namespace lab::judge
