// Lists of problems, judged side by side: the first that is wrong, the same for any number of threads.
//
// Enters: problems, in an order that the key shuffles. Leaves: the first failing Run or none, and the units
// of work that all of them cost.
#include <algorithm>
#include <atomic>
#include <iterator>
#include <numeric>
#include <tuple>

#include "common/base/threads.h"
#include "common/course/judge/source_lines.h"
#include "common/course/judge/worker.h"
#include "common/sim/base/lanes.h"
#include "common/sim/memory/memory.h"

namespace lab::judge {

namespace {

std::uint64_t warps_of(const Run& run) { return run.grid.count() * sim::warps_of(run.block.count()); }

std::uint64_t elems_of(const Run& run) {
  const TileShape& tile = run.shape.tile;
  return std::max(static_cast<std::uint64_t>(run.problem.rows * run.problem.cols),
                  run.grid.count() * static_cast<std::uint64_t>(tile.rows * tile.cols));
}

// Each warp issues more instructions than would move every element that the launch covers. Those of a right kernel are
// so many in all warps together, also where one thread alone does the work, or one lane of each warp.
bool may_take_all(const Run& run) {
  constexpr std::uint64_t kLeastWarps = 32;
  return run.shape.gpus == 1 && warps_of(run) >= kLeastWarps &&
         run.warp_instructions >= 2 * elems_of(run) * warps_of(run);
}

// Several shapes of a list show it: what a warp does grows as the matrix does. A loop of many rounds does not.
class WholeMatrix {
 public:
  void add(std::uint64_t elems, std::uint64_t instructions) {
    ++shapes_;
    if (elems < least_.first) least_ = {elems, instructions};
    if (elems > most_.first) most_ = {elems, instructions};
  }
  [[nodiscard]] bool is_shown() const {
    constexpr int kShapes = 6;
    constexpr std::uint64_t kLarger = 2;
    return shapes_ >= kShapes && most_.first >= kLarger * least_.first &&
           4 * most_.second * least_.first >= 3 * least_.second * most_.first;
  }

 private:
  int shapes_ = 0;
  std::pair<std::uint64_t, std::uint64_t> least_{~std::uint64_t{0}, 0},
      most_{};  // elements, instructions of a warp
};

}  // namespace

// A budget that the loop of one block exceeds has the simulator name that loop: file and line, 0 for none.
std::pair<std::string, int> Subject::hot_loop(const Problem& problem, const Target& target,
                                              std::uint64_t work, std::uint64_t blocks) {
  Target short_of_work = target;
  short_of_work.most_work = std::max<std::uint64_t>(1000, work / blocks / 2);
  const Run stopped = judge(worker(0), problem, short_of_work, false, 1);
  if (!stopped.over_budget()) return {};
  const auto& [file, line] = std::tie(stopped.faults.front().file, stopped.faults.front().line);
  const std::set<int> loops = loops_around(kernel_text(file), {line});  // none: that of a wait, in a header
  return loops.size() == 1 ? std::pair{file, *loops.begin()} : std::pair{file, 0};
}

Run Subject::too_much_work(const Problem& problem, const Target& target) {
  constexpr std::int64_t kMostSide = 128;  // of what is run to find the line
  Problem small = problem;
  small.rows = std::min(small.rows, kMostSide), small.cols = std::min(small.cols, kMostSide);
  const Run whole = judge(worker(0), small, target, true, 1);
  Run run;
  run.problem = problem;
  sim::Fault& fault = run.faults.emplace_back();
  fault.kind = sim::FaultKind::BudgetExceeded;
  std::tie(fault.file, fault.line) =
      hot_loop(small, target, whole.work, std::max<std::uint64_t>(1, whole.grid.count()));
  fault.message = "the launches do many times the work that a transpose needs";
  if (fault.line != 0) {
    fault.message.then(
        msg("Most of it is in the loop of line {}: is its step as long as there are threads that share the "
            "loop, does it end where the tile does, and is there no printf in it?",
            fault.line));
    return run;
  }
  const auto bytes = [](const sim::LineCounters& line) {  // of a matrix
    return sim::info(line.path).space == sim::Space::Global ? line.counters[line.path].bytes : 0;
  };
  const auto most = std::max_element(whole.lines.begin(), whole.lines.end(),
                                     [&](const auto& a, const auto& b) { return bytes(a) < bytes(b); });
  const auto needed = static_cast<std::uint64_t>(small.rows * small.cols * small.elem_bytes);
  if (most == whole.lines.end() || most->line == 0 || bytes(*most) <= 2 * needed) {
    fault.message.then(
        "Look for what is done too often: threads that take the same element, or a printf of every thread.");
    return run;
  }
  fault.file = most->file, fault.line = most->line;
  fault.message.then(
      msg("On {}, line {} moves {} bytes where the matrix has {}: each element is moved once, by one thread "
          "or by one copy.",
          describe(small), fault.line, big(bytes(*most)), big(needed)));
  return run;
}

Run Subject::named_loop(const Problem& problem, const Target& target, std::uint64_t work) {
  Run run = judge(worker(0), problem, target, false, 1);
  const auto [file, line] = hot_loop(problem, target, work, run.grid.count());
  run.each_thread_takes_all = true;
  sim::Fault& fault = run.faults.emplace_back();
  fault.kind = sim::FaultKind::BudgetExceeded;
  fault.file = file, fault.line = line;
  const auto threads = big(run.grid.count() * run.block.count());
  fault.message =
      line != 0 ? msg("the loop of line {} goes over the whole matrix in each of {} threads", line, threads)
                : msg("each of {} threads goes over the whole matrix", threads);
  fault.message.then(
      "So the work of a thread grows with the matrix, and that of all threads with its square. Let a thread "
      "take its own element, or its share of a tile: row and column come from blockIdx and threadIdx, not "
      "from a loop over rows and cols.");
  return run;
}

// The key decides, among neighbours of the list: small shapes still come first, and a kernel that never ends
// is found out there.
std::vector<std::size_t> Subject::launch_order(std::size_t count) const {
  constexpr std::size_t kNeighbours = 64;
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t begin = 1; begin < count; begin += kNeighbours) {
    for (std::size_t i = std::min(begin + kNeighbours, count) - 1; i > begin; --i) {
      const std::uint64_t drawn =
          input_key_.draw({static_cast<std::int64_t>(count), static_cast<std::int64_t>(i)});
      std::swap(order[i], order[begin + drawn % (i - begin + 1)]);
    }
  }
  return order;
}

// What one problem came to, judged ahead of its turn.
struct Subject::Tried {
  std::uint64_t work = 0;
  bool takes_all = false;  // each thread the whole matrix, as far as one shape shows it; of these:
  std::uint64_t elems = 0, of_a_warp = 0;  // instructions
  std::optional<Run> wrong;
};

Subject::Tried Subject::attempt(Worker& on, const Problem& problem, const Target& target) {
  Run run = judge(on, problem, target, false, 1);
  Tried tried{run.work,
              may_take_all(run),
              elems_of(run),
              run.warp_instructions / std::max<std::uint64_t>(1, warps_of(run)),
              {}};
  if (!run.correct()) tried.wrong = std::move(run);
  return tried;
}

std::optional<Run> Subject::first_wrong_simulated(std::span<const Problem> problems, const Target& target) {
  const std::size_t threads =
      std::min<std::size_t>(host_threads_, std::max<std::size_t>(1, problems.size() / 4));
  const std::vector<std::size_t> order = launch_order(problems.size());
  std::map<std::size_t, Tried> ahead;  // by turn
  if (threads > 1) ahead = try_ahead(problems, target, order, threads);
  // One after the other, as one thread would: how many there are changes neither verdict nor budget.
  std::size_t failed = problems.size();
  std::optional<Run> first;
  WholeMatrix whole;
  for (std::size_t turn = 0; turn < problems.size(); ++turn) {
    const std::size_t i = order[turn];
    if (i >= failed) continue;  // behind the first failure that is known
    if (spent_ > kMostWork) return first ? std::move(first) : too_much_work(problems[i], target);
    const auto known = ahead.find(turn);
    Tried tried = known != ahead.end() ? std::move(known->second) : attempt(worker(0), problems[i], target);
    spent_ += tried.work;
    if (tried.wrong && tried.wrong->over_budget() && tried.wrong->faults.front().line == 0)
      tried.wrong = too_much_work(problems[i], target);
    if (tried.takes_all) whole.add(tried.elems, tried.of_a_warp);
    if (whole.is_shown() && !first) return named_loop(problems[i], target, tried.work);
    if (!tried.wrong) continue;
    failed = i;
    first = std::move(tried.wrong);
  }
  return first;
}

// Judges side by side, and stops early when something is wrong or the budget is spent.
std::map<std::size_t, Subject::Tried> Subject::try_ahead(std::span<const Problem> problems,
                                                         const Target& target,
                                                         const std::vector<std::size_t>& order,
                                                         std::size_t threads) {
  std::atomic<std::size_t> next{0}, failed{problems.size()};
  std::atomic<std::uint64_t> spent{spent_};
  std::atomic<bool> whole_matrix{false};
  WholeMatrix whole;
  std::map<std::size_t, Tried> tried;
  std::mutex lock;
  std::exception_ptr thrown;
  const auto work = [&](Worker& on) {
    try {
      for (std::size_t n = next++; n < problems.size() && spent <= kMostWork && !whole_matrix; n = next++) {
        const std::size_t i = order[n];
        if (i >= failed) continue;
        Tried one = attempt(on, problems[i], target);
        spent += one.work;
        const std::lock_guard guard(lock);
        if (one.takes_all) whole.add(one.elems, one.of_a_warp);
        whole_matrix = whole.is_shown();
        if (one.wrong && i < failed) failed = i;
        tried.emplace(n, std::move(one));
      }
    } catch (...) {
      const std::lock_guard guard(lock);
      if (!thrown) thrown = std::current_exception();
      failed = 0;
    }
  };
  worker(threads - 1);  // all workers exist before any thread starts
  base::Threads others;
  for (std::size_t t = 1; t < threads; ++t) others.start([&work, on = workers_[t].get()] { work(*on); });
  work(*workers_[0]);
  others.join();
  if (thrown) std::rethrow_exception(thrown);
  return tried;
}

std::optional<Run> Subject::first_wrong(std::span<const Problem> problems, const Target& target) {
  const auto same = [&](const auto& known) {
    return known.first == target.entry &&
           std::equal(known.second.begin(), known.second.end(), problems.begin(), problems.end());
  };
  if (std::any_of(right_lists_.begin(), right_lists_.end(), same)) return std::nullopt;
  std::optional<Run> wrong = gpu_.alone ? first_wrong_on_gpu(problems, target)
                                        : compared(first_wrong_simulated(problems, target), problems, target);
  if (!wrong && gpu_.alone && gpu_.device) {  // what it has too few GPUs for, the simulator judges
    std::vector<Problem> others;
    std::copy_if(problems.begin(), problems.end(), std::back_inserter(others),
                 [&](const Problem& p) { return !fits_gpu(p); });
    wrong = first_wrong_simulated(others, target);
  }
  if (!wrong) right_lists_.emplace_back(target.entry, std::vector<Problem>(problems.begin(), problems.end()));
  return wrong;
}

bool Subject::fits_gpu(const Problem& problem) const { return problem.gpus <= gpu_.device->gpus(); }

}  // namespace lab::judge
