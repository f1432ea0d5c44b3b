// Reads a roster. See roster.h.
#include "common/class/grade/roster.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <map>
#include <set>

#include "common/base/errors.h"
#include "common/base/words.h"
#include "common/class/grade/csv.h"
#include "common/class/grade/times.h"

namespace lab::grade {
namespace {

using base::UsageError;

enum class Column : std::uint8_t { Id, Name, Email, Group, Seat, Extension, Anonymous, Count };
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
                                               {Column::Email, "email"},
                                               {Column::Email, "emailaddress"},
                                               {Column::Email, "mail"},
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
    if (mistakes_.empty() && csv.rows.size() == 1) complain(1, "there is no row below the titles");
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
               "a roster has a column id or name, and may have email, group, seat, extension, anonymous id");
  }
  [[nodiscard]] bool has(Column column) const {
    return columns_[static_cast<std::size_t>(column)].has_value();
  }
  [[nodiscard]] std::string cell(const CsvRow& row, Column column) const {
    const auto at = columns_[static_cast<std::size_t>(column)];
    return at && *at < row.cells.size() ? row.cells[*at] : "";
  }

  void read_row(const CsvRow& row) {
    Member member;
    member.line = row.line;
    member.who = {"", cell(row, Column::Id), cell(row, Column::Email), cell(row, Column::Name)};
    member.group = cell(row, Column::Group);
    member.anonymous = cell(row, Column::Anonymous);
    member.in_roster = member.absent_counts = true;
    if (member.label().empty()) return complain(row.line, "neither id nor name");
    read_seat(member, cell(row, Column::Seat));
    if (const std::string time = cell(row, Column::Extension); !time.empty()) read_extension(member, time);
    once(row.line, "id", member.who.id);
    once(row.line, "e-mail", member.who.email);
    once(row.line, "anonymous id", member.anonymous);
    if (member.who.id.empty() && member.who.email.empty()) once(row.line, "name", member.who.name);
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
  roster.listed_ = true;
  return roster;
}

namespace {

// Takes the rows of a worksheet to the people that are known, or makes people of them.
class Joiner {
 public:
  Joiner(std::vector<Member>& members, const std::string& name, const std::string& zone, bool hand_ins)
      : members_(members), name_(name), zone_(zone), hand_ins_(hand_ins) {}

  void join(const Worksheet& sheet, std::vector<Message>& notes) {
    std::vector<Identity> people;
    for (const WorksheetRow& row : sheet.rows) people.push_back(row.who);
    for (const Member& m : members_) directory_.add(m.who);
    directory_.compare_ids(people);
    std::map<std::size_t, std::size_t> wanted;  // by how many rows
    std::vector<std::vector<std::size_t>> found;
    for (const WorksheetRow& row : sheet.rows) {
      found.push_back(directory_.find(row.who));
      if (found.back().size() == 1) ++wanted[found.back().front()];
    }
    for (std::size_t i = 0; i < sheet.rows.size(); ++i) {
      const WorksheetRow& row = sheet.rows[i];
      if (found[i].size() > 1 || (found[i].size() == 1 && wanted[found[i].front()] > 1)) {
        unclear_.push_back(row.who.name);
      } else {
        take(row, found[i].empty() ? nullptr : &members_[found[i].front()]);
      }
    }
    members_.insert(members_.end(), std::make_move_iterator(new_.begin()),
                    std::make_move_iterator(new_.end()));
    if (!mistakes_.empty()) refuse_hand_ins(mistakes_);
    if (!unclear_.empty())
      notes.push_back(
          msg("{} rows of {} may be of several people in the roster, and say nothing of anybody: {}. An id "
              "number or e-mail in both decides",
              unclear_.size(), name_, base::joined(unclear_)));
    if (!drafts_.empty() && hand_ins_)
      notes.push_back(
          msg("{} says of {} submissions that they are drafts, not handed in: {}. They are graded", name_,
              drafts_.size(), base::joined(drafts_)));
  }

 private:
  void take(const WorksheetRow& row, Member* known) {
    Member& member = known != nullptr ? *known : new_.emplace_back();
    if (known == nullptr) {
      member.line = row.line;
      member.who = row.who;
      member.absent_counts = hand_ins_;
    }
    member.who.number = row.who.number;
    if (member.who.email.empty()) member.who.email = row.who.email;
    if (member.who.id.empty()) member.who.id = row.who.id;
    if (member.who.name.empty()) member.who.name = row.who.name;
    member.teams = row.teams;
    member.draft = row.draft;
    if (row.draft) drafts_.push_back(member.label());
    member.in_hand_ins = hand_ins_;
    if (!hand_ins_) return;
    if (!row.submitted.empty())
      if (const auto seconds = settle(row, row.submitted)) {
        const auto local = read_time(row.submitted);
        member.hand_in =
            HandIn{"", text_of_time(local->local, static_cast<int>(local->local - *seconds)), *seconds};
      }
    if (!row.extension.empty())
      if (const auto seconds = settle(row, row.extension))
        member.extension = std::max(member.extension.value_or(*seconds), *seconds);
  }

  // Seconds; what is no time is a mistake.
  std::optional<std::int64_t> settle(const WorksheetRow& row, const std::string& text) {
    const auto time = read_time(text);
    if (!time) {
      mistakes_.push_back(
          msg("{}:{}: \"{}\" is no time, or may be two; write it as in 2027-03-01T23:59:00+01:00", name_,
              row.line, text));
      return std::nullopt;
    }
    return time->local - (time->offset ? *time->offset : offset_in(zone_, time->local));
  }

  std::vector<Member>& members_;
  const std::string& name_;
  const std::string& zone_;
  bool hand_ins_;
  Directory directory_;
  std::vector<Member> new_;
  std::vector<std::string> unclear_, drafts_;
  std::vector<Message> mistakes_;
};

}  // namespace

void Roster::add(const Worksheet& sheet, const std::string& name, const std::string& zone, bool hand_ins,
                 std::vector<Message>& notes) {
  Joiner(members_, name, zone, hand_ins).join(sheet, notes);
}

}  // namespace lab::grade
