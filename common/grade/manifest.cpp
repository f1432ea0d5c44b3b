// Reads submitted.csv (RFC 4180). See manifest.h.
#include "common/grade/manifest.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cstdlib>

#include "common/base/errors.h"
#include "common/grade/submission.h"

namespace lab::grade {
namespace {

struct Row {
  int line = 0;
  std::vector<std::string> cells;
};

std::vector<Row> rows_of(std::string_view text) {
  std::vector<Row> rows;
  int line = 1;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // spreadsheets put it there
  for (std::size_t at = 0; at < text.size();) {
    Row row{line, {""}};
    bool quoted = false;
    for (; at < text.size(); ++at) {
      const char c = text[at];
      line += c == '\n';
      if (quoted) {
        if (c != '"') {
          row.cells.back() += c;
        } else if (at + 1 < text.size() && text[at + 1] == '"') {
          row.cells.back() += text[++at];
        } else {
          quoted = false;
        }
      } else if (c == '"') {
        quoted = true;
      } else if (c == ',') {
        row.cells.emplace_back();
      } else if (c == '\n') {
        ++at;
        break;
      } else if (c != '\r') {
        row.cells.back() += c;
      }
    }
    if (row.cells.size() > 1 || !row.cells.front().empty()) rows.push_back(std::move(row));
  }
  return rows;
}

// The number at `at`, of `digits` digits; none when it is no such number.
std::optional<int> number(std::string_view text, std::size_t at, std::size_t digits) {
  if (at + digits > text.size()) return std::nullopt;
  int value = 0;
  for (const char c : text.substr(at, digits)) {
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) return std::nullopt;
    value = 10 * value + (c - '0');
  }
  return value;
}

// "Z", "+01:00", "-0800": seconds east of Greenwich.
std::optional<int> offset_of(std::string_view text) {
  if (text == "Z" || text == "z" || text == "UTC") return 0;
  if (text.size() < 5 || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  const bool colon = text[3] == ':';
  const auto hours = number(text, 1, 2), minutes = number(text, colon ? 4 : 3, 2);
  if (!hours || !minutes || text.size() != (colon ? 6u : 5u) || *hours > 14 || *minutes > 59)
    return std::nullopt;
  const int seconds = 3600 * *hours + 60 * *minutes;
  return text[0] == '-' ? -seconds : seconds;
}

std::string without_folder(std::string_view file, const std::string& student) {
  while (file.starts_with("./")) file.remove_prefix(2);
  if (file.starts_with(student + "/")) file.remove_prefix(student.size() + 1);
  return std::string(file);
}

}  // namespace

std::optional<std::int64_t> seconds_of(std::string_view text) {
  const auto year = number(text, 0, 4), month = number(text, 5, 2), day = number(text, 8, 2);
  const auto hour = number(text, 11, 2), minute = number(text, 14, 2);
  if (!year || !month || !day || !hour || !minute || text[4] != '-' || text[7] != '-' ||
      (text[10] != 'T' && text[10] != ' ') || text[13] != ':' || *hour > 23 || *minute > 59)
    return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  std::size_t at = 16;
  int second = 0;
  if (at < text.size() && text[at] == ':') {
    const auto given = number(text, at + 1, 2);
    if (!given || *given > 60) return std::nullopt;
    second = *given;
    at += 3;
    if (at < text.size() && text[at] == '.') {
      for (++at; at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0;) ++at;
    }
  }
  while (at < text.size() && text[at] == ' ') ++at;
  const auto offset = offset_of(text.substr(at));
  if (!offset) return std::nullopt;
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  return std::int64_t{86400} * days + 3600 * *hour + 60 * *minute + second - *offset;
}

Manifest Manifest::parse(const std::string& text, const std::string& name) {
  const std::vector<Row> rows = rows_of(text);
  std::string mistakes;
  const auto complain = [&](int line, const std::string& words) {
    mistakes += fmt::format("\n  {}:{}: {}", name, line, words);
  };
  std::array<std::size_t, 3> column{};
  constexpr std::array<std::string_view, 3> kTitles = {"student", "file", "time"};
  for (std::size_t k = 0; k < kTitles.size(); ++k) {
    const auto found = rows.empty() ? std::vector<std::string>::const_iterator{}
                                    : std::find(rows[0].cells.begin(), rows[0].cells.end(), kTitles[k]);
    if (rows.empty() || found == rows[0].cells.end())
      complain(1, fmt::format("there is no column \"{}\"; the first line is student,file,time", kTitles[k]));
    else
      column[k] = static_cast<std::size_t>(found - rows[0].cells.begin());
  }
  Manifest manifest;
  for (std::size_t i = 1; mistakes.empty() && i < rows.size(); ++i) {
    const auto cell = [&](std::size_t k) {
      return column[k] < rows[i].cells.size() ? rows[i].cells[column[k]] : std::string();
    };
    const std::string student = safe_name(cell(0));
    HandIn row{without_folder(cell(1), cell(0)), cell(2), 0};
    const auto seconds = seconds_of(row.time);
    if (cell(0).empty()) complain(rows[i].line, "the student's name is missing");
    if (!row.time.empty() && !seconds)
      complain(rows[i].line,
               fmt::format("\"{}\" is no time; write it with its offset, as in 2027-03-01T23:59:00+01:00",
                           row.time));
    row.seconds = seconds.value_or(0);
    manifest.rows_[student].push_back(std::move(row));
  }
  if (mistakes.empty()) return manifest;
  throw base::UsageError("The list of what was submitted cannot be used; nothing was graded." + mistakes);
}

std::vector<HandIn> Manifest::rows(const std::string& student) const {
  const auto found = rows_.find(student);
  return found == rows_.end() ? std::vector<HandIn>{} : found->second;
}

const HandIn* newest(const std::vector<HandIn>& rows, std::string_view file) {
  const HandIn* best = nullptr;
  for (const HandIn& row : rows) {
    if (row.file == file && (best == nullptr || row.seconds > best->seconds)) best = &row;
  }
  return best;
}

}  // namespace lab::grade
