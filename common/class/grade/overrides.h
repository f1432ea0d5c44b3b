// Points and comments that a person gives, kept through every run.
//
// Enters: overrides.csv in the output folder: student, chapter, points, comment. Leaves: what was decided, by
// student and chapter. A file with a mistake in it grades nothing.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "common/class/grade/record.h"

namespace lab::grade {

inline constexpr const char* kOverridesName = "overrides.csv";

using Overrides = std::map<std::pair<std::string, std::string>, ByHand>;  // by student and chapter
// Throws UsageError that lists mistakes as FILE:LINE.
[[nodiscard]] Overrides read_overrides(const std::string& text, const std::string& name);

}  // namespace lab::grade
