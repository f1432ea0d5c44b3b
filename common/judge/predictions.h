// The questions that a chapter can ask before the first run, and the words for them.
//
// Enters: nothing. Leaves: one entry a field of Predictions (common/kernel/launch_shape.h), in its order.
#pragma once

#include <span>
#include <string_view>

#include "common/kernel/launch_shape.h"

namespace lab::judge {

struct Question {
  std::string_view name;     // of the field
  int Predictions::*member;  // where the answer stands
  std::string_view words;    // the question as a sentence
};

[[nodiscard]] std::span<const Question> all_questions();

}  // namespace lab::judge
