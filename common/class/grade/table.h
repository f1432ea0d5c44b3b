// A table by its titles and columns, for those who read a platform's (worksheet.cpp, moodle_sheet.cpp).
//
// Enters: a Worksheet whose cells were read, and which row has the titles. Leaves: answers about titles and columns.
#pragma once

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "common/class/grade/submission.h"
#include "common/class/grade/times.h"
#include "common/class/grade/worksheet.h"

namespace lab::grade {

using Column = std::optional<std::size_t>;

// "13", "13.00", "13,00": hundredths.
[[nodiscard]] std::optional<std::int64_t> points_in(std::string text);
inline bool is_time(const std::string& text) { return read_time(text).has_value(); }
inline bool is_time_or_none(const std::string& text) { return text.empty() || text == "-" || is_time(text); }

class Table {
 public:
  Table(Worksheet& sheet, std::size_t titles) : sheet_(sheet), titles_(titles) { sheet.titles = titles; }

  [[nodiscard]] Column title(std::string_view wanted) const {
    const auto& cells = sheet_.csv.rows[titles_].cells;
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (lower(cells[i]) == wanted) return i;
    return std::nullopt;
  }
  [[nodiscard]] Column title_of(std::initializer_list<std::string_view> wanted) const {
    for (const std::string_view one : wanted)
      if (const Column found = title(one)) return found;
    return std::nullopt;
  }
  [[nodiscard]] Column title_with(std::string_view part) const {
    const auto& cells = sheet_.csv.rows[titles_].cells;
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (lower(cells[i]).find(part) != std::string::npos) return i;
    return std::nullopt;
  }
  [[nodiscard]] std::size_t columns() const { return sheet_.csv.rows[titles_].cells.size(); }
  [[nodiscard]] std::size_t first() const { return titles_ + 1; }
  [[nodiscard]] std::size_t end() const { return sheet_.csv.rows.size(); }
  [[nodiscard]] bool empty() const { return first() >= end(); }
  [[nodiscard]] std::string cell(std::size_t row, Column column) const { return sheet_.cell(row, column); }

  using Test = std::function<bool(const std::string&)>;
  [[nodiscard]] bool all(std::size_t column, const Test& test) const {
    for (std::size_t row = first(); row < end(); ++row)
      if (!test(cell(row, column))) return false;
    return !empty();
  }
  [[nodiscard]] bool any(std::size_t column, const Test& test) const {
    return !empty() && !all(column, [&](const std::string& text) { return !test(text); });
  }
  [[nodiscard]] bool same_everywhere(std::size_t column) const {
    const std::string text = cell(first(), column);
    return all(column, [&](const std::string& other) { return other == text; });
  }
  [[nodiscard]] bool all_different(std::size_t column) const {
    std::set<std::string> seen;
    return all(column, [&](const std::string& text) { return !text.empty() && seen.insert(text).second; });
  }

  // Rows that `person` makes of the cells; one without a key and a name is none.
  void take_rows(const std::function<WorksheetRow(std::size_t)>& person) {
    for (std::size_t row = first(); row < end(); ++row) {
      WorksheetRow made = person(row);
      made.index = row;
      made.line = sheet_.csv.rows[row].line;
      const Identity& who = made.who;
      if (!(who.number + who.id + who.email + who.name).empty()) sheet_.rows.push_back(std::move(made));
    }
  }

 private:
  Worksheet& sheet_;
  std::size_t titles_;
};

// Moodle's grading worksheet; false where it is none.
bool read_moodle(Worksheet& sheet, Table& table);

}  // namespace lab::grade
