// Runs a kernel on problems and judges what it left behind.
//
// Enters: PTX, problems. Leaves: Runs. A Worker is one device with the module loaded on it, used by one host
// thread at a time.
#include "common/judge/subject.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>

#include "common/base/host_memory.h"
#include "common/base/threads.h"
#include "common/judge/pattern.h"
#include "common/judge/sample_trial.h"
#include "common/judge/share.h"
#include "common/judge/subject_worker.h"
#include "common/judge/task.h"
#include "common/judge/tensor_maps.h"
#include "common/judge/trial.h"
#include "common/judge/verify.h"

namespace lab::judge {
namespace {

constexpr std::uint64_t kMostTableWork = 100'000'000;  // units (sim/program/work.h)

// 0 where the module has none of that name.
int constant_int(const device::Module& module, const std::string& name) {
  int value = 0;
  const auto bytes = module.constant(name);
  if (bytes && bytes->size() == sizeof value) std::memcpy(&value, bytes->data(), sizeof value);
  return value;
}

Message one_gpu_alone(int gpus) {
  return msg(
      "The matrix lies on {} GPUs, and the launch shape says nothing of them: include common/kernel/gpus.cuh "
      "in place of lab.cuh, and write .gpus = 2 in LAUNCH_SHAPE.",
      gpus);
}

// One device says that the kernel is wrong, the other that it is right.
Mismatch devices_disagree(const Message& who, const Message& finding, const Message& other) {
  Mismatch mismatch;
  mismatch.code = "devices-disagree";
  mismatch.message =
      msg("On {} the result is wrong, on the {} it is right. One of them is mistaken, or the kernel depends "
          "on luck.\nFound: {}",
          who, other, finding);
  return mismatch;
}

}  // namespace

Subject::Subject(std::string ptx, unsigned host_threads, GpuSide gpu, Inputs inputs)
    : ptx_(std::move(ptx)),
      inputs_(std::move(inputs)),
      input_key_(inputs_.key, ptx_),
      shape_key_(InputKey::of_opcodes(inputs_.key, ptx_)),
      host_threads_(host_threads ? host_threads : base::usable_cores()),
      gpu_(std::move(gpu)) {
  keep_freed_memory();
  if (const auto bytes = worker(0).module->constant("lab_predictions"))
    predictions_ = read_predictions(*bytes);
}

Subject::~Subject() = default;

Subject::Worker& Subject::worker(std::size_t index) {
  while (workers_.size() <= index) {
    auto made = std::make_unique<Worker>(device::make_simulator(), ptx_);
    ++work_.loads;
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

// For those who ask for the maps alone: a file without a shape says so when it is run.
LaunchShape Subject::shape_or_none(const Target& target) {
  try {
    return target.shape ? *target.shape : launch_shape(target.entry);
  } catch (const ShapeError&) {
    return {};
  }
}

Message Subject::signature_problem(const Target& target) {
  const Problem one;
  Arguments arguments(one, 0, 0, worker(0).kernel(target.entry));
  try {
    if (const LaunchShape shape = shape_or_none(target); shape.gpus > 1 && !target.arguments)
      (void)arguments.gpus({}).in().integer(1).integer(1).packed();
    else
      (void)pack(arguments, target, std::vector<device::TensorMapBytes>(map_count(shape_or_none(target))));
  } catch (const SignatureError& error) {
    return text::message_of(error);
  }
  return {};
}

Target Subject::target_of(const std::string& entry) {
  Target target;
  target.entry = entry;
  target.task = task_of(static_cast<TaskKind>(constant_int(*workers_.front()->module, "lab_task_" + entry)));
  Target pitched = target;
  pitched.arguments = with_pitches;
  return signature_problem(target).empty() || !signature_problem(pitched).empty() ? target : pitched;
}

Predictions Subject::predictions() const { return predictions_; }

Finding Subject::finding(const std::string& entry) const {
  const auto bytes = workers_.front()->module->constant("lab_finding_" + entry);
  return bytes ? read_finding(*bytes) : Finding{};
}

int Subject::seat() const { return constant_int(*workers_.front()->module, "lab_seat"); }

Run Subject::judge(Worker& on, const Problem& problem, const Target& target, bool count,
                   unsigned host_threads) {
  Run failed;
  failed.problem = problem;
  failed.entry = target.entry;
  try {
    const LaunchShape& shape = target.shape ? *target.shape : launch_shape(target.entry);
    const int gpus = problem.gpus == 0 ? shape.gpus : problem.gpus;
    if (gpus > shape.gpus && shape.gpus == 1) throw ShapeError(one_gpu_alone(gpus));
    Run run = shape.gpus == 1 ? judge_on(*on.device, on.kernel(target.entry), shape, problem, target, count,
                                         host_threads, input_key_)
                              : judge_split(*on.device, on.kernels_of(target.entry, gpus), shape, problem,
                                            target, count, host_threads, input_key_);
    run.entry = target.entry;
    run.shape = shape;
    return run;
  } catch (const device::LoadError& error) {
    failed.faults.push_back(error.fault);
  } catch (const ShapeError& error) {
    failed.faults.push_back(launch_fault(text::message_of(error)));
  }
  return failed;
}

const Run& Subject::run(const Problem& problem, const Target& target) {
  return counted(problem, target, {}).run;
}

const Watched& Subject::watched(const Problem& problem, const Target& target, bool drawn) {
  return *counted(problem, target, {.drawn = drawn}).watched;
}

const Run& Subject::drawn(const Problem& problem, const Target& target, bool exchange) {
  return counted(problem, target,
                 {.drawn = true, .watched = false, .exchange = exchange && follows_values(problem, target)})
      .run;
}

bool Subject::has_costs(const Problem& p) {
  constexpr std::int64_t kLeastSide = 8;
  return p.batch * p.rows * p.cols >= kLeastElems && std::min(p.rows, p.cols) >= kLeastSide;
}

// Following costs as much again as the launch: where few elements move, or few blocks run; of blocks that
// move more than four tiles of 64 × 64, in every other launch, and the more rarely the more they move.
// Smaller matrices, and strips, are mostly edge.
bool Subject::follows_values(const Problem& p, const Target& target) {
  constexpr std::int64_t kFew = 1 << 14, kLeastSide = 40, kLargeBlock = 4 * 64 * 64, kHugeBlock = 1 << 16;
  const std::int64_t elems = p.batch * p.rows * p.cols;
  if (std::min(p.rows, p.cols) < kLeastSide) return false;
  if (elems <= kMostWhole || p.gpus > 1) return elems <= kFew;
  const TileShape tile = covered_at_once(shape_or_none(target));
  const std::int64_t moved =
      std::min<std::int64_t>(tile.rows, p.rows) * std::min<std::int64_t>(tile.cols, p.cols);
  const auto one_in = static_cast<std::uint64_t>(moved <= kLargeBlock ? 1 : 2 + 2 * (moved / kHugeBlock));
  return shape_key_.draw({0x666f6c6c6f77, p.rows, p.cols}) % one_in == 0;
}

const ExchangeFindings& Subject::exchange_of_drawn(const Problem& problem, const Target& target) {
  return *counted(problem, target, {.drawn = true, .watched = false, .exchange = true}).exchange;
}

namespace {

std::uint64_t words_in(const Problem& p) {
  return static_cast<std::uint64_t>(p.rows * p.cols * std::max(1, p.elem_bytes / 4));
}

// What watches a counted run: made anew for each launch that is tried.
class Watchers {
 public:
  Watchers(const Target& target, const Problem& problem, const InputKey& key, bool seen, bool rows,
           bool links, bool exchange)
      : rows_wanted_(rows), exchange_wanted_(exchange), problem_(problem), target_(target) {
    if (seen)
      for (sim::Observer* observer : watch.observers()) add(*observer);
    add(blocks);
    if (rows) add(this->rows);
    if (links) add(this->links);
    if (exchange) follow(key);
    target_.placed = [this, placed = target.placed](device::Address out, std::uint64_t bytes,
                                                    device::Address in) {
      if (rows_wanted_) this->rows.lies(problem_, out, in);
      if (exchange_wanted_) this->exchange.out_is(out, bytes);
      if (placed) placed(out, bytes, in);
    };
  }
  Watchers(const Watchers&) = delete;
  Watchers& operator=(const Watchers&) = delete;
  ~Watchers() = default;
  [[nodiscard]] const Target& target() const { return target_; }
  // About as many elements as of a launch that is run whole.
  void follow_some_blocks(const InputKey& key) {
    const auto every = static_cast<std::uint64_t>(
        std::max<std::int64_t>(1, problem_.batch * problem_.rows * problem_.cols / kMostWhole));
    exchange.follow_one_in(every, key.draw({0x736f6d65, problem_.rows, problem_.cols}) % every);
  }
  Watch watch;
  BlockWatch blocks;
  RowRuns rows;
  LinkWatch links;
  Exchange exchange;

 private:
  void add(sim::Observer& observer) { target_.observers.push_back(&observer); }
  void follow(const InputKey& key) {
    add(exchange);
    exchange.elements_have(problem_.elem_bytes);
    const Problem& p = problem_;
    if (p.elem_bytes >= 4 && p.batch == 1 && p.in_pitch() == p.cols)
      exchange.elements_are([words = words_for(p, key), count = words_in(p)](std::uint32_t word) {
        return words.number(word) < count;
      });
  }
  bool rows_wanted_, exchange_wanted_;
  Problem problem_;
  Target target_;
};

// Of strips, which are asked for their results alone, what their tiles cover counts: most of it is outside.
bool is_large(const LaunchShape& shape, const Problem& p) {
  if (p.rows * p.cols * p.batch > kMostWhole) return true;
  const TileShape tile = covered_at_once(shape);
  return !Subject::has_costs(p) && tile.rows > 0 && tile.cols > 0 &&
         static_cast<std::int64_t>(clusters_of(shape, p)) * tile.rows * tile.cols > kMostWhole;
}

}  // namespace

// A run that lacks what is asked is made anew, with all that was asked before.
const Subject::Counted& Subject::counted(const Problem& problem, const Target& target, const Asked& asked) {
  const LaunchShape shape = shape_or_none(target);
  const bool large =
      asked.drawn && shape.gpus == 1 && is_large(shape, problem) && target.task == nullptr && !gpu_.alone;
  const auto key = std::make_tuple(target.entry, problem, large);
  const auto found = runs_.find(key);
  const bool known = found != runs_.end();
  if (known && (!asked.exchange || found->second.exchange) && (!asked.watched || found->second.watched))
    return found->second;
  if (spent_ > kMostWork)
    return runs_.insert_or_assign(key, Counted{too_much_work(problem), Watched{}, ExchangeFindings{}})
        .first->second;
  const bool exchange = asked.exchange || (known && found->second.exchange),
             counts = !asked.drawn || asked.watched || exchange || has_costs(problem),
             rows = follows_rows_ && asked.watched && !large;
  std::unique_ptr<Watchers> watchers;
  const auto watch_anew = [&](Follow follow) {
    watchers = std::make_unique<Watchers>(target, problem, input_key_, asked.watched, rows, shape.gpus > 1,
                                          exchange);
    if (follow == Follow::SomeBlocks && cluster_of(shape).count() <= 1)
      watchers->follow_some_blocks(shape_key_);
    return watchers->target();
  };
  Run run = large    ? judge_drawn(worker(0), problem, target, watch_anew)
            : counts ? judge(worker(0), problem, watch_anew(Follow::All), true, host_threads_)
                     : judge(worker(0), problem, target, false, host_threads_);
  ++work_.counted_runs;
  if (!asked.drawn) spent_ += run.work;  // each of the drawn ones has a bound of its own
  if (gpu_.device && !gpu_.alone && run.correct() && !large) {
    if (std::optional<Run> other = compared(std::nullopt, {&problem, 1}, target))
      run.mismatch = other->mismatch;
  }
  Counted result{std::move(run), std::nullopt, std::nullopt};
  if (watchers) {
    const bool one_pass = result.run.sampled;
    result.run.blocks =
        watchers->blocks.findings().of_one(one_pass ? 1 : static_cast<std::uint64_t>(passes(problem)));
    if (target.task != nullptr) result.run.blocks.one_word = {};  // a sum may well be what lies in one word
    if (rows) result.run.rows = watchers->rows.findings();
    result.run.links = watchers->links.findings();
    if (asked.watched) result.watched = watchers->watch.seen();
    if (exchange) result.exchange = watchers->exchange.findings();
  }
  return runs_.insert_or_assign(key, std::move(result)).first->second;
}

namespace {

// Blocks do not stand for the launch, and too much has run whole: nothing is known of this shape.
Run left_out(const Problem& problem, const std::string& entry) {
  Run run;
  run.problem = problem;
  run.entry = entry;
  run.sampled = run.left_out = true;
  return run;
}

}  // namespace

Run Subject::judge_drawn(Worker& on, const Problem& problem, const Target& target, const Watching& watch) {
  try {
    const LaunchShape shape = target.shape ? *target.shape : launch_shape(target.entry);
    const std::int64_t elems = problem.batch * problem.rows * problem.cols;
    const bool picked = shape_key_.draw({0x7069636b, problem.rows, problem.cols}) % 4 == 0,
               whole = whole_elems_ + elems <= kMostWholeOfAll + (picked ? kMostPicked : 0);
    for (const Blocks which : {Blocks::Drawn, Blocks::WithAround, Blocks::Anywhere, Blocks::Counted}) {
      if (which == Blocks::Counted && whole) break;
      SomeBlocks some = run_some_blocks(*on.device, on.kernel(target.entry), shape, problem, which,
                                        watch(Follow::All), input_key_);
      if (some.out_of_work) break;
      if (!some.run) continue;
      some.run->entry = target.entry;
      return *std::move(some.run);
    }
    if (!whole) return left_out(problem, target.entry);
    whole_elems_ += elems;
  } catch (const std::exception&) {
    // The whole launch says what is wrong.
  }
  return judge(on, problem, watch(Follow::SomeBlocks), true, host_threads_);
}

const std::optional<Run>& Subject::some_blocks(const Problem& problem, const Target& target) {
  const auto [known, is_new] = far_runs_.try_emplace({target.entry, problem});
  constexpr std::array kWays = {Blocks::Drawn, Blocks::WithAround, Blocks::Anywhere};
  if (is_new) known->second = run_some_blocks_of(problem, target, kWays);
  return known->second;
}

bool Subject::blocks_write_their_own(const Problem& problem, const Target& target) {
  constexpr std::array kOwn = {Blocks::Drawn};
  return run_some_blocks_of(problem, target, kOwn).has_value();
}

std::optional<Run> Subject::run_some_blocks_of(const Problem& problem, const Target& target,
                                               std::span<const Blocks> ways) {
  Worker& on = worker(0);
  const LaunchShape shape = target.shape ? *target.shape : launch_shape(target.entry);
  for (const Blocks which : ways) {
    const Watchers watchers(target, problem, input_key_, false, false, false, false);
    SomeBlocks some = run_some_blocks(*on.device, on.kernel(target.entry), shape, problem, which,
                                      watchers.target(), input_key_);
    if (some.out_of_work) break;
    if (!some.run) continue;
    some.run->entry = target.entry;
    some.run->blocks = watchers.blocks.findings();
    return some.run;
  }
  return std::nullopt;
}

Run Subject::observed(const Problem& problem, const Target& target, sim::Observer& observer) {
  Target watched = target;
  watched.observers.push_back(&observer);
  return judge(worker(0), problem, watched, true, host_threads_);
}

bool Subject::observed_in(const Every& blocks, const Problem& problem, const Target& target,
                          sim::Observer& observer) {
  Target watched = target;
  watched.observers.push_back(&observer);
  const LaunchShape shape = shape_or_none(target);
  return shape.gpus == 1 && cluster_of(shape).count() <= 1 && !gpu_.alone &&
         run_one_block_in(*worker(0).device, worker(0).kernel(target.entry), shape, problem, blocks, watched,
                          input_key_);
}

const ExchangeFindings& Subject::exchange(const Problem& problem, const Target& target) {
  return *counted(problem, target, {.exchange = true}).exchange;
}

std::optional<Run> Subject::first_wrong_on_gpu(std::span<const Problem> problems, const Target& target) {
  if (!gpu_.device) return std::nullopt;  // it failed before: gpu_problem() says so
  gpu_problem_ = too_few_gpus(*gpu_.device, shape_or_none(target).gpus);
  if (!gpu_problem_.empty()) {
    gpu_.device.reset();
    return std::nullopt;
  }
  if (gpu_endless_) return gpu_endless_;  // who waited once for a kernel that does not end waits no more
  Target plain = target;
  plain.observers.clear();
  try {
    if (!gpu_worker_) {
      gpu_worker_ = std::make_unique<Worker>(gpu_.device, device::Image(ptx_, gpu_.cubin));
    }
    for (const Problem& problem : problems) {
      if (!fits_gpu(problem)) continue;
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
    gpu_problem_ = text::message_of(error);
  } catch (const std::bad_alloc&) {
    gpu_problem_ = msg("The {} has not enough free memory for these shapes.", gpu_.device->name());
  }
  if (!gpu_problem_.empty()) gpu_worker_.reset(), gpu_.device.reset();
  return std::nullopt;
}

// What the simulator found, held against the GPU. A fault of the simulator stands: a GPU lets many pass.
std::optional<Run> Subject::compared(std::optional<Run> simulated, std::span<const Problem> problems,
                                     const Target& target) {
  if (!gpu_.device || (simulated && (!simulated->faults.empty() || !fits_gpu(simulated->problem))))
    return simulated;
  const std::string gpu = gpu_.device->name();
  const int before = gpu_shapes_;
  std::optional<Run> other =
      simulated ? first_wrong_on_gpu({&simulated->problem, 1}, target) : first_wrong_on_gpu(problems, target);
  if (!gpu_problem_.empty()) return simulated;
  if (simulated && !other) {
    simulated->mismatch =
        devices_disagree("the simulator", simulated->mismatch->message, text::verbatim(gpu));
    gpu_shapes_ = before;
    return simulated;
  }
  if (simulated || !other) return simulated;
  other->mismatch = devices_disagree(
      msg("the {}", gpu), other->faults.empty() ? other->mismatch->message : other->faults.front().sentence(),
      "simulator");
  other->faults.clear();
  return other;
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
    launch.host_threads = 1;  // a table is less work than starting a thread
    launch.budget_work = kMostTableWork;
    device::LaunchOutcome outcome = on.device->launch(kernel, launch);
    spent_ += outcome.work;
    table.faults = std::move(outcome.faults);
    table.values.resize(static_cast<std::size_t>(count));
    on.device->read(out.address(), std::as_writable_bytes(std::span(table.values)));
  } catch (const device::LoadError& error) {
    table.faults.push_back(error.fault);
  } catch (const SignatureError& error) {
    table.faults.push_back(launch_fault(text::message_of(error)));
  }
  for (const std::int32_t value : table.values)
    table.written.push_back(static_cast<std::uint32_t>(value) != kPoisonWord);
  return table;
}

}  // namespace lab::judge
