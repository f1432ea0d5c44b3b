// The people of a class, as the instructor's list has them.
//
// Enters: a table with the columns id, name, group, seat, extension, anonymous id (any of them, in any
// order), and the submissions that were found. Leaves: one submission for each person: of a group what one of
// it handed in, a row for who handed in nothing, the seat and the time that a person has, and another name
// where people are graded without theirs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/grade/submission.h"

namespace lab::grade {

struct Member {
  int line = 0;
  std::string id, name, group, anonymous;
  std::optional<int> seat;
  std::optional<std::int64_t> extension;  // seconds since 1970
  [[nodiscard]] const std::string& label() const { return name.empty() ? id : name; }
};

class Roster {
 public:
  // Times without an offset are read in `zone`. Throws UsageError that lists mistakes as FILE:LINE.
  static Roster parse(const std::string& text, const std::string& name, const std::string& zone);
  [[nodiscard]] const std::vector<Member>& members() const { return members_; }

 private:
  std::vector<Member> members_;
};

// Turns places of submissions into places of people, and notes what is not clear. `anonymous`: by their
// anonymous ids alone. Throws UsageError where that cannot be.
void enrol(Places& found, const Roster& roster, bool anonymous);

}  // namespace lab::grade
