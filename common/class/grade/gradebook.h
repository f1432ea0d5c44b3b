// A platform's own table of a class, with the grades filled in, to be uploaded back.
//
// Enters: a table as it was downloaded (worksheet.h), and what was graded. Leaves: its columns that the platform's
// importer needs with one of them filled, on the platform's scale, and sentences about people whom the table or the
// class does not have. Grades of people who handed in nothing stay as they are: a platform gives its own zero.
#pragma once

#include <string>
#include <vector>

#include "common/class/grade/grading.h"

namespace lab::grade {

struct Gradebook {
  std::string text;            // CSV
  std::vector<Message> notes;  // who is missing, who is not in the table, whose row is not clear
};

// `column`: the title to fill; "" for the one that takes grades, where there is one. Throws UsageError for a table that
// cannot be filled.
[[nodiscard]] Gradebook filled_gradebook(const std::string& table, const std::string& name,
                                         const std::string& column, const ClassResult& result);
// The same without a class: throws where that would. Asked before anything is graded.
void check_gradebook(const std::string& table, const std::string& name, const std::string& column);

}  // namespace lab::grade
