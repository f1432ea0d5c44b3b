// Chapter 06: permute each row instead of padding it.
#include "tests/chapters/everywhere.h"

namespace lab::chapter_06 {

using namespace lab::judge;
using namespace lab::course;

CHAPTER(exchanging(listed_chapter("06_xor_swizzle")));

HOLDS("right", "right on every shape", 4) { check.right_on_every_shape(); }

HOLDS("beyond-32-bits", "right beyond 2^32 elements", 1) { right_beyond_32_bits(check); }

KEEPS("whole-sectors", "whole sectors", 1) {
  // 4 MiB in sectors of 32 bytes, each way: what chapter 04 reached must not be lost.
  on_measured(check, [&](const Run& run) {
    whole_sectors(check, run);
    check.no_idle_blocks(run);
  });
  everywhere(check, {}, Ask::Global);
}

// First: under padding the counts of a permutation mean nothing.
GOAL("no-padding", "no padding", 2) {
  // 32 rows of 32 floats, nothing between them.
  const Run& run = check.measured();
  const bool larger = run.shape.tile.rows * run.shape.tile.cols > 32 * 32;
  check.shared_bytes_at_most(
      run, 32 * 32 * 4,
      larger ? "The tile of this chapter has 32 rows and 32 columns: a larger one takes more room than the "
               "idea needs."
             : "Take the padding away first: a permuted row is as long as a plain one, 32 floats.");
  // Rows of 33 floats fit too when there are fewer of them: then some words stay empty.
  if (check.passing()) check.shared_all_used();
  if (check.passing()) check.exchanged();
  everywhere(check, {.every_word = true}, Ask::All);
  if (check.passing()) rows_on_measured(check);
}

KEEPS("conflict-free", "conflict-free", 4) {
  // 1024 * 1024 elements / 32 lanes = 32,768 requests each way; one wavefront each when no two words share a
  // bank.
  const char* why = "Keep element (y, x) in column x ^ y: for a fixed x, 32 rows give 32 columns.";
  on_measured(check, [&](const Run& run) {
    check.at_most(run, Metric::SharedLoadWavefronts, scalar_requests(run), "bank-conflict", why);
    check.at_most(run, Metric::SharedStoreWavefronts, scalar_requests(run), "bank-conflict", why);
    if (check.passing())
      check.at_most(run, Metric::SharedWavefronts, 2 * scalar_requests(run), "other-path", kAllPaths);
  });
  if (check.passing()) check.exchanged();
  if (check.passing()) rows_on_measured(check);
  everywhere(check, {}, Ask::All);
}

// It asks about other permutations than the solution's, whose answer would be 1 and 1.
PREDICTION("request-wavefronts", "wavefronts of a request", 1) {
  check.predicted(
      &lab::Predictions::shared_load_wavefronts_per_request, 2,
      "y / 2 has 16 values for 32 rows: each permutation serves two rows, and these two meet in a bank.");
  check.predicted(
      &lab::Predictions::shared_store_wavefronts_per_request, 4,
      "4 * y % 32 has 8 values for 32 rows: each permutation serves four rows, and these four meet in "
      "a bank.");
}

}  // namespace lab::chapter_06
