// What a case can say of who does the work: blocks and warps that do none, and how long the runs of global
// memory are that a warp touches.
//
// Enters: counted runs (block_watch.h). Leaves: reasons.
#include <fmt/format.h>

#include <utility>

#include "common/judge/checks.h"
#include "common/judge/reasons.h"

namespace lab::judge {
namespace {

// A warp of eight may have another job, and rests of tiles at the edges leave some with little.
constexpr std::uint64_t kMostIdle = 8;

Reason idle_blocks(const Run& run, const TileShape& covered) {
  Reason reason;
  reason.code = "idle-blocks";
  reason.message = fmt::format(
      "shape {}: {} of {} blocks write nothing. .tile is smaller than what one block "
      "covers, so there are too many of them.",
      describe(run.problem), run.blocks.idle_blocks, run.grid.count());
  if (covered.rows != 0)
    reason.message += "\n" + fmt::format(
                                 "One block writes {0} rows and {1} columns of `in`: make it .tile = "
                                 "{{{0}, {1}}}.",
                                 covered.rows, covered.cols);
  reason.figures.push_back({"blocks launched", run.grid.count(), run.grid.count() - run.blocks.idle_blocks});
  return reason;
}

Reason idle_warps(const Run& run) {
  Reason reason;
  reason.code = "idle-threads";
  reason.message = fmt::format(
      "shape {}: {} of {} warps have next to no part in what their block moves. They take room on a "
      "multiprocessor that others could use: make .block smaller, or give every warp its share.",
      describe(run.problem), run.blocks.idle_warps, run.blocks.warps);
  reason.figures.push_back({"idle warps", run.blocks.idle_warps, run.blocks.warps / kMostIdle});
  return reason;
}

// Of kernels that are right in an unusual way those with one element a thread take most, some 104.
constexpr std::uint64_t kMostInstructions = 256;

Reason many_instructions(const Run& run, std::uint64_t bound) {
  Reason reason;
  reason.code = "many-instructions";
  reason.message = fmt::format(
      "shape {}: all lanes together execute {} instructions per element. Most of them move nothing: what are "
      "they for?",
      describe(run.problem), kMostInstructions * run.lane_instructions / bound);
  reason.figures.push_back({"lane instructions", run.lane_instructions, bound});
  return reason;
}

}  // namespace

void Check::no_idle_blocks(const Run& run) {
  ++statements_;
  if (!run.correct()) return fail(why_wrong(run));
  const Problem& p = run.problem;
  const std::uint64_t instructions =
      kMostInstructions * static_cast<std::uint64_t>(p.batch * p.rows * p.cols);
  Reason reason;
  if (run.blocks.idle_blocks != 0)
    reason =
        idle_blocks(run, covered_by_block(run, subject_.watched(run.problem, subject_.target_of(run.entry))));
  else if (kMostIdle * run.blocks.idle_warps > run.blocks.warps)
    reason = idle_warps(run);
  else if (run.lane_instructions > instructions)
    reason = many_instructions(run, instructions);
  else
    return;
  reason.problem = run.problem;
  if (run.entry != chapter_.entry) reason.entry = run.entry;
  fail(std::move(reason));
}

void Check::whole_lines(const Run& run, const std::string& why) {
  ++statements_;
  if (!run.correct()) return fail(why_wrong(run));
  const std::uint64_t bytes = run.counters.global_load.bytes + run.counters.global_store.bytes;
  const std::uint64_t least = bytes / kLineBytes, bound = least + least / 4;
  if (run.blocks.lines <= bound) return;
  Reason reason;
  reason.code = "short-runs";
  reason.message = fmt::format(
      "shape {}: all requests together touch {} lines of 128 bytes where {} would do: each line is touched "
      "in several pieces.",
      describe(run.problem), run.blocks.lines, least);
  if (!why.empty()) reason.message += "\n" + why;
  reason.figures.push_back({"lines touched", run.blocks.lines, bound});
  reason.problem = run.problem;
  fail(std::move(reason));
}

}  // namespace lab::judge
