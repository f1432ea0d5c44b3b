// A formula that says in which column of its row an element of a tile is kept: "x ^ y", "(x + y) % 32".
//
// Enters: text from the command line. Leaves: something that can be evaluated for every element. Operators
// are those of C on whole numbers: | ^ & << >> + - * / % ~ and brackets; x (or col) is the column, y (or row)
// the row.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/text/message.h"

namespace lab::explore {

// The text is no formula, or it divides by zero somewhere; a whole sentence.
class FormulaError : public text::Said<std::runtime_error> {
 public:
  using Said::Said;
};

class TileFormula {
 public:
  explicit TileFormula(std::string_view text);                                  // throws FormulaError
  [[nodiscard]] std::int64_t operator()(std::int64_t y, std::int64_t x) const;  // throws FormulaError
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  // A stack machine: numbers and variables push, operators take two ('~' and 'n' for minus: one) and push
  // one.
  struct Step {
    char op = 0;
    std::int64_t number = 0;
  };
  friend class FormulaParser;
  std::string text_;
  std::vector<Step> steps_;
};

}  // namespace lab::explore
