// Whose submission a place holds: looks in the directory of the members, by the most reliable key first.
//
// Enters: members with their keys, places with what a platform calls them. Leaves: for a place one person, a team, no one,
// or that it is not clear.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "common/class/grade/identity.h"
#include "common/class/grade/roster.h"

namespace lab::grade {

using Numbers = std::vector<std::size_t>;  // of members

// The person or team of a submission.
struct Owners {
  Numbers who;
  bool team = false;     // together: the platform counts them as one
  bool unclear = false;  // one of them, and it is not known which
};

// Keeps a reference to the members.
class Finder {
 public:
  Finder(const std::vector<Member>& members, const std::vector<Place>& places);

  [[nodiscard]] Owners owners(const Place& place) const;

  // No number of the export occurs with its name in the worksheet.
  [[nodiscard]] bool of_another_assignment() const { return disagreeing_ > 1 && agreeing_ == 0; }

 private:
  [[nodiscard]] bool agrees(const Place& place, std::size_t member) const;

  // Where marking is blind all files have one name: "Participant".
  void weigh_numbers(const std::vector<Place>& places);

  [[nodiscard]] Numbers person(const std::string& called) const { return directory_.called(called); }

  [[nodiscard]] Numbers all_of(const std::vector<Identity>& people) const;

  // All names, where several people hand in together: "Ada Lovelace, Bo Li".
  [[nodiscard]] Numbers people(const std::string& called) const;

  // A worksheet's team: two teams whose names a platform writes alike are none.
  [[nodiscard]] Numbers team_called(const std::string& name) const;

  [[nodiscard]] Numbers group_called(const std::string& called) const;

  const std::vector<Member>& members_;
  Directory directory_;
  std::map<std::string, Numbers> groups_, teams_;
  std::size_t agreeing_ = 0, disagreeing_ = 0;
  bool numbers_hold_ = false;  // numbers of the export fit the worksheet's names
};

}  // namespace lab::grade
