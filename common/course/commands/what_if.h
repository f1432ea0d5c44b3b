// What other layouts of the tile would have done to the access that a verdict's first failure blames.
//
// Enters: an examination. Leaves: lines for the card, and the same as JSON. Nothing unless the blame is an
// access to shared memory in a run that can be drawn.
#pragma once

#include <string>

#include "common/course/judge/examine.h"
#include "common/course/report/json.h"

namespace lab::cli {

struct WhatIf {
  std::string lines;
  report::Json json = nullptr;
};

// From the addresses of the run that judged.
[[nodiscard]] WhatIf what_if(const judge::Examination& examination);

}  // namespace lab::cli
