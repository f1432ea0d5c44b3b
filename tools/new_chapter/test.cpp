// Chapter @NUMBER@: a template. Two elements per lane, in one access.
#include "tests/chapters/course_checks.h"

namespace lab::chapter_@NUMBER@ {

using namespace lab::judge;
using namespace lab::course;

CHAPTER(listed_chapter("@NAME@"));

HOLDS("right", "right on every shape", 4) { check.right_on_every_shape(); }

HOLDS("beyond-32-bits", "right beyond 2^32 elements", 1) { right_beyond_32_bits(check); }

GOAL("pairs", "8 bytes per lane", 4) {
  // 32 lanes of 8 bytes move 64 floats: half as many requests as with 4 bytes. Not fewer: that is another
  // chapter's idea.
  on_measured(check, [&](const Run& run) {
    check.exactly(run, Metric::GlobalLoadRequests, scalar_requests(run) / 2, "narrow-access",
                  "A request of 32 lanes moves 256 bytes when each lane moves a float2.");
    check.no_idle_blocks(run);
  });
}

}  // namespace lab::chapter_@NUMBER@
