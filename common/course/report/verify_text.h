// `lab verify` in words and as JSON: what the course promises about its own kernels, and whether it is true.
//
// Enters: a CourseReport. Leaves: text: counts a task, the matrix of solutions against later chapters, what
// each solution changes, and every broken promise with its file.
#pragma once

#include <string>

#include "common/course/lessons/course_verify.h"
#include "common/ui/style.h"

namespace lab::report {

[[nodiscard]] std::string course_text(const course::CourseReport& report, const Style& style);
[[nodiscard]] std::string course_json(const course::CourseReport& report);

}  // namespace lab::report
