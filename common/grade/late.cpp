// What lateness costs: until when something had to be handed in, and what is left after that. See rubric.h.
#include <fmt/core.h>

#include <algorithm>

#include "common/base/words.h"
#include "common/grade/rubric.h"
#include "common/grade/submission.h"

namespace lab::grade {

std::optional<std::int64_t> LatePolicy::due(const std::string& chapter, const std::string& student,
                                            std::optional<std::int64_t> given) const {
  const auto own = deadlines.find(chapter);
  if (own == deadlines.end() && !deadline) return std::nullopt;
  std::int64_t due = own != deadlines.end() ? own->second : *deadline;
  auto more = extensions.find(student);
  if (more == extensions.end())
    more = std::find_if(extensions.begin(), extensions.end(),
                        [&](const auto& extension) { return may_be_called(extension.first, student); });
  if (more != extensions.end()) due = std::max(due, more->second);
  return std::max(due, given.value_or(due));
}

int LatePolicy::percent(const std::string& chapter, const std::string& student, std::int64_t submitted,
                        std::optional<std::int64_t> more) const {
  constexpr std::int64_t kDay = 86'400;
  const auto until = due(chapter, student, more);
  if (!until || submitted <= *until + 60 * grace_minutes) return 0;
  const std::int64_t days = (submitted - *until + kDay - 1) / kDay;
  if (last_day != 0 && days > last_day) return 100;
  return static_cast<int>(std::min<std::int64_t>(100, days * percent_per_day));
}

std::vector<Message> late_notes(const LatePolicy& late, const Places& submissions) {
  std::vector<Message> notes;
  if ((late.deadline || !late.deadlines.empty()) && !submissions.listed)
    notes.push_back(
        msg("The rubric has deadlines, and there is no {}: nothing is late. --submitted FILE names the list",
            kManifestName));
  for (const auto& extension : late.extensions) {
    const std::string& student = extension.first;
    std::vector<std::string> called;
    for (const Place& place : submissions.places)
      if (may_be_called(student, place.student)) called.push_back(place.student);
    if (called.empty())
      notes.push_back(msg("the rubric gives {} more time, and no submission has that name", student));
    if (called.size() > 1 && std::find(called.begin(), called.end(), student) == called.end())
      notes.push_back(
          msg("the rubric gives {} more time, and all of these have it: {}. Write the name as it stands "
              "here, where one is meant",
              student, base::joined(called)));
  }
  return notes;
}

}  // namespace lab::grade
