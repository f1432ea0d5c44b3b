// What a student says is wrong with a kernel, held against what is: chapters 17 and 18.
//
// Enters: FINDING_OF(entry) of the file; in chapter 17 seals of the right answers. Leaves: statements of a
// Check. A seal is a keyed hash of an answer, so that no one reads an answer by accident; there are so few of
// them that anybody can try them all (docs/trust.md).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/chapters/course_checks.h"

namespace lab::course {

struct SealedFinding {
  std::string_view cause;
  std::string_view
      lines;  // seals of the lines that may be named, one behind the other; "": none is asked for
};

// "turn_1 cause 2", "turn_1 line 101" → its seal.
[[nodiscard]] std::string seal_of(std::string_view answer);

// What is still missing in what is said of `entry`, a sentence: nothing was said, half of it, or what is no line
// or no cause of this chapter. It costs no point. "" when nothing is.
[[nodiscard]] Message missing_in(const Finding& finding, const std::string& entry);
// Before anything ran: is something said of `entry` (code finding-missing), and is it so (finding-wrong)?
void found(judge::Check& check, const std::string& entry,
           const std::function<bool(const Finding&)>& is_right);
// Is it what is sealed for the kernel behind a table?
[[nodiscard]] bool is_sealed(const Finding& finding, const std::string& kernel, const SealedFinding& sealed);

// A few small and ragged shapes, some that the key draws, and the measured ones.
void right_on_pages(judge::Check& check, const judge::Target& target);
// 256 × 256, and one that the key draws for this entry, of that size or longer than 1024; sides are multiples
// of 128.
[[nodiscard]] std::vector<judge::Problem> page_shapes(judge::Check& check, const std::string& entry);

}  // namespace lab::course
