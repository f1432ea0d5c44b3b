// Chapter 01: a transpose that is right, and the first predictions.
#include "tests/chapters/everywhere.h"

namespace lab::chapter_01 {

using namespace lab::judge;
using namespace lab::course;

CHAPTER(listed_chapter("01_naive"));

HOLDS("right", "right on every shape", 5) { check.right_on_every_shape(); }

HOLDS("beyond-32-bits", "right beyond 2^32 elements", 1) { right_beyond_32_bits(check); }

namespace {

// Reads and writes together, whatever the lanes of a warp share among them.
void each_once(Check& check, const Run& run) {
  check.at_most(run, Metric::GlobalBytes, 2 * run.share.elems * sizeof(float), "repeated-access", kAllPaths);
}

}  // namespace

GOAL("each-once", "each element once", 1) {
  on_measured(check, [&](const Run& run) {
    each_once(check, run);
    check.no_idle_blocks(run);
  });
  for (const Problem& p : shapes_everywhere(check))
    if (check.passing() && Subject::has_costs(p)) each_once(check, check.subject().drawn(p, {}, false));
  // Sectors are what the next chapter is about. Of the lanes of a block some may lie outside of the matrix,
  // and of 33 threads one has a warp of its own.
  everywhere(check, {.sectors = {0, 0, 0}, .requests = 16, .tile = false}, Ask::All);
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
