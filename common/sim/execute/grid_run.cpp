// A grid on host threads: hands out its blocks, gathers what they counted and printed.
//
// Enters: a launch and its observers. Leaves: a GridOutcome, observers merged. Blocks are handed out in
// order; when one faults, the blocks before it still finish, so the fault that is reported is that of the
// lowest block, on any machine.
#include "common/sim/execute/grid_run.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "common/sim/execute/cluster.h"
#include "common/sim/execute/launch_limits.h"
#include "common/sim/observe/place_text.h"

namespace lab::sim {
namespace {

using ByPc = std::map<std::pair<std::uint32_t, FaultKind>, Fault>;

void merge(ByPc& into, const ByPc& more) {
  for (const auto& [key, fault] : more) {
    const auto [at, fresh] = into.try_emplace(key, fault);
    if (fresh) continue;
    const std::uint64_t count = at->second.count + fault.count;
    if (fault.block_index < at->second.block_index) at->second = fault;
    at->second.count = count;
  }
}

std::vector<Fault> list_of(const ByPc& found) {
  std::vector<Fault> list;
  for (const auto& [key, fault] : found) list.push_back(fault);
  return list;
}

// One host thread's share of the launch.
struct Worker {
  std::vector<Observer*> observers;
  std::vector<std::unique_ptr<Observer>> clones;  // those of them that are this thread's alone
  std::deque<ClusterRun> clusters;
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

// Adds up what blocks cost in the order of the grid, whichever thread ran them: a budget ends at the same
// block on every machine.
class Expenses {
 public:
  struct Cost {
    std::uint64_t instructions = 0, work = 0;
    BlockRun::Loop hottest;  // of a block that did more than its share
  };
  explicit Expenses(const LaunchOptions& options) : options_(options) {}

  // What blocks in a row cost. The first block at which a budget was spent, once it is known.
  std::optional<std::uint64_t> add(std::uint64_t first, const std::vector<Cost>& costs) {
    const std::lock_guard lock(mutex_);
    if (over()) return std::nullopt;  // said already; what comes behind is not counted
    if (first != next_) {
      early_.emplace(first, costs);
      return std::nullopt;
    }
    if (ends_in(costs)) return next_;
    for (auto it = early_.begin(); it != early_.end() && it->first == next_; it = early_.erase(it))
      if (ends_in(it->second)) return next_;
    return std::nullopt;
  }
  void spend(const Cost& cost) {
    spent_.instructions += cost.instructions;
    spent_.work += cost.work;
    if (cost.hottest.times > spent_.hottest.times) spent_.hottest = cost.hottest;
  }
  [[nodiscard]] bool over() const {
    return spent_.instructions > options_.budget_instructions || spent_.work > options_.budget_work;
  }
  [[nodiscard]] const Cost& spent() const { return spent_; }

 private:
  bool ends_in(const std::vector<Cost>& costs) {
    for (const Cost& cost : costs) {
      spend(cost);
      if (over()) return true;
      ++next_;
    }
    return false;
  }
  const LaunchOptions& options_;
  std::mutex mutex_;
  std::uint64_t next_ = 0;
  std::map<std::uint64_t, std::vector<Cost>> early_;  // of blocks that were done before one in front of them
  Cost spent_;
};

class GridRun {
 public:
  GridRun(const LaunchContext& context, const LaunchInfo& info, std::vector<Observer*> observers,
          std::size_t fresh)
      : context_(context),
        info_(info),
        prototypes_(std::move(observers)),
        fresh_(fresh),
        clusters_(context.options.clusters.empty() ? context.config.grid.count() / context.cluster.count()
                                                   : context.options.clusters.size()),
        expenses_(context.options) {
    expenses_.spend({0, work_of_launch(), {}});
  }

  void run(unsigned host_threads) {
    if (info_.together) {
      workers_.resize(1);
      guarded(workers_[0], [&](Worker& w) { run_together(w); });
      if (failure_) std::rethrow_exception(failure_);
      return;
    }
    // Small launches are done before a thread has started.
    const std::uint64_t threads_of_work =
        context_.config.grid.count() * context_.config.block.count() / 4096 + 1;
    const auto count =
        static_cast<unsigned>(std::min<std::uint64_t>({host_threads, threads_of_work, clusters_}));
    workers_.resize(std::max(1u, count));
    std::vector<std::thread> threads;
    threads.reserve(workers_.size());
    try {
      for (unsigned k = 1; k < workers_.size(); ++k)
        threads.emplace_back([this, k] { guarded(workers_[k], [&](Worker& w) { run_apart(w); }); });
    } catch (const std::system_error&) {  // the host gives no more threads: those that run do all blocks
    }
    guarded(workers_[0], [&](Worker& w) { run_apart(w); });
    for (std::thread& t : threads) t.join();
    if (failure_) std::rethrow_exception(failure_);
  }

  GridOutcome collect() {
    GridOutcome result;
    ByPc findings, notes;
    std::map<std::uint64_t, std::string> output;
    for (Worker& w : workers_) {
      for (ClusterRun& cluster : w.clusters) {
        for (const BlockRun& b : cluster.blocks()) {
          result.warp_instructions += b.warp_instructions;
          result.lane_instructions += b.lane_instructions;
          result.parameters += b.parameters;
          merge(findings, b.findings);
          merge(notes, b.notes);
        }
      }
      output.merge(w.output);
      for (std::size_t k = 0; k < w.observers.size(); ++k) {
        if (w.observers[k] != prototypes_[k]) prototypes_[k]->merge(*w.observers[k]);
      }
    }
    result.findings = list_of(findings);
    result.notes = list_of(notes);
    for (const auto& [block, line] : output) {
      result.output.append(line, 0, kMaxOutputBytes - std::min(kMaxOutputBytes, result.output.size()));
    }
    result.fault = fault_;
    result.work = expenses_.spent().work;
    return result;
  }

 private:
  template <class Body>
  void guarded(Worker& worker, Body body) {
    try {
      body(worker);
    } catch (const std::bad_alloc&) {
      Fault f = launch_fault(*context_.handle, FaultKind::InvalidLaunch,
                             "the host has no memory left to simulate it.");
      remember(std::move(f), 0);
    } catch (...) {  // for the thread that launched: no other one may let it out
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
      lowest_fault_.store(0);
    }
  }

  // `cluster`: the number of the cluster that made it; the lowest one is reported.
  void remember(Fault fault, std::uint64_t cluster) {
    const std::lock_guard lock(mutex_);
    if (fault_ && cluster >= lowest_fault_.load()) return;
    fault_ = std::move(fault);
    lowest_fault_.store(cluster);
  }

  ClusterRun& add_cluster(Worker& w) {
    const auto slot = static_cast<std::uint32_t>(w.clusters.size() * context_.cluster.count());
    return w.clusters.emplace_back(context_, slot, w.observers);
  }

  void clone_observers(Worker& w) {
    for (std::size_t k = 0; k < prototypes_.size(); ++k) {
      if (&w == &workers_.front() && k < fresh_) {
        w.observers.push_back(prototypes_[k]);
        continue;
      }
      w.clones.push_back(prototypes_[k]->clone());
      w.observers.push_back(w.clones.back().get());
      w.observers.back()->launch_begin(info_);
    }
  }

  void finish(Worker& w, ClusterRun& cluster) {
    cluster.end();
    for (BlockRun& block : cluster.blocks())
      if (!block.output.empty()) keep_output(w, block.block_index(), std::exchange(block.output, {}));
  }

  // The number in the grid of the cluster that runs at this turn.
  [[nodiscard]] std::uint64_t cluster_at(std::uint64_t turn) const {
    const std::vector<std::uint64_t>& some = context_.options.clusters;
    return some.empty() ? turn : some[turn];
  }

  // What the blocks of a cluster have cost since they were asked last.
  Expenses::Cost cost_of(ClusterRun& cluster) const {
    const std::uint64_t share =
        context_.options.budget_work / std::max<std::uint64_t>(1, context_.config.grid.count());
    Expenses::Cost cost;
    for (BlockRun& block : cluster.blocks()) {
      if (block.work() - block.reported_work > share)
        if (const BlockRun::Loop loop = block.hottest_loop(); loop.times > cost.hottest.times)
          cost.hottest = loop;
      cost.instructions +=
          block.warp_instructions - std::exchange(block.reported_instructions, block.warp_instructions);
      cost.work += block.work() - std::exchange(block.reported_work, block.work());
    }
    return cost;
  }

  // The module is loaded anew, and tables as long as the code are laid out.
  [[nodiscard]] std::uint64_t work_of_launch() const {
    constexpr std::uint64_t kPerLaunch = 500, kBytesPerUnit = 64;
    return kPerLaunch + context_.program->variable_bytes / kBytesPerUnit + work_of_slot();
  }
  [[nodiscard]] std::uint64_t work_of_slot() const { return context_.program->code.size() / 2; }

  void report_expenses(std::uint64_t block) {
    const LaunchOptions& options = context_.options;
    const bool work = expenses_.spent().work > options.budget_work;
    const BlockRun::Loop loop = expenses_.spent().hottest;
    const auto& at = context_.handle->source(loop.pc);
    Fault f = launch_fault(
        *context_.handle, FaultKind::BudgetExceeded,
        !work ? msg("the launch ran more than {} warp instructions. Use a smaller matrix, or look for a loop "
                    "that runs too often.",
                    options.budget_instructions)
        : loop.times == 0
            ? msg("the launch did more than {} units of work (an instruction is one; memory, printing and "
                  "copying count more). Use a smaller matrix, or look for what is done too often.",
                  big(options.budget_work))
            : msg("the launch did more than {} units of work (an instruction is one; memory, printing and "
                  "copying count more). One block went {} times round the loop at {}: do its rounds do what "
                  "other rounds, or other threads, do too?",
                  big(options.budget_work), big(loop.times), line_text(at)));
    if (work && loop.times != 0) f.file = at.file, f.line = at.line, f.ptx_line = at.ptx_line;
    remember(std::move(f), block);
  }

  // Clusters, mostly of one block, that know nothing of each other: one after the other, on as many host
  // threads as there are.
  void run_apart(Worker& w) {
    clone_observers(w);
    ClusterRun& cluster = add_cluster(w);
    constexpr std::uint64_t kMostInARow = 32, kLeastTurns = 16;
    const std::uint64_t share =
        std::clamp<std::uint64_t>(clusters_ / (kLeastTurns * workers_.size()), 1, kMostInARow);
    for (;;) {
      const std::uint64_t first = next_.fetch_add(share);
      if (first >= clusters_ || !run_in_a_row(w, cluster, first, std::min(first + share, clusters_))) break;
    }
  }

  // Some of them, which are paid for together where they cost little: host threads do not wait for each other's
  // accounts. False: those behind them are not wanted.
  bool run_in_a_row(Worker& w, ClusterRun& cluster, std::uint64_t index, std::uint64_t stop) {
    const std::uint64_t most_unpaid = workers_.size() == 1 ? 0 : 1 << 16;
    std::vector<Expenses::Cost> costs;
    std::uint64_t unpaid = 0;
    const auto pay = [&] {
      const auto last = expenses_.add(index - costs.size(), costs);
      costs.clear(), unpaid = 0;
      if (last) report_expenses(*last);
    };
    try {
      while (index < stop && index <= lowest_fault_.load()) {
        cluster.begin(cluster_at(index));
        cluster.run(BlockRun::kAlone);
        finish(w, cluster);
        costs.push_back(cost_of(cluster));
        unpaid += costs.back().work;
        if (++index; unpaid > most_unpaid) pay();
      }
    } catch (FaultError& e) {
      remember(std::move(e.fault), index);
    }
    if (!costs.empty()) pay();
    return index == stop;
  }

  // Blocks that may wait for each other: as many at once as the GPU would hold, in turns, on one host thread.
  void run_together(Worker& w) {
    clone_observers(w);
    const std::uint64_t threads = context_.config.block.count();
    const std::uint64_t per_multiprocessor =
        std::clamp<std::uint64_t>(2048 / ((threads + 31) / 32 * 32), 1, 32);
    const std::uint64_t blocks = context_.config.grid.count(),
                        fit = per_multiprocessor * context_.limits.multiprocessors;
    if (context_.config.cooperative && fit < blocks) {
      remember(launch_fault(*context_.handle, FaultKind::InvalidLaunch,
                            msg("a cooperative launch needs every block at once: {} blocks, but {} fit.",
                                blocks, fit)),
               0);
      return;
    }
    const std::uint64_t resident =
        std::min(clusters_, std::max<std::uint64_t>(1, fit / context_.cluster.count()));
    std::uint64_t left = clusters_;
    std::uint64_t next = 0;
    std::uint64_t schedule = context_.options.schedule;
    const bool drawn = schedule != 0;
    // Blocks that are resident at once may begin in any order; those behind them begin in order, as on a GPU.
    std::vector<std::uint64_t> begins(drawn ? resident : 0);
    for (std::uint64_t k = 0; k < begins.size(); ++k) begins[k] = k;
    for (std::uint64_t k = begins.size(); k > 1; --k) std::swap(begins[k - 1], begins[draw(schedule) % k]);
    // One of them may be late: it gets a turn where another gets sixteen.
    const std::uint64_t late = drawn && draw(schedule) % 2 == 0 ? draw(schedule) % resident : clusters_;
    std::uint64_t acting = 0;
    try {
      while (left != 0) {
        while (next < clusters_ && turn_.size() < resident && lowest_fault_.load() == kNone) {
          std::uint32_t slot = static_cast<std::uint32_t>(w.clusters.size());
          if (!free_slots_.empty()) {
            slot = free_slots_.back();
            free_slots_.pop_back();
          } else {
            add_cluster(w);
            expenses_.spend({0, work_of_slot(), {}});
          }
          acting = next < begins.size() ? begins[next] : next;
          ++next;
          w.clusters[slot].begin(cluster_at(acting));
          turn_.push_back({slot, acting});
          // Blocks that never wait finish at once, and the next one may reuse the slot.
          if (advance(w, drawn ? 1 + draw(schedule) % 4 : 4096)) --left;
        }
        if (drawn && !turn_.empty()) std::swap(turn_.front(), turn_[draw(schedule) % turn_.size()]);
        if (drawn && !turn_.empty() && turn_.front().index == late && draw(schedule) % 16 != 0)
          std::swap(turn_.front(), turn_.back());
        if (!turn_.empty()) {
          acting = turn_.front().index;
          turn_.push_back(turn_.front());
          turn_.pop_front();
          if (advance(w, drawn ? 1 + draw(schedule) % 8 : 64)) --left;
        }
        if (lowest_fault_.load() != kNone) break;
      }
    } catch (FaultError& e) {
      remember(std::move(e.fault), acting);
    }
  }

  bool advance(Worker& w, std::uint64_t quantum) {
    const Resident last = turn_.back();
    ClusterRun& cluster = w.clusters[last.slot];
    const bool done = cluster.run(quantum);
    expenses_.spend(cost_of(cluster));
    if (expenses_.over() && !done) cluster.block(0).report_spent();
    if (expenses_.over()) report_expenses(clusters_);
    if (!done) {
      idle_turns_ = cluster.waits() ? idle_turns_ + context_.config.block.count() / kWarpLanes + 1 : 0;
      if (idle_turns_ > BlockRun::kMostIdleRounds) cluster.report_waiting();
      return false;
    }
    idle_turns_ = 0;
    turn_.pop_back();
    finish(w, cluster);
    free_slots_.push_back(last.slot);
    return true;
  }

  struct Resident {
    std::uint32_t slot;
    std::uint64_t index;
  };

  static constexpr std::uint64_t kNone = ~0ull;
  const LaunchContext& context_;
  const LaunchInfo& info_;
  std::vector<Observer*> prototypes_;
  const std::size_t fresh_;
  const std::uint64_t clusters_;
  std::deque<Worker> workers_;
  std::atomic<std::uint64_t> next_{0};
  std::atomic<std::uint64_t> lowest_fault_{kNone};
  std::exception_ptr failure_;
  Expenses expenses_;
  std::deque<Resident> turn_;  // of run_together; the last one's turn is now
  std::vector<std::uint32_t> free_slots_;
  std::uint64_t idle_turns_ = 0;  // run_together only
  std::mutex mutex_;
  std::optional<Fault> fault_;
};

}  // namespace

GridOutcome run_grid(const LaunchContext& context, const LaunchInfo& info,
                     const std::vector<Observer*>& observers, std::size_t fresh, unsigned host_threads) {
  GridRun run(context, info, observers, fresh);
  run.run(host_threads);
  return run.collect();
}

}  // namespace lab::sim
