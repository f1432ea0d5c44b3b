// Text tables: a header, rows, columns that line up.
#include "common/ui/table.h"

#include <algorithm>
#include <climits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "common/ui/wrap.h"

namespace lab::report {
namespace {

constexpr std::size_t kGap = 3;

// Words of the last column, so many columns wide: what does not fit goes on below, where the column begins.
std::string words_below(const Cell& cell, std::size_t columns, std::size_t begin, const Style& style) {
  std::string all;
  std::string_view rest = cell.text;
  do {
    const std::size_t end = fitting(rest, columns);
    if (!all.empty()) all += "\n" + std::string(begin, ' ');
    all += style.paint(cut(rest.substr(0, end), columns), cell.ink);
    rest.remove_prefix(std::min(rest.find_first_not_of(' ', end), rest.size()));
  } while (!rest.empty());
  return all;
}

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

Table& Table::source(std::string_view title) {
  has_source_ = true;
  return column(title, Align::Left);
}

Table& Table::row(std::vector<Cell> cells) {
  if (cells.size() != titles_.size()) throw std::logic_error("a table row needs one cell a column");
  rows_.push_back(std::move(cells));
  return *this;
}

std::size_t Table::Shown::begin_of_last() const {
  std::size_t at = gap * (columns.size() - 1);
  for (const std::size_t c : columns) at += c == columns.back() ? 0 : widths[c];
  return at;
}

Table::Shown Table::shown_in(std::size_t room) const {
  constexpr std::size_t kLeastWords = 12;
  Shown shown{std::vector<std::size_t>(titles_.size()), widths(), kGap};
  std::iota(shown.columns.begin(), shown.columns.end(), 0);
  const std::size_t source = has_source_ ? shown.widths.back() : 0;  // as long as the longest line
  if (has_source_) shown.widths.back() = std::min(source, kLeastSource);
  const auto too_much = [&] {
    const std::size_t needed = shown.begin_of_last() + shown.widths[shown.columns.back()];
    return room == 0 || needed <= room ? 0 : needed - room;
  };
  while (too_much() != 0) {
    const auto turn = [&](std::size_t c) { return turn_to_go_[c] == 0 ? INT_MAX : turn_to_go_[c]; };
    const auto going = std::min_element(shown.columns.begin(), shown.columns.end(),
                                        [&](std::size_t a, std::size_t b) { return turn(a) < turn(b); });
    if (turn_to_go_[*going] == 0) break;
    shown.columns.erase(going);
  }
  if (has_source_) {
    while (too_much() != 0 && shown.gap > 1) --shown.gap;
    if (too_much() != 0) return without_source(room);
    shown.widths.back() = room == 0 ? source : std::min(source, room - shown.begin_of_last());
    return shown;
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

// The lines of source stand below the rows, which then have all columns again.
Table::Shown Table::without_source(std::size_t room) const {
  Table rest = *this;
  rest.has_source_ = false;
  rest.titles_.pop_back();
  rest.aligns_.pop_back();
  rest.turn_to_go_.pop_back();
  for (std::vector<Cell>& row : rest.rows_) row.pop_back();
  Shown shown = rest.shown_in(room);
  shown.source_below = true;
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

bool Table::shows_last(std::string_view indent) const {
  const std::size_t terminal = terminal_columns();
  return terminal == 0 || shown_in(terminal - width(indent)).columns.back() + 1 == titles_.size();
}

std::string Table::text(const Style& style, std::string_view indent) const {
  const std::size_t terminal = terminal_columns();
  const Shown shown = shown_in(terminal == 0 ? 0 : terminal - width(indent));
  std::string result;
  const auto line = [&](const std::vector<Cell>& cells) {
    std::string text(indent);
    for (const std::size_t c : shown.columns) {
      const bool last = c == shown.columns.back();
      if (last && cells[c].meant != std::string::npos) {
        text += style.paint(cut_around(cells[c].text, cells[c].meant, shown.widths[c]), cells[c].ink);
      } else if (last && aligns_[c] == Align::Left) {
        text += words_below(cells[c], shown.widths[c], width(indent) + shown.begin_of_last(), style);
      } else {
        const std::string& cell = cells[c].text;
        text += style.paint(
            aligns_[c] == Align::Right ? pad_left(cell, shown.widths[c]) : pad_right(cell, shown.widths[c]),
            cells[c].ink);
      }
      if (!last) text.append(shown.gap, ' ');
    }
    result += text + "\n";
  };
  std::vector<Cell> header;
  for (const std::string& title : titles_) header.push_back({title, Ink::Faint});
  line(header);
  for (const auto& row : rows_) {
    line(row);
    if (!shown.source_below || row.back().text.empty()) continue;
    const std::string below = std::string(indent) + "    ";
    result +=
        below +
        style.paint(cut_around(row.back().text, row.back().meant, terminal - width(below)), row.back().ink) +
        "\n";
  }
  return result;
}

}  // namespace lab::report
