// `lab step` at a terminal: a step fills the screen, and keys lead on from it.
//
// Enters: a recorded run, the step to begin with, keys. Leaves: text on the terminal, until q or the terminal's
// end.
#pragma once

#include <cstddef>

#include "common/course/explore/step_run.h"
#include "common/ui/style.h"

namespace lab::cli {

void step_by_keys(const explore::StepRun& run, std::size_t begin, const report::Style& style);

}  // namespace lab::cli
