// A fake chapter as the course writes them.
#include "common/course/judge/checks.h"

using namespace lab::judge;

CHAPTER(.name = "90_fake", .idea = "none");

HOLDS("right", "right on every shape", 5) { check.right_on(every_shape()); }

GOAL("few-sectors", "few sectors", 3) {
  check.at_most(check.measured(), Metric::GlobalStoreSectors, 1'048'576, "too-many-sectors");
}

PREDICTION("store-sectors", "store sectors predicted", 2) {
  check.predicted(&lab::Predictions::global_store_sectors_per_request, 32, "every lane has its own sector");
}
