// Which branches and comparisons of a program follow from a shape or a block, and not from the thread's number alone.
//
// Enters: a program. Leaves: of each of its instructions, whether it is such a branch; numbers compared with. Without a look at the
// order of instructions: rather more branches than fewer.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

namespace lab::sim {

struct ProgramData;

[[nodiscard]] std::vector<bool> shape_branches(const ProgramData& program);
// Whole numbers that a value of that kind is compared with, whether a branch depends on it or not.
[[nodiscard]] std::set<std::int64_t> compared_with_shape(const ProgramData& program);

}  // namespace lab::sim
