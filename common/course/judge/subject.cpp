// Runs a kernel on problems and judges what it left behind.
//
// Enters: PTX, problems. Leaves: Runs.
#include "common/course/judge/subject.h"

#include <fmt/core.h>

#include <cstring>
#include <mutex>

#include "common/base/host_memory.h"
#include "common/base/threads.h"
#include "common/course/judge/pattern.h"
#include "common/course/judge/sample_trial.h"
#include "common/course/judge/task.h"
#include "common/course/judge/tensor_maps.h"
#include "common/course/judge/trial.h"
#include "common/course/judge/verify.h"
#include "common/course/judge/worker.h"

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

}  // namespace

Subject::Subject(std::string ptx, unsigned host_threads, GpuSide gpu, Inputs inputs)
    : ptx_(std::move(ptx)),
      inputs_(std::move(inputs)),
      input_key_(inputs_.key, inputs_.drawn_by.empty() ? ptx_ : inputs_.drawn_by),
      shape_key_(inputs_.drawn_by.empty() ? InputKey::of_opcodes(inputs_.key, ptx_) : input_key_),
      host_threads_(host_threads ? host_threads : base::usable_cores()),
      gpu_(std::move(gpu)) {
  keep_freed_memory();
  if (const auto bytes = worker(0).module->constant("lab_predictions"))
    predictions_ = read_predictions(*bytes);
}

Subject::~Subject() = default;

Worker& Subject::worker(std::size_t index) {
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
  return shapes_.emplace(entry, workers_.front()->launch_shape(entry)).first->second;
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
  const auto shape = [&] { return target.shape ? *target.shape : launch_shape(target.entry); };
  return judge_loaded(on, shape, problem, target, count, host_threads, input_key_);
}

Run Subject::observed(const Problem& problem, const Target& target, sim::Observer& observer) {
  Target watched = target;
  watched.as_always = true;
  watched.observers.push_back(&observer);
  return judge(worker(0), problem, watched, true, host_threads_);
}

Run Subject::judged(const Problem& problem, const Target& target, sim::Observer& observer) {
  Target watched = target;
  watched.followed = true;
  watched.observers.push_back(&observer);
  return judge(worker(0), problem, watched, true, host_threads_);
}

bool Subject::judged_in(const Every& blocks, const Problem& problem, const Target& target,
                        sim::Observer& observer) {
  Target watched = target;
  watched.observers.push_back(&observer);
  const LaunchShape shape = shape_or_none(target);
  return shape.gpus == 1 && cluster_of(shape).count() <= 1 && !gpu_.alone &&
         run_one_block_in(*worker(0).device, worker(0).kernel(target.entry), shape, problem, blocks, watched,
                          input_key_);
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
