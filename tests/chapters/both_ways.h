// Further shapes for goals that are asked on few: a kernel that decides by its shape whether it waits, or how much it
// asks for, is met both ways.
//
// Enters: the shapes that are asked, and how a random word becomes a shape that the goal holds for. Leaves: shapes, none for
// a kernel that decides nothing by its shape alone.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tests/chapters/course_checks.h"

namespace lab::course {

[[nodiscard]] std::vector<judge::Problem> both_ways(judge::Check& check,
                                                    const std::vector<judge::Problem>& asked,
                                                    const std::function<judge::Problem(std::uint64_t)>& made);

}  // namespace lab::course
