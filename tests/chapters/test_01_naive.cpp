// Chapter 01: a transpose that is right, and the first predictions.
#include "tests/chapters/everywhere.h"

namespace lab::chapter_01 {

using namespace lab::judge;
using namespace lab::course;

CHAPTER(listed_chapter("01_naive"));

HOLDS("right", "right on every shape", 5) { check.right_on_every_shape(); }

HOLDS("beyond-32-bits", "right beyond 2^32 elements", 1) { right_beyond_32_bits(check); }

GOAL("each-once", "each element once", 1) {
  // One thread per element: a warp moves 32 of them, so 1024 * 1024 / 32 = 32,768 requests each way.
  on_measured(check, [&](const Run& run) {
    check.at_most(run, Metric::GlobalLoadRequests, scalar_requests(run), "repeated-access");
    check.at_most(run, Metric::GlobalStoreRequests, scalar_requests(run), "repeated-access");
    if (check.passing())
      check.at_most(run, Metric::GlobalRequests, 2 * scalar_requests(run), "other-path", kAllPaths);
    check.no_idle_blocks(run);
  });
  // Sectors are what the next chapter is about.
  everywhere(check, {.sectors = {0, 0, 0}, .tile = false}, Ask::All);
}

PREDICTION("load-sectors", "sectors of the load", 2) {
  const Run& run = check.measured();
  check.predicted(
      &lab::Predictions::global_load_sectors_per_request,
      sectors_per_request(run.counters[lab::sim::Path::GlobalLoad]),
      "A sector is 32 bytes: 8 floats side by side. Neighbouring lanes that read neighbours share sectors; "
      "lanes that read one column take one sector each.");
  check.predicted(
      &lab::Predictions::global_load_sectors, run.counters[lab::sim::Path::GlobalLoad].cost,
      "1024 * 1024 elements, 32 lanes in a warp: 32 768 requests, each with the sectors of one request.");
}

PREDICTION("store-sectors", "sectors of the store", 2) {
  const Run& run = check.measured();
  check.predicted(
      &lab::Predictions::global_store_sectors_per_request,
      sectors_per_request(run.counters[lab::sim::Path::GlobalStore]),
      "Lanes that walk along a row of one matrix walk down a column of the other: every lane is in "
      "another row, so in another sector.");
  check.predicted(&lab::Predictions::global_store_sectors, run.counters[lab::sim::Path::GlobalStore].cost,
                  "32 768 requests, each with the sectors of one request.");
}

}  // namespace lab::chapter_01
