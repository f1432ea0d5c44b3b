// Chapter 08: 16-byte accesses in global and in shared memory.
#include "tests/chapters/everywhere.h"

namespace lab::chapter_08 {

using namespace lab::judge;
using namespace lab::course;

CHAPTER(wide(exchanging(listed_chapter("08_vectorized_swizzle"))));

// Where rows start anywhere, a lane may go element by element.
constexpr Cost kCost{.sectors = {9, 12, 0}, .lane_bytes = 16, .edges_apart = true};

HOLDS("right", "right on every shape", 4) { check.right_on_every_shape(); }

HOLDS("beyond-32-bits", "right beyond 2^32 elements", 1) { right_beyond_32_bits(check); }

GOAL("wide-global", "16 bytes per lane in global memory", 2) {
  // 1024 * 1024 floats / (32 lanes * 4) = 8,192 requests each way.
  const char* why = "A request of 32 lanes moves 512 bytes when each lane moves a float4.";
  on_measured(check, [&](const Run& run) {
    check.at_most(run, Metric::GlobalLoadRequests, vector_requests(run), "narrow-access", why);
    check.at_most(run, Metric::GlobalStoreRequests, vector_requests(run), "narrow-access", why);
    if (check.passing())
      check.at_most(run, Metric::GlobalRequests, 2 * vector_requests(run), "other-path", kAllPaths);
  });
  everywhere(check, kCost, Ask::All);
}

KEEPS("whole-sectors", "whole sectors", 2) {
  // 4 MiB in sectors of 32 bytes, each way.
  on_measured(check, [&](const Run& run) {
    whole_sectors(check, run);
    check.no_idle_blocks(run);
  });
}

GOAL("wide-shared", "16 bytes per lane in shared memory", 2) {
  // The same 8,192 requests each way. Also says that there is a tile at all: chapter 03 has none.
  const char* why = "Store and load a float4 of the tile at once; turn blocks of 4 × 4 in registers.";
  on_measured(check, [&](const Run& run) {
    check.at_most(run, Metric::SharedStoreRequests, vector_requests(run), "narrow-access", why);
    check.at_most(run, Metric::SharedLoadRequests, vector_requests(run), "narrow-access", why);
    if (check.passing())
      check.at_most(run, Metric::SharedRequests, 2 * vector_requests(run), "other-path", kAllPaths);
  });
  if (check.passing()) check.exchanged();
  if (check.passing()) rows_on_measured(check);
  everywhere(check, kCost, Ask::All);
}

KEEPS("conflict-free", "conflict-free", 3) {
  // 32 lanes of 16 bytes are 512 bytes, the banks give 128 in a wavefront: 4 for each of 8,192 requests.
  const char* why =
      "8 lanes with 16 bytes each are served at once: their 8 float4 must lie in 8 different chunks of 16 "
      "bytes, counted modulo 128.";
  on_measured(check, [&](const Run& run) {
    check.at_most(run, Metric::SharedStoreWavefronts, 4 * vector_requests(run), "bank-conflict", why);
    check.at_most(run, Metric::SharedLoadWavefronts, 4 * vector_requests(run), "bank-conflict", why);
    if (check.passing())
      check.at_most(run, Metric::SharedWavefronts, 8 * vector_requests(run), "other-path", kAllPaths);
  });
  everywhere(check, kCost, Ask::All);
}

}  // namespace lab::chapter_08
