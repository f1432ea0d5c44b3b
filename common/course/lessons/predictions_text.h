// The PREDICTIONS of a kernel file, as text: which questions stand there, and how to write an answer.
//
// Enters: the text of a kernel file. Leaves: names of questions, or the text with one number changed. The
// numbers that count are read from the compiled module; here only the place of an answer is found.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace lab::course {

// The fields in `PREDICTIONS = { .name = …, }`, in their order; empty when there is no such block.
[[nodiscard]] std::vector<std::string> asked_questions(const std::string& source);

// The text with `.name = answer`; a field that is not there yet is added. None: there is no PREDICTIONS
// block.
[[nodiscard]] std::optional<std::string> with_answer(const std::string& source, const std::string& name,
                                                     int answer);

// The text with 0 for every answer: what stays the same while only answers change.
[[nodiscard]] std::string without_answers(std::string source);

}  // namespace lab::course
