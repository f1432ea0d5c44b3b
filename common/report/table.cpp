// Text tables: a header, rows, columns that line up.
#include "common/report/table.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace lab::report {

Table& Table::column(std::string_view title, Align align) {
  titles_.push_back(retell(title));
  aligns_.push_back(align);
  return *this;
}

Table& Table::row(std::vector<Cell> cells) {
  if (cells.size() != titles_.size()) throw std::logic_error("a table row needs one cell a column");
  rows_.push_back(std::move(cells));
  return *this;
}

std::string Table::text(const Style& style, std::string_view indent) const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < titles_.size(); ++c) {
    widths.push_back(width(titles_[c]));
    for (const auto& row : rows_) widths[c] = std::max(widths[c], width(row[c].text));
  }
  std::string result;
  const auto line = [&](const std::vector<Cell>& cells) {
    std::string text(indent);
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const bool last = c + 1 == cells.size();
      std::string padded = aligns_[c] == Align::Right ? pad_left(cells[c].text, widths[c])
                           : last                     ? cells[c].text
                                                      : pad_right(cells[c].text, widths[c]);
      text += style.paint(padded, cells[c].ink) + (last ? "" : "   ");
    }
    result += text + "\n";
  };
  std::vector<Cell> header;
  for (const std::string& title : titles_) header.push_back({title, Ink::Faint});
  line(header);
  for (const auto& row : rows_) line(row);
  return result;
}

}  // namespace lab::report
