// Text tables: a header, rows, columns that line up.
//
// Enters: cells. Leaves: lines. Colour is put on after the cells have been padded, so it moves nothing. In a
// terminal that is too narrow, columns that may go are left out, the first of them first; then the gaps
// shrink, and a last column of words goes on below. A line of source does not: it is cut around what is meant,
// and stands below its row where fewer than kLeastSource columns are left for it.
#pragma once

#include <string>
#include <vector>

#include "common/ui/style.h"

namespace lab::report {

enum class Align : std::uint8_t { Left, Right };

struct Cell {
  std::string text;
  Ink ink = Ink::Plain;
  std::size_t meant = std::string::npos;  // of a line of source: where that begins which is meant
};

class Table {
 public:
  static constexpr std::size_t kLeastSource = 34;                     // columns
  Table& column(std::string_view title, Align align = Align::Right);  // English; shown in the chosen language
  // Said of the column before. Those of turn 1 go first, each the first of its turn.
  Table& may_go(int turn = 1);
  Table& source(std::string_view title = "");  // the last column: lines of source
  Table& row(std::vector<Cell> cells);         // as many as columns
  [[nodiscard]] std::size_t columns() const;   // of a line that shows everything
  // Whether this terminal has room for the last column.
  [[nodiscard]] bool shows_last(std::string_view indent = "") const;
  [[nodiscard]] std::string text(const Style& style, std::string_view indent = "") const;

 private:
  [[nodiscard]] std::vector<std::size_t> widths() const;
  // What is shown where the lines may be so many columns long (0: any number), and the gap between two.
  struct Shown {
    std::vector<std::size_t> columns, widths;
    std::size_t gap;
    bool source_below = false;
    [[nodiscard]] std::size_t begin_of_last() const;
  };
  [[nodiscard]] Shown shown_in(std::size_t room) const;
  [[nodiscard]] Shown without_source(std::size_t room) const;

  std::vector<std::string> titles_;
  std::vector<Align> aligns_;
  std::vector<int> turn_to_go_;  // 0: stays
  bool has_source_ = false;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace lab::report
