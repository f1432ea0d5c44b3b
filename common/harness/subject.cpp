// Runs a kernel on problems and judges what it left behind.
//
// Enters: PTX, problems. Leaves: Runs. A Worker is one device with the module loaded on it, used by one host
// thread at a time.
#include "common/harness/subject.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "common/harness/pattern.h"
#include "common/harness/verify.h"

namespace lab::harness {
namespace {

// Where the device does not catch stray writes, this much is laid around `out` and looked at afterwards.
constexpr std::uint64_t kGuardZoneBytes = 4096;

std::uint32_t seed_of(const Problem& p) {
  std::uint32_t salt = 0;
  for (const std::int64_t n : {p.rows, p.cols, p.in_pitch(), p.out_pitch(), p.batch}) {
    salt = mix(salt + static_cast<std::uint32_t>(n), 0x5bd1e995u);
  }
  return seed_from(salt);
}

// Even one thread that moves every element by itself stays below; an endless loop does not. Nor does a grid
// of a thousand threads for each element: the launch shape is the student's, so it buys no budget without
// end.
std::uint64_t budget_of(const Problem& p, const device::Dim3& grid, const device::Dim3& block) {
  const std::uint64_t elems = p.in_bytes() / static_cast<std::uint64_t>(p.elem_bytes);
  const std::uint64_t warps = std::min(grid.count() * ((block.count() + 31) / 32), elems / 8 + 64);
  return 4'000'000 + 200 * elems + 2'000 * warps;
}

// Thousands of small launches: without this glibc hands every one's memory back to the kernel and asks for it
// again, a third of the whole time (measured with perf on all shapes of the padded tile).
void keep_freed_memory() {
#if defined(__GLIBC__)
  mallopt(M_TRIM_THRESHOLD, 512 << 20);
  mallopt(M_MMAP_THRESHOLD, 64 << 20);
  mallopt(M_TOP_PAD, 16 << 20);
#endif
}

sim::Fault launch_fault(std::string message) {
  sim::Fault fault;
  fault.kind = sim::FaultKind::InvalidLaunch;
  fault.message = std::move(message);
  return fault;
}

// One device says that the kernel is wrong, the other that it is right.
Mismatch devices_disagree(const std::string& who, const std::string& finding, const std::string& other) {
  Mismatch mismatch;
  mismatch.code = "devices-disagree";
  mismatch.message =
      "On " + who + " the result is wrong, on the " + other +
      " it is right. One of them is mistaken, or the kernel depends on luck.\nFound: " + finding;
  return mismatch;
}

std::vector<std::byte> pack(Arguments& arguments, const Target& target) {
  if (target.arguments) {
    target.arguments(arguments);
  } else {
    arguments.out().in().integer(arguments.problem.rows).integer(arguments.problem.cols);
  }
  return arguments.packed();
}

}  // namespace

struct Subject::Worker {
  std::shared_ptr<device::Device> device;
  std::shared_ptr<device::Module> module;
  std::map<std::string, std::shared_ptr<const device::Kernel>> kernels;

  const device::Kernel& kernel(const std::string& entry) {
    auto& kernel = kernels[entry];
    if (!kernel) kernel = module->kernel(entry);
    return *kernel;
  }
};

namespace {

// One problem on one device, all passes.
class Trial {
 public:
  Trial(device::Device& device, const device::Kernel& kernel, const LaunchShape& shape,
        const Problem& problem)
      : device_(device),
        kernel_(kernel),
        problem_(problem),
        guard_bytes_(device.catches_stray_writes() ? 0 : kGuardZoneBytes),
        seed_(seed_of(problem)),
        in_(device, problem.in_bytes(), device::Content::ReadOnly, "in"),
        out_(device, problem.out_bytes() + 2 * guard_bytes_, device::Content::Poison, "out") {
    run_.problem = problem;
    run_.grid = grid_of(shape, problem);
    run_.block = {static_cast<std::uint32_t>(shape.block.x), static_cast<std::uint32_t>(shape.block.y), 1};
    launch_.grid = run_.grid;
    launch_.block = run_.block;
    launch_.dynamic_shared_bytes = static_cast<std::uint32_t>(shape.dynamic_shared_bytes);
    launch_.budget_instructions = budget_of(problem, run_.grid, run_.block);
    run_.shared_bytes = kernel.static_shared_bytes() + launch_.dynamic_shared_bytes;
  }

  Run judge(const Target& target, bool count, unsigned host_threads) {
    Arguments arguments(problem_, out_.address() + guard_bytes_, in_.address(), kernel_);
    launch_.parameters = pack(arguments, target);
    launch_.observers = target.observers;
    launch_.host_threads = host_threads;
    bool right = true;
    for (int pass = 0; pass < passes(problem_) && run_.faults.empty(); ++pass) {
      launch_.count = count && pass == 0;  // every pass counts the same
      right &= run_pass(pass);
    }
    if (run_.faults.empty() && !right) explain();
    return std::move(run_);
  }

 private:
  // True when this pass shows nothing wrong.
  bool run_pass(int pass) {
    input_.resize(problem_.in_bytes());
    fill_input(problem_, seed_, pass, input_);
    device_.write(in_.address(), input_);
    device_.poison(out_.address(), out_.size_bytes(), kPoison);
    device::LaunchOutcome outcome = device_.launch(kernel_, launch_);
    run_.faults = std::move(outcome.faults);
    run_.seconds += outcome.seconds;
    if (pass == 0) {
      run_.counters = outcome.counters;
      run_.lines = std::move(outcome.lines);
      run_.lane_instructions = outcome.lane_instructions;
      run_.output = std::move(outcome.output);
    }
    if (!run_.faults.empty()) return true;
    outputs_.emplace_back(problem_.out_bytes());
    device_.read(out_.address() + guard_bytes_, outputs_.back());
    guards_untouched_ &= guard_bytes_ == 0 || guards_hold_poison();
    input_untouched_ &= device_.catches_stray_writes() || input_holds();
    return output_is_right(problem_, seed_, pass, outputs_.back()) && guards_untouched_ && input_untouched_;
  }

  bool guards_hold_poison() {
    std::vector<std::byte> zone(guard_bytes_);
    for (const std::uint64_t offset : {std::uint64_t{0}, guard_bytes_ + problem_.out_bytes()}) {
      device_.read(out_.address() + offset, zone);
      if (std::any_of(zone.begin(), zone.end(), [](std::byte b) { return b != kPoison; })) return false;
    }
    return true;
  }

  bool input_holds() {
    std::vector<std::byte> now(input_.size());
    device_.read(in_.address(), now);
    return now == input_;
  }

  void explain() {
    run_.mismatch = first_mismatch(problem_, seed_, outputs_);
    if (!guards_untouched_) {
      run_.mismatch = {"outside-written",
                       "Something was written outside of `out`, less than 4,096 bytes away.",
                       0,
                       0,
                       0,
                       0};
    } else if (!input_untouched_) {
      run_.mismatch = {"input-changed", "The kernel changed `in`; it may only read it.", 0, 0, 0, 0};
    }
  }

  device::Device& device_;
  const device::Kernel& kernel_;
  const Problem problem_;
  const std::uint64_t guard_bytes_;
  const std::uint32_t seed_;
  device::Buffer in_, out_;
  device::Launch launch_;
  Run run_;
  std::vector<std::byte> input_;
  std::vector<std::vector<std::byte>> outputs_;  // one a pass
  bool guards_untouched_ = true, input_untouched_ = true;
};

}  // namespace

Run judge_on(device::Device& device, const device::Kernel& kernel, const LaunchShape& shape,
             const Problem& problem, const Target& target, bool count, unsigned host_threads) {
  if (const std::string wrong = what_is_wrong_with(problem); !wrong.empty())
    throw ShapeError("Shape: " + wrong);
  check_shape(shape);
  try {
    return Trial(device, kernel, shape, problem).judge(target, count, host_threads);
  } catch (const SignatureError& error) {
    Run run;
    run.problem = problem;
    run.faults.push_back(launch_fault(error.what()));
    return run;
  }
}

Subject::Subject(std::string ptx, unsigned host_threads, GpuSide gpu)
    : ptx_(std::move(ptx)),
      host_threads_(host_threads ? host_threads : std::max(1u, std::thread::hardware_concurrency())),
      gpu_(std::move(gpu)) {
  keep_freed_memory();
  if (const auto bytes = worker(0).module->constant("lab_predictions"))
    predictions_ = read_predictions(*bytes);
}

Subject::~Subject() = default;

Subject::Worker& Subject::worker(std::size_t index) {
  while (workers_.size() <= index) {
    auto made = std::make_unique<Worker>();
    made->device = device::make_simulator();
    made->module = made->device->load(ptx_);
    workers_.push_back(std::move(made));
  }
  return *workers_[index];
}

std::vector<std::string> Subject::entries() const { return workers_.front()->module->entries(); }

const LaunchShape& Subject::launch_shape(const std::string& entry) {
  const std::lock_guard guard(shapes_lock_);  // shapes are judged side by side
  const auto known = shapes_.find(entry);
  if (known != shapes_.end()) return known->second;
  const device::Module& module = *workers_.front()->module;
  auto bytes = module.constant("lab_launch_shape_" + entry);
  if (!bytes) bytes = module.constant("lab_launch_shape");
  if (!bytes) {
    throw ShapeError("The kernel file has no LAUNCH_SHAPE; common/kernel/lab.cuh shows how to write one.");
  }
  return shapes_.emplace(entry, read_launch_shape(*bytes)).first->second;
}

std::string Subject::signature_problem(const Target& target) {
  const Problem one;
  Arguments arguments(one, 0, 0, worker(0).kernel(target.entry));
  try {
    (void)pack(arguments, target);
  } catch (const SignatureError& error) {
    return error.what();
  }
  return {};
}

Predictions Subject::predictions() const { return predictions_; }

Run Subject::judge(Worker& on, const Problem& problem, const Target& target, bool count,
                   unsigned host_threads) {
  Run failed;
  failed.problem = problem;
  try {
    const LaunchShape& shape = target.shape ? *target.shape : launch_shape(target.entry);
    return judge_on(*on.device, on.kernel(target.entry), shape, problem, target, count, host_threads);
  } catch (const device::LoadError& error) {
    failed.faults.push_back(error.fault);
  } catch (const ShapeError& error) {
    failed.faults.push_back(launch_fault(error.what()));
  }
  return failed;
}

const Run& Subject::run(const Problem& problem, const Target& target) {
  const auto key = std::make_pair(target.entry, problem);
  auto found = runs_.find(key);
  if (found == runs_.end()) {
    Run run = judge(worker(0), problem, target, true, host_threads_);
    if (gpu_.device && !gpu_.alone && run.correct()) {
      if (std::optional<Run> other = compared(std::nullopt, {&problem, 1}, target))
        run.mismatch = other->mismatch;
    }
    found = runs_.emplace(key, std::move(run)).first;
  }
  return found->second;
}

std::vector<sim::RecordedAccess> Subject::record(const Problem& problem, const std::vector<int>& lines,
                                                 const Target& target) {
  sim::RecordFilter filter;
  filter.lines = lines;
  sim::Recorder recorder(filter);
  Target watched = target;
  watched.observers.push_back(&recorder);
  (void)judge(worker(0), problem, watched, false, 1);
  return recorder.recorded();
}

std::optional<Run> Subject::first_wrong(std::span<const Problem> problems, const Target& target) {
  const auto same = [&](const auto& known) {
    return known.first == target.entry && std::ranges::equal(known.second, problems);
  };
  if (std::any_of(right_lists_.begin(), right_lists_.end(), same)) return std::nullopt;
  std::optional<Run> wrong = gpu_.alone ? first_wrong_on_gpu(problems, target)
                                        : compared(first_wrong_simulated(problems, target), problems, target);
  if (!wrong) right_lists_.emplace_back(target.entry, std::vector<Problem>(problems.begin(), problems.end()));
  return wrong;
}

std::optional<Run> Subject::first_wrong_on_gpu(std::span<const Problem> problems, const Target& target) {
  if (!gpu_.device) return std::nullopt;  // it failed before: gpu_problem() says so
  if (gpu_endless_) return gpu_endless_;  // who waited once for a kernel that does not end waits no more
  Target plain = target;
  plain.observers.clear();
  try {
    if (!gpu_worker_) {
      auto made = std::make_unique<Worker>();
      made->device = gpu_.device;
      made->module = gpu_.device->load({ptx_, gpu_.cubin});
      gpu_worker_ = std::move(made);
    }
    for (const Problem& problem : problems) {
      Run run = judge(*gpu_worker_, problem, plain, false, 1);
      if (!run.faults.empty() && run.faults.front().kind == sim::FaultKind::BudgetExceeded)
        gpu_endless_ = run;
      if (!run.correct()) return run;
      ++gpu_shapes_;
    }
  } catch (const device::LoadError& error) {
    Run run;
    run.problem = problems.front();
    run.faults.push_back(error.fault);
    return run;
  } catch (const device::DeviceError& error) {
    gpu_problem_ = error.what();
  } catch (const std::bad_alloc&) {
    gpu_problem_ = "The " + gpu_.device->name() + " has not enough free memory for these shapes.";
  }
  if (!gpu_problem_.empty()) gpu_worker_.reset(), gpu_.device.reset();
  return std::nullopt;
}

// What the simulator found, held against the GPU. A fault of the simulator stands: a GPU lets many pass.
std::optional<Run> Subject::compared(std::optional<Run> simulated, std::span<const Problem> problems,
                                     const Target& target) {
  if (!gpu_.device || (simulated && !simulated->faults.empty())) return simulated;
  const std::string gpu = gpu_.device->name();
  const int before = gpu_shapes_;
  std::optional<Run> other =
      simulated ? first_wrong_on_gpu({&simulated->problem, 1}, target) : first_wrong_on_gpu(problems, target);
  if (!gpu_problem_.empty()) return simulated;
  if (simulated && !other) {
    simulated->mismatch = devices_disagree("the simulator", simulated->mismatch->message, gpu);
    gpu_shapes_ = before;
    return simulated;
  }
  if (simulated || !other) return simulated;
  other->mismatch = devices_disagree(
      "the " + gpu, other->faults.empty() ? other->mismatch->message : other->faults.front().message,
      "simulator");
  other->faults.clear();
  return other;
}

std::optional<Run> Subject::first_wrong_simulated(std::span<const Problem> problems, const Target& target) {
  const std::size_t threads =
      std::min<std::size_t>(host_threads_, std::max<std::size_t>(1, problems.size() / 4));
  std::atomic<std::size_t> next{0}, failed{problems.size()};
  std::optional<Run> first;
  std::mutex lock;
  std::exception_ptr thrown;
  const auto work = [&](Worker& on) {
    try {
      // A shape behind the first failure can no longer be the first one: stop there.
      for (std::size_t i = next++; i < failed; i = next++) {
        Run run = judge(on, problems[i], target, false, 1);
        if (run.correct()) continue;
        const std::lock_guard guard(lock);
        if (i < failed) {
          failed = i;
          first = std::move(run);
        }
      }
    } catch (...) {
      const std::lock_guard guard(lock);
      if (!thrown) thrown = std::current_exception();
      failed = 0;
    }
  };
  worker(threads - 1);  // all workers exist before any thread starts
  std::vector<std::jthread> others;
  for (std::size_t t = 1; t < threads; ++t)
    others.emplace_back([&work, on = workers_[t].get()] { work(*on); });
  work(*workers_[0]);
  others.clear();  // joins
  if (thrown) std::rethrow_exception(thrown);
  return first;
}

const Table& Subject::table(const std::string& entry, device::Dim3 grid, device::Dim3 block,
                            std::int64_t count, std::span<const std::int64_t> integers) {
  TableKey key{entry, {grid.x, grid.y, grid.z, block.x, block.y, block.z, count}};
  key.second.insert(key.second.end(), integers.begin(), integers.end());
  const auto known = tables_.find(key);
  return known != tables_.end()
             ? known->second
             : tables_.emplace(std::move(key), make_table(entry, grid, block, count, integers)).first->second;
}

Table Subject::make_table(const std::string& entry, device::Dim3 grid, device::Dim3 block, std::int64_t count,
                          std::span<const std::int64_t> integers) {
  Table table;
  Worker& on = worker(0);
  const auto bytes = static_cast<std::uint64_t>(count) * sizeof(std::int32_t);
  try {
    const device::Kernel& kernel = on.kernel(entry);
    const device::Buffer out(*on.device, bytes, device::Content::Poison, "out");
    on.device->poison(out.address(), bytes, kPoison);
    const Problem none;
    Arguments arguments(none, out.address(), 0, kernel);
    arguments.out();
    for (const std::int64_t value : integers) arguments.integer(value);
    device::Launch launch;
    launch.grid = grid;
    launch.block = block;
    launch.parameters = arguments.packed();
    launch.count = false;
    launch.host_threads = host_threads_;
    launch.budget_instructions = 100'000'000;
    table.faults = on.device->launch(kernel, launch).faults;
    table.values.resize(static_cast<std::size_t>(count));
    on.device->read(out.address(), std::as_writable_bytes(std::span(table.values)));
  } catch (const device::LoadError& error) {
    table.faults.push_back(error.fault);
  } catch (const SignatureError& error) {
    table.faults.push_back(launch_fault(error.what()));
  }
  for (const std::int32_t value : table.values)
    table.written.push_back(static_cast<std::uint32_t>(value) != kPoisonWord);
  return table;
}

}  // namespace lab::harness
