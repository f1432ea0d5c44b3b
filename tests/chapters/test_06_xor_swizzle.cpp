// Chapter 06: permute each row instead of padding it.
#include "tests/chapters/course_checks.h"

using namespace lab::judge;
using namespace lab::course;

CHAPTER(listed_chapter("06_xor_swizzle"));

HOLDS("right", "right on every shape", 4) { check.right_on(every_shape()); }

HOLDS("beyond-32-bits", "right beyond 2^32 elements", 1) { right_beyond_32_bits(check); }

GOAL("whole-sectors", "whole sectors", 1) {
  // 4 MiB in sectors of 32 bytes, each way: what chapter 04 reached must not be lost.
  const Run& run = check.measured();
  check.at_most(run, Metric::GlobalLoadSectors, kIdealSectors, "uncoalesced");
  check.at_most(run, Metric::GlobalStoreSectors, kIdealSectors, "uncoalesced");
}

GOAL("conflict-free", "conflict-free", 4) {
  // 1024 * 1024 elements / 32 lanes = 32,768 requests each way; one wavefront each when no two words share a
  // bank.
  const Run& run = check.measured();
  const char* why = "Keep element (y, x) in column x ^ y: for a fixed x, 32 rows give 32 columns.";
  check.at_most(run, Metric::SharedLoadWavefronts, kScalarRequests, "bank-conflict", why);
  check.at_most(run, Metric::SharedStoreWavefronts, kScalarRequests, "bank-conflict", why);
}

GOAL("no-padding", "no padding", 2) {
  // 32 rows of 32 floats, nothing between them.
  check.shared_bytes_at_most(check.measured(), 32 * 32 * 4,
                             "A permuted row is as long as a plain one: 32 floats.");
}

PREDICTION("request-wavefronts", "wavefronts of a request", 1) {
  const Run& run = check.measured();
  const char* pwhy =
      "x ^ y takes 32 different values for 32 values of x, and for 32 values of y: 32 different banks both "
      "ways.";
  check.predicted(&lab::Predictions::shared_load_wavefronts_per_request,
                  wavefronts_per_request(run.counters.shared_load), pwhy);
  check.predicted(&lab::Predictions::shared_store_wavefronts_per_request,
                  wavefronts_per_request(run.counters.shared_store), pwhy);
}
