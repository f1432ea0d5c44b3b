// The numbers that a chapter can ask for before the first run.
//
// Enters: nothing. Leaves: one entry a field of Predictions (common/kernel/launch_shape.h), in its order.
// What a chapter asks, and of which kernel, stands in its lesson (common/course/lessons/questions.h).
#pragma once

#include <span>
#include <string_view>

#include "common/kernel/launch_shape.h"

namespace lab::judge {

struct Question {
  std::string_view name;     // of the field
  int Predictions::*member;  // where the answer stands
};

[[nodiscard]] std::span<const Question> all_questions();

}  // namespace lab::judge
