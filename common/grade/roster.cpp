// Reads a roster. See roster.h.
#include "common/grade/roster.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include "common/base/errors.h"
#include "common/grade/csv.h"
#include "common/grade/times.h"

namespace lab::grade {
namespace {

using base::UsageError;

enum class Column : std::uint8_t { Id, Name, Group, Seat, Extension, Anonymous, Count };
constexpr std::size_t kColumns = static_cast<std::size_t>(Column::Count);

// What a column may be called, in lower case without blanks, '_' and '-'.
struct Title {
  Column column;
  std::string_view words;
};
constexpr auto kTitles = std::to_array<Title>({{Column::Id, "id"},
                                               {Column::Id, "studentid"},
                                               {Column::Id, "idnumber"},
                                               {Column::Id, "username"},
                                               {Column::Id, "login"},
                                               {Column::Id, "sisuserid"},
                                               {Column::Name, "name"},
                                               {Column::Name, "fullname"},
                                               {Column::Name, "student"},
                                               {Column::Group, "group"},
                                               {Column::Group, "team"},
                                               {Column::Seat, "seat"},
                                               {Column::Extension, "extension"},
                                               {Column::Extension, "extendeduntil"},
                                               {Column::Anonymous, "anonymousid"},
                                               {Column::Anonymous, "anonymous"}});

std::string plain(std::string_view title) {
  std::string words;
  for (const char c : lower(title))
    if (c != ' ' && c != '_' && c != '-') words += c;
  return words;
}

class RosterReader {
 public:
  RosterReader(std::string name, std::string zone) : name_(std::move(name)), zone_(std::move(zone)) {}

  std::vector<Member> read(const std::string& text) {
    const Csv csv = read_csv(text);
    if (csv.open_quote != 0) complain(csv.open_quote, "a quote that nothing closes");
    if (csv.rows.empty()) complain(1, "there is no row");
    if (mistakes_.empty()) read_titles(csv.rows.front());
    for (std::size_t i = 1; mistakes_.size() < 20 && i < csv.rows.size(); ++i) read_row(csv.rows[i]);
    if (mistakes_.empty()) return std::move(members_);
    Message message = "The roster cannot be used; nothing was graded.";
    for (const Message& mistake : mistakes_) message.line(msg("  {}", mistake));
    throw UsageError(message);
  }

 private:
  void complain(int line, const Message& words) { mistakes_.push_back(msg("{}:{}: {}", name_, line, words)); }

  void read_titles(const CsvRow& row) {
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const auto known = std::find_if(kTitles.begin(), kTitles.end(),
                                      [&](const Title& title) { return title.words == plain(row.cells[i]); });
      if (known == kTitles.end()) continue;
      auto& at = columns_[static_cast<std::size_t>(known->column)];
      if (!at) at = i;
    }
    if (!has(Column::Id) && !has(Column::Name))
      complain(row.line,
               "a roster has a column id or name, and may have group, seat, extension, anonymous id");
  }
  [[nodiscard]] bool has(Column column) const {
    return columns_[static_cast<std::size_t>(column)].has_value();
  }
  [[nodiscard]] std::string cell(const CsvRow& row, Column column) const {
    const auto at = columns_[static_cast<std::size_t>(column)];
    return at && *at < row.cells.size() ? row.cells[*at] : "";
  }

  void read_row(const CsvRow& row) {
    Member member{row.line,
                  cell(row, Column::Id),
                  cell(row, Column::Name),
                  cell(row, Column::Group),
                  cell(row, Column::Anonymous),
                  {},
                  {}};
    if (member.label().empty()) return complain(row.line, "neither id nor name");
    read_seat(member, cell(row, Column::Seat));
    if (const std::string time = cell(row, Column::Extension); !time.empty()) read_extension(member, time);
    once(row.line, "id", member.id);
    once(row.line, "anonymous id", member.anonymous);
    if (member.id.empty()) once(row.line, "name", member.name);
    members_.push_back(std::move(member));
  }

  void once(int line, const std::string& what, const std::string& value) {
    if (!value.empty() && !taken_.insert(what + " " + value).second)
      complain(line, msg("the {} {} stands here twice", what, value));
  }

  void read_seat(Member& member, const std::string& text) {
    if (text.empty()) return;
    int seat = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seat);
    if (error != std::errc{} || end != text.data() + text.size() || seat < 0)
      return complain(member.line, msg("\"{}\" is no number of a seat", text));
    once(member.line, "seat", text);
    member.seat = seat;
  }

  void read_extension(Member& member, const std::string& text) {
    const auto time = read_time(text);
    if (!time || (!time->offset && zone_.empty()))
      return complain(member.line, msg("the extension \"{}\" is no time with an offset, such as "
                                       "2027-03-08T23:59:00+01:00; without one the rubric needs a time_zone",
                                       text));
    member.extension = time->local - (time->offset ? *time->offset : offset_in(zone_, time->local));
  }

  std::string name_, zone_;
  std::array<std::optional<std::size_t>, kColumns> columns_;
  std::vector<Member> members_;
  std::set<std::string> taken_;
  std::vector<Message> mistakes_;
};

}  // namespace

Roster Roster::parse(const std::string& text, const std::string& name, const std::string& zone) {
  Roster roster;
  roster.members_ = RosterReader(name, zone).read(text);
  return roster;
}

}  // namespace lab::grade
