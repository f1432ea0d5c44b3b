// Chapter 15: what keeps a kernel with ideal sectors and no conflicts from the speed of a copy.
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "common/course/judge/blocks_in_order.h"
#include "common/course/judge/loads_at_once.h"
#include "tests/chapters/both_ways.h"
#include "tests/chapters/cut_off.h"
#include "tests/chapters/everywhere.h"

namespace lab::chapter_15 {

using namespace lab::judge;
using namespace lab::course;

CHAPTER(exchanging(listed_chapter("15_speed_of_light")));

namespace {

// An H200 reads 2.1 TB/s while it copies 4.2, and a read that DRAM serves takes 0.63 µs (docs/limits.md): 1.3
// MB on their way, 10 KB on each of 132 multiprocessors. Twice that, since a block that writes asks for
// nothing.
constexpr std::uint64_t kOnTheirWay = 20 * 1024, kMultiprocessors = 132;
// 132 multiprocessors × 4 warps × 32 lanes × 1.98 GHz are 33 T instructions of a lane in a second, 7 for each
// byte that DRAM can move. Less than half of them: the other slots are left to wait in, and the machine code
// has about a fifth more than the PTX.
constexpr std::uint64_t kInstructionsPerByte = 3;

std::uint64_t moved_bytes(const Run& run) { return 8 * elems(run); }

void enough_on_their_way(Check& check, const Run& run, const LoadsAtOnce& watch,
                         std::uint64_t goal = kOnTheirWay) {
  if (!run.correct()) return check.right(run);
  const AtOnceFindings found = watch.findings();
  // As many as fit, when a matrix of 8192 × 8192 has as many for each multiprocessor.
  const std::uint64_t blocks = std::min<std::uint64_t>(
      found.occupancy.blocks, grid_of(run.shape, {.rows = 8192, .cols = 8192}).count() / kMultiprocessors);
  const std::uint64_t bytes = blocks * found.block_bytes;
  if (bytes >= goal) return check.that(true, "few-bytes-in-flight", "");
  Reason reason;
  reason.code = "few-bytes-in-flight";
  reason.message = msg(
      "shape {}: a thread asks for {} bytes of `in` before it waits for the first of them. {} blocks of {} "
      "threads share a multiprocessor of an H200, so that {} bytes are on their way; memory is busy with {}.",
      describe(run.problem), found.thread_bytes, blocks, run.block.count(), bytes, goal);
  reason.file = found.file;
  reason.line = found.line;
  reason.figures.push_back({"bytes on their way, of a multiprocessor", bytes, goal});
  reason.problem = run.problem;
  check.fail(std::move(reason));
}

void enough_on_their_way(Check& check, const Problem& problem, std::uint64_t goal = kOnTheirWay) {
  LoadsAtOnce watch;
  const Run run = check.subject().judged(problem, {}, watch);
  enough_on_their_way(check, run, watch, goal);
}

// What a lane moves, on the way in.
bool moves_16_bytes(const Run& run) {
  return run.counters[lab::sim::Path::GlobalLoad].bytes >=
         16 * run.counters[lab::sim::Path::GlobalLoad].active_lanes;
}

void few_instructions(Check& check, const Run& run, std::uint64_t most) {
  if (!run.correct()) return check.right(run);
  // An idle lane takes the place of a busy one.
  const std::uint64_t issued = 32 * run.warp_instructions;
  if (issued <= most) return check.that(true, "many-instructions", "");
  Reason reason;
  reason.code = "many-instructions";
  reason.message = msg("shape {}: {} instructions per 10 bytes that are read or written, {} at most.",
                       describe(run.problem), 10 * issued / moved_bytes(run), 10 * kInstructionsPerByte);
  reason.message.line(
      moves_16_bytes(run)
          ? "A lane moves 16 bytes at once already. A loop that starts at threadIdx counts and "
            "compares in each turn: one that starts at 0 and has a fixed number of turns can be "
            "unrolled (#pragma unroll)."
          : "A lane that moves 16 bytes at once computes a quarter of the addresses.");
  reason.figures.push_back({"instructions issued, by lanes", issued, most});
  reason.problem = run.problem;
  reason.facts = {"per-byte"};
  check.fail(std::move(reason));
}

void blocks_in_order(Check& check, const Problem& problem) {
  BlocksInOrder watch;
  const Run run = check.subject().judged(problem, {}, watch);
  if (!run.correct()) return check.right(run);
  const OrderFindings found = watch.findings();
  // Where few blocks start together, those at the edges write parts of pages.
  const std::uint64_t most_for_least = found.blocks_of_group < 16 ? 3 : 2;
  if (found.pages <= most_for_least * found.least) return check.that(true, "scattered-blocks", "");
  Reason reason;
  reason.code = "scattered-blocks";
  reason.message = msg(
      "shape {}: {} blocks that start together write to {} pages of 4 KiB, and {} would hold it all. Blocks "
      "start in the order of blockIdx.x: let neighbours in it lie side by side in `out`.",
      describe(run.problem), found.blocks_of_group, found.pages / found.groups, found.least / found.groups);
  reason.figures.push_back({"pages that blocks write together", found.pages, most_for_least * found.least});
  reason.problem = run.problem;
  check.fail(std::move(reason));
}

constexpr std::uint64_t kManyBlocks = 86;  // heights of them

// A matrix of any sides with many blocks: few that start together would each write pages of their own. Of those that
// a kernel decides about three in four have more, as many as measured ones or twice that.
Problem many_blocks(std::uint64_t drawn) {
  constexpr std::int64_t kLeast = 140, kPack = 4, kSquares = 3, kDoublings = 4;
  const std::int64_t elems = 300'000 << drawn / kManyBlocks / kSquares % kDoublings;
  const std::int64_t rows = kPack * (kLeast + static_cast<std::int64_t>(drawn % kManyBlocks));
  const bool square = drawn / kManyBlocks % kSquares == 1;
  return {.rows = rows, .cols = square ? rows : elems / rows / kPack * kPack};
}

Problem half_a_sector_more(Problem p) {
  p.rows = p.rows / 8 * 8 + 4;
  return p;
}

// Long, and cut off: what is good on the shapes that everybody knows is good here too.
Problem strip_of_half_sectors(Check& check) { return half_a_sector_more(cut_off(check).back().problem); }

// A matrix of whole tiles, any number of them each way.
Problem whole_tiles(const LaunchShape& shape, std::uint64_t drawn) {
  constexpr std::int64_t kMostElems = 1 << 20, kLengths = 12, kLeast = 64;
  const auto side = [](std::int64_t tile, std::int64_t least, std::uint64_t more) {
    return (least + static_cast<std::int64_t>(more % 0xffff) % least + tile - 1) / tile * tile;
  };
  const std::int64_t rows = side(shape.tile.rows, kLeast << drawn % kLengths / 2, drawn >> 8 & 0xffff),
                     most = std::max<std::int64_t>(kLeast, kMostElems / rows),
                     cols =
                         side(shape.tile.cols, kLeast << (drawn >> 4) % kLengths / 2, drawn >> 24 & 0xffff);
  return {.rows = rows,
          .cols = std::max<std::int64_t>(shape.tile.cols,
                                         std::min(cols, most / shape.tile.cols * shape.tile.cols))};
}

// Rows of `out` are whole sectors and half of one: every second starts inside of one.
std::vector<Problem> half_sectors(Check& check) {
  std::vector<Problem> all = {{.rows = 1020, .cols = 1020}};
  for (Problem p : with_rows_of(check.subject().drawn_shapes(), 16, 4)) {
    all.push_back(half_a_sector_more(p));
  }
  all.push_back(strip_of_half_sectors(check));
  return all;
}

// The least that can be written; and a block of 32 rows may read four more.
void no_sector_twice(Check& check, const Problem& p) {
  const Run& run = check.subject().run(p);
  const std::uint64_t least = sectors_of_rows(p.cols, p.rows, p.rows, 4, static_cast<int>(p.rows));
  const std::uint64_t most_loads = sectors_of_rows(p.rows, p.cols, p.cols, 4, 32) * 9 / 8;
  check.at_most(
      run, Metric::GlobalStoreSectors, least, "uncoalesced",
      msg("A matrix of {}: where two blocks meet inside of a sector of `out`, it is written in two pieces.",
          describe(p)));
  check.at_most(run, Metric::GlobalLoadSectors, most_loads, "uncoalesced",
                "The rows that a block reads beyond its tile: four of them are enough.");
  if (check.passing()) check.at_most(run, Metric::GlobalSectors, least + most_loads, "other-path", kAllPaths);
}

}  // namespace

HOLDS("right", "right on every shape", 4) { check.right_on_every_shape(); }

HOLDS("beyond-32-bits", "right beyond 2^32 elements", 1) { right_beyond_32_bits(check); }

GOAL("on-their-way", "enough bytes on their way", 3) {
  on_measured(check, [&](const Run& run) { enough_on_their_way(check, run.problem); });
  // Tiles that are cut off ask for less.
  for (const CutOff& matrix : cut_off(check))
    if (check.passing()) enough_on_their_way(check, half_a_sector_more(matrix.problem), kOnTheirWay * 3 / 4);
  if (!check.passing()) return;
  const LaunchShape& shape = check.subject().launch_shape();
  for (const Problem& p :
       both_ways(check, check.subject().measured_shapes(check.chapter().measured, "transpose"),
                 [&](std::uint64_t drawn) { return whole_tiles(shape, drawn); }))
    if (check.passing()) enough_on_their_way(check, p, kOnTheirWay * 7 / 8);
}

GOAL("few-instructions", "3 instructions per byte at most", 3) {
  on_measured(check,
              [&](const Run& run) { few_instructions(check, run, kInstructionsPerByte * moved_bytes(run)); });
  // Tiles that are cut off leave some lanes idle, and others take what lies behind the end of a sector.
  for (const Problem& p : shapes_everywhere(check)) {
    const Run& run = check.subject().drawn(p, {}, true);
    if (check.passing() && Subject::has_costs(p))
      few_instructions(check, run, kInstructionsPerByte * 8 * run.share.covered * 4 / 3);
  }
}

GOAL("order-of-out", "blocks that start together write neighbours", 2) {
  on_measured(check, [&](const Run& run) { blocks_in_order(check, run.problem); });
  if (!check.passing()) return;
  std::vector<Problem> asked = check.subject().measured_shapes(check.chapter().measured, "transpose");
  asked.push_back(many_blocks(check.subject().shape_key().draw({0x6f72646572}) % kManyBlocks));
  blocks_in_order(check, asked.back());
  for (const Problem& p : both_ways(check, asked, many_blocks))
    if (check.passing()) blocks_in_order(check, p);
}

GOAL("whole-sectors", "no sector is written by two blocks", 4) {
  for (const Problem& p : half_sectors(check)) {
    if (check.passing()) no_sector_twice(check, p);
  }
}

KEEPS("ideal-sectors", "ideal sectors on aligned rows", 2) {
  on_measured(check, [&](const Run& run) {
    whole_sectors(check, run);
    check.no_idle_blocks(run);
    if (check.passing()) check.rows_both_ways(run, kWholeRows);
  });
  everywhere(check, {}, Ask::All);
}

KEEPS("conflict-free", "conflict-free", 2) {
  // Each element enters the tile once and leaves it once, 128 bytes per wavefront.
  on_measured(check, [&](const Run& run) {
    check.at_most(run, Metric::SharedStoreWavefronts, scalar_requests(run), "bank-conflict");
    check.at_most(run, Metric::SharedLoadWavefronts, scalar_requests(run), "bank-conflict");
    if (check.passing())
      check.at_most(run, Metric::SharedWavefronts, 2 * scalar_requests(run), "other-path", kAllPaths);
  });
  if (check.passing()) check.exchanged();
}

PREDICTION("sectors-of-a-store", "sectors of a store where rows start inside of one", 1) {
  const Run& run = check.subject().run({.rows = 1020, .cols = 1020});
  check.predicted(&lab::Predictions::global_store_sectors_per_request,
                  sectors_per_request(run.counters[lab::sim::Path::GlobalStore]),
                  "The share of a block begins and ends with a sector, wherever its tile does: 32 lanes with "
                  "16 bytes each write 16 of them.",
                  16);
}

PREDICTION("bytes-at-once", "bytes that a thread has on their way", 1) {
  LoadsAtOnce watch;
  (void)check.subject().judged(check.measured().problem, {}, watch);
  check.predicted(&lab::Predictions::loaded_bytes_at_once_per_thread, watch.findings().thread_bytes,
                  "All loads of a thread stand before the first use of a value: four float4 are 64 bytes.",
                  64);
}

}  // namespace lab::chapter_15
