// Reads and checks a rubric. See rubric.h.
#include "common/class/grade/rubric.h"

#include <fmt/core.h>
#include <toml++/toml.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "common/base/errors.h"
#include "common/base/files.h"
#include "common/base/project.h"
#include "common/base/words.h"
#include "common/class/grade/submission.h"
#include "common/class/grade/times.h"
#include "common/course/judge/chapter_list.h"
#include "common/course/judge/checks.h"

namespace lab::grade {
namespace {

constexpr double kMostPoints = 10'000;
constexpr std::int64_t kLargestStart = 1'000'000'000;

}  // namespace

class RubricReader {
 public:
  RubricReader(std::string name, const CasesOfChapters& cases) : name_(std::move(name)), cases_(cases) {}

  Rubric read(const std::string& text) {
    try {
      const toml::table file = toml::parse(text, name_);
      if (const toml::node* zone = file.get("time_zone")) read_time_zone(*zone);  // first: deadlines need it
      for (const auto& [key, node] : file) {
        if (key.str() == "key") {
          read_key(node);
        } else if (key.str() == "time_zone") {
          continue;
        } else if (key.str() == "late") {
          read_late(node);
        } else if (key.str() == "drop_lowest") {
          rubric_.drop_lowest_ = read_count(node, "drop_lowest", 100);
        } else {
          read_chapter(std::string(key.str()), node);
        }
      }
    } catch (const toml::parse_error& error) {
      complain(error.source().begin.line, text::verbatim(std::string(error.description())));
    }
    if (mistakes_.empty()) return std::move(rubric_);
    Message message = "The rubric cannot be used; nothing was graded.";
    std::stable_sort(mistakes_.begin(), mistakes_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [line, words] : mistakes_) message.line(msg("  {}:{}: {}", name_, line, words));
    throw base::UsageError(message);
  }

 private:
  void complain(std::uint32_t line, const Message& words) { mistakes_.emplace_back(line, words); }
  void complain(const toml::node& node, const Message& words) { complain(node.source().begin.line, words); }

  void read_key(const toml::node& node) {
    const auto key = node.value_exact<std::string>();
    if (key && !key->empty()) {
      rubric_.key_ = *key;
    } else {
      complain(node, "the key of a class is a text, such as key = \"spring, and a few random letters\"");
    }
  }

  void read_time_zone(const toml::node& node) {
    const auto zone = node.value_exact<std::string>();
    if (zone && is_time_zone(*zone)) {
      rubric_.late_.time_zone = *zone;
    } else {
      complain(node,
               "time_zone is a name of this machine's list of zones (/usr/share/zoneinfo), such as "
               "time_zone = \"Europe/Berlin\"");
    }
  }

  void read_late(const toml::node& node) {
    const toml::table* table = node.as_table();
    if (table == nullptr) return complain(node, "[late] must be a table");
    LatePolicy& late = rubric_.late_;
    for (const auto& [key, value] : *table) {
      if (key.str() == "deadline") {
        late.deadline = read_deadline(value);
      } else if (key.str() == "deadlines") {
        read_deadlines(value);
      } else if (key.str() == "extensions") {
        read_extensions(value);
      } else if (key.str() == "grace_minutes") {
        late.grace_minutes = read_count(value, "grace_minutes", 100'000);
      } else if (key.str() == "percent_per_day") {
        late.percent_per_day = read_count(value, "percent_per_day", 100);
      } else if (key.str() == "last_day") {
        late.last_day = read_count(value, "last_day", 1'000);
      } else {
        complain(value, msg("\"{}\" means nothing here; [late] has deadline, deadlines, extensions, "
                            "grace_minutes, percent_per_day and last_day",
                            key.str()));
      }
    }
    if (!late.deadline && late.deadlines.empty()) complain(node, "[late] has no deadline");
  }

  void read_deadlines(const toml::node& node) {
    const toml::table* table = node.as_table();
    if (table == nullptr) return complain(node, "[late.deadlines] must be a table of chapters");
    for (const auto& [key, value] : *table) {
      const std::string chapter(key.str());
      if (cases_.contains(chapter)) {
        rubric_.late_.deadlines[chapter] = read_deadline(value);
      } else {
        complain(value, msg("there is no chapter \"{}\"; `./lab list` names them", chapter));
      }
    }
  }

  void read_extensions(const toml::node& node) {
    const toml::table* table = node.as_table();
    if (table == nullptr) return complain(node, "[late.extensions] must be a table of students");
    for (const auto& [key, value] : *table)
      rubric_.late_.extensions[std::string(key.str())] = read_deadline(value);
  }

  std::int64_t read_deadline(const toml::node& node) {
    std::optional<HandInTime> given;
    if (const auto text = node.value_exact<std::string>()) given = read_time(*text);
    if (const auto time = node.value_exact<toml::date_time>()) {
      const std::chrono::year_month_day date{std::chrono::year(time->date.year),
                                             std::chrono::month(time->date.month),
                                             std::chrono::day(time->date.day)};
      given = {std::int64_t{86400} * std::chrono::sys_days(date).time_since_epoch().count() +
                   3600 * time->time.hour + 60 * time->time.minute + time->time.second,
               time->offset ? std::optional(60 * time->offset->minutes) : std::nullopt};
    }
    if (given && !given->offset && !rubric_.late_.time_zone.empty())
      given->offset = offset_in(rubric_.late_.time_zone, given->local);
    if (given && given->offset) return given->local - *given->offset;
    complain(node,
             "a deadline is a time with its offset, such as 2027-03-01T23:59:00+01:00, or without one where "
             "the rubric has a time_zone");
    return 0;
  }

  std::int64_t read_count(const toml::node& node, std::string_view key, std::int64_t most) {
    const auto count = node.value_exact<std::int64_t>();
    if (count && *count >= 0 && *count <= most) return *count;
    complain(node, msg("{} must be a whole number from 0 to {}", key, most));
    return 0;
  }

  void read_chapter(const std::string& chapter, const toml::node& node) {
    const auto known = cases_.find(chapter);
    if (known == cases_.end())
      return complain(node, msg("there is no chapter \"{}\"; `./lab list` names them", chapter));
    const toml::table* table = node.as_table();
    if (table == nullptr) return complain(node, msg("[{}] must be a table of cases", chapter));
    for (const auto& [key, rule] : *table) {
      const std::string name(key.str());
      const CaseNames* found = find_case(known->second, name);
      if (found == nullptr && name == "weight") {
        rubric_.weights_[chapter] = read_points(rule);
      } else if (found == nullptr && name == "bonus") {
        read_bonus(chapter, rule);
      } else if (found == nullptr) {
        std::vector<std::string> ids;
        for (const CaseNames& c : known->second) ids.push_back(c.id);
        complain(rule, msg("chapter {} has no case \"{}\"; it has: {}; and a chapter has weight and bonus",
                           chapter, name, base::joined(ids)));
      } else if (!rubric_.rules_[chapter].emplace(found->id, read_case(rule)).second) {
        complain(rule, msg("the case \"{}\" stands here twice, by its id and by its title", found->id));
      }
    }
  }

  void read_bonus(const std::string& chapter, const toml::node& node) {
    const auto bonus = node.value_exact<bool>();
    if (!bonus) return complain(node, "bonus is true or false");
    if (*bonus) rubric_.bonus_.insert(chapter);
  }

  static const CaseNames* find_case(const std::vector<CaseNames>& cases, const std::string& name) {
    const auto found = std::find_if(cases.begin(), cases.end(), [&](const CaseNames& c) {
      return c.id == name || std::find(c.titles.begin(), c.titles.end(), name) != c.titles.end();
    });
    return found == cases.end() ? nullptr : &*found;
  }

  RubricCase read_case(const toml::node& node) {
    RubricCase rule;
    const toml::table* table = node.as_table();
    if (table == nullptr) {
      complain(node, "write { points = 4 } or { points = 4, start = 32 }");
      return rule;
    }
    if (!table->contains("points")) complain(node, "points are missing");
    for (const auto& [key, value] : *table) {
      if (key.str() == "points") {
        rule.hundredths = read_points(value);
      } else if (key.str() == "start") {
        rule.start_times = read_start(value);
      } else {
        complain(value, msg("\"{}\" means nothing here; a case has points and start", key.str()));
      }
    }
    return rule;
  }

  std::int64_t read_points(const toml::node& node) {
    const auto points = node.value<double>();
    if (!points || !node.is_number() || !(*points >= 0) || *points > kMostPoints) {
      complain(node, msg("points must be a number from 0 to {}", kMostPoints));
      return 0;
    }
    const double hundredths = std::round(*points * 100);
    if (std::abs(hundredths - *points * 100) > 1e-6)
      complain(node, "points have at most two digits after the dot");
    return static_cast<std::int64_t>(hundredths);
  }

  std::uint64_t read_start(const toml::node& node) {
    const auto start = node.value_exact<std::int64_t>();
    if (!start || *start < 2 || *start > kLargestStart) {
      complain(node,
               "start must be a whole number of at least 2: how many times the goal the chapter starts at");
      return 0;
    }
    return static_cast<std::uint64_t>(*start);
  }

  std::string name_;
  const CasesOfChapters& cases_;
  Rubric rubric_;
  std::vector<std::pair<std::uint32_t, Message>> mistakes_;
};

Rubric Rubric::parse(const std::string& text, const std::string& name, const CasesOfChapters& cases) {
  return RubricReader(name, cases).read(text);
}

namespace {
constexpr std::int64_t kWhole = 100;  // of a weight
}

std::int64_t Rubric::weight(const std::string& chapter) const {
  const auto own = weights_.find(chapter);
  return own == weights_.end() ? kWhole : own->second;
}

RubricCase Rubric::rule(const std::string& chapter, const judge::CaseResult& result) const {
  RubricCase rule{std::int64_t{100} * result.points, 0};
  if (const auto found = rules_.find(chapter); found != rules_.end()) {
    if (const auto own = found->second.find(result.id); own != found->second.end()) rule = own->second;
  }
  rule.hundredths = rule.hundredths * weight(chapter) / kWhole;
  return rule;
}

// Points are those of the weighted cases: nothing is left to multiply when they are read.
report::Json Rubric::terms(const std::string& chapter, std::optional<std::int64_t> submitted,
                           std::optional<std::int64_t> more, const judge::Evaluation& evaluation) const {
  report::Json cases = report::Json::object();
  for (const judge::CaseResult& c : evaluation.cases) {
    const RubricCase own = rule(chapter, c);
    cases[c.id] = {{"hundredths", own.hundredths}, {"start", own.start_times}};
  }
  report::Json terms = {{"cases", cases}, {"bonus", bonus(chapter)}};
  if (const auto due = late_.due(chapter, more)) {
    terms["late"] = {{"due", *due},
                     {"grace_minutes", late_.grace_minutes},
                     {"percent_per_day", late_.percent_per_day},
                     {"last_day", late_.last_day}};
    if (const std::int64_t moved = submitted ? late_.moved(*due, *submitted) : 0; moved != 0)
      terms["late"]["clock_moved"] = moved;
  }
  return terms;
}

Rubric Rubric::of_terms(const report::Json& terms, const std::string& chapter) {
  Rubric rubric;
  for (const auto& [id, rule] : terms.at("cases").items())
    rubric.rules_[chapter][id] = {rule.at("hundredths").get<std::int64_t>(),
                                  rule.at("start").get<std::uint64_t>()};
  if (terms.at("bonus").get<bool>()) rubric.bonus_.insert(chapter);
  if (terms.contains("late")) {
    const report::Json& late = terms.at("late");
    rubric.late_.deadline = late.at("due").get<std::int64_t>();
    rubric.late_.grace_minutes = late.at("grace_minutes").get<std::int64_t>();
    rubric.late_.percent_per_day = late.at("percent_per_day").get<std::int64_t>();
    rubric.late_.last_day = late.at("last_day").get<std::int64_t>();
    rubric.late_.clock_moved = late.value("clock_moved", std::int64_t{0});
  }
  return rubric;
}

std::string rubric_text(const std::filesystem::path& file) {
  const auto text = base::read_file(file);
  if (!text) throw base::UsageError(msg("Cannot read the rubric {}. Check the name.", file.string()));
  return *text;
}

std::filesystem::path default_rubric_file() {
  return base::project_root() / "common" / "class" / "grade" / "rubric.toml";
}

CasesOfChapters all_cases() {
  CasesOfChapters cases;
  for (const judge::ChapterInfo* chapter : judge::all_chapters()) {
    for (const judge::CaseResult& c : judge::not_evaluated(*chapter, {}).cases) {
      CaseNames names{c.id, {c.name}};
      for (const judge::FormerTitle& former : judge::former_titles()) {
        if (former.chapter == std::string_view(chapter->name) && former.id == c.id)
          names.titles.emplace_back(former.title);
      }
      cases[chapter->name].push_back(std::move(names));
    }
  }
  return cases;
}

}  // namespace lab::grade
