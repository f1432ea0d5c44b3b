// Reads tables. See csv.h.
#include "common/class/grade/csv.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "common/base/source_text.h"

namespace lab::grade {
namespace {

// What stands between cells: of the three, the one that the first row has most of.
char separator_of(std::string_view text) {
  const std::string_view first = text.substr(0, text.find_first_of("\r\n"));
  char best = ',';
  for (const char c : {';', '\t'}) {
    if (std::count(first.begin(), first.end(), c) > std::count(first.begin(), first.end(), best)) best = c;
  }
  return best;
}

std::string without_blanks(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : text_(text), separator_(separator_of(text)) {}

  Csv read() {
    while (at_ < text_.size()) {
      CsvRow row{line_, {}, {}};
      do row.written.push_back(cell());
      while (goes_on());
      std::transform(row.written.begin(), row.written.end(), std::back_inserter(row.cells), without_blanks);
      if (std::any_of(row.cells.begin(), row.cells.end(), [](const auto& c) { return !c.empty(); }))
        csv_.rows.push_back(std::move(row));
    }
    return std::move(csv_);
  }

 private:
  [[nodiscard]] bool is(char c) const { return at_ < text_.size() && text_[at_] == c; }

  // A quote has a meaning only where a cell begins: 5" is five inches.
  std::string cell() {
    while (is(' ')) ++at_;
    std::string result = is('"') ? quoted() : "";
    for (; at_ < text_.size() && !is(separator_) && !is('\n') && !is('\r'); ++at_) result += text_[at_];
    return result;
  }

  std::string quoted() {
    const int begun = line_;
    std::string result;
    for (++at_; at_ < text_.size(); ++at_) {
      line_ += is('\n');
      if (is('"') && (++at_, !is('"'))) return result;
      if (at_ < text_.size()) result += text_[at_];
    }
    if (csv_.open_quote == 0) csv_.open_quote = begun;
    return result;
  }

  // Behind a cell: is there another one in this row?
  bool goes_on() {
    if (is(separator_)) return ++at_, true;
    if (is('\r'))
      ++at_;  // an old Mac's line ends here, any other one behind the next character
    else if (at_ >= text_.size())
      return false;
    if (is('\n')) ++at_;
    ++line_;
    return false;
  }

  std::string_view text_;
  char separator_;
  std::size_t at_ = 0;
  int line_ = 1;
  Csv csv_;
};

}  // namespace

Csv read_csv(std::string bytes) {
  const std::string text = base::as_utf8(std::move(bytes));
  return CsvReader(text).read();
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i != 0) line += ',';
    if (cells[i].find_first_of(",\"\r\n") == std::string::npos) {
      line += cells[i];
      continue;
    }
    line += '"';
    for (const char c : cells[i]) line += c == '"' ? "\"\"" : std::string(1, c);
    line += '"';
  }
  return line + "\r\n";
}

}  // namespace lab::grade
