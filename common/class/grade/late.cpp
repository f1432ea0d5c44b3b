// What lateness costs: until when something had to be handed in, and what is left after that. See rubric.h.
#include <fmt/core.h>

#include <algorithm>

#include "common/base/words.h"
#include "common/class/grade/labels.h"
#include "common/class/grade/rubric.h"
#include "common/class/grade/submission.h"
#include "common/class/grade/times.h"

namespace lab::grade {

std::optional<std::int64_t> LatePolicy::due(const std::string& chapter,
                                            std::optional<std::int64_t> more) const {
  const auto own = deadlines.find(chapter);
  if (own == deadlines.end() && !deadline) return std::nullopt;
  const std::int64_t due = own != deadlines.end() ? own->second : *deadline;
  return std::max(due, more.value_or(due));
}

int LatePolicy::percent(const std::string& chapter, std::int64_t submitted,
                        std::optional<std::int64_t> more) const {
  constexpr std::int64_t kDay = 86'400;
  const auto until = due(chapter, more);
  if (!until || submitted <= *until + 60 * grace_minutes) return 0;
  const std::int64_t by_the_clock = submitted + moved(*until, submitted) - *until;
  const std::int64_t days = std::max<std::int64_t>(1, (by_the_clock + kDay - 1) / kDay);
  if (last_day != 0 && days > last_day) return 100;
  return static_cast<int>(std::min<std::int64_t>(100, days * percent_per_day));
}

std::int64_t LatePolicy::moved(std::int64_t due, std::int64_t submitted) const {
  return time_zone.empty() ? clock_moved : grade::clock_moved(time_zone, due, submitted);
}

void give_more_time(const LatePolicy& late, Places& submissions) {
  if (late.extensions.empty()) return;
  const Directory people = directory_of(submissions.places);
  for (const auto& [student, until] : late.extensions) {
    const std::vector<std::size_t> called = people.called(student);
    if (called.size() == 1) {
      std::optional<std::int64_t>& own = submissions.places[called.front()].extension;
      own = std::max(own.value_or(until), until);
    } else if (called.empty()) {
      submissions.notes.push_back(
          msg("the rubric gives {} more time, and no submission has that name", student));
    } else {
      std::vector<std::string> names;
      for (const std::size_t place : called) names.push_back(submissions.places[place].student);
      submissions.notes.push_back(
          msg("the rubric gives {} more time, and it may be any of these, of whom none has it: {}. Write the "
              "name as it stands here, or the id",
              student, base::joined(names)));
    }
  }
}

std::vector<Message> late_notes(const LatePolicy& late, const Places& submissions) {
  std::vector<Message> notes;
  if ((late.deadline || !late.deadlines.empty()) && !submissions.listed)
    notes.push_back(
        msg("The rubric has deadlines, and there is no {}: nothing is late. --submitted FILE names the list",
            kManifestName));
  return notes;
}

}  // namespace lab::grade
