// A fake chapter with two cases of one id.
#include "common/course/judge/checks.h"

using namespace lab::judge;

CHAPTER(.name = "94_one_id_twice", .idea = "none");

HOLDS("right", "right here", 1) { check.that(true, "fine", ""); }

GOAL("right", "right there", 1) { check.that(true, "fine", ""); }
