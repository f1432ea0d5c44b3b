// Chapter 04: a tile in shared memory, so that both sides follow rows; and what its banks cost.
#include "tests/chapters/course_checks.h"

using namespace lab::judge;
using namespace lab::course;

CHAPTER(listed_chapter("04_shared_tile"));

HOLDS("right", "right on every shape", 4) { check.right_on(every_shape()); }

HOLDS("beyond-32-bits", "right beyond 2^32 elements", 1) { right_beyond_32_bits(check); }

GOAL("whole-sectors", "whole sectors", 3) {
  // 4 MiB in sectors of 32 bytes, each way.
  const Run& run = check.measured();
  const char* why = "Neighbouring lanes should touch neighbouring elements of a row, reading and writing.";
  check.at_most(run, Metric::GlobalStoreSectors, kIdealSectors, "uncoalesced", why);
  check.at_most(run, Metric::GlobalLoadSectors, kIdealSectors, "uncoalesced", why);
}

GOAL("through-shared", "through shared memory", 3) {
  // Every element is stored once and loaded once. Even with all 32 lanes in one bank that is 32 wavefronts
  // for each of 32,768 requests; more means that elements go through more than once.
  const Run& run = check.measured();
  check.at_most(run, Metric::SharedStoreWavefronts, 32 * kScalarRequests, "repeated-access");
  check.at_most(run, Metric::SharedLoadWavefronts, 32 * kScalarRequests, "repeated-access");
}

PREDICTION("store-wavefronts", "wavefronts of the shared store", 2) {
  const Run& run = check.measured();
  check.predicted(
      &lab::Predictions::shared_store_wavefronts_per_request,
      wavefronts_per_request(run.counters.shared_store),
      "Bank = (address / 4) % 32. Neighbouring floats lie in neighbouring banks; floats that are 32 apart "
      "lie in one.");
  check.predicted(&lab::Predictions::shared_store_wavefronts, run.counters.shared_store.wavefronts,
                  "32,768 requests, each with the wavefronts of one request.");
}

PREDICTION("load-wavefronts", "wavefronts of the shared load", 2) {
  const Run& run = check.measured();
  check.predicted(
      &lab::Predictions::shared_load_wavefronts_per_request, wavefronts_per_request(run.counters.shared_load),
      "A column of 32 floats in rows of 32 floats: every address is 128 bytes after the one before, so all "
      "lie in one bank, and a bank serves one word a wavefront.");
  check.predicted(&lab::Predictions::shared_load_wavefronts, run.counters.shared_load.wavefronts,
                  "32,768 requests, each with the wavefronts of one request.");
}
