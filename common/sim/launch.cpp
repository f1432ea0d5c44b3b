// One launch from begin to end: refuse what a driver refuses, choose observers, run the grid, return the counts.
//
// Enters: memory, a program, a grid, parameters. Leaves: a LaunchResult. execute/grid_run.cpp spreads the
// blocks over host threads, execute/block.cpp runs one of them, observe/ has the observers.
#include <algorithm>
#include <chrono>
#include <iterator>
#include <thread>
#include <utility>

#include "common/sim/base/arithmetic.h"
#include "common/sim/execute/device_runtime.h"
#include "common/sim/execute/grid_run.h"
#include "common/sim/execute/launch_limits.h"
#include "common/sim/gpu.h"
#include "common/sim/observe/bounds_check.h"
#include "common/sim/observe/counter_observer.h"
#include "common/sim/observe/engine_check.h"
#include "common/sim/observe/findings.h"
#include "common/sim/observe/init_check.h"
#include "common/sim/observe/race_check.h"

namespace lab::sim {
namespace {

// One of each kind and line, with their count.
std::vector<Fault> one_per_line(std::vector<Fault> found) {
  std::vector<Fault> list;
  for (Fault& fault : found) {
    const auto same = std::find_if(list.begin(), list.end(), [&](const Fault& other) {
      return fault.line != 0 && other.kind == fault.kind && other.line == fault.line &&
             other.file == fault.file;
    });
    if (same == list.end()) {
      list.push_back(std::move(fault));
    } else {
      same->count += fault.count;
    }
  }
  return list;
}

// A race in the shared memory that CUDA's own headers keep for themselves (cooperative groups of more than a warp): no program reaches it.
bool in_reserved(const Fault& fault, std::uint32_t reserved_at) {
  const bool is_race = fault.kind == FaultKind::SharedRace || fault.kind == FaultKind::MissingSyncwarp;
  return reserved_at != 0 && is_race && fault.address >= reserved_at;
}
Fault as_note_of_toolkit(Fault note) {
  note.message =
      msg("a header of CUDA's own, which is called here, lets threads touch one place of the shared memory "
          "that it keeps for itself, "
          "and nothing orders them. Nothing in the program can change that, and --strict passes it over");
  note.fix = {};
  note.advice = {};
  note.other_line = 0;
  return note;
}

// What checks found that do not throw. When they stop a launch, the first of it is its fault.
void add_findings(LaunchResult& result, std::vector<Fault> found, bool stops) {
  for (Fault& fault : found) {
    if (!stops) {
      result.findings.push_back(std::move(fault));
    } else if (result.faults.empty()) {
      result.faults.push_back(std::move(fault));
    }
  }
}

// Far behind the program's own, so that an index that is a little too large does not land there.
std::uint32_t reserved_place(std::uint32_t shared_bytes) {
  return (shared_bytes / kReservedSharedBytes + 16) * kReservedSharedBytes;
}

}  // namespace

LaunchResult launch(Memory& memory, const Program& program, const LaunchConfig& config,
                    std::span<const std::byte> parameters, const LaunchOptions& options,
                    const DeviceLimits& limits) {
  const DefaultArithmetic arithmetic;
  LaunchResult result;
  const auto start = std::chrono::steady_clock::now();
  if (auto refused = check_limits(program, config, parameters.size(), limits)) {
    result.faults.push_back(std::move(*refused));
    return result;
  }
  if (auto refused = check_device_runtime(program, options)) {
    result.faults.push_back(std::move(*refused));
    return result;
  }
  memory.heap_forget_released();
  memory.changed_by_kernel();
  LaunchContext context;
  context.memory = &memory;
  context.program = &program.data();
  context.handle = &program;
  context.config = config;
  context.options = options;
  context.limits = limits;
  context.parameters = parameters;
  context.cluster = cluster_of(program.data(), config);
  context.shared_bytes = program.static_shared_bytes() + config.dynamic_shared_bytes;
  if (program.data().uses_reserved_shared) context.reserved_at = reserved_place(context.shared_bytes);
  // The runtime library finds the counter of grid.sync() through %envreg1 and %envreg2; it counts at byte 4.
  if (config.cooperative) context.grid_barrier = memory.allocate(64, Fill::Written, "the grid barrier");
  DeviceRuntime device_runtime(memory);
  context.device_runtime = &device_runtime;
  CounterObserver counter;
  RaceCheck races(options.check_global_races ? &memory : nullptr,
                  options.checks_stop ? RaceCheck::Stop::WithBlock : RaceCheck::Stop::Never,
                  options.check_memory_bytes);
  BoundsCheck bounds(memory, parameters);
  InitCheck initialised(memory);
  EngineCheck engine;
  Findings soft_initialised(initialised.clone()), soft_engine(engine.clone());
  auto waiting = std::make_unique<BoundsCheck>(memory, parameters, true);
  const BoundsCheck& kept_bounds = *waiting;
  Findings soft_bounds(std::move(waiting));
  std::vector<Observer*> observers;
  // Checks first: an access that is a mistake is not counted.
  const auto add_check = [&](Observer& hard, Observer& soft) {
    observers.push_back(options.checks_stop ? &hard : &soft);
  };
  add_check(bounds, soft_bounds);
  if (options.check_races && program.data().uses_engine) add_check(engine, soft_engine);
  if (options.check_races) observers.push_back(&races);
  if (options.check_uninitialised) add_check(initialised, soft_initialised);
  if (options.count) observers.push_back(&counter);
  const std::size_t fresh = observers.size();
  observers.insert(observers.end(), options.observers.begin(), options.observers.end());
  const LaunchInfo info = info_of(context);
  for (Observer* o : observers) o->launch_begin(info);
  GridOutcome grid = run_grid(
      context, info, observers, fresh,
      options.host_threads != 0 ? options.host_threads : std::max(1u, std::thread::hardware_concurrency()));
  result.warp_instructions = grid.warp_instructions;
  result.lane_instructions = grid.lane_instructions;
  result.work = grid.work;
  result.output = std::move(grid.output);
  result.launched = std::move(device_runtime.launched);
  if (grid.fault) result.faults.push_back(std::move(*grid.fault));
  std::vector<Fault> found = soft_bounds.list();  // first: whoever leaves an array races in the other one
  for (Fault& fault : kept_bounds.kept()) found.push_back(std::move(fault));
  if (options.check_races) result.notes = races.notes();
  for (Fault& note : one_per_line(std::move(grid.notes))) result.notes.push_back(std::move(note));
  for (std::vector<Fault>& more :
       std::vector{races.findings(), soft_engine.list(), std::move(grid.findings), soft_initialised.list()})
    std::move(more.begin(), more.end(), std::back_inserter(found));
  // A thread that reads too early finds nothing written: that is reported as the race which it is.
  const auto is = [](FaultKind kind) { return [kind](const Fault& fault) { return fault.kind == kind; }; };
  if (std::any_of(found.begin(), found.end(), is(FaultKind::SharedRace)))
    std::erase_if(found, is(FaultKind::UninitialisedShared));
  const auto own = std::stable_partition(found.begin(), found.end(), [&](const Fault& fault) {
    return !in_reserved(fault, context.reserved_at);
  });
  for (Fault& note : one_per_line({std::make_move_iterator(own), std::make_move_iterator(found.end())}))
    result.notes.push_back(as_note_of_toolkit(std::move(note)));
  found.erase(own, found.end());
  add_findings(result, one_per_line(std::move(found)), options.checks_stop);
  if (config.cooperative) memory.release(context.grid_barrier);
  if (options.count && result.ok()) {
    result.counters = counter.totals();
    result.counters[Path::ParameterLoad] = grid.parameters;
    result.lines = counter.lines(program);
  }
  // How far other blocks had come when one stopped the launch depends on the host's threads.
  if (!result.ok()) result.warp_instructions = result.lane_instructions = 0;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace lab::sim
