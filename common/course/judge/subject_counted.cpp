// Runs that are counted: which blocks of a launch run, and what watches them.
//
// Enters: a problem and what is asked of it. Leaves: the Run, remembered with what its observers saw. A run
// that is asked more later is made anew. Large launches of the sample are stood for by some of their blocks.
#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <utility>

#include "common/course/judge/open_world.h"
#include "common/course/judge/pattern.h"
#include "common/course/judge/sample_trial.h"
#include "common/course/judge/share.h"
#include "common/course/judge/subject.h"
#include "common/course/judge/trial.h"
#include "common/course/judge/verify.h"
#include "common/course/judge/worker.h"

namespace lab::judge {

const Run& Subject::run(const Problem& problem, const Target& target) {
  return counted(problem, target, {}).run;
}

const Watched& Subject::watched(const Problem& problem, const Target& target, bool drawn) {
  return *counted(problem, target, {.drawn = drawn}).watched;
}

ElementLines Subject::lines_of_element(const Problem& problem, const Target& target, const Mismatch& at) {
  ElementPath path(problem, words_for(problem, input_key_), at.row, at.col, at.batch);
  Target watched = target;
  watched.observers = {&path};
  watched.placed = [&](device::Address out, std::uint64_t /*bytes*/, device::Address in) {
    path.lies(out, in);
  };
  (void)judge(worker(0), problem, watched, true, 1);
  return path.lines();
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
  constexpr std::int64_t kFew = 1 << 14, kLargeBlock = 4 * 64 * 64, kHugeBlock = 1 << 16;
  const std::int64_t elems = p.batch * p.rows * p.cols;
  if (std::min(p.rows, p.cols) < kLeastFollowedSide) return false;
  if (elems <= kMostWhole || p.gpus > 1) return elems <= kFew;
  const TileShape tile = covered_at_once(shape_or_none(target));
  // Single bytes are distinguished over all passes, and drawn blocks run in one: a thread that loads many bytes
  // has every value.
  constexpr std::int64_t kBytesOfThread = 64;
  const std::int64_t threads = std::max(1, shape_or_none(target).block.x * shape_or_none(target).block.y);
  if (p.elem_bytes == 1 && std::int64_t{tile.rows} * tile.cols > kBytesOfThread * threads) return false;
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
      : rows_wanted_(rows),
        links_wanted_(links),
        exchange_wanted_(exchange),
        problem_(problem),
        target_(target) {
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
      if (!links_wanted_) blocks.matrices_are({out, out + bytes}, {in, in + problem_.in_bytes()});
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
      exchange.elements_are(
          [cipher = words_for(p, key)](std::span<std::uint32_t> words) { cipher.numbers(words); },
          words_in(p));
  }
  bool rows_wanted_, links_wanted_, exchange_wanted_;
  Problem problem_;
  Target target_;
};

// Strips, which are asked for results alone, count by what their tiles cover: most of it is outside.
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
  const CountedKey key{target.entry, problem, large};
  const auto found = runs_.find(key);
  const bool known = found != runs_.end();
  if (known && (!asked.exchange || found->second.exchange) && (!asked.watched || found->second.watched))
    return found->second;
  const auto kept = [&](Counted made) -> const Counted& {
    replaced_.insert(runs_.extract(key));
    return runs_.emplace(key, std::move(made)).first->second;
  };
  if (spent_ > kMostWork) return kept({too_much_work(problem, target), Watched{}, ExchangeFindings{}});
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
  // Starting a thread, and a second set of observers, costs as much as it spares.
  const unsigned threads = asked.drawn && words_in(problem) <= kMostWhole ? 1 : host_threads_;
  Run run = large    ? judge_drawn(worker(0), problem, target, watch_anew)
            : counts ? judge(worker(0), problem, watch_anew(Follow::All), true, threads)
                     : judge(worker(0), problem, target, false, threads);
  ++work_.counted_runs;
  if (run.over_budget() && run.faults.front().line == 0) run = too_much_work(problem, target);
  if (!asked.drawn) spent_ += run.work;  // each of the drawn ones has a bound of its own
  if (gpu_.device && !gpu_.alone && run.correct() && !large) {
    if (std::optional<Run> other = compared(std::nullopt, {&problem, 1}, target))
      run.mismatch = other->mismatch;
  }
  Counted result{std::move(run), std::nullopt, std::nullopt};
  if (watchers) {
    note_ways(target.entry, watchers->blocks);
    const bool one_pass = result.run.sampled;
    result.run.blocks =
        watchers->blocks.findings().of_one(one_pass ? 1 : static_cast<std::uint64_t>(passes(problem)));
    if (result.run.blocks.writes_beside)
      result.run = with_second_launch(std::move(result.run), worker(0), target);
    if (target.task != nullptr) result.run.blocks.one_word = {};  // a sum may well be what lies in one word
    if (rows) result.run.rows = watchers->rows.findings();
    result.run.links = watchers->links.findings();
    if (asked.watched) result.watched = watchers->watch.seen();
    if (exchange) result.exchange = watchers->exchange.findings();
  }
  return kept(std::move(result));
}

// What a kernel stores beside the matrices stays there for the next launches, which have to be right with it:
// on the same matrix, on some others, small ones, and on this one again.
Run Subject::with_second_launch(Run first, Worker& on, const Target& target) {
  constexpr std::int64_t kMost = 1 << 20, kMostOfOthers = 64;
  constexpr std::uint64_t kLeastOthers = 4, kMoreOthers = 6;
  const Problem& p = first.problem;
  if (first.sampled || !first.correct() || p.gpus > 1 || p.batch * p.rows * p.cols > kMost) return first;
  Target again = target;
  again.again = true, again.checked = false, again.observers.clear();
  std::vector<Problem> launches{p};
  const std::uint64_t others = kLeastOthers + input_key_.draw({0x6c61756e, p.rows, p.cols}) % kMoreOthers;
  for (std::uint64_t k = 0; k < others && p.batch == 1 && p.in_pitch() == p.cols && p.out_pitch() == p.rows;
       ++k) {
    const auto side = [&](std::int64_t which,
                          std::int64_t of) {  // ends as the other does, in tiles and packs
      const auto drawn = static_cast<std::int64_t>(
          input_key_.draw({0x6c61756e, p.rows, p.cols, static_cast<std::int64_t>(k), which}));
      return std::max<std::int64_t>(1, of % 32 + 32 * (std::abs(drawn) % (kMostOfOthers / 32)));
    };
    Problem other = p;
    other.rows = side(0, p.rows), other.cols = side(1, p.cols);
    if (other.rows % 32 == 0 && other.cols % 32 == 0) other.rows += 32;
    launches.push_back(other);
  }
  launches.push_back(p);
  for (const Problem& next : launches) {
    Run later = judge(on, next, again, false, 1);
    if (later.correct()) continue;
    const Message wrong = later.faults.empty() ? later.mismatch->message : later.faults.front().sentence();
    first.mismatch = later.mismatch.value_or(Mismatch{});
    first.mismatch->code = "second-launch";
    first.mismatch->message =
        &next == &launches.front()
            ? msg("{}\nThat is in a second launch on the same matrix, which finds in device memory what the "
                  "first one left there. Let the last block put counters and flags back.",
                  wrong)
            : msg("{}\nThat is in launch {} of several, one after the other on matrices of other sizes; this "
                  "one is {}. It finds in device memory what earlier ones left there. Let the last block put "
                  "counters and flags back, and keep nothing that only one matrix has.",
                  wrong, (&next - launches.data()) + 2, describe(next));
    return first;
  }
  return first;
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

// Races are looked for in the first ones that run whole, and not in longer ones: where each element goes
// through an atomic in device memory, a million of them take seconds.
Run Subject::judge_drawn(Worker& on, const Problem& problem, const Target& target, const Watching& watch) {
  constexpr std::int64_t kMostChecked = 2'000'000;
  bool checked = true;
  try {
    const LaunchShape shape = target.shape ? *target.shape : launch_shape(target.entry);
    const std::int64_t elems = problem.batch * problem.rows * problem.cols;
    const bool picked = shape_key_.draw({0x7069636b, problem.rows, problem.cols}) % 4 == 0,
               first_large = elems > kMostWholeOfAll && !large_ran_whole_,
               whole = first_large || whole_elems_ + elems <= kMostWholeOfAll + (picked ? kMostPicked : 0);
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
    checked = std::max(elems, whole_elems_) <= kMostChecked;
    if (first_large)
      large_ran_whole_ = true;
    else
      whole_elems_ += elems;
  } catch (const std::exception&) {
    // The whole launch says what is wrong.
  }
  Target whole_launch = watch(Follow::SomeBlocks);
  whole_launch.checked = whole_launch.checked && checked;
  return judge(on, problem, whole_launch, true, host_threads_);
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
    note_ways(target.entry, watchers.blocks);
    return some.run;
  }
  return std::nullopt;
}

const ExchangeFindings& Subject::exchange(const Problem& problem, const Target& target) {
  return *counted(problem, target, {.exchange = true}).exchange;
}

}  // namespace lab::judge
