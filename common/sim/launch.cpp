// One launch: checks the shape, spreads the blocks over host threads, gathers what was counted.
//
// Enters: a program, a grid, parameters. Leaves: a LaunchResult. Blocks are handed out in order; when one
// faults, the blocks before it still finish, so the fault that is reported is that of the lowest block, on
// any machine.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "common/sim/execute/block.h"
#include "common/sim/gpu.h"
#include "common/sim/observe/clock_observer.h"
#include "common/sim/observe/counter_observer.h"
#include "common/sim/observe/findings.h"
#include "common/sim/observe/init_check.h"
#include "common/sim/observe/race_check.h"

namespace lab::sim {
namespace {

std::string text(Dim3 d) {
  return "(" + std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z) + ")";
}

Fault invalid(const Program& program, FaultKind kind, std::string message) {
  Fault f;
  f.kind = kind;
  f.message = "`" + program.name() + "`: " + std::move(message);
  return f;
}

// What a driver would refuse before the kernel starts.
std::optional<Fault> check_shape(const Program& program, const LaunchConfig& c, std::size_t parameter_bytes,
                                 const DeviceLimits& limits) {
  const ProgramData& data = program.data();
  const auto refuse = [&](std::string message) {
    return invalid(program, FaultKind::InvalidLaunch, std::move(message));
  };
  const auto outside = [](Dim3 d, Dim3 most) {
    return d.x == 0 || d.y == 0 || d.z == 0 || d.x > most.x || d.y > most.y || d.z > most.z;
  };
  if (outside(c.block, limits.max_block) || c.block.count() > limits.max_threads_per_block) {
    return refuse("a block of " + text(c.block) +
                  " threads; each side must be at least 1 and a block has at most " +
                  std::to_string(limits.max_threads_per_block) + " threads.");
  }
  if (outside(c.grid, limits.max_grid)) {
    return refuse("a grid of " + text(c.grid) + " blocks; each side must be at least 1, and at most " +
                  text(limits.max_grid) + ".");
  }
  if (data.max_threads != 0 && c.block.count() > data.max_threads) {
    return refuse("a block of " + std::to_string(c.block.count()) +
                  " threads, but its __launch_bounds__ promise at most " + std::to_string(data.max_threads) +
                  ".");
  }
  const Dim3 required{data.required_threads[0], data.required_threads[1], data.required_threads[2]};
  if (required.x != 0 && !(required == c.block)) {
    return refuse("a block of " + text(c.block) + " threads, but the kernel was compiled for " +
                  text(required) + ".");
  }
  if (parameter_bytes != program.parameter_bytes()) {
    return refuse("it takes " + std::to_string(program.parameter_bytes()) +
                  " bytes of parameters and was given " + std::to_string(parameter_bytes) + ".");
  }
  const std::uint64_t shared = std::uint64_t{data.static_shared_bytes} + c.dynamic_shared_bytes;
  const std::uint64_t most = c.allow_large_shared ? limits.max_shared_bytes : limits.max_static_shared_bytes;
  if (shared > most || data.static_shared_bytes > limits.max_static_shared_bytes) {
    return invalid(program, FaultKind::TooMuchShared,
                   std::to_string(shared) + " bytes of shared memory a block (" +
                       std::to_string(data.static_shared_bytes) + " static, " +
                       std::to_string(c.dynamic_shared_bytes) + " dynamic); a block can have " +
                       std::to_string(most) + ". Make the tile smaller.");
  }
  return std::nullopt;
}

// One host thread's share of the launch.
struct Worker {
  std::vector<std::unique_ptr<Observer>> observers;
  std::deque<BlockRun> blocks;
  std::uint64_t warp_instructions = 0, lane_instructions = 0;
  std::map<std::uint64_t, std::string> output;
  std::size_t output_bytes = 0;
};

// What a launch may print in all; a GPU's own buffer holds 1 MiB.
constexpr std::size_t kMaxOutputBytes = 16 << 20;

// The lowest blocks speak first, and so are kept first, whichever thread ran them.
void keep_output(Worker& w, std::uint64_t block, std::string text) {
  w.output_bytes += text.size();
  w.output[block] = std::move(text);
  while (w.output.size() > 1 && w.output_bytes - w.output.rbegin()->second.size() >= kMaxOutputBytes) {
    w.output_bytes -= w.output.rbegin()->second.size();
    w.output.erase(std::prev(w.output.end()));
  }
}

class Launch {
 public:
  Launch(const LaunchContext& context, std::vector<Observer*> observers)
      : context_(context), prototypes_(std::move(observers)), blocks_(context.config.grid.count()) {}

  void run(unsigned host_threads) {
    const ProgramData& program = *context_.program;
    if (program.blocks_talk || context_.config.cooperative) {
      workers_.resize(1);
      guarded(workers_[0], [&](Worker& w) { run_together(w); });
      return;
    }
    // Small launches are done before a thread has started.
    const std::uint64_t threads_of_work = blocks_ * context_.config.block.count() / 4096 + 1;
    const auto count =
        static_cast<unsigned>(std::min<std::uint64_t>({host_threads, threads_of_work, blocks_}));
    workers_.resize(std::max(1u, count));
    std::vector<std::thread> threads;
    for (unsigned k = 1; k < workers_.size(); ++k) {
      threads.emplace_back([this, k] { guarded(workers_[k], [&](Worker& w) { run_apart(w); }); });
    }
    guarded(workers_[0], [&](Worker& w) { run_apart(w); });
    for (std::thread& t : threads) t.join();
  }

  void collect(LaunchResult& result) {
    std::map<std::uint64_t, std::string> output;
    for (Worker& w : workers_) {
      result.warp_instructions += w.warp_instructions;
      result.lane_instructions += w.lane_instructions;
      output.merge(w.output);
      for (std::size_t k = 0; k < w.observers.size(); ++k) prototypes_[k]->merge(*w.observers[k]);
    }
    for (const auto& [block, line] : output) {
      result.output.append(line, 0, kMaxOutputBytes - std::min(kMaxOutputBytes, result.output.size()));
    }
    if (fault_) result.faults.push_back(*fault_);
  }

 private:
  template <class Body>
  void guarded(Worker& worker, Body body) {
    try {
      body(worker);
    } catch (const std::bad_alloc&) {
      Fault f =
          invalid(*context_.handle, FaultKind::InvalidLaunch, "the host has no memory left to simulate it.");
      f.block_index = 0;
      remember(std::move(f));
    }
  }

  void remember(Fault fault) {
    const std::lock_guard lock(mutex_);
    if (!fault_ || fault.block_index < fault_->block_index) fault_ = std::move(fault);
    lowest_fault_.store(fault_->block_index);
  }

  BlockRun& add_block(Worker& w) {
    std::vector<Observer*> hooks;
    for (const auto& o : w.observers) hooks.push_back(o.get());
    return w.blocks.emplace_back(context_, static_cast<std::uint32_t>(w.blocks.size()), std::move(hooks));
  }

  void clone_observers(Worker& w) {
    for (const Observer* o : prototypes_) w.observers.push_back(o->clone());
    LaunchInfo info;
    info.program = context_.handle;
    info.grid = context_.config.grid;
    info.block = context_.config.block;
    info.shared_bytes = context_.shared_bytes;
    info.smallest_shared_access_bytes = context_.program->smallest_shared_access_bytes;
    for (const auto& o : w.observers) o->launch_begin(info);
  }

  void finish(Worker& w, BlockRun& block, std::uint64_t index) {
    block.end();
    if (!block.output.empty()) keep_output(w, index, std::exchange(block.output, {}));
    const std::uint64_t spent =
        block.warp_instructions - std::exchange(block.reported_instructions, block.warp_instructions);
    if (spent_.fetch_add(spent) + spent > context_.options.budget_instructions) {
      Fault f =
          invalid(*context_.handle, FaultKind::BudgetExceeded,
                  "the launch ran more than " + std::to_string(context_.options.budget_instructions) +
                      " warp instructions. Use a smaller matrix, or look for a loop that runs too often.");
      f.block_index = blocks_;  // any real fault is reported instead
      remember(std::move(f));
    }
  }

  // Blocks that know nothing of each other: one after the other, on as many host threads as there are.
  void run_apart(Worker& w) {
    clone_observers(w);
    BlockRun& block = add_block(w);
    for (;;) {
      const std::uint64_t index = next_.fetch_add(1);
      if (index >= blocks_ || index > lowest_fault_.load()) break;
      try {
        block.begin(index);
        block.run(BlockRun::kAlone);
        finish(w, block, index);
      } catch (FaultError& e) {
        remember(std::move(e.fault));
        break;
      }
      if (lowest_fault_.load() == blocks_) break;
    }
    tally(w);
  }

  // Blocks that may wait for each other: as many at once as the GPU would hold, in turns, on one host thread.
  void run_together(Worker& w) {
    clone_observers(w);
    const std::uint64_t threads = context_.config.block.count();
    const std::uint64_t per_multiprocessor =
        std::clamp<std::uint64_t>(2048 / ((threads + 31) / 32 * 32), 1, 32);
    std::uint64_t resident = std::min(blocks_, per_multiprocessor * context_.limits.multiprocessors);
    if (context_.config.cooperative && resident < blocks_) {
      remember(invalid(*context_.handle, FaultKind::InvalidLaunch,
                       "a cooperative launch needs every block at once: " + std::to_string(blocks_) +
                           " blocks, but " + std::to_string(resident) + " fit."));
      return;
    }
    std::uint64_t left = blocks_;
    std::uint64_t next = 0;
    std::vector<std::uint32_t> free_slots;
    struct Resident {
      std::uint32_t slot;
      std::uint64_t index;
    };
    std::deque<Resident> turn;
    try {
      while (left != 0) {
        while (next < blocks_ && turn.size() < resident) {
          std::uint32_t slot = static_cast<std::uint32_t>(w.blocks.size());
          if (!free_slots.empty()) {
            slot = free_slots.back();
            free_slots.pop_back();
          } else {
            add_block(w);
          }
          w.blocks[slot].begin(next);
          turn.push_back({slot, next++});
          // Blocks that never wait finish at once, and the next one may reuse the slot.
          if (!advance(w, turn, free_slots, 4096)) continue;
          --left;
        }
        if (!turn.empty() && advance_first(w, turn, free_slots, 64)) --left;
        if (lowest_fault_.load() != kNone) break;
      }
    } catch (FaultError& e) {
      remember(std::move(e.fault));
    }
    tally(w);
  }

  template <class Turn>
  bool advance(Worker& w, Turn& turn, std::vector<std::uint32_t>& free_slots, std::uint64_t quantum) {
    const auto last = turn.back();
    BlockRun& block = w.blocks[last.slot];
    if (!block.run(quantum)) {
      idle_turns_ = block.waits() ? idle_turns_ + context_.config.block.count() / kWarpLanes + 1 : 0;
      if (idle_turns_ > kMostIdleTurns) block.report_waiting();
      return false;
    }
    idle_turns_ = 0;
    turn.pop_back();
    finish(w, w.blocks[last.slot], last.index);
    free_slots.push_back(last.slot);
    return true;
  }

  template <class Turn>
  bool advance_first(Worker& w, Turn& turn, std::vector<std::uint32_t>& free_slots, std::uint64_t quantum) {
    turn.push_back(turn.front());
    turn.pop_front();
    return advance(w, turn, free_slots, quantum);
  }

  static void tally(Worker& w) {
    for (const BlockRun& b : w.blocks) {
      w.warp_instructions += b.warp_instructions;
      w.lane_instructions += b.lane_instructions;
    }
  }

  static constexpr std::uint64_t kNone = ~0ull;
  // Turns of warps in a row in which all blocks only watched memory: then nobody will ever write it.
  static constexpr std::uint64_t kMostIdleTurns = 20'000'000;
  const LaunchContext& context_;
  std::vector<Observer*> prototypes_;
  const std::uint64_t blocks_;
  std::deque<Worker> workers_;
  std::atomic<std::uint64_t> next_{0};
  std::atomic<std::uint64_t> lowest_fault_{kNone};
  std::atomic<std::uint64_t> spent_{0};
  std::uint64_t idle_turns_ = 0;  // run_together only
  std::mutex mutex_;
  std::optional<Fault> fault_;
};

}  // namespace

LaunchResult launch(Memory& memory, const Program& program, const LaunchConfig& config,
                    std::span<const std::byte> parameters, const LaunchOptions& options,
                    const DeviceLimits& limits) {
  LaunchResult result;
  const auto start = std::chrono::steady_clock::now();
  if (auto refused = check_shape(program, config, parameters.size(), limits)) {
    result.faults.push_back(std::move(*refused));
    return result;
  }
  memory.heap_forget_released();
  LaunchContext context;
  context.memory = &memory;
  context.program = &program.data();
  context.handle = &program;
  context.config = config;
  context.options = options;
  context.limits = limits;
  context.parameters = parameters;
  context.shared_bytes = program.static_shared_bytes() + config.dynamic_shared_bytes;
  // The runtime library finds the counter of grid.sync() through %envreg1 and %envreg2; it counts at byte 4.
  if (config.cooperative) context.grid_barrier = memory.allocate(64, Fill::Written, "the grid barrier");
  CounterObserver counter;
  RaceCheck races;
  InitCheck initialised(memory);
  ClockObserver clock;
  Findings soft_races(races.clone()), soft_initialised(initialised.clone());
  std::vector<Observer*> observers;
  // Checks first: an access that is a mistake is not counted.
  const auto add_check = [&](Observer& hard, Observer& soft) {
    observers.push_back(options.checks_stop ? &hard : &soft);
  };
  if (options.check_races && context.shared_bytes != 0) add_check(races, soft_races);
  if (options.check_uninitialised) add_check(initialised, soft_initialised);
  if (options.count) observers.push_back(&counter);
  if (program.data().reads_clock) observers.push_back(&clock);
  observers.insert(observers.end(), options.observers.begin(), options.observers.end());
  const LaunchInfo info{&program, config.grid, config.block, context.shared_bytes,
                        program.smallest_shared_access_bytes()};
  for (Observer* o : observers) o->launch_begin(info);
  Launch run(context, observers);
  run.run(options.host_threads != 0 ? options.host_threads
                                    : std::max(1u, std::thread::hardware_concurrency()));
  run.collect(result);
  for (const Findings* soft : {&soft_races, &soft_initialised}) {
    for (Fault& fault : soft->list()) result.findings.push_back(std::move(fault));
  }
  if (config.cooperative) memory.release(context.grid_barrier);
  if (options.count && result.ok()) {
    result.counters = counter.totals();
    result.lines = counter.lines(program);
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace lab::sim
