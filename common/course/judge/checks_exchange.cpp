// What a case can say of shared memory, element by element: is it handed on there, and is all of it used.
//
// Enters: the smallest measured shape, watched once (exchange.h). Leaves: reasons.
#include <fmt/core.h>

#include <utility>

#include "common/course/judge/checks.h"
#include "common/course/judge/reasons.h"
#include "common/sim/memory/memory.h"

namespace lab::judge {
namespace {

// Not a measured shape: these end with squares of 128, or with whole tiles.
bool ragged(const Run& run) {
  const Problem& p = run.problem;
  const TileShape tile = covered_at_once(run.shape);
  const auto ends = [](std::int64_t side, int of) {
    return side % 128 != 0 && (of <= 128 || side % of != 0);
  };
  return ends(p.rows, tile.rows) || ends(p.cols, tile.cols);
}

// Three quarters: what geometry leaves to a thread itself is less (docs/trust.md). Half where the matrix ends
// inside of tiles: a rest of a few rows stays with the thread that read it.
std::uint64_t to_exchange(const ExchangeFindings& found, const Run& run) {
  return found.written - found.written / (ragged(run) ? 2 : 4);
}

// So much of all that is written may come from blocks that exchange less: rests at the edges.
std::uint64_t most_kept(const ExchangeFindings& found) { return found.written / 16; }

bool enough(const ExchangeFindings& found, const Run& run) {
  return found.written != 0 && found.exchanged >= to_exchange(found, run);
}

// Unused room keeps other blocks away from the multiprocessor. Seven eighths of it may be for
// padding, and for tiles that are still to come.
std::uint64_t least_used(const Run& run) {
  constexpr std::uint64_t kSmall = 4096;
  return run.shared_bytes <= kSmall ? 0 : run.shared_bytes / 8;
}

bool every_word_held(const ExchangeFindings& found) { return 4 * found.element_words >= found.element_span; }

Reason unused_shared(const Run& run, const ExchangeFindings& found, std::uint64_t goal) {
  Reason reason;
  reason.code = "unused-shared";
  reason.message = msg("A block has {} bytes of shared memory and stores to {} of them.",
                       big(run.shared_bytes), big(4 * found.shared_words));
  reason.figures.push_back({"shared bytes used", 4 * found.shared_words, goal});
  return reason;
}

Reason too_little_exchanged(const ExchangeFindings& found, const Problem& problem) {
  Reason reason;
  reason.code = "not-exchanged";
  reason.message =
      msg("shape {}: {} of {} elements of `out` were written by a thread that had loaded them from shared "
          "memory, where another thread had stored them. The tile is there to hand elements from thread to "
          "thread.",
          describe(problem), big(found.exchanged), big(found.written));
  reason.file = found.file;
  reason.line = found.line;
  return reason;
}

}  // namespace

Check::ExchangeRun Check::exchange_run() {
  Target target;
  target.entry = chapter_.entry;
  return exchange_run(subject_.measured_shapes(chapter_.measured, target.entry).back(), target);
}

Check::ExchangeRun Check::exchange_run(const Problem& problem, const Target& target) {
  const ExchangeFindings& found = subject_.exchange(problem, target);  // first: it counts in the same run
  return {problem, found, subject_.run(problem, target)};
}

void Check::exchanged() { exchanged(exchange_run()); }
void Check::exchanged(const Problem& problem, const Target& target) {
  exchanged(exchange_run(problem, target));
}

void Check::exchanged(const ExchangeRun& watched) {
  ++statements_;
  const auto& [problem, found, run] = watched;
  if (!run.correct()) return fail(why_wrong(run));
  // Where the matrix ends inside of tiles, some blocks have a column or two, and little to exchange.
  const bool by_blocks = enough(found, run) && !ragged(run) && found.kept > most_kept(found);
  if (enough(found, run) && !by_blocks) {
    const std::uint64_t used = ragged(run) ? 0 : least_used(run);
    if (4 * found.shared_words < used) fail(unused_shared(run, found, used));
    return;
  }
  const std::uint64_t goal = to_exchange(found, run);
  Reason reason = too_little_exchanged(found, problem);
  if (by_blocks)
    reason.message = msg(
        "shape {}: {} of {} elements of `out` were written by blocks in which less than three quarters of "
        "them had been stored to shared memory by another thread. Some blocks use the tile, others do not.",
        describe(problem), big(found.kept), big(found.written));
  if (by_blocks)
    reason.figures.push_back({"elements of blocks that exchange too little", found.kept, most_kept(found)});
  else
    reason.figures.push_back({"elements exchanged", found.exchanged, goal});
  fail_on(run, std::move(reason));
}

void Check::exchanged_in(const ExchangeFindings& found, const Run& run, std::uint64_t apart) {
  if (2 * found.exchanged + apart >= found.written) return;
  Reason reason = too_little_exchanged(found, run.problem);
  reason.figures.push_back({"elements exchanged", found.exchanged, (found.written - apart) / 2});
  fail_on(run, std::move(reason));
}

void Check::shared_all_used() {
  ++statements_;
  const auto& [problem, found, run] = exchange_run();
  if (!run.correct()) return fail(why_wrong(run));
  if (found.element_span != 0 && every_word_held(found)) return;
  fail(unused_shared(run, found, found.element_span));
}

void Check::every_word_used(const ExchangeFindings& found, const Run& run) {
  if (every_word_held(found)) return;
  Reason reason = unused_shared(run, found, found.element_span);
  reason.message = msg("{}: {}", msg("shape {}", describe(run.problem)), reason.message);
  reason.problem = run.problem;
  fail(std::move(reason));
}

// What counts is where elements ever lay. Flags, counters and mbarriers beside it are free.
void Check::shared_bytes_at_most(const Run& run, std::uint32_t bound, const Message& why) {
  constexpr std::uint64_t kFree = 256;
  ++statements_;
  if (!run.correct()) return fail(why_wrong(run));
  if (run.shared_bytes <= bound) return;
  const std::uint64_t span = chapter_.exchanges ? exchange_run().found.element_span : 0;
  if (span != 0 && span <= bound && run.shared_bytes - span <= kFree) return;
  Reason reason;
  reason.code = "too-much-shared";
  reason.message = "A block takes more shared memory than this idea needs.";
  reason.message.line(why);
  reason.figures.push_back({"shared bytes per block", run.shared_bytes, bound});
  fail(std::move(reason));
}

}  // namespace lab::judge
