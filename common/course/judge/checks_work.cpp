// What a case can say of how the work is divided: blocks and warps that do none, and how many
// lanes stand side by side in the rows of both matrices.
//
// Enters: counted runs (block_watch.h). Leaves: reasons.
#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "common/course/judge/checks.h"
#include "common/course/judge/reasons.h"
#include "common/sim/memory/memory.h"

namespace lab::judge {
namespace {

// A warp of eight may have another job, and rests of tiles at the edges leave some with little.
constexpr std::uint64_t kMostIdle = 8;

Reason idle_blocks(const Run& run, const TileShape& covered) {
  Reason reason;
  reason.code = "idle-blocks";
  reason.message =
      msg("shape {}: {} of {} blocks write nothing. .tile is smaller than what one block covers, so there "
          "are too many of them.",
          describe(run.problem), big(run.blocks.idle_blocks), big(run.grid.count()));
  if (covered.rows != 0)
    reason.message.line(
        msg("One block writes {0} rows and {1} columns of `in`: make it .tile = {{{0}, {1}}}.", covered.rows,
            covered.cols));
  reason.figures.push_back({"blocks launched", run.grid.count(), run.grid.count() - run.blocks.idle_blocks});
  return reason;
}

Reason idle_warps(const Run& run, std::uint64_t most) {
  Reason reason;
  reason.code = "idle-threads";
  reason.message =
      msg("shape {}: {} of {} warps have next to no part in what their block moves. They take room on a "
          "multiprocessor that others could use: make .block smaller, or give every warp its share.",
          describe(run.problem), big(run.blocks.idle_warps), big(run.blocks.warps));
  reason.figures.push_back({"idle warps", run.blocks.idle_warps, most});
  return reason;
}

// What the warps issue, as if every lane were active: an idle lane takes the place of a busy one.
std::uint64_t issued(const Run& run) {
  return (run.warp_instructions + run.blocks.more_issues) * sim::kWarpLanes;
}

Reason many_instructions(const Run& run, std::uint64_t bound) {
  Reason reason;
  reason.code = "many-instructions";
  reason.message =
      msg("shape {}: {} instructions are issued for each element, lanes that idle in them counted. Most of "
          "them move nothing: what are they for?",
          describe(run.problem), big(issued(run) / std::max<std::uint64_t>(1, run.share.elems)));
  reason.figures.push_back({"instructions issued, by lanes", issued(run), bound});
  return reason;
}

// For 32 elements: four waits of a warp, and a microsecond for 1,024 of a small tile. Right kernels have
// one wait at most, where each thread moves one element, and where nothing is handed on none needs a fence; a
// pause while a thread polls is far below, too.
constexpr std::uint64_t kRowElems = 32, kWaits = 4, kWaitsWithoutExchange = 2, kSleep = 32;

// A warp that looks at a word again, and does nothing else, waits too.
std::uint64_t waits(const Run& run) { return run.blocks.waits + run.blocks.one_word.polls; }

Reason many_waits(const Run& run, std::uint64_t most) {
  const std::uint64_t elems = std::max<std::uint64_t>(1, run.share.elems), covered = run.share.covered;
  Reason reason;
  reason.code = "many-waits";
  reason.message = msg(
      "shape {}: for each 32 elements warps wait {} times at barriers and fences, and the block sleeps {} "
      "nanoseconds. Who waits moves nothing: a barrier stands between the stores to a tile and the loads "
      "from it, and one before the tile is used again.",
      describe(run.problem), big(waits(run) * kRowElems / elems), big(run.blocks.slept * kRowElems / elems));
  if (run.blocks.slept * kRowElems > covered * kSleep)
    reason.figures.push_back({"nanoseconds slept", run.blocks.slept, covered * kSleep / kRowElems});
  else
    reason.figures.push_back({"waits of warps", waits(run), covered * most / kRowElems});
  return reason;
}

// A GPU does these one after the other. Measured on an H200 (8192 × 8192, a tile of 32 × 32 a block): with one printf
// of a block a launch takes 1.7 times as long, with four 3.7 times, with one malloc and free 480 times. One printf of a
// block is for finding a fault.
constexpr std::uint64_t kPrintsOfAllocation = 256;

std::optional<Reason> many_calls(const Run& run) {
  const std::uint64_t prints = run.blocks.prints, allocations = run.blocks.allocations;
  if (prints + allocations * kPrintsOfAllocation <= run.grid.count()) return std::nullopt;
  Reason reason;
  reason.code = "many-waits";
  reason.message = msg(
      "shape {}: threads call printf {} times, malloc and free {} times, and there are {} blocks. A GPU does "
      "such calls one after the other: take them out, or let one thread of a block print.",
      describe(run.problem), big(prints), big(allocations), big(run.grid.count()));
  reason.figures.push_back({"calls of printf, malloc and free", prints + allocations, run.grid.count()});
  return reason;
}

// Loads, or stores, of a launch that wait for each other though nothing has to: three times what the busiest
// warp of a block moves (two groups of warps may take turns), or a 32nd of all where there are many.
constexpr std::uint64_t kMostTurns = 3, kLeastShare = 32, kManyBytes = 1 << 20;

// No block moves more than this part of a matrix of 4 MiB: a GPU has more than a hundred multiprocessors.
constexpr std::uint64_t kLeastBlocks = 16, kLarge = 4 << 20;

Reason few_blocks(const Run& run, std::uint64_t of_block, std::uint64_t all) {
  Reason reason;
  reason.code = "in-turn";
  reason.message = msg(
      "shape {}: one block moves {} of {} bytes. A GPU has room for hundreds of blocks at once: make .tile "
      "smaller, so that there are more.",
      describe(run.problem), big(of_block), big(all));
  reason.figures.push_back({"bytes of the busiest block", of_block, all / kLeastBlocks});
  return reason;
}

std::optional<Reason> takes_turns(const Run& run) {
  const TurnFindings& turns = run.blocks.turns;
  for (const std::size_t way : {1, 0}) {
    const bool in_blocks = turns.chain[way] > kMostTurns * turns.busiest[way];
    if (!run.sampled && run.problem.gpus <= 1 && turns.moved[way] >= kLarge &&
        turns.busiest_block[way] * kLeastBlocks > turns.moved[way])
      return few_blocks(run, turns.busiest_block[way], turns.moved[way]);
    const bool in_launch = !run.sampled && run.problem.gpus <= 1 && turns.moved[way] >= kManyBytes &&
                           turns.launch_chain[way] * kLeastShare > turns.moved[way];
    if (!in_blocks && !in_launch) continue;
    Reason reason;
    reason.code = "in-turn";
    const std::uint64_t chain = in_blocks ? turns.chain[way] : turns.launch_chain[way],
                        most = in_blocks ? kMostTurns * turns.busiest[way] : turns.moved[way] / kLeastShare;
    const Message what = way == 1 ? msg("stores") : msg("loads");
    reason.message =
        in_blocks
            ? msg("shape {}: the warps of a block take turns: each waits until another has done its {}. "
                  "Warps that wait for a barrier alone move their parts side by side, {} times as fast.",
                  describe(run.problem), what, big(chain / std::max<std::uint64_t>(1, turns.busiest[way])))
            : msg("shape {}: {} of {} bytes are moved one after the other, by one block or by blocks that "
                  "wait for each other ({}). A GPU has room for hundreds of blocks at once: give each a "
                  "tile of its own, and no block a reason to wait.",
                  describe(run.problem), big(chain), big(turns.moved[way]), what);
    reason.figures.push_back({"bytes moved in turn", chain, most});
    return reason;
  }
  return std::nullopt;
}

// Room that blocks take from others, and store next to nothing to. Chapters whose tiles hand elements on look
// at every word (checks_exchange.cpp); here bytes are counted.
std::uint64_t shared_stored(const sim::Counters& counters) {
  std::uint64_t bytes = 0;
  for (const sim::PathInfo& path : sim::kPathTable)
    if ((path.space == sim::Space::Shared || path.space == sim::Space::Cluster) &&
        path.direction != sim::Direction::Read)
      bytes += counters[path.path].bytes;
  return bytes;
}

// What blocks may take: a small array, or some times their tile, of which an eighth is stored to.
bool has_unused_room(const Run& run) {
  constexpr std::uint64_t kSmall = 4096, kPart = 8, kTiles = 4;
  const std::uint64_t room = run.grid.count() * run.shared_bytes, small = run.grid.count() * kSmall,
                      tiles = run.share.covered * static_cast<std::uint64_t>(run.problem.elem_bytes);
  return !run.sampled && run.shared_bytes > kSmall &&
         (kPart * shared_stored(run.counters) < room || room > kTiles * tiles + small);
}

Reason unused_room(const Run& run) {
  Reason reason;
  reason.code = "unused-shared";
  reason.message = msg(
      "A block has {} bytes of shared memory, stores {} bytes to it, and covers {} bytes of `in`.",
      big(run.shared_bytes), big(shared_stored(run.counters) / std::max<std::uint64_t>(1, run.grid.count())),
      big(run.share.covered * static_cast<std::uint64_t>(run.problem.elem_bytes) /
          std::max<std::uint64_t>(1, run.grid.count())));
  reason.figures.push_back({"shared bytes used",
                            shared_stored(run.counters) / std::max<std::uint64_t>(1, run.grid.count()),
                            run.shared_bytes / 8});
  return reason;
}

// Flags and counters, and looking at them, move no elements: with one word each, as many in shared memory as
// the goal allows requests are of no matter, and those that only look again all. In device memory two a
// block.
std::uint64_t flags_of(const Run& run, Metric metric, std::uint64_t bound) {
  constexpr std::uint64_t kOfBlock = 2, kLeastBlock = 256;
  const OneWord& one = run.blocks.one_word;
  if (metric.unit == Unit::Bytes) return 0;
  const std::uint64_t of_device = (metric.covers(sim::Path::GlobalLoad) ? one.device_loads : 0) +
                                  (metric.covers(sim::Path::GlobalStore) ? one.device_stores : 0) +
                                  (metric.covers(sim::Path::GlobalAtomic) ? one.device_atomics : 0);
  if (!metric.shared())
    return std::min(of_device, kOfBlock * std::min(run.grid.count(), run.share.covered / kLeastBlock));
  if (metric.path == sim::Path::SharedLoad) return one.polls + std::min(one.loads, bound);
  if (metric.path == sim::Path::SharedStore) return std::min(one.stores, bound);
  const bool of_all = metric.shared() && !metric.path;
  return of_all ? one.polls + std::min(one.loads + one.stores + one.atomics, bound) : 0;
}

}  // namespace

std::uint64_t Check::counted(const Run& run, Metric metric, std::uint64_t bound) {
  const std::uint64_t all = value(run.counters, metric);
  return all - std::min(all, flags_of(run, metric, bound));
}

void Check::no_idle_blocks(const Run& run) {
  ++statements_;
  if (!run.correct()) return fail(why_wrong(run));
  const std::uint64_t inside = run.share.inside, covered = std::max<std::uint64_t>(1, run.share.covered);
  if (run.blocks.idle_blocks == 0) return work(run, run.blocks.warps * inside / covered);
  fail_on(run,
          idle_blocks(run, covered_by_block(run, subject_.watched(run.problem, subject_.target_of(run.entry),
                                                                  run.sampled))));
}

void Check::work(const Run& run, std::uint64_t whole_warps) {
  const int elem = run.problem.elem_bytes;
  const bool narrow =
      elem <= 2 && chapter_.most_instructions_of_narrow != 0 && run.share.elems == run.share.covered;
  const int of_chapter = narrow ? chapter_.most_instructions_of_narrow : chapter_.most_instructions;
  // Where rows start anywhere, a lane moves one element, in a chapter of wide accesses too.
  const auto most = static_cast<std::uint64_t>(
      run.problem.has_whole_packs() ? of_chapter : std::max(of_chapter, ChapterInfo::kMostOfSingle));
  const auto words = static_cast<std::uint64_t>(std::max(1, elem / 4));  // of an element, at least one
  const std::uint64_t covered = run.share.covered, instructions = covered * words * most,
                      idle = run.blocks.warps - whole_warps + whole_warps / kMostIdle;
  if (run.blocks.idle_warps > idle) return fail_on(run, idle_warps(run, idle));
  if (has_unused_room(run) && run.share.inside == run.share.elems) return fail_on(run, unused_room(run));
  if (issued(run) > instructions) return fail_on(run, many_instructions(run, instructions));
  const std::uint64_t most_waits = chapter_.exchanges ? kWaits : kWaitsWithoutExchange;
  if (waits(run) * kRowElems > covered * most_waits || run.blocks.slept * kRowElems > covered * kSleep)
    return fail_on(run, many_waits(run, most_waits));
  if (std::optional<Reason> reason = many_calls(run)) return fail_on(run, std::move(*reason));
  if (std::optional<Reason> reason = takes_turns(run)) fail_on(run, std::move(*reason));
}

void Check::fail_on(const Run& run, Reason reason) {
  reason.problem = run.problem;
  if (run.entry != chapter_.entry) reason.entry = run.entry;
  fail(std::move(reason));
}

// A warp whose lanes keep what they read, each a block of its own, has lanes × lanes of them side by side: of
// two lanes two blocks lie in one band of rows, or in one band of columns, or in neither. So the number of
// bands that a read touches times the number that a write touches is at least 32, whatever is handed to whom;
// neighbours read × neighbours written is at most 32. A tile is there to make it more, for seven eighths of
// the elements: at ragged edges rows are short.
void Check::rows_both_ways(const Run& run, const Message& why) {
  ++statements_;
  if (!run.correct()) return fail(why_wrong(run));
  const RowRunFindings& rows = run.rows;
  const std::uint64_t goal = rows.elems - rows.elems / 8;
  if (rows.elems != 0 && rows.together >= goal) return;
  Reason reason;
  reason.code = "short-runs";
  reason.message =
      msg("shape {}: {:.1f} lanes read side by side in a row of `in`, and {:.1f} write side by side in a row "
          "of `out`, on average. Of {} elements {} have more of both, multiplied, than registers give "
          "without a tile: 8 and 4.",
          describe(run.problem), rows.read, rows.written, big(rows.elems), big(rows.together));
  reason.message.line(why);
  reason.figures.push_back({"elements in long rows both ways", rows.together, goal});
  fail_on(run, std::move(reason));
}

}  // namespace lab::judge
