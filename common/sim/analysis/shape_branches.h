// Which branches of a program follow from a shape or a block, and not from the thread's number alone.
//
// Enters: a program. Leaves: of each of its instructions, whether it is such a branch. Without a look at the
// order of instructions: rather more branches than fewer.
#pragma once

#include <vector>

namespace lab::sim {

struct ProgramData;

[[nodiscard]] std::vector<bool> shape_branches(const ProgramData& program);

}  // namespace lab::sim
