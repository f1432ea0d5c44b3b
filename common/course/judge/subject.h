// A kernel file under examination: compiled, loaded, ready to run on any problem.
//
// Enters: PTX text of one kernel file. Leaves: Runs. Counted runs are kept, so that several cases may ask for
// the same one. Lists of problems are spread over host threads, each with its own device.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common/course/judge/element_path.h"
#include "common/course/judge/exchange.h"
#include "common/course/judge/input_key.h"
#include "common/course/judge/rare_choices.h"
#include "common/course/judge/target.h"
#include "common/course/judge/watched.h"

namespace lab::judge {

enum class Blocks : std::uint8_t;  // sample_trial.h
struct Worker;                     // worker.h

// What `table` gives back: a small kernel that fills one array of integers.
struct Table {
  std::vector<sim::Fault> faults;
  std::vector<std::int32_t> values;
  std::vector<bool> written;  // which of them the kernel wrote
};

// A GPU beside the simulator. Counters always come from the simulator.
struct GpuSide {
  std::shared_ptr<device::Device> device;  // null: the simulator alone
  std::string cubin;                       // may be empty: then the driver compiles the PTX
  bool alone = false;  // results come from the GPU only; else both devices must come to the same
};

// One block of a matrix, by its place in the grid.
struct NamedBlock {
  Problem problem;
  std::uint64_t x = 0, y = 0;
};

// What decides the inputs besides the kernel.
struct Inputs {
  std::string key{kPracticeKey};
  std::optional<Problem> only;  // this problem alone is judged: to repeat a failure
  std::string drawn_by{};       // takes the kernel's place where inputs are drawn; "": its PTX
  std::string exam{};           // whose tables (17) and pages (18) the file answers; "": the key's own
  [[nodiscard]] const std::string& exam_key() const { return exam.empty() ? key : exam; }
};

// Units of work (sim/program/work.h) that a kernel may cost in all its launches: nearly twice what the
// dearest solution needs (chapter 07: 144 million; the dearest kernel in tests/mutants/right: 131 million).
// Each launch has its own budget besides.
inline constexpr std::uint64_t kMostWork = 270'000'000;

class Subject {
 public:
  // Throws device::LoadError when the PTX cannot be loaded.
  explicit Subject(std::string ptx, unsigned host_threads = 0, GpuSide gpu = {}, Inputs inputs = {});
  ~Subject();
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;

  [[nodiscard]] std::vector<std::string> entries() const;
  // "" when the entry takes what the target gives it, else a whole sentence. Throws LoadError.
  [[nodiscard]] Message signature_problem(const Target& target);
  // The entry with the arguments that it takes: the course's standard, or with pitches.
  [[nodiscard]] Target target_of(const std::string& entry);
  [[nodiscard]] const std::string& ptx() const { return ptx_; }
  // The module's own words; throws ShapeError with a whole sentence when they make no sense.
  // LAUNCH_SHAPE_OF(entry) where the file has one, else LAUNCH_SHAPE.
  [[nodiscard]] const LaunchShape& launch_shape(const std::string& entry = "transpose");
  [[nodiscard]] Predictions predictions() const;  // all zero when the file has none
  // FINDING_OF(entry), and SEAT: nothing said and 0 where the file has none. Throws ShapeError.
  [[nodiscard]] Finding finding(const std::string& entry) const;
  [[nodiscard]] int seat() const;
  [[nodiscard]] const InputKey& input_key() const { return input_key_; }
  [[nodiscard]] const InputKey& shape_key() const { return shape_key_; }
  [[nodiscard]] const Inputs& inputs() const { return inputs_; }

  // Counted runs say how many lanes stand side by side in rows (RowRuns): for chapters that ask.
  void follow_rows() { follows_rows_ = true; }
  // Runs and judges, with counters. The first call per problem and entry runs, later ones return the same
  // Run. A Target with its own `arguments` or `shape` should have an entry name of its own to be
  // distinguished.
  const Run& run(const Problem& problem, const Target& target = {});
  // The same of a shape that was drawn: of a large one some blocks run, where these stand for all
  // (sample_trial.h). It is watched as far as something is asked of it: has_costs(), and with `exchange`
  // follows_values().
  const Run& drawn(const Problem& problem, const Target& target, bool exchange);
  // Some blocks that are right there, wherever they write; none: they do not stand for the launch. No shape
  // is too large. Throws std::bad_alloc where the address space ends.
  [[nodiscard]] const std::optional<Run>& some_blocks(const Problem& problem, const Target& target);
  // Whether each of some blocks anywhere writes the tile at its own place.
  [[nodiscard]] bool blocks_write_their_own(const Problem& problem, const Target& target);
  // Fewer elements, and strips that are nothing but edge, are asked for results alone.
  static constexpr std::int64_t kLeastElems = 256;
  [[nodiscard]] static bool has_costs(const Problem& problem);
  [[nodiscard]] bool follows_values(const Problem& problem, const Target& target);
  const ExchangeFindings& exchange_of_drawn(const Problem& problem, const Target& target);
  // The same launch once more for one observer, to be looked at; nothing is kept of it.
  Run observed(const Problem& problem, const Target& target, sim::Observer& observer);
  // The same where the observer judges: in a world of the key, as counted launches are.
  Run judged(const Problem& problem, const Target& target, sim::Observer& observer);
  // One block in `of`, those whose number leaves `rest`. False: they do not stand for the launch.
  struct Every {
    std::uint64_t of = 1, rest = 0;
  };
  [[nodiscard]] bool judged_in(const Every& blocks, const Problem& problem, const Target& target,
                               sim::Observer& observer);
  // The same run, watched element by element: which thread wrote what another thread had loaded.
  const ExchangeFindings& exchange(const Problem& problem, const Target& target = {});
  // `measured`, then a wide and a high shape that the key draws for this kernel: sides are multiples of 128,
  // and of the kernel's own tile where that is a larger power of two.
  [[nodiscard]] std::vector<Problem> measured_shapes(const Problem& measured, const std::string& entry);
  // The shapes of all kinds on which everything is asked (sample_shapes.cpp), with elements as `like`; where
  // that has several GPUs, on two to eight by turns.
  [[nodiscard]] std::vector<Problem> sample(const Problem& like, const std::string& entry);
  // A block that the kernel's own comparisons name, and that is wrong (named_blocks.cpp).
  [[nodiscard]] std::optional<NamedBlock> wrong_at_named(const Problem& like, int row_bytes,
                                                         const Target& target);
  // Shapes on which a branch goes a way that it went in no counted run so far; drawn when it is first asked.
  const std::vector<Problem>& other_ways(const Problem& like, int row_bytes, const Target& target);
  // Shapes that several goals ask: made once.
  const std::vector<Problem>& once(const std::string& name,
                                   const std::function<std::vector<Problem>()>& make) {
    const auto [kept, is_new] = kept_shapes_.try_emplace(name);
    if (is_new) kept->second = make();
    return kept->second;
  }
  // Longer than any of these: a long row, a long column, and both ways. Some of their blocks are asked for.
  [[nodiscard]] std::vector<Problem> far_sample(const Problem& like, const std::string& entry);
  // Nearly square and up to half a million elements, and two long ones: for launches that run whole and are
  // not counted.
  [[nodiscard]] std::vector<Problem> whole_sample(const Problem& like);
  // Wide and high ones by turns, up to 64 × 600: short sides lie evenly over their class.
  [[nodiscard]] std::vector<Problem> strips() const;
  // A few shapes with any sides up to 300.
  [[nodiscard]] std::vector<Problem> drawn_shapes() const;
  // Judges many problems without counters, side by side, in an order that the key decides; stops early after
  // a failure. Returns the first failing one in the order of the list, or none when all are right.
  // A list that was right once is not run again.
  std::optional<Run> first_wrong(std::span<const Problem> problems, const Target& target = {});
  // What was seen in that run: `run` comes first, if it has not. A drawn shape is run once more for it.
  const Watched& watched(const Problem& problem, const Target& target = {}, bool drawn = false);
  // On which lines the element travels that belongs at this place of `out`: the launch runs again.
  ElementLines lines_of_element(const Problem& problem, const Target& target, const Mismatch& at);
  // How often PTX was loaded and problems were run: a check does each of them once.
  struct Work {
    int loads = 0, counted_runs = 0;
    std::uint64_t units = 0;  // sim/program/work.h
  };
  [[nodiscard]] Work work() const { return {work_.loads, work_.counted_runs, spent_}; }
  // Shapes that ran on the GPU; and what went wrong with the GPU itself, a whole sentence: from then on it is
  // left alone.
  [[nodiscard]] int gpu_shapes() const { return gpu_shapes_; }
  [[nodiscard]] const Message& gpu_problem() const { return gpu_problem_; }
  // Launches `entry(int* out, ints...)` with one array of `count` ints. The same question is answered once.
  const Table& table(const std::string& entry, device::Dim3 grid, device::Dim3 block, std::int64_t count,
                     std::span<const std::int64_t> integers = {});

 private:
  LaunchShape shape_or_none(const Target& target);
  using TableKey = std::pair<std::string, std::vector<std::int64_t>>;  // entry; sizes and arguments
  Table make_table(const std::string& entry, device::Dim3 grid, device::Dim3 block, std::int64_t count,
                   std::span<const std::int64_t> integers);
  Worker& worker(std::size_t index);
  std::optional<Run> first_wrong_simulated(std::span<const Problem> problems, const Target& target);
  struct Tried;
  Tried attempt(Worker& on, const Problem& problem, const Target& target);
  std::pair<std::string, int> hot_loop(const Problem& problem, const Target& target, std::uint64_t work,
                                       std::uint64_t blocks);
  // A run that was not begun: the budget is spent.
  Run too_much_work(const Problem& problem, const Target& target);
  Run named_loop(const Problem& problem, const Target& target, std::uint64_t work);
  std::map<std::size_t, Tried> try_ahead(std::span<const Problem> problems, const Target& target,
                                         const std::vector<std::size_t>& order, std::size_t threads);
  [[nodiscard]] bool fits_gpu(const Problem& problem) const;  // there are so many GPUs
  std::optional<Run> first_wrong_on_gpu(std::span<const Problem> problems, const Target& target);
  std::optional<Run> compared(std::optional<Run> simulated, std::span<const Problem> problems,
                              const Target& target);
  Run judge(Worker& on, const Problem& problem, const Target& target, bool count, unsigned host_threads);
  Run with_second_launch(Run first, Worker& on, const Target& target);
  void note_ways(const std::string& entry, const BlockWatch& watch);
  void spread_over_gpus(std::span<Problem> shapes) const;
  // Some blocks where these stand for all, else the whole launch; with the observers that `watch` makes anew.
  enum class Follow : std::uint8_t { All, SomeBlocks };  // values
  using Watching = std::function<Target(Follow)>;
  std::optional<Run> run_some_blocks_of(const Problem& problem, const Target& target,
                                        std::span<const Blocks> ways);
  Run judge_drawn(Worker& on, const Problem& problem, const Target& target, const Watching& watch);
  [[nodiscard]] std::vector<std::size_t> launch_order(std::size_t count) const;
  std::string ptx_;
  Inputs inputs_;
  InputKey input_key_;
  InputKey shape_key_;  // of sample()
  unsigned host_threads_;
  GpuSide gpu_;
  bool follows_rows_ = false;
  int gpu_shapes_ = 0;
  Message gpu_problem_;
  std::optional<Run> gpu_endless_;
  std::unique_ptr<Worker> gpu_worker_;  // made when it is needed
  std::vector<std::unique_ptr<Worker>> workers_;
  std::map<std::string, LaunchShape> shapes_;  // by entry, as they are asked for
  std::mutex shapes_lock_;
  Predictions predictions_;
  struct Counted {
    Run run;
    std::optional<Watched> watched;            // of drawn shapes only when it was asked for
    std::optional<ExchangeFindings> exchange;  // where it was asked for
  };
  struct Asked {
    bool drawn = false, watched = true, exchange = false;
  };
  const Counted& counted(const Problem& problem, const Target& target, const Asked& asked);
  using CountedKey = std::tuple<std::string, Problem, bool>;  // entry, problem, large and drawn
  std::map<CountedKey, Counted> runs_;
  std::multimap<CountedKey, Counted> replaced_;  // runs made anew: callers still hold references to these
  std::map<std::pair<std::string, Problem>, std::optional<Run>> far_runs_;  // by entry and problem
  Work work_;
  std::uint64_t spent_ = 0;       // units of work, over all launches
  std::int64_t whole_elems_ = 0;  // of drawn shapes that were run whole, although they are large
  bool large_ran_whole_ = false;  // and one of them beyond that, so that a counter is seen far up
  struct BranchWays {
    Ways ways;
    const sim::Program* program = nullptr;
  };
  std::map<std::string, BranchWays> ways_;                  // by entry, of counted runs
  std::map<std::string, std::vector<Problem>> other_ways_;  // by entry
  std::map<std::string, std::vector<Problem>> kept_shapes_;
  const std::vector<RareChoice>& rare_choices_of(const Problem& like, int row_bytes, const Target& target);
  std::map<std::string, std::vector<RareChoice>> rare_choices_;  // by entry
  std::map<TableKey, Table> tables_;
  std::vector<std::pair<std::string, std::vector<Problem>>> right_lists_;  // by entry
};

// A tenth of small_shapes(), which the key draws for this kernel: what sides leave over of tiles, warps and
// vectors occurs in all its pairs.
[[nodiscard]] std::vector<Problem> sampled_shapes(const InputKey& key, int elem_bytes);
// One of `of` neighbours in the list, which the key draws. Parts that differ in `which` alone have none in
// common, and all of them together are the list.
struct Part {
  std::size_t of = 3, which = 0;
};
[[nodiscard]] std::vector<Problem> a_part_of(std::span<const Problem> problems, const InputKey& key,
                                             Part part);

}  // namespace lab::judge
