// Fills one column of a platform's table. See gradebook.h.
#include "common/class/grade/gradebook.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "common/base/errors.h"
#include "common/base/words.h"
#include "common/class/grade/csv.h"
#include "common/class/grade/formats.h"
#include "common/class/grade/submission.h"
#include "common/class/grade/worksheet.h"

namespace lab::grade {
namespace {

using base::UsageError;

Worksheet read_table(const std::string& text, const std::string& name) {
  if (auto sheet = Worksheet::read(text, name)) return *std::move(sheet);
  throw UsageError(
      msg("{} is neither Moodle's grading worksheet (Identifier, Full name, Grade) nor a gradebook of Canvas "
          "(Student, ID), Brightspace, Blackboard (Last Name, First Name, Username) or Sakai.",
          name));
}

// The column of that title, or the only one that takes points.
std::size_t column_to_fill(const Worksheet& sheet, const std::string& name, const std::string& wanted) {
  const std::vector<std::string>& titles = sheet.csv.rows[sheet.titles].cells;
  std::vector<std::size_t> exact, begun, with_points;
  for (std::size_t i = 0; i < titles.size(); ++i) {
    if (lower(titles[i]) == lower(wanted)) exact.push_back(i);
    if (!wanted.empty() && lower(titles[i]).starts_with(lower(wanted))) begun.push_back(i);
    if (sheet.most_of(i)) with_points.push_back(i);
  }
  if (wanted.empty() && sheet.grade) return *sheet.grade;
  const std::vector<std::size_t>& found = wanted.empty() ? with_points : exact.empty() ? begun : exact;
  if (found.size() == 1) return found.front();
  if (wanted.empty())
    throw UsageError(msg("Which column of {} is to be filled? --gradebook-column names it; it has: {}.", name,
                         base::joined(titles)));
  throw UsageError(msg("{} has no column \"{}\". --gradebook-column names the one to fill; it has: {}.", name,
                       wanted, base::joined(titles)));
}

void refuse_scale(const Worksheet& sheet, std::size_t column, const std::string& name) {
  if (sheet.scale && column == sheet.grade)
    throw UsageError(
        msg("{} is of an assignment that is graded with a scale of words, and the lab has points: grade "
            "without --gradebook, or set a maximum grade in the platform and download the table again.",
            name));
}

// What one student has for the chapters of this run.
struct Total {
  std::int64_t points = 0, possible = 0;
  bool open = false;  // something has no verdict yet
};
Total total_of(const StudentView& student, const std::set<std::string>& chapters) {
  Total total;
  for (const Graded* g : student.chapters) {
    if (!chapters.contains(g->record.chapter)) continue;
    total.points += g->points;
    total.possible += g->bonus ? 0 : g->points_possible;
    total.open |= !g->has_points();
  }
  return total;
}

class Filler {
 public:
  Filler(Worksheet sheet, std::string name, std::size_t column)
      : sheet_(std::move(sheet)), name_(std::move(name)), column_(column), most_(sheet_.most_of(column)) {
    for (const WorksheetRow& row : sheet_.rows) directory_.add(row.who);
  }

  Gradebook fill(const ClassResult& result) {
    for (const Graded& g : result.graded)
      if (!g.earlier) chapters_.insert(g.record.chapter);
    std::vector<Identity> people;
    for (const auto& [student, about] : result.about) people.push_back(about.who);
    directory_.compare_ids(people);
    const std::vector<StudentView> students = by_student(result);
    for (std::size_t i = 0; i < students.size(); ++i) place(students, i, result);
    for (const auto& [row, who] : wanted_by_) fill_row(row, who, students);
    note_people();
    note_scale(students);
    return {text(), std::move(notes_)};
  }

 private:
  // Rows that may be this student's.
  [[nodiscard]] std::vector<std::size_t> rows_of(const StudentView& student, const AboutPerson* about) const {
    const Identity who = about == nullptr ? Identity{} : about->who;
    const auto numbered = directory_.numbered(who.number);
    if (numbered.size() == 1) {
      const std::string& row = sheet_.rows[numbered.front()].who.name;
      const bool agrees = row.empty() || who.name.empty() || plain_form(row) == plain_form(who.name) ||
                          may_be_called(row, who.name);
      if (agrees || sheet_.kind != Worksheet::Kind::Moodle) return numbered;
    }
    if (auto found = directory_.find(who); !found.empty()) return found;
    return directory_.called(student.student);
  }

  void place(const std::vector<StudentView>& students, std::size_t i, const ClassResult& result) {
    const auto about = result.about.find(students[i].student);
    if (about != result.about.end() && about->second.absent) return;
    const auto rows = rows_of(students[i], about == result.about.end() ? nullptr : &about->second);
    if (rows.empty()) {
      if (about != result.about.end()) unknown_.push_back(students[i].student);
    } else if (rows.size() > 1) {
      unclear_.push_back(students[i].student);
    } else {
      wanted_by_[rows.front()].push_back(i);
    }
  }

  void fill_row(std::size_t number, const std::vector<std::size_t>& who,
                const std::vector<StudentView>& students) {
    const WorksheetRow& row = sheet_.rows[number];
    if (who.size() > 1) {
      for (const std::size_t i : who) unclear_.push_back(students[i].student);
      return;
    }
    const StudentView& student = students[who.front()];
    const Total total = total_of(student, chapters_);
    if (total.open) return;
    std::int64_t points = total.points;
    if (most_ && total.possible > 0 && *most_ != total.possible) {
      points = (2 * points * *most_ + total.possible) / (2 * total.possible);
      scaled_ = total.possible;
    }
    if (most_ && points > *most_) {
      points = *most_;
      capped_.push_back(student.student);
    }
    if (row.locked) locked_.push_back(student.student);
    auto& cells = sheet_.csv.rows[row.index].written;
    cells.resize(std::max(cells.size(), column_ + 1));
    cells[column_] = points_text(points);
    filled_.insert(number);
  }

  void note_people() {
    std::vector<std::string> missing;
    for (std::size_t i = 0; i < sheet_.rows.size(); ++i) {
      const Identity& who = sheet_.rows[i].who;
      if (!filled_.contains(i)) missing.push_back(who.name.empty() ? who.number + who.id : who.name);
    }
    if (!missing.empty())
      notes_.push_back(
          msg("{} people of {} have no grade: {}", missing.size(), name_, base::joined(missing)));
    if (!unknown_.empty())
      notes_.push_back(msg("{} does not have these students: {}", name_, base::joined(unknown_)));
    if (!unclear_.empty())
      notes_.push_back(msg("several rows of {} may be these students', and none was filled: {}", name_,
                           base::joined(unclear_)));
    if (!locked_.empty())
      notes_.push_back(
          msg("{} says that these grades cannot be changed, and the platform will ignore them: {}", name_,
              base::joined(locked_)));
  }

  void note_scale(const std::vector<StudentView>& students) {
    if (scaled_ != 0)
      notes_.push_back(
          msg("the maximum grade of {} is {}, and the rubric has {} points: each grade is scaled by {}/{}",
              name_, points_text(*most_), points_text(scaled_), points_text(*most_), points_text(scaled_)));
    if (!capped_.empty())
      notes_.push_back(msg("{} takes {} at most, so these have the maximum grade and no more: {}", name_,
                           points_text(*most_), base::joined(capped_)));
    std::set<std::string> others;
    for (const StudentView& student : students)
      for (const Graded* g : student.chapters)
        if (!chapters_.contains(g->record.chapter)) others.insert(g->record.chapter);
    if (!others.empty())
      notes_.push_back(msg("{} has the points of this run's chapters alone; earlier ones are not in it: {}",
                           kGradebookName, base::joined(others)));
  }

  [[nodiscard]] std::string text() const {
    std::string text;
    for (const CsvRow& row : sheet_.csv.rows) {
      std::vector<std::string> cells;
      for (std::size_t i = 0; i < row.written.size(); ++i)  // Moodle asks for its titles, blanks and all
        if (is_kept(i)) cells.push_back(row.written[i]);
      text += csv_line(cells);
    }
    return text;
  }
  [[nodiscard]] bool is_kept(std::size_t column) const {
    return sheet_.kept.empty() || column == column_ ||
           std::find(sheet_.kept.begin(), sheet_.kept.end(), column) != sheet_.kept.end();
  }

  Worksheet sheet_;
  std::string name_;
  std::size_t column_;
  std::optional<std::int64_t> most_;
  Directory directory_;
  std::set<std::string> chapters_;                             // of this run
  std::map<std::size_t, std::vector<std::size_t>> wanted_by_;  // row: students
  std::set<std::size_t> filled_;
  std::int64_t scaled_ = 0;
  std::vector<std::string> unknown_, unclear_, locked_, capped_;
  std::vector<Message> notes_;
};

}  // namespace

Gradebook filled_gradebook(const std::string& text, const std::string& name, const std::string& column,
                           const ClassResult& result) {
  Worksheet sheet = read_table(text, name);
  const std::size_t to_fill = column_to_fill(sheet, name, column);
  return Filler(std::move(sheet), name, to_fill).fill(result);
}

void check_gradebook(const std::string& text, const std::string& name, const std::string& column) {
  const Worksheet sheet = read_table(text, name);
  refuse_scale(sheet, column_to_fill(sheet, name, column), name);
}

}  // namespace lab::grade
