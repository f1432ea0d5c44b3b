// `lab step` at a terminal: a step fills the screen, and keys lead on from it.
//
// Enters: a recorded run, the step to begin with, keys, and who records it anew where a warp is chosen. Leaves: text on the terminal, until q or the terminal's
// end.
#pragma once

#include <cstddef>
#include <functional>

#include "common/course/explore/step_run.h"
#include "common/ui/style.h"

namespace lab::cli {

using RecordAgain = std::function<explore::StepRun(const explore::StepTurns&)>;
void step_by_keys(explore::StepRun run, std::size_t begin, const report::Style& style,
                  const RecordAgain& again);

}  // namespace lab::cli
