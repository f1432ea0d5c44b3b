// Chapter 03: blocks of 4 × 4 elements in registers, 16 bytes per access.
#include "tests/chapters/everywhere.h"

namespace lab::chapter_03 {

using namespace lab::judge;
using namespace lab::course;

CHAPTER(wide(listed_chapter("03_float4")));

HOLDS("right", "right on every shape", 4) { check.right_on_every_shape(); }

HOLDS("beyond-32-bits", "right beyond 2^32 elements", 1) { right_beyond_32_bits(check); }

GOAL("wide-access", "16 bytes per lane", 3) {
  // 32 lanes of 16 bytes move 128 floats: 1024 * 1024 / 128 = 8,192 requests each way. No lane can move more.
  const char* why = "A request of 32 lanes moves 512 bytes when each lane moves a float4.";
  on_measured(check, [&](const Run& run) {
    check.at_most(run, Metric::GlobalLoadRequests, vector_requests(run), "narrow-access", why);
    check.at_most(run, Metric::GlobalStoreRequests, vector_requests(run), "narrow-access", why);
    if (check.passing())
      check.at_most(run, Metric::GlobalRequests, 2 * vector_requests(run), "other-path", kAllPaths);
    check.no_idle_blocks(run);
  });
}

GOAL("whole-sectors", "whole sectors", 3) {
  // 4 MiB in sectors of 32 bytes. A float4 is half a sector: two lanes must fill each one together, so a warp
  // has to be at least 2 wide and 2 high. (16, 16) is; (32, 8) is one row high, and writes 262,144 half
  // sectors.
  on_measured(check, [&](const Run& run) {
    whole_sectors(check, run,
                  "A float4 is half a sector. Two lanes of one warp have to meet in it, when reading and "
                  "when writing.");
  });
  // Where rows start anywhere, each lane may go element by element.
  everywhere(check, {.sectors = {9, 12, 0}, .lane_bytes = 16, .edges_apart = true, .tile = false}, Ask::All);
}

PREDICTION("request-sectors", "sectors of a request", 2) {
  const Run& run = check.measured();
  const char* why = "32 lanes of 16 bytes are 512 bytes: 16 sectors, if all of them are filled.";
  check.predicted(&lab::Predictions::global_load_sectors_per_request,
                  sectors_per_request(run.counters[lab::sim::Path::GlobalLoad]), why);
  check.predicted(&lab::Predictions::global_store_sectors_per_request,
                  sectors_per_request(run.counters[lab::sim::Path::GlobalStore]), why);
}

}  // namespace lab::chapter_03
