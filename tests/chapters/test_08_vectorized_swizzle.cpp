// Chapter 08: 16-byte accesses in global and in shared memory.
#include "tests/chapters/course_checks.h"

using namespace lab::judge;
using namespace lab::course;

CHAPTER(listed_chapter("08_vectorized_swizzle"));

HOLDS("right", "right on every shape", 4) { check.right_on(every_shape()); }

HOLDS("beyond-32-bits", "right beyond 2^32 elements", 1) { right_beyond_32_bits(check); }

GOAL("wide-global", "16 bytes a lane in global memory", 2) {
  // 1024 * 1024 floats / (32 lanes * 4) = 8,192 requests each way.
  const Run& run = check.measured();
  const char* why = "A request of 32 lanes moves 512 bytes when each lane moves a float4.";
  check.at_most(run, Metric::GlobalLoadRequests, kVectorRequests, "narrow-access", why);
  check.at_most(run, Metric::GlobalStoreRequests, kVectorRequests, "narrow-access", why);
}

GOAL("whole-sectors", "whole sectors", 2) {
  // 4 MiB in sectors of 32 bytes, each way.
  const Run& run = check.measured();
  check.at_most(run, Metric::GlobalLoadSectors, kIdealSectors, "uncoalesced");
  check.at_most(run, Metric::GlobalStoreSectors, kIdealSectors, "uncoalesced");
}

GOAL("wide-shared", "16 bytes a lane in shared memory", 2) {
  // The same 8,192 requests each way. Also says that there is a tile at all: chapter 03 has none.
  const Run& run = check.measured();
  const char* why = "Store and load a float4 of the tile at once; turn blocks of 4 × 4 in registers.";
  check.at_most(run, Metric::SharedStoreRequests, kVectorRequests, "narrow-access", why);
  check.at_most(run, Metric::SharedLoadRequests, kVectorRequests, "narrow-access", why);
}

GOAL("conflict-free", "conflict-free", 3) {
  // 32 lanes of 16 bytes are 512 bytes, the banks give 128 in a wavefront: 4 for each of 8,192 requests.
  const Run& run = check.measured();
  const char* why =
      "8 lanes with 16 bytes each are served at once: their 8 float4 must lie in 8 different chunks of 16 "
      "bytes, counted modulo 128.";
  check.at_most(run, Metric::SharedStoreWavefronts, 4 * kVectorRequests, "bank-conflict", why);
  check.at_most(run, Metric::SharedLoadWavefronts, 4 * kVectorRequests, "bank-conflict", why);
}
