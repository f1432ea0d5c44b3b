// Settles a dispute: judges the kernel of a record again and compares.
//
// Enters: a record, the kernel's text (kept beside the records, or the submission itself). Leaves: "the
// same", or what differs and why: another compiler, another course, another kernel, or a record that was
// changed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/class/grade/grading.h"

namespace lab::grade {

struct Difference {
  std::string what;    // "points", "compiler"
  std::string record;  // as the record has it
  std::string here;    // as it comes out here
};

struct Verification {
  std::string student, chapter;
  bool same = false;
  std::vector<Difference> tools;     // who judges differs
  std::vector<Difference> verdicts;  // what was judged differs
};

// `submissions` may be empty: then the kernel is searched beside the record. Throws UsageError when the
// record is none, or when there is no kernel to judge.
[[nodiscard]] Verification verify_record(const std::filesystem::path& record,
                                         const std::vector<std::string>& submissions, bool one,
                                         std::optional<compile::CompilerKind> compiler,
                                         const std::optional<std::filesystem::path>& rubric);

// The record may come from anyone and hold anything: what is printed of it must be made printable.
[[nodiscard]] Message verification_text(const Verification& verification);
[[nodiscard]] report::Json verification_json(const Verification& verification);

}  // namespace lab::grade
