// What a student says is wrong with a kernel, held against what is: chapters 17 and 18.
//
// Enters: FINDING_OF(entry) of the file, and seals of the right answers. Leaves: statements of a Check. A
// seal is a keyed hash of an answer, so that no one reads an answer by accident; there are so few of them
// that anybody can try them all (docs/trust.md).
#pragma once

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

// "bug_1 cause 20", "bug_1 line 101" → its seal.
[[nodiscard]] std::string seal_of(std::string_view answer);

// Before anything ran: is something said of `entry` (code finding-missing), and is it so (finding-wrong)?
// `kernel` is what the answers are sealed for: in chapter 17 the kernel behind a table.
void found(judge::Check& check, const std::string& entry, const std::string& kernel,
           const SealedFinding& sealed);

// A few small and ragged shapes, some that the key draws, and the measured ones.
void right_on_pages(judge::Check& check, const judge::Target& target);
// 256 × 256, and one that the key draws for this entry, of that size or longer than 1024; sides are multiples
// of 128.
[[nodiscard]] std::vector<judge::Problem> page_shapes(judge::Check& check, const std::string& entry);

}  // namespace lab::course
