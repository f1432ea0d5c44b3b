// Text tables: a header, rows, columns that line up.
#include "common/report/table.h"

#include <algorithm>
#include <climits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "common/report/wrap.h"

namespace lab::report {
namespace {

constexpr std::size_t kGap = 3;

}  // namespace

Table& Table::column(std::string_view title, Align align) {
  titles_.push_back(text::translated_form(title));
  aligns_.push_back(align);
  turn_to_go_.push_back(0);
  return *this;
}

Table& Table::may_go(int turn) {
  turn_to_go_.back() = turn;
  return *this;
}

Table& Table::row(std::vector<Cell> cells) {
  if (cells.size() != titles_.size()) throw std::logic_error("a table row needs one cell a column");
  rows_.push_back(std::move(cells));
  return *this;
}

Table::Shown Table::shown_in(std::size_t room) const {
  constexpr std::size_t kLeastWords = 12;
  Shown shown{std::vector<std::size_t>(titles_.size()), widths(), kGap};
  std::iota(shown.columns.begin(), shown.columns.end(), 0);
  const auto too_much = [&] {
    std::size_t needed = shown.gap * (shown.columns.size() - 1);
    for (const std::size_t c : shown.columns) needed += shown.widths[c];
    return room == 0 || needed <= room ? 0 : needed - room;
  };
  while (too_much() != 0) {
    const auto turn = [&](std::size_t c) { return turn_to_go_[c] == 0 ? INT_MAX : turn_to_go_[c]; };
    const auto going = std::min_element(shown.columns.begin(), shown.columns.end(),
                                        [&](std::size_t a, std::size_t b) { return turn(a) < turn(b); });
    if (turn_to_go_[*going] == 0) break;
    shown.columns.erase(going);
  }
  const auto words = [&] {
    return aligns_[shown.columns.back()] == Align::Left ? &shown.widths[shown.columns.back()] : nullptr;
  };
  while (too_much() != 0 && shown.gap > 1 && (words() == nullptr || *words() < too_much() + kLeastWords))
    --shown.gap;
  if (std::size_t* last = words(); last != nullptr && too_much() != 0) {
    if (*last >= too_much() + kLeastWords) {
      *last -= too_much();
    } else if (shown.columns.size() > 2) {
      shown.columns.pop_back();
    }
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
  return std::accumulate(all.begin(), all.end(), kGap * (all.size() - 1));
}

std::string Table::text(const Style& style, std::string_view indent) const {
  const std::size_t terminal = terminal_columns();
  const Shown shown = shown_in(terminal == 0 ? 0 : terminal - width(indent));
  std::string result;
  const auto line = [&](const std::vector<Cell>& cells) {
    std::string text(indent);
    for (const std::size_t c : shown.columns) {
      const bool last = c == shown.columns.back();
      std::string padded = aligns_[c] == Align::Right ? pad_left(cells[c].text, shown.widths[c])
                           : last                     ? cut(cells[c].text, shown.widths[c])
                                                      : pad_right(cells[c].text, shown.widths[c]);
      text += style.paint(padded, cells[c].ink);
      if (!last) text.append(shown.gap, ' ');
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
