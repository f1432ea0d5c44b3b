// Pages for students: one for each, and one for each submission as a platform takes it back.
//
// Enters: a ClassResult. Leaves: feedback.zip, whose names say to the platform whose a page is. No page holds
// what is somebody else's.
#pragma once

#include <string>

#include "common/class/grade/formats.h"
#include "common/class/grade/grading.h"

namespace lab::grade {

[[nodiscard]] std::string page_of(const StudentView& student, const ClassResult& result,
                                  const OutputFolder& out, bool alone);
void write_feedback_zip(const ClassResult& result, const OutputFolder& out);

}  // namespace lab::grade
