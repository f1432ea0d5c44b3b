// Chapter 05: one more column, so that a column of the tile lies in all banks.
#include "tests/chapters/everywhere.h"

namespace lab::chapter_05 {

using namespace lab::judge;
using namespace lab::course;

CHAPTER(exchanging(listed_chapter("05_padding")));

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

GOAL("conflict-free", "conflict-free", 4) {
  // 1024 * 1024 elements / 32 lanes = 32,768 requests each way; one wavefront each when no two words share a
  // bank.
  const char* why =
      "A column lies in fewer banks when the length of a row has a factor in common with 32: rows of 32 "
      "floats put it into one bank, rows of 36 into 8.";
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

KEEPS("one-column", "one more column, no more", 2) {
  // 32 rows of 33 floats.
  check.shared_bytes_at_most(check.measured(), 32 * 33 * 4,
                             "One column more is enough: 32 rows of 33 floats.");
}

// It asks about other tiles than the solution's, whose answer would be 1 and 1.
PREDICTION("request-wavefronts", "wavefronts of a request", 1) {
  check.predicted(
      &lab::Predictions::shared_load_wavefronts_per_request, 2,
      "With 34 words in a row, one step down is two banks further: after 16 rows a column is back "
      "where it began, and two lanes meet in each of 16 banks.");
  check.predicted(
      &lab::Predictions::shared_store_wavefronts_per_request, 4,
      "34 doubles are 68 words, so one step down is four banks further. 16 lanes go at once, since a "
      "double takes two banks: they lie in 8 places, two wavefronts for each half of the warp.");
}

}  // namespace lab::chapter_05
