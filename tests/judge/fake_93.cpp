// A fake chapter with no case at all.
#include "common/course/judge/checks.h"

CHAPTER(.name = "93_no_cases", .idea = "none");
