// Text tables: a header, rows, columns that line up.
#include "common/report/table.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "common/report/wrap.h"

namespace lab::report {
namespace {

constexpr std::string_view kGap = "   ";

}  // namespace

Table& Table::column(std::string_view title, Align align) {
  titles_.push_back(translated_message(title));
  aligns_.push_back(align);
  may_go_.push_back(false);
  return *this;
}

Table& Table::may_go() {
  may_go_.back() = true;
  return *this;
}

Table& Table::row(std::vector<Cell> cells) {
  if (cells.size() != titles_.size()) throw std::logic_error("a table row needs one cell a column");
  rows_.push_back(std::move(cells));
  return *this;
}

std::vector<std::size_t> Table::shown_columns(std::vector<std::size_t>& widths, std::size_t room) const {
  constexpr std::size_t kLeastWords = 12;
  std::vector<std::size_t> shown(titles_.size());
  std::iota(shown.begin(), shown.end(), 0);
  const auto needed = [&] {
    std::size_t columns = kGap.size() * (shown.size() - 1);
    for (const std::size_t c : shown) columns += widths[c];
    return columns;
  };
  while (room != 0 && needed() > room) {
    const auto going = std::find_if(shown.begin(), shown.end(), [&](std::size_t c) { return may_go_[c]; });
    if (going == shown.end()) break;
    shown.erase(going);
  }
  const std::size_t last = shown.back();
  if (room != 0 && needed() > room && aligns_[last] == Align::Left) {
    const std::size_t too_much = needed() - room;
    if (widths[last] >= too_much + kLeastWords) widths[last] -= too_much;
  }
  return shown;
}

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < titles_.size(); ++c) {
    widths.push_back(width(titles_[c]));
    for (const auto& row : rows_) widths[c] = std::max(widths[c], width(row[c].text));
  }
  return widths;
}

std::size_t Table::columns() const {
  const std::vector<std::size_t> all = widths();
  return std::accumulate(all.begin(), all.end(), kGap.size() * (all.size() - 1));
}

std::string Table::text(const Style& style, std::string_view indent) const {
  std::vector<std::size_t> widths = this->widths();
  const std::size_t terminal = terminal_columns();
  const std::vector<std::size_t> shown = shown_columns(widths, terminal == 0 ? 0 : terminal - width(indent));
  std::string result;
  const auto line = [&](const std::vector<Cell>& cells) {
    std::string text(indent);
    for (const std::size_t c : shown) {
      const bool last = c == shown.back();
      std::string padded = aligns_[c] == Align::Right ? pad_left(cells[c].text, widths[c])
                           : last                     ? cut(cells[c].text, widths[c])
                                                      : pad_right(cells[c].text, widths[c]);
      text += style.paint(padded, cells[c].ink);
      if (!last) text += kGap;
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
