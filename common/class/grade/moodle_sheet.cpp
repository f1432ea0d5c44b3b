// Reads Moodle's grading worksheet, in any language. See worksheet.h.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

#include "common/base/characters.h"
#include "common/class/grade/table.h"

namespace lab::grade {
namespace {

// "Participant 44" is 44. None where no digits end it, or nothing stands before them.
std::string number_at_end(const std::string& text) {
  std::size_t first = text.size();
  while (first > 0 && base::is_digit(text[first - 1])) --first;
  return first == 0 ? "" : text.substr(first);
}

// Moodle's grading worksheet. Its columns stand in one order: number, name and keys (not where marking is blind),
// status, dates and team, grade, maximum or scale, whether the grade can be changed, time of the submission, what was
// handed in, time of the grade, feedback.
class MoodleTable {
 public:
  MoodleTable(Worksheet& sheet, Table& table) : sheet_(sheet), table_(table) {}

  bool read() {
    if (!begins_with_numbers()) return false;
    find_grade();
    if (!sheet_.grade) return false;
    find_status();
    find_person();
    find_times();
    keep_what_the_importer_needs();
    take_rows();
    return true;
  }

 private:
  // The first column: one word and a number, "Participant 44", "Teilnehmer/in 44".
  [[nodiscard]] bool begins_with_numbers() const {
    if (table_.empty()) return table_.title("identifier") == Column(0);
    const auto word = [](const std::string& text) {
      return text.substr(0, text.size() - number_at_end(text).size());
    };
    const std::string before = word(table_.cell(table_.first(), 0));
    return !before.empty() && table_.all(0, [&](const std::string& text) {
      return !number_at_end(text).empty() && word(text) == before;
    });
  }

  void find_grade() {
    sheet_.grade = table_.title("grade");
    Column most = table_.title("maximum grade"), scale = table_.title("scale");
    for (std::size_t i = 2; !most && !scale && !sheet_.grade && i < table_.columns(); ++i) {
      const std::string text = table_.cell(table_.first(), i);
      const bool before_is_grade = table_.all(
          i - 1, [](const std::string& cell) { return cell.empty() || cell == "-" || points_in(cell); });
      if (before_is_grade && points_in(text) && table_.same_everywhere(i)) most = i;
    }
    if (!sheet_.grade && most) sheet_.grade = *most - 1;
    if (most && !table_.empty()) sheet_.most = points_in(table_.cell(table_.first(), *most));
    sheet_.scale = scale.has_value();
    behind_ = most ? *most : scale ? *scale : sheet_.grade.value_or(0);
  }

  // "Submitted for grading -  - ": each part of it ends so, in every language.
  void find_status() {
    status_ = table_.title("status");
    for (std::size_t i = 1; !status_ && i < *sheet_.grade; ++i)
      if (table_.all(i, [](const std::string& text) { return text.size() > 2 && text.ends_with("-"); }))
        status_ = i;
  }

  void find_person() {
    const std::size_t end = status_.value_or(*sheet_.grade);
    if (const Column named = table_.title("full name")) name_ = named;
    if (!name_ && end > 1) name_ = 1;
    for (std::size_t i = 1; i < end; ++i) {
      if (i == name_) continue;
      const auto is_mail = [](const std::string& text) { return text.find('@') != std::string::npos; };
      if (!email_ && table_.any(i, is_mail)) {
        email_ = i;
      } else if (!id_ && table_.all_different(i)) {
        id_ = i;
      }
    }
    if (const Column titled = table_.title("id number")) id_ = titled;
    for (std::size_t i = status_ ? *status_ + 1 : *sheet_.grade; i < *sheet_.grade; ++i) {
      if (table_.all(i, is_time_or_none)) {
        dates_.push_back(i);
      } else {
        teams_.push_back(i);
      }
    }
  }

  void find_times() {
    submitted_ = table_.title("last modified (submission)");
    graded_ = table_.title("last modified (grade)");
    for (std::size_t i = behind_ + 1; i < table_.columns(); ++i) {
      if (!table_.all(i, is_time_or_none) || !table_.any(i, [](const std::string& c) { return !c.empty(); }))
        continue;
      if (!submitted_ && !graded_) {
        submitted_ = i;
      } else if (i != submitted_ && !graded_) {
        graded_ = i;
      }
    }
    if (submitted_ && !status_ && submitted_ == graded_) graded_.reset();
    const bool behind_says = behind_ + 1 < table_.columns() && behind_ + 1 != submitted_;
    if (const Column titled = table_.title("grade can be changed")) changeable_ = titled;
    if (!changeable_ && behind_says && submitted_ && *submitted_ > behind_ + 1) changeable_ = *submitted_ - 1;
  }

  // A comment goes back as plain text and would take the place of a formatted one; what was handed in is not needed.
  void keep_what_the_importer_needs() {
    std::set<std::size_t> kept = {0, *sheet_.grade};
    for (const Column column : {name_, email_, id_, submitted_, graded_, changeable_})
      if (column) kept.insert(*column);
    if (behind_ > *sheet_.grade) kept.insert(behind_);
    sheet_.kept.assign(kept.begin(), kept.end());
  }

  void take_rows() {
    table_.take_rows([&](std::size_t row) {
      WorksheetRow made;
      made.who = {number_at_end(table_.cell(row, 0)), table_.cell(row, id_), table_.cell(row, email_),
                  table_.cell(row, name_)};
      for (const std::size_t column : teams_) made.teams.push_back(table_.cell(row, column));
      made.submitted = table_.cell(row, submitted_);
      if (made.submitted == "-") made.submitted.clear();
      made.extension = extension_in(row);
      made.draft = is_draft(table_.cell(row, status_));
      made.locked = changeable_ && is_no(table_.cell(row, changeable_));
      return made;
    });
  }

  // "Draft (not submitted) - …": of what Moodle says of a submission only this ends in a bracket, in every language.
  [[nodiscard]] static bool is_draft(const std::string& status) {
    const std::string_view first = std::string_view(status).substr(0, status.find(" - "));
    return first.ends_with(")") || first.ends_with("\uff09");
  }
  [[nodiscard]] static bool is_no(const std::string& text) {
    constexpr std::array kNo = {"no",    "nein", "non",  "não",    "nee",    "nej", "nei",   "nu",
                                "ne",    "ei",   "ez",   "nie",    "нет",    "ні",  "не",    "όχι",
                                "hayır", "لا",   "نہیں", "아니오", "いいえ", "否",  "tidak", "không"};
    const std::string said = lower(text);
    return std::find(kNo.begin(), kNo.end(), said) != kNo.end();
  }

  // "… - Extension granted until: Monday, 23 November 2026, 12:00 PM - …": the part of the status that holds a time.
  // Else a due date that is not everybody's: it stands between those from when and until when one may hand in.
  [[nodiscard]] std::string extension_in(std::size_t row) const {
    const std::string status = table_.cell(row, status_);
    for (std::size_t at = 0; at < status.size();) {
      const std::size_t end = std::min(status.find(" - ", at), status.size());
      if (const std::string part = status.substr(at, end - at); is_time(part)) return part;
      at = end + 3;
    }
    if (dates_.size() != 3) return "";
    const std::string due = table_.cell(row, dates_[1]);
    return is_time(due) && due != usual_due() ? due : "";
  }
  [[nodiscard]] std::string usual_due() const {
    std::map<std::string, std::size_t> counts;
    for (std::size_t row = table_.first(); row < table_.end(); ++row) ++counts[table_.cell(row, dates_[1])];
    return std::max_element(counts.begin(), counts.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
  }

  Worksheet& sheet_;
  Table& table_;
  Column status_, name_, email_, id_, submitted_, graded_, changeable_;
  std::vector<std::size_t> dates_, teams_;
  std::size_t behind_ = 0;  // the column of the maximum, or of the grade where there is none
};

}  // namespace

bool read_moodle(Worksheet& sheet, Table& table) { return MoodleTable(sheet, table).read(); }

}  // namespace lab::grade
