// The verdict card of `lab check`, and the profile of one run, as text.
//
// Enters: an Examination or a Run. Leaves: lines for the terminal: the first failure, its line, the number,
// the reason, what to do next.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/course/judge/examine.h"
#include "common/ui/style.h"
#include "common/ui/table.h"

namespace lab::report {

// What the caller knows besides the verdict.
struct CardNotes {
  std::string what_if;  // lines on the first failure, of what would have been otherwise
  std::string reach;    // a line after a pass
  std::map<std::string, int> wrong_first_guess;    // of predictions that pass now, by the id of the case
  std::map<std::string, int> first_finding_costs;  // points, of cases that pass now, by their id
};

// `next` are commands to offer, best first.
[[nodiscard]] std::string card(const judge::Examination& examination, const std::vector<std::string>& next,
                               const Style& style, const CardNotes& notes = {});
// The points of the verdict without those of first guesses and first findings that were wrong.
[[nodiscard]] int points_of(const judge::Examination& examination, const CardNotes& notes);

[[nodiscard]] std::string profile(const std::string& kernel, const std::string& device, const judge::Run& run,
                                  const Style& style, bool transposes = true);

// The text of a source line, trimmed, and where the access of a path begins in it; "" when the file or line is
// not there.
[[nodiscard]] Cell source_cell(const std::string& file, int line,
                               std::optional<sim::Path> path = std::nullopt);

}  // namespace lab::report
