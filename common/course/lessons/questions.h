// The questions that a lesson asks before the first run.
//
// Enters: a lesson in Markdown, the title of its section. Leaves: the introduction and the questions, in the words of
// the lesson. An item names the field of PREDICTIONS for its answer:
//     ### Predict
//     Think of one warp: …
//     - `global_load_sectors_per_request`: How many sectors does it touch when it reads `in`?
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace lab::course {

struct LessonQuestions {
  std::string before;                        // Markdown
  std::map<std::string, std::string> words;  // by the name of the field; Markdown
};

// Empty when the lesson has no such section.
[[nodiscard]] LessonQuestions lesson_questions(std::string_view lesson, std::string_view title);

}  // namespace lab::course
