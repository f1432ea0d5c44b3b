// Fills one column of a platform's table. See gradebook.h.
#include "common/grade/gradebook.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>

#include "common/base/errors.h"
#include "common/base/words.h"
#include "common/grade/csv.h"
#include "common/grade/formats.h"
#include "common/grade/submission.h"

namespace lab::grade {
namespace {

using base::UsageError;

// The titles of a table that we know.
struct BookLayout {
  std::string_view person, number, grade;  // `number` stands behind the name in what a submission is called
  std::vector<std::string_view> others;    // further names of a person
};
const std::vector<BookLayout>& book_layouts() {
  static const std::vector<BookLayout> all = {
      {"full name", "identifier", "grade", {"email address", "id number"}},          // Moodle
      {"student", "", "", {"sis login id", "sis user id", "id", "integration id"}},  // Canvas
  };
  return all;
}

class BookTable {
 public:
  BookTable(const std::string& text, std::string name, const std::string& column)
      : csv_(read_csv(text)), name_(std::move(name)) {
    if (csv_.open_quote != 0 || csv_.rows.empty()) throw UsageError(msg("{} is no table.", name_));
    for (const BookLayout& layout : book_layouts()) {
      if (title(layout.person) && (layout.number.empty() || title(layout.number))) layout_ = &layout;
    }
    if (layout_ == nullptr)
      throw UsageError(
          msg("{} is neither Moodle's grading worksheet (Identifier, Full name, Grade) nor Canvas's "
              "gradebook (Student, ID).",
              name_));
    const auto grade = title(lower(column.empty() ? layout_->grade : column));
    if (!grade)
      throw UsageError(msg("{} has no column \"{}\". --gradebook-column names the one to fill; it has: {}.",
                           name_, column, base::joined(csv_.rows.front().cells)));
    grade_ = *grade;
  }

  // The row of a submission's student: none, one, or several.
  [[nodiscard]] std::vector<std::size_t> rows_of(const std::vector<std::string>& names) const {
    for (const std::string& name : names) {
      if (const auto rows = rows_of(name); !rows.empty()) return rows;
    }
    return {};
  }
  [[nodiscard]] std::vector<std::size_t> rows_of(const std::string& student) const {
    std::vector<std::size_t> exact, alike;
    for (std::size_t i = 1; i < csv_.rows.size(); ++i) {
      const std::string person = cell(i, layout_->person);
      std::string number = cell(i, layout_->number);
      number = number.substr(number.rfind(' ') + 1);
      bool named = (!number.empty() && student == person + "_" + number) || student == person;
      for (const std::string_view other : layout_->others)
        named |= !cell(i, other).empty() && cell(i, other) == student;
      if (named) exact.push_back(i);
      if (!person.empty() && may_be_called(person, student)) alike.push_back(i);
    }
    return exact.empty() ? alike : exact;
  }

  void fill(std::size_t row, const std::string& points) {
    auto& cells = csv_.rows[row].cells;
    cells.resize(std::max(cells.size(), grade_ + 1));
    cells[grade_] = points;
    filled_.push_back(row);
  }

  // People without a submission.
  [[nodiscard]] std::vector<std::string> empty() const {
    std::vector<std::string> people;
    for (std::size_t i = 1; i < csv_.rows.size(); ++i) {
      const std::string person = cell(i, layout_->person);
      const bool filled = std::find(filled_.begin(), filled_.end(), i) != filled_.end();
      if (!filled && !person.empty() && lower(person) != "points possible") people.push_back(person);
    }
    return people;
  }

  [[nodiscard]] std::string text() const {
    std::string text;
    for (const CsvRow& row : csv_.rows) text += csv_line(row.cells);
    return text;
  }

 private:
  [[nodiscard]] std::optional<std::size_t> title(std::string_view wanted) const {
    const auto& titles = csv_.rows.front().cells;
    const auto found = std::find_if(titles.begin(), titles.end(),
                                    [&](const std::string& cell) { return lower(cell) == wanted; });
    if (wanted.empty() || found == titles.end()) return std::nullopt;
    return static_cast<std::size_t>(found - titles.begin());
  }
  [[nodiscard]] std::string cell(std::size_t row, std::string_view wanted) const {
    const auto at = title(wanted);
    return at && *at < csv_.rows[row].cells.size() ? csv_.rows[row].cells[*at] : std::string();
  }

  Csv csv_;
  std::string name_;
  const BookLayout* layout_ = nullptr;
  std::size_t grade_ = 0;
  std::vector<std::size_t> filled_;
};

}  // namespace

Gradebook filled_gradebook(const std::string& text, const std::string& name, const std::string& column,
                           const ClassResult& result) {
  BookTable table(text, name, column);
  Gradebook book;
  std::vector<std::string> unknown, unclear;
  for (const StudentView& student : by_student(result)) {
    const bool open = std::any_of(student.chapters.begin(), student.chapters.end(),
                                  [](const Graded* g) { return !g->has_points(); });
    std::vector<std::string> names;
    if (const auto about = result.about.find(student.student); about != result.about.end()) {
      if (about->second.absent) continue;
      names = about->second.called;
    }
    names.push_back(student.student);
    const auto rows = table.rows_of(names);
    if (rows.empty()) {
      unknown.push_back(student.student);
    } else if (rows.size() > 1) {
      unclear.push_back(student.student);
    } else if (!open) {
      table.fill(rows.front(), points_text(student.points()));
    }
  }
  if (const auto missing = table.empty(); !missing.empty())
    book.notes.push_back(
        msg("{} people of {} have no grade: {}", missing.size(), name, base::joined(missing)));
  if (!unknown.empty())
    book.notes.push_back(msg("{} does not have these students: {}", name, base::joined(unknown)));
  if (!unclear.empty())
    book.notes.push_back(msg("several rows of {} may be these students', and none was filled: {}", name,
                             base::joined(unclear)));
  book.text = table.text();
  return book;
}

}  // namespace lab::grade
