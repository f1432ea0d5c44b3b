// The exam of chapter 18: eight pages, each a program with one fault, for a key and a seat.
//
// Enters: a class's key (or the public one), the number of a seat; the programs and what can be wrong with
// each (solutions/18_bugs_in_the_wild/pages.inc). Leaves: which program stands on which page, which fault it
// has, with which letter its lines begin; the answers; the file that a student gets. Seat 0 has the lesson's
// own pages under every key. On others a program may come twice, with another fault, and so may a cause: what
// is left over tells nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/kernel/findings.h"

namespace lab::judge {

struct ExamPage {
  std::string entry;    // "bug_1", as FINDING_OF takes it
  std::string program;  // "flat"
  Cause cause = Cause::kNotSaid;
  std::string lines;  // letters of the lines that may be named
  std::uint32_t shared_bytes = 0;
  bool asynchronous = false;    // `in` comes by cp.async
  bool beyond_32_bits = false;  // tried on a matrix of more than 2^32 elements
  std::string faulty, fixed;    // its text, with the finding empty, and filled in
  [[nodiscard]] bool is(const Finding& finding) const;
};

[[nodiscard]] std::vector<ExamPage> exam_pages(std::string_view key, int seat);
// A kernel file with these pages; `fixed`: with the answers.
[[nodiscard]] std::string exam_file(const std::vector<ExamPage>& pages, int seat, bool fixed);

}  // namespace lab::judge
