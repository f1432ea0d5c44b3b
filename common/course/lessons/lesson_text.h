// The numbers of a lesson, as its text shows them.
//
// Enters: Markdown. Leaves: every number that makes a claim, with the formula that stands behind it, if one
// does. A formula is a comment right after the number, invisible to the reader:
//
//     The store touches 1 048 576<!-- = solution(01).global_store.sectors --> sectors.
//     It reaches 13<!-- ~ copy_share(01) --> % of a copy.
//
// `=` must match to the last digit shown, `~` within a tenth: for what was measured with a clock.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lab::course {

struct LessonNumber {
  int line = 0;         // from 1
  std::string text;     // "1 048 576", as written
  double value = 0;     // 1048576
  int decimals = 0;     // digits behind the point
  std::string unit;     // "sectors", "wavefronts", "requests", "way"; "" for any other
  std::string formula;  // "" when there is none
  bool about = false;   // `~`
  bool claim = false;   // needs a formula, here or elsewhere in the text
};

// A claim is any number from 1000 on and any number of sectors, wavefronts or requests. Ignored: code
// in backquotes, targets of links, HTML tags, sizes (`1024 × 1024`), identifiers (`float4`). In code blocks
// only numbers from 1000 on are checked, and not those behind an option (`--rows 1024`).
[[nodiscard]] std::vector<LessonNumber> lesson_numbers(std::string_view markdown);

}  // namespace lab::course
