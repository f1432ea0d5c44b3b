// Chapter @NUMBER@: a template. Two elements per lane, in one access.
#include "tests/chapters/course_checks.h"

using namespace lab::judge;
using namespace lab::course;

CHAPTER(listed_chapter("@NAME@"));

HOLDS("right", "right on every shape", 4) { check.right_on(every_shape()); }

HOLDS("beyond-32-bits", "right beyond 2^32 elements", 1) { right_beyond_32_bits(check); }

GOAL("pairs", "8 bytes per lane", 4) {
  // 32 lanes of 8 bytes move 64 floats: 1024 * 1024 / 64 = 16,384 requests. Not fewer: that is another chapter's idea.
  check.exactly(check.measured(), Metric::GlobalLoadRequests, kElems / 64, "narrow-access",
                "A request of 32 lanes moves 256 bytes when each lane moves a float2.");
}
