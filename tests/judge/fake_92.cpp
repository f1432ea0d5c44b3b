// A fake chapter that does everything wrong that a chapter can do.
#include <stdexcept>

#include "common/course/judge/checks.h"

using namespace lab::judge;

CHAPTER(.name = "92_odd", .idea = "none");

GOAL("early-goal", "goal before holds", 1) { check.that(true, "fine", ""); }

HOLDS("checks-nothing", "checks nothing", 1) {}

HOLDS("empty-list", "empty list", 1) { check.right_on(std::span<const Problem>{}); }

HOLDS("throws", "throws", 1) {
  check.that(true, "fine", "");
  throw std::runtime_error("oh");
}

HOLDS("plain-doctest", "plain doctest", 1) {
  check.that(true, "fine", "");
  CHECK(1 + 1 == 3);
}

HOLDS("require", "require leaves the body", 1) {
  REQUIRE(1 + 1 == 3);
  check.that(true, "fine", "");
}
