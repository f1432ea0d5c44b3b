// Chapter 02: the block's shape decides which lanes share sectors.
#include "tests/chapters/everywhere.h"

namespace lab::chapter_02 {

using namespace lab::judge;
using namespace lab::course;

CHAPTER(listed_chapter("02_coalescing"));

// A multiprocessor holds 2,048 threads in at most 32 blocks: of blocks of one warp it holds half as many threads.
void enough_at_once(Check& check, const Run& run) {
  constexpr int kLeastElems = 2048 / 32;
  const int elems = run.shape.tile.rows * run.shape.tile.cols;
  check.that(
      elems >= kLeastElems, "few-bytes-in-flight",
      msg("A block has {} elements, and a multiprocessor holds at most 32 blocks: at least half of its 2 048 "
          "threads stay out. Keep 256 threads in a block.",
          elems));
}

HOLDS("right", "right on every shape", 4) { check.right_on_every_shape(); }

HOLDS("beyond-32-bits", "right beyond 2^32 elements", 1) { right_beyond_32_bits(check); }

GOAL("few-sectors", "12 sectors a pair of requests", 4) {
  // A warp of w columns and 32 / w rows reads 32 / w runs of 4 w bytes and writes w runs of 4 * 32 / w bytes.
  // In sectors, with runs of less than 32 bytes costing a whole one: w = 32: 4 + 32, 16: 4 + 16, 8: 4 + 8, 4:
  // 8 + 4, 2: 16 + 4. So 12 for a pair is the best that one element per lane can do: 12 * 32,768 for the
  // whole matrix.
  on_measured(check, [&](const Run& run) {
    sectors_both_ways_at_most(
        check, run, 12 * scalar_requests(run),
        "A warp is 32 threads with neighbouring threadIdx.x, then the next threadIdx.y. Give it "
        "a shape that is short in both directions.");
    if (check.passing()) few_atomics(check, run);
    check.no_idle_blocks(run);
    if (check.passing()) enough_at_once(check, run);
  });
  // As above, an eighth more; where rows start anywhere, a piece of a row lies in two sectors instead of one.
  everywhere(check,
             {.sectors = {0, 0, 0}, .both_sectors = {14, 18, 26, 12}, .edges_apart = true, .tile = false},
             Ask::All);
}

PREDICTION("load-sectors", "sectors of the load", 1) {
  check.predicted(
      &lab::Predictions::global_load_sectors_per_request,
      sectors_per_request(check.measured().counters[lab::sim::Path::GlobalLoad]),
      "A warp that is w columns wide reads 32 / w rows, and w floats of each: w / 8 sectors, but never "
      "less than one.");
}

PREDICTION("store-sectors", "sectors of the store", 1) {
  check.predicted(
      &lab::Predictions::global_store_sectors_per_request,
      sectors_per_request(check.measured().counters[lab::sim::Path::GlobalStore]),
      "A warp that is w columns wide writes w rows of `out`, and 32 / w floats of each: 4 / w sectors, "
      "but never less than one.");
}

}  // namespace lab::chapter_02
