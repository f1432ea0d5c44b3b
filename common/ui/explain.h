// What each diagnosis and fault means, and what to do: the texts of `lab explain`.
//
// Enters: a stable code. Leaves: a few plain sentences.
#pragma once

#include <span>
#include <string_view>

namespace lab::report {

struct Explanation {
  std::string_view code;
  std::string_view meaning;     // one sentence
  std::string_view remedy;      // one or two
  std::string_view anywhere{};  // the remedy in words of any kernel, where `remedy` speaks of a transpose
};

enum class KernelOf { Course, Any };

[[nodiscard]] std::span<const Explanation> all_explanations();                      // by code
[[nodiscard]] const Explanation* find_explanation(std::string_view code);           // null when there is none
[[nodiscard]] std::string_view remedy_for(std::string_view code, KernelOf kernel);  // "" when there is none

}  // namespace lab::report
