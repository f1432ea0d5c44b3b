// A platform's own table of the people of one assignment: Moodle's grading worksheet in any language, the gradebooks
// of Canvas, Brightspace, Blackboard and Sakai.
//
// Enters: the table as it was downloaded. Leaves: a row for each person with the keys that the platform knows, team,
// time and extension, and where the grade stands. Columns are found by what is in them where a title is in a language
// that we do not read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/text/message.h"
#include "common/class/grade/csv.h"
#include "common/class/grade/identity.h"

namespace lab::grade {

struct WorksheetRow {
  std::size_t index = 0;  // in Worksheet::csv
  int line = 0;
  Identity who;
  std::vector<std::string> teams;  // what may be the team's name: columns that could hold it
  std::string submitted;           // as it stands there; "" for nothing handed in
  std::string extension;           // until when, as it stands there
  bool draft = false;              // not handed in for good
  bool locked = false;             // the platform takes no grade for it
};

struct Worksheet {
  enum class Kind : std::uint8_t { Moodle, Canvas, Brightspace, Blackboard, Sakai, Book };
  Kind kind = Kind::Moodle;
  Csv csv;
  std::vector<WorksheetRow> rows;
  std::size_t titles = 0;            // the row of csv that has them
  std::optional<std::size_t> grade;  // the column
  std::optional<std::int64_t> most;  // hundredths: what the platform takes at most
  bool scale = false;                // words in place of points
  std::vector<std::size_t> kept;     // columns that the importer needs; empty: all
  [[nodiscard]] std::string cell(std::size_t row, std::optional<std::size_t> column) const;
  // The maximum of another column, as its title or the table's own row says.
  [[nodiscard]] std::optional<std::int64_t> most_of(std::size_t column) const;

  // None for another table. Throws UsageError for one whose quotes do not close.
  static std::optional<Worksheet> read(const std::string& text, const std::string& name);
};

[[nodiscard]] const char* name_of(Worksheet::Kind kind);

}  // namespace lab::grade
