// Reads submitted.csv, or a platform's own table in its place. See manifest.h.
#include "common/class/grade/manifest.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>

#include "common/base/errors.h"
#include "common/base/words.h"
#include "common/class/grade/csv.h"
#include "common/class/grade/submission.h"
#include "common/class/grade/times.h"

namespace lab::grade {
namespace {

// A table that we know: its titles, and how its platform names a student's folder.
struct Layout {
  std::string_view student, file, time;  // titles; no file: rows are about all of a submission
  std::string_view before;               // what the folder's name begins with
};
constexpr std::array kLayouts = {
    Layout{"student", "file", "time", ""},
    // Gradescope's scores: 321 → submission_321
    Layout{"submission id", "", "submission time", "submission_"},
    // GitHub Classroom's grades: the repository's name
    Layout{"student_repository_name", "", "submission_timestamp", ""},
};
constexpr std::string_view kMoodleEnd = "_assignsubmission_";

// "ada/", "ada.zip" and "Ada Lovelace_4711_assignsubmission_file" are ada and Ada Lovelace_4711.
std::string bare(std::string name) {
  while (name.size() > 1 && name.ends_with('/')) name.pop_back();
  name = archive_stem(std::move(name));
  return name.substr(0, name.find(kMoodleEnd));
}

std::string form_of(const std::string& entry) { return alike_form(bare(entry)); }

std::string without_folder(std::string_view file, const std::string& student) {
  while (file.starts_with("./")) file.remove_prefix(2);
  if (file.starts_with(student + "/")) file.remove_prefix(student.size() + 1);
  while (file.ends_with('/')) file.remove_suffix(1);
  return std::string(file);
}

class TableReader {
 public:
  TableReader(const std::string& text, std::string name, const std::string& zone)
      : table_(read_csv(text)), name_(std::move(name)), zone_(zone) {}

  // Returns how many rows name no submission.
  std::size_t read(std::map<std::string, std::vector<HandIn>>& rows) {
    if (table_.open_quote != 0)
      complain(table_.open_quote,
               "a quote begins here that nothing closes; a quote inside of a cell is written twice");
    else if (const Layout* layout = find_layout(); layout != nullptr)
      for (std::size_t i = 1; i < table_.rows.size(); ++i) take(table_.rows[i], *layout);
    if (mistakes_.empty()) return rows = std::move(rows_), empty_rows_;
    refuse_hand_ins(mistakes_);
  }

 private:
  void complain(int line, const Message& words) { mistakes_.push_back(msg("{}:{}: {}", name_, line, words)); }

  [[nodiscard]] std::optional<std::size_t> column(std::string_view title) const {
    const auto& titles = table_.rows.front().cells;
    const auto is = [&](const std::string& cell) { return lower(cell) == title; };
    const auto found = std::find_if(titles.begin(), titles.end(), is);
    if (title.empty() || found == titles.end()) return std::nullopt;
    return static_cast<std::size_t>(found - titles.begin());
  }

  const Layout* find_layout() {
    if (table_.rows.empty()) {
      complain(1, "it is empty; its first line is student,file,time, and each further line is a hand-in");
      return nullptr;
    }
    for (const Layout& layout : kLayouts) {
      const auto known = [&](std::string_view title) { return title.empty() || column(title); };
      if (!known(layout.student) || !known(layout.time) || !known(layout.file)) continue;
      for (const std::string_view title : {layout.student, layout.file, layout.time}) {
        const auto& titles = table_.rows.front().cells;
        const auto is = [&](const std::string& cell) { return lower(cell) == title; };
        if (!title.empty() && std::count_if(titles.begin(), titles.end(), is) > 1)
          complain(table_.rows.front().line, msg("two columns are called \"{}\"; keep one", title));
      }
      return mistakes_.empty() ? &layout : nullptr;
    }
    complain(table_.rows.front().line,
             msg("these titles are of no list that is known: {}. Call the columns student, file and time; "
                 "the tables of Moodle, Gradescope and GitHub Classroom are read as they are",
                 base::joined(table_.rows.front().cells)));
    return nullptr;
  }

  void take(const CsvRow& row, const Layout& layout) {
    if (row.cells.size() > table_.rows.front().cells.size())
      return complain(
          row.line,
          msg("the row has {} cells and the first line {}; a cell with a comma in it stands in quotes",
              row.cells.size(), table_.rows.front().cells.size()));
    const auto cell = [&](std::string_view title) {
      const auto at = column(title);
      return at && *at < row.cells.size() ? row.cells[*at] : std::string();
    };
    std::string student = std::string(layout.before) + cell(layout.student);
    if (cell(layout.student).empty()) {
      if (layout.before.empty()) return complain(row.line, "the student's name is missing");
      return void(++empty_rows_);
    }
    HandIn hand_in{without_folder(cell(layout.file), student), cell(layout.time), 0};
    if (!hand_in.time.empty() && !settle(hand_in))
      return complain(row.line, what_is_wrong_with(hand_in.time));
    rows_[safe_name(bare(student))].push_back(std::move(hand_in));
  }

  // Seconds, and the offset where the time has none.
  bool settle(HandIn& hand_in) const {
    const auto time = read_time(hand_in.time);
    if (!time || (!time->offset && zone_.empty())) return false;
    const int offset = time->offset ? *time->offset : offset_in(zone_, time->local);
    hand_in.seconds = time->local - offset;
    if (!time->offset) hand_in.time = text_of_time(time->local, offset);
    return true;
  }

  static Message what_is_wrong_with(const std::string& time) {
    if (!read_time(time))
      return msg("\"{}\" is no time; write it with its offset, as in 2027-03-01T23:59:00+01:00", time);
    return msg(
        "\"{}\" has no offset; write it as in 2027-03-01T23:59:00+01:00, or name its zone in the rubric, as "
        "in time_zone = \"Europe/Berlin\"",
        time);
  }

  Csv table_;
  std::string name_;
  const std::string& zone_;
  std::vector<Message> mistakes_;
  std::map<std::string, std::vector<HandIn>> rows_;
  std::size_t empty_rows_ = 0;
};

}  // namespace

Manifest Manifest::parse(const std::string& text, const std::string& name, const std::string& zone) {
  Manifest manifest;
  manifest.empty_rows_ = TableReader(text, name, zone).read(manifest.rows_);
  for (const auto& [student, rows] : manifest.rows_) manifest.alike_[alike_form(student)].push_back(student);
  return manifest;
}

std::string Manifest::student_of(const std::string& entry) const {
  if (rows_.contains(entry)) return entry;
  const auto found = alike_.find(form_of(entry));
  return found != alike_.end() && found->second.size() == 1 ? found->second.front() : "";
}

const HandIn* newest(const std::vector<HandIn>& rows, std::string_view file) {
  const HandIn* best = nullptr;
  for (const HandIn& row : rows) {
    const bool holds =
        !row.file.empty() && file.starts_with(row.file) && file.substr(row.file.size()).starts_with('/');
    if ((row.file == file || holds) && (best == nullptr || row.seconds > best->seconds)) best = &row;
  }
  return best;
}

}  // namespace lab::grade
