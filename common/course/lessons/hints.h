// The hints of a lesson: its folded parts, and the one that fits what a check found.
//
// Enters: a lesson in Markdown; a diagnosis with its facts. Leaves: titles and texts. A part says what it fits:
//     <details><!-- fits: never-written whole-tiles -->
//     <summary>When the check says <code>never-written</code>: a tile is missing</summary>
// First a code, then facts of the reason that must all be there (Reason::facts, and the id of the case). Without
// this comment the codes of the title count. The part with most conditions wins.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lab::course {

struct Hint {
  std::string title, text;
  std::vector<std::string> fits;  // empty: by its title
};

// Each folded part whose title starts so, in the order of the lesson.
[[nodiscard]] std::vector<Hint> folded_parts(std::string_view lesson, std::string_view start);

struct Diagnosis {
  std::string code;
  std::vector<std::string> facts;
};
// null: none fits.
[[nodiscard]] const Hint* fitting(const std::vector<Hint>& hints, const Diagnosis& diagnosis);

}  // namespace lab::course
