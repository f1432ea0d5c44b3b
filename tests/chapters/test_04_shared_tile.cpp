// Chapter 04: a tile in shared memory, so that both sides follow rows; and what its banks cost.
#include "tests/chapters/everywhere.h"

namespace lab::chapter_04 {

using namespace lab::judge;
using namespace lab::course;

CHAPTER(exchanging(listed_chapter("04_shared_tile")));

constexpr Cost kCost{.wavefronts = {0, 0, 0}};

HOLDS("right", "right on every shape", 4) { check.right_on_every_shape(); }

HOLDS("beyond-32-bits", "right beyond 2^32 elements", 1) { right_beyond_32_bits(check); }

GOAL("whole-sectors", "whole sectors", 3) {
  // 4 MiB in sectors of 32 bytes, each way.
  on_measured(check, [&](const Run& run) {
    whole_sectors(check, run,
                  "Neighbouring lanes should touch neighbouring elements of a row, reading and writing.");
    check.no_idle_blocks(run);
  });
  everywhere(check, kCost, Ask::All);
}

GOAL("through-shared", "through shared memory", 3) {
  // Every element is stored once and loaded once. Even with all 32 lanes in one bank that is 32 wavefronts
  // for each of 32,768 requests; more means that elements go through more than once.
  // And most of them by another thread than the one that writes them: see exchange.h.
  on_measured(check, [&](const Run& run) {
    check.at_most(run, Metric::SharedStoreWavefronts, 32 * scalar_requests(run), "repeated-access");
    check.at_most(run, Metric::SharedLoadWavefronts, 32 * scalar_requests(run), "repeated-access");
    if (check.passing())
      check.at_most(run, Metric::SharedWavefronts, 64 * scalar_requests(run), "other-path", kAllPaths);
  });
  if (check.passing()) check.exchanged();
  if (check.passing()) rows_on_measured(check);
  everywhere(check, kCost, Ask::All);
}

PREDICTION("store-wavefronts", "wavefronts of the shared store", 2) {
  const Run& run = check.measured();
  check.predicted(
      &lab::Predictions::shared_store_wavefronts_per_request,
      wavefronts_per_request(run.counters[lab::sim::Path::SharedStore]),
      "Bank = (address / 4) % 32. Neighbouring floats lie in neighbouring banks; floats that are 32 apart "
      "lie in one.");
  check.predicted(&lab::Predictions::shared_store_wavefronts, run.counters[lab::sim::Path::SharedStore].cost,
                  "32 768 requests, each with the wavefronts of one request.");
}

PREDICTION("load-wavefronts", "wavefronts of the shared load", 2) {
  const Run& run = check.measured();
  check.predicted(&lab::Predictions::shared_load_wavefronts_per_request,
                  wavefronts_per_request(run.counters[lab::sim::Path::SharedLoad]),
                  "Down a column each address is a row of the tile after the one before. Rows of 32 floats, "
                  "128 bytes, put "
                  "all of them into one bank, rows of 16 into two; and a bank serves one word a wavefront.");
  check.predicted(&lab::Predictions::shared_load_wavefronts, run.counters[lab::sim::Path::SharedLoad].cost,
                  "32 768 requests, each with the wavefronts of one request.");
}

}  // namespace lab::chapter_04
