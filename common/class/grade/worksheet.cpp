// Reads platforms' tables. See worksheet.h.
#include "common/class/grade/worksheet.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "common/base/characters.h"
#include "common/base/errors.h"
#include "common/class/grade/table.h"

namespace lab::grade {
namespace {

std::string both_names(const Table& table, std::size_t row, Column given, Column family) {
  const std::string first = table.cell(row, given), last = table.cell(row, family);
  return first.empty() || last.empty() ? first + last : first + " " + last;
}

std::string without_mark(
    std::string text) {  // "#81000": Brightspace keeps spreadsheets from counting with it
  if (text.starts_with('#')) text.erase(0, 1);
  return text;
}

bool read_canvas(Worksheet& sheet, Table& table) {
  const Column name = table.title("student"), number = table.title("id");
  if (!name || !(number || table.title("sis login id") || table.title("sis user id"))) return false;
  const Column sis = table.title("sis user id"), login = table.title("sis login id");
  for (const std::string_view needed :
       {"student", "id", "sis user id", "sis login id", "integration id", "root account", "section"})
    if (const Column column = table.title(needed)) sheet.kept.push_back(*column);
  table.take_rows([&](std::size_t row) {
    WorksheetRow made;
    const std::string person = table.cell(row, name);
    if (lower(person) == "points possible" ||
        (table.cell(row, number).empty() && table.cell(row, sis).empty() && table.cell(row, login).empty()))
      return made;  // rows about the columns
    const std::string id = table.cell(row, sis);
    made.who = {table.cell(row, number), id.empty() ? table.cell(row, login) : id, "", person};
    const std::string mail = table.cell(row, login);
    if (mail.find('@') != std::string::npos) made.who.email = mail;
    return made;
  });
  return true;
}

// Brightspace, Blackboard and Moodle's course gradebook: given name and family name in two columns.
bool read_two_names(Worksheet& sheet, Table& table) {
  const Column given = table.title_of({"first name", "firstname"}),
               family = table.title_of({"last name", "lastname", "surname"});
  const bool brightspace = table.title("orgdefinedid") || table.title("end-of-line indicator");
  const Column user = table.title("username");
  const Column id = table.title_of({"orgdefinedid", "student id", "id number"});
  const Column email = table.title_of({"email", "email address"});
  if (!given || !family || !(user || id || email)) {
    if (!brightspace || !(user || id)) return false;
  }
  sheet.kind = brightspace                         ? Worksheet::Kind::Brightspace
               : table.title_with("[total pts:")   ? Worksheet::Kind::Blackboard
               : user && table.title("student id") ? Worksheet::Kind::Blackboard
                                                   : Worksheet::Kind::Book;
  if (sheet.kind != Worksheet::Kind::Book)
    for (const Column column : {given, family, user, id, email, table.title("end-of-line indicator")})
      if (column) sheet.kept.push_back(*column);
  table.take_rows([&](std::size_t row) {
    WorksheetRow made;
    const std::string login = without_mark(table.cell(row, user)), school = without_mark(table.cell(row, id));
    made.who = {login, school.empty() ? login : school, table.cell(row, email),
                both_names(table, row, given, family)};
    return made;
  });
  return true;
}

// Sakai's grades.csv: two lines about the assignment, then "Display ID,ID,Last Name,First Name,grade".
bool read_sakai(Worksheet& sheet, Table& table) {
  const Column shown = table.title("display id"), id = table.title("id"), grade = table.title("grade");
  if (!shown || !id || !grade) return false;
  sheet.grade = grade;
  const Column given = table.title("first name"), family = table.title("last name"),
               submitted = table.title("submission date");
  table.take_rows([&](std::size_t row) {
    WorksheetRow made;
    made.who = {table.cell(row, shown), table.cell(row, id), "", both_names(table, row, given, family)};
    if (is_time(table.cell(row, submitted))) made.submitted = table.cell(row, submitted);
    return made;
  });
  return true;
}

}  // namespace

std::optional<std::int64_t> points_in(std::string text) {
  for (const std::string_view point : {",", "\u06d4"})  // of Urdu
    if (const std::size_t at = text.find(point); at != std::string::npos) text.replace(at, point.size(), ".");
  double points = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), points);
  if (error != std::errc{} || end != text.data() + text.size() || !(points >= 0) || points > 1e6)
    return std::nullopt;
  return std::llround(points * 100);
}

const char* name_of(Worksheet::Kind kind) {
  constexpr std::array kNames = {"Moodle", "Canvas", "Brightspace", "Blackboard", "Sakai", "a gradebook"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string Worksheet::cell(std::size_t row, std::optional<std::size_t> column) const {
  return column && *column < csv.rows[row].cells.size() ? csv.rows[row].cells[*column] : "";
}

std::optional<std::int64_t> Worksheet::most_of(std::size_t column) const {
  if (kind == Kind::Moodle && column == grade) return most;
  const std::string title = lower(cell(titles, column));
  for (const std::string_view before : {"maxpoints:", "[total pts:"}) {
    const std::size_t at = title.find(before);
    if (at == std::string::npos) continue;
    std::size_t first = at + before.size();
    while (first < title.size() && title[first] == ' ') ++first;
    const std::size_t end = title.find_first_not_of("0123456789.,", first);
    return points_in(title.substr(first, end == std::string::npos ? end : end - first));
  }
  if (kind == Kind::Canvas)
    for (std::size_t row = titles + 1; row < csv.rows.size(); ++row)
      if (lower(cell(row, 0)) == "points possible") return points_in(cell(row, column));
  return std::nullopt;
}

std::optional<Worksheet> Worksheet::read(const std::string& text, const std::string& name) {
  Worksheet sheet;
  sheet.csv = read_csv(text);
  if (sheet.csv.open_quote != 0)
    throw base::UsageError(
        msg("{}:{}: a quote begins here that nothing closes.", name, sheet.csv.open_quote));
  constexpr std::size_t kLinesBefore = 3;
  for (std::size_t row = 0; row < std::min(kLinesBefore, sheet.csv.rows.size()); ++row) {
    Table table(sheet, row);
    sheet.kind = Kind::Sakai;
    if (read_sakai(sheet, table)) return sheet;
    sheet.kind = Kind::Canvas;
    if (read_canvas(sheet, table)) return sheet;
    if (read_two_names(sheet, table)) return sheet;
    sheet.kind = Kind::Moodle;
    if (row == 0 && read_moodle(sheet, table)) return sheet;
  }
  return std::nullopt;
}

}  // namespace lab::grade
