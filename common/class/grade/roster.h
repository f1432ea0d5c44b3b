// The people of a class: as the instructor's list has them, and as a platform's worksheet knows them.
//
// Enters: a table with the columns id, name, email, group, seat, extension, anonymous id (any of them, in any
// order), a worksheet, and the submissions that were found. Leaves: one submission for each person: for a group
// or team what one member handed in, a row for a person without a submission, seats, extensions, and anonymous names
// where asked for. People are matched by identity.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/class/grade/identity.h"
#include "common/class/grade/submission.h"
#include "common/class/grade/worksheet.h"

namespace lab::grade {

struct Member {
  int line = 0;
  Identity who;
  std::string group, anonymous;
  std::optional<int> seat;
  std::optional<std::int64_t> extension;  // seconds since 1970
  // Fields of a worksheet:
  std::vector<std::string> teams;  // what may be the name of the team
  std::optional<HandIn> hand_in;   // when
  bool draft = false;              // not handed in for good
  bool in_hand_ins = false;        // the worksheet says who handed in when
  bool in_roster = false;          // the instructor's list has the person
  bool absent_counts = false;      // a row, even where nothing was handed in
  [[nodiscard]] const std::string& label() const { return who.name.empty() ? who.id : who.name; }
};

class Roster {
 public:
  // Times without an offset are read in `zone`. Throws UsageError that lists mistakes as FILE:LINE.
  static Roster parse(const std::string& text, const std::string& name, const std::string& zone);

  // Joins a platform's worksheet: keys, teams, times. Of a list of hand-ins (`hand_ins`) everybody has a row. Throws
  // UsageError that lists times which are none as FILE:LINE.
  void add(const Worksheet& sheet, const std::string& name, const std::string& zone, bool hand_ins,
           std::vector<Message>& notes);
  [[nodiscard]] const std::vector<Member>& members() const { return members_; }
  [[nodiscard]] bool listed() const { return listed_; }

 private:
  std::vector<Member> members_;
  bool listed_ = false;  // there is a list of the instructor's
};

// Turns places of submissions into places of people, and notes what is not clear. `anonymous`: by their
// anonymous ids alone. Throws UsageError where that cannot be.
void enrol(Places& found, const Roster& roster, bool anonymous);

}  // namespace lab::grade
