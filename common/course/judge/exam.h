// The exam of chapter 17: which kernel stands behind which table, and on which matrices the tables are
// counted.
//
// Enters: a class's key (or the public one), the number of a seat. Leaves: kernels and a matrix for each, the
// same for the same key and seat, so that answers of another class or seat are answers to other tables. Each
// seat has five kernels with one waste, one with two, one with none, and one of these seven once more on
// another matrix, so that the last table cannot be found by elimination.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/course/judge/problem.h"

namespace lab::judge {

struct ExamTable {
  std::string name;    // "table_a", as FINDING_OF takes it
  std::string kernel;  // that stands behind it
  Problem problem;
};

[[nodiscard]] std::vector<ExamTable> exam_tables(std::string_view key, int seat);

}  // namespace lab::judge
