// Tables as spreadsheets and learning platforms write them.
//
// Enters: the bytes of a file: UTF-8 or UTF-16, with commas, semicolons or tabs, quoted as RFC 4180 says.
// Leaves: rows with the line where each begins.
#pragma once

#include <string>
#include <vector>

namespace lab::grade {

struct CsvRow {
  int line = 0;
  std::vector<std::string> cells;    // without the blanks around them
  std::vector<std::string> written;  // with those inside of quotes
};

struct Csv {
  std::vector<CsvRow> rows;  // those that are not blank
  int open_quote = 0;        // the line of a quote that nothing closes; what follows it is no table
};

[[nodiscard]] Csv read_csv(std::string bytes);
// RFC 4180, with its line end.
[[nodiscard]] std::string csv_line(const std::vector<std::string>& cells);

}  // namespace lab::grade
