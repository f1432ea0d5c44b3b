// Keeps people's names from run to run. See labels.h.
#include "common/class/grade/labels.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "common/base/files.h"
#include "common/base/words.h"
#include "common/course/report/json.h"

namespace lab::grade {
namespace {

struct Known {
  Identity who;
  std::string label;
};

std::vector<Known> known_in(const std::string& text) {
  std::vector<Known> known;
  const auto json = report::Json::try_parse(text);
  if (!json || !json->is_array()) return known;
  for (const report::Json& one : *json)
    if (one.is_object())
      known.push_back({{"", one.value("id", std::string()), one.value("email", std::string()), ""},
                       one.value("student", std::string())});
  return known;
}

bool has_key(const Identity& who) { return !who.id.empty() || !who.email.empty(); }

}  // namespace

Directory directory_of(const std::vector<Place>& places) {
  Directory people;
  for (const Place& place : places) {
    const std::size_t number = people.add(place.who);
    for (const std::string& name : {place.student, place.platform_name})
      if (!name.empty()) people.add_label(number, name);
    if (place.who.name.empty()) people.add_name(number, place.student);
  }
  return people;
}

void keep_labels(Places& found, const std::filesystem::path& out) {
  const auto text = base::read_file(out / kPeopleName);
  const std::vector<Known> known = known_in(text.value_or(""));
  Directory directory;
  std::set<std::string> taken;
  for (const Known& one : known) {
    directory.add(one.who);
    taken.insert(one.label);
  }
  std::error_code error;
  for (Place& place : found.places) {
    if (!has_key(place.who)) continue;
    const std::vector<std::size_t> before = directory.find({"", place.who.id, place.who.email, ""});
    if (before.size() == 1) {
      place.student = known[before.front()].label;
    } else if (!text && !place.called.empty() &&
               std::filesystem::is_directory(out / "records" / place.called.front(), error)) {
      place.student = place.called.front();  // a folder of before there was such a list
    } else if (taken.contains(place.student)) {
      place.student = safe_name(
          fmt::format("{} ({})", place.student, place.who.id.empty() ? place.who.email : place.who.id));
    }
  }
  std::set<std::string> now;
  for (Place& place : found.places) {
    const std::string wanted = place.student;
    for (int i = 2; !now.insert(place.student).second; ++i) place.student = fmt::format("{} {}", wanted, i);
  }
  std::sort(found.places.begin(), found.places.end(),
            [](const Place& a, const Place& b) { return a.student < b.student; });
}

std::string people_text(const std::string& before, const std::vector<Place>& places) {
  std::map<std::string, Identity> people;
  for (const Known& one : known_in(before)) people[one.label] = one.who;
  for (const Place& place : places) {
    if (!has_key(place.who) || place.anonymous) continue;
    Identity& who = people[place.student];
    if (!place.who.id.empty()) who.id = place.who.id;
    if (!place.who.email.empty()) who.email = place.who.email;
  }
  if (people.empty()) return "";
  report::Json list = report::Json::array();
  for (const auto& [label, who] : people)
    list.push_back({{"student", label}, {"id", who.id}, {"email", who.email}});
  return list.dump(1) + "\n";
}

}  // namespace lab::grade
