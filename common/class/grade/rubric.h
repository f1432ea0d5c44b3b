// What cases are worth: one TOML file that an instructor can read and change.
//
// Enters: rubric.toml of this folder, or the file of --rubric. Leaves: points and starting values by chapter
// and case. Mistakes are named with their line; a rubric with a mistake grades nothing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/class/grade/submission.h"
#include "common/course/judge/input_key.h"
#include "common/course/judge/verdict.h"
#include "common/ui/counters_json.h"

namespace lab::grade {

// What a rubric or a record may call a case: its id, its title, or a title that it once had.
struct CaseNames {
  std::string id;
  std::vector<std::string> titles;  // first the one of today
};
using CasesOfChapters = std::map<std::string, std::vector<CaseNames>>;

struct RubricCase {
  std::int64_t hundredths = 0;    // of points
  std::uint64_t start_times = 0;  // the chapter starts at this many times the goal; 0: all or nothing
};

// What a late hand-in costs.
struct LatePolicy {
  std::optional<std::int64_t> deadline;                                 // seconds since 1970
  std::map<std::string, std::int64_t> deadlines;                        // of chapters that have their own
  std::map<std::string, std::int64_t> extensions;                       // of students who have more time
  std::int64_t grace_minutes = 0, percent_per_day = 100, last_day = 0;  // last_day 0: no end
  std::string time_zone;         // of times without an offset; its clock says when a day is over
  std::int64_t clock_moved = 0;  // of a record without a zone
  // Percent of the points that are taken off: for each day that has begun, all of them behind the last.
  // `more`: the time that this student has, of a roster, a worksheet or `extensions`.
  [[nodiscard]] int percent(const std::string& chapter, std::int64_t submitted,
                            std::optional<std::int64_t> more = std::nullopt) const;
  // Until when it had to be handed in; none where it had not.
  [[nodiscard]] std::optional<std::int64_t> due(const std::string& chapter,
                                                std::optional<std::int64_t> more) const;
  // Seconds that the clock was put on between that time and this one.
  [[nodiscard]] std::int64_t moved(std::int64_t due, std::int64_t submitted) const;
};

// Gives people the time that `extensions` has for them, and notes those that are no one, or may be several.
void give_more_time(const LatePolicy& late, Places& submissions);
// Parts of it that apply to no submission, so that another thing may have been meant.
[[nodiscard]] std::vector<Message> late_notes(const LatePolicy& late, const Places& submissions);

class Rubric {
 public:
  // Throws UsageError that lists every mistake as FILE:LINE. `chapters` are those that it may speak of, with
  // the cases that they have.
  static Rubric parse(const std::string& text, const std::string& name, const CasesOfChapters& cases);

  // Cases that the rubric does not name have the points of the check, all or nothing.
  // What decides the inputs that kernels are judged on: `key = "…"`; the public one where there is none.
  [[nodiscard]] const std::string& key() const { return key_; }
  // What times without an offset are read in; "" where there is none.
  [[nodiscard]] const std::string& time_zone() const { return late_.time_zone; }
  [[nodiscard]] const LatePolicy& late() const { return late_; }
  // How many chapters, those with the least of their points, do not count in a person's sum.
  [[nodiscard]] std::int64_t drop_lowest() const { return drop_lowest_; }
  [[nodiscard]] RubricCase rule(const std::string& chapter, const judge::CaseResult& result) const;
  // What the points of a chapter are multiplied by, in hundredths, and whether they come on top of all
  // others.
  [[nodiscard]] std::int64_t weight(const std::string& chapter) const;
  [[nodiscard]] bool bonus(const std::string& chapter) const { return bonus_.contains(chapter); }

  // What of it decides one record, to stand in the record: so that it can be judged again without the rubric.
  [[nodiscard]] report::Json terms(const std::string& chapter, std::optional<std::int64_t> submitted,
                                   std::optional<std::int64_t> more,
                                   const judge::Evaluation& evaluation) const;
  // Throws Json::exception for what terms() did not write.
  static Rubric of_terms(const report::Json& terms, const std::string& chapter);

 private:
  friend class RubricReader;
  std::map<std::string, std::map<std::string, RubricCase>> rules_;  // chapter, id of the case
  std::map<std::string, std::int64_t> weights_;                     // hundredths
  std::set<std::string> bonus_;
  std::string key_{judge::kPracticeKey};
  std::int64_t drop_lowest_ = 0;
  LatePolicy late_;
};

// Throws UsageError.
[[nodiscard]] std::string rubric_text(const std::filesystem::path& file);
[[nodiscard]] std::filesystem::path default_rubric_file();
// The cases of all chapters linked into this program.
[[nodiscard]] CasesOfChapters all_cases();

}  // namespace lab::grade
