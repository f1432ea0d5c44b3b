// Chapter 12: the TMA unit moves whole tiles, and its swizzle keeps columns free of conflicts.
#include <fmt/core.h>

#include "common/course/judge/reasons.h"
#include "tests/chapters/everywhere.h"

namespace lab::chapter_12 {

using namespace lab::judge;
using namespace lab::course;

CHAPTER(exchanging(listed_chapter("12_tma_swizzle")));

namespace {

// 32 × 32 floats: the widest box of the 128-byte swizzle, and as high.
constexpr std::uint64_t kTileElems = 32 * 32;

std::uint64_t tiles(const Run& run) { return elems(run) / kTileElems; }

// What lies outside of the matrix is no matter of the threads: the unit fills it, and leaves it out.
void copies_at_the_edges_too(Check& check) {
  for (const Problem& p : shapes_everywhere(check)) {
    if (!check.passing()) return;
    const Run& run = check.subject().drawn(p, {}, true);
    if (run.correct() && !Subject::has_costs(p)) continue;
    const std::uint64_t most = (run.share.covered + kTileElems - 1) / kTileElems;
    check.at_most(run, Metric::GlobalRequests, 2 * most, "other-path",
                  "A tile that is cut off is one copy as well: what lies outside comes as zeros, and is not "
                  "written back.");
  }
}

}  // namespace

HOLDS("right", "right on every shape", 4) { check.right_on_every_shape(); }

HOLDS("beyond-32-bits", "right beyond 2^32 elements", 1) { right_beyond_32_bits(check); }

GOAL("one-copy", "one copy per tile, each way", 4) {
  // A request moves 4 KiB at least, and nothing else touches global memory: 1024 × 1024 floats are 1,024
  // tiles.
  const char* why =
      "One thread asks for the whole tile, 32 × 32 floats, and later sends a whole tile back. No thread "
      "touches `in` or `out` itself.";
  on_measured(check, [&](const Run& run) {
    check.at_most(run, Metric::BulkLoadRequests, tiles(run), "small-copy", why);
    if (check.passing()) check.at_most(run, Metric::BulkStoreRequests, tiles(run), "small-copy", why);
    if (check.passing()) check.at_most(run, Metric::GlobalRequests, 2 * tiles(run), "other-path", why);
  });
  copies_at_the_edges_too(check);
  everywhere(check, {.lane_bytes = 16, .wavefronts = {20, 20, 20, 16}, .whole_tiles = true}, Ask::All);
}

KEEPS("whole-sectors", "whole sectors", 2) {
  // The total first of all: a copy, or a plain load, it is the same 4 MiB in sectors of 32 bytes each way.
  on_measured(check, [&](const Run& run) {
    check.at_most(run, Metric::GlobalSectors, 2 * ideal_sectors(run), "uncoalesced", kAllPaths);
    few_atomics(check, run);
    check.no_idle_blocks(run);
  });
}

KEEPS("conflict-free", "conflict-free", 4) {
  // 32 floats fill the 32 banks once: each element is read once and written once, 1024 * 1024 / 32 wavefronts
  // each. The TMA unit's own side of the tiles is as much again, each way.
  const char* why =
      "The 32 elements of a request must lie in 32 banks: where the hardware keeps (row, col) is chapter "
      "07's formula with chunks of 16 bytes.";
  on_measured(check, [&](const Run& run) {
    check.at_most(run, Metric::SharedLoadWavefronts, scalar_requests(run), "bank-conflict", why);
    check.at_most(run, Metric::SharedStoreWavefronts, scalar_requests(run), "bank-conflict", why);
    if (check.passing())
      check.at_most(run, Metric::SharedWavefronts, 4 * scalar_requests(run), "other-path", kAllPaths);
  });
  if (check.passing()) check.exchanged();
}

PREDICTION("sectors-of-a-tile", "sectors of one request", 1) {
  check.predicted(&lab::Predictions::global_load_sectors_per_request, kTileElems * 4 / 32,
                  "One request loads 32 × 32 floats: 4 096 bytes in sectors of 32.");
}

PREDICTION("column-of-chunks", "wavefronts of a column in the hardware's swizzle", 2) {
  check.predicted(
      &lab::Predictions::shared_load_wavefronts_per_request, 4,
      "The phase repeats after 8 rows, and chunks stay whole: of 32 rows each 4 meet in one bank.");
}

}  // namespace lab::chapter_12
