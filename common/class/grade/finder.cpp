// Finds the owners of places. See finder.h.
#include "common/class/grade/finder.h"

#include <set>

namespace lab::grade {

Finder::Finder(const std::vector<Member>& members, const std::vector<Place>& places) : members_(members) {
  for (const Member& m : members) {
    const std::size_t number = directory_.add(m.who);
    for (const std::string& label : {m.anonymous, m.who.name.empty() ? "" : safe_name(m.who.name)})
      if (!label.empty()) directory_.add_label(number, label);
    if (!m.group.empty()) groups_[plain_form(m.group)].push_back(number);
    for (const std::string& team : m.teams)
      if (!team.empty()) teams_[plain_form(team)].push_back(number);
  }
  weigh_numbers(places);
}

Owners Finder::owners(const Place& place) const {
  const Numbers numbered = directory_.numbered(place.who.number);
  if (numbered.size() == 1 && agrees(place, numbered.front())) return {numbered, false, false};
  if (auto team = team_called(place.who.name); !team.empty()) return {team, true, false};
  if (numbered.size() == 1 && numbers_hold_) return {numbered, false, false};
  if (auto together = all_of(place.several); !together.empty()) return {together, true, false};
  if (const Numbers found = directory_.find({"", place.who.id, "", ""}); found.size() == 1)
    return {found, false, false};
  for (const std::string& called : {place.who.name, place.student, place.platform_name}) {
    if (called.empty()) continue;
    const Numbers found = person(called);
    if (!found.empty()) return {found, false, found.size() > 1};
    if (auto several = people(called); !several.empty()) return {several, true, false};
    if (auto group = group_called(called); !group.empty()) return {group, true, false};
  }
  return {};
}

bool Finder::agrees(const Place& place, std::size_t member) const {
  const std::string& name = members_[member].who.name;
  return name.empty() || plain_form(name) == plain_form(place.who.name) ||
         may_be_called(name, place.who.name);
}

void Finder::weigh_numbers(const std::vector<Place>& places) {
  std::set<std::string> names;
  std::size_t numbered = 0;
  for (const Place& place : places) {
    if (place.who.number.empty()) continue;
    names.insert(place.who.name);
    ++numbered;
  }
  const bool blind = names.size() == 1 && directory_.named(*names.begin()).empty();
  for (const Place& place : places) {
    const Numbers found = directory_.numbered(place.who.number);
    if (found.size() != 1 || !team_called(place.who.name).empty()) continue;
    ++(blind || agrees(place, found.front()) ? agreeing_ : disagreeing_);
  }
  numbers_hold_ = (blind && numbered > 0) || agreeing_ > disagreeing_;
}

Numbers Finder::all_of(const std::vector<Identity>& people) const {
  Numbers all;
  for (const Identity& who : people) {
    const Numbers found = directory_.find(who);
    if (found.size() != 1) return {};
    all.push_back(found.front());
  }
  return all;
}

Numbers Finder::people(const std::string& called) const {
  Numbers all;
  for (std::size_t at = 0; at < called.size();) {
    std::size_t end = called.size();  // a name may hold a comma: the longest that fits
    Numbers one;
    for (; end != std::string::npos && end > at; end = called.rfind(", ", end - 1)) {
      one = person(called.substr(at, end - at));
      if (one.size() == 1) break;
    }
    if (one.size() != 1) return {};
    all.push_back(one.front());
    at = end + 2;
  }
  return all.size() > 1 ? all : Numbers{};
}

Numbers Finder::team_called(const std::string& name) const {
  const auto found = name.empty() ? teams_.end() : teams_.find(plain_form(name));
  if (found == teams_.end()) return {};
  std::set<std::string> written;
  for (const std::size_t m : found->second)
    for (const std::string& team : members_[m].teams)
      if (plain_form(team) == found->first) written.insert(team);
  return written.size() == 1 ? found->second : Numbers{};
}

Numbers Finder::group_called(const std::string& called) const {
  if (const auto found = groups_.find(plain_form(called)); found != groups_.end()) return found->second;
  Numbers all;
  std::set<std::string> names;
  for (const auto& [group, members] : groups_) {
    if (!may_be_called(members_[members.front()].group, called)) continue;
    names.insert(group);
    all.insert(all.end(), members.begin(), members.end());
  }
  return names.size() == 1 ? all : Numbers{};
}

}  // namespace lab::grade
