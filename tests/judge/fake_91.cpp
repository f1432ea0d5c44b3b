// A fake chapter with goals that a naive kernel misses.
#include "common/course/judge/checks.h"

using namespace lab::judge;

CHAPTER(.name = "91_tight", .idea = "none");

HOLDS("right", "right on one shape", 1) { check.right_on(Problem{61, 67}); }

GOAL("ideal-store", "ideal store", 3) {
  check.at_most(check.measured(), Metric::GlobalStoreSectors, 131'072, "too-many-sectors");
}

GOAL("ideal-load", "load is ideal", 1) {
  check.exactly(check.measured(), Metric::GlobalLoadSectors, 131'072, "too-many-sectors");
}

GOAL("through-shared", "through shared memory", 1) {
  check.at_most(check.measured(), Metric::SharedLoadWavefronts, 32'768, "bank-conflict");
}
