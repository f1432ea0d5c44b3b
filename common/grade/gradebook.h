// A platform's own table of a class, with the grades filled in, to be uploaded back.
//
// Enters: Moodle's grading worksheet or Canvas's gradebook as it was downloaded, and what was graded. Leaves:
// the same table with one column filled, and sentences about people whom the table or the class does not
// have. Grades of people who handed in nothing stay as they are: a platform gives its own zero.
#pragma once

#include <string>
#include <vector>

#include "common/grade/grading.h"

namespace lab::grade {

struct Gradebook {
  std::string text;            // CSV
  std::vector<Message> notes;  // who is missing, who is not in the table, whose row is not clear
};

// `column`: the title to fill; "" for Moodle's Grade. Throws UsageError for a table that is none of these.
[[nodiscard]] Gradebook filled_gradebook(const std::string& table, const std::string& name,
                                         const std::string& column, const ClassResult& result);

}  // namespace lab::grade
