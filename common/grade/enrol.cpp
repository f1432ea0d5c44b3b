// Finds the people of a roster among the submissions. See roster.h.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "common/base/errors.h"
#include "common/base/words.h"
#include "common/grade/roster.h"

namespace lab::grade {
namespace {

using base::UsageError;

// Who may have handed this in.
class Finder {
 public:
  explicit Finder(const std::vector<Member>& members) : members_(members) {}

  // A person's own submission: exactly one, or those among whom it is not clear.
  [[nodiscard]] std::vector<const Member*> person(const std::string& called) const {
    std::vector<const Member*> exact, alike;
    for (const Member& m : members_) {
      const bool same = called == m.id || called == safe_name(m.name) || called == m.anonymous ||
                        (!m.id.empty() && called == safe_name(m.name + "_" + m.id));
      if (same) exact.push_back(&m);
      if ((!m.name.empty() && may_be_called(m.name, called)) ||
          (!m.id.empty() && is_login(alike_form(m.id), alike_form(called))))
        alike.push_back(&m);
    }
    return exact.empty() ? alike : exact;
  }

  // By itself, or behind the assignment's name: "transpose-adalovelace", as GitHub Classroom has
  // repositories.
  static bool is_login(const std::string& id, const std::string& called) {
    constexpr std::size_t kLeast = 3;
    return id == called || (id.size() >= kLeast && called.ends_with("-" + id));
  }

  // All who are named, where several hand in as one: "Ada Lovelace, Bo Li".
  [[nodiscard]] std::vector<const Member*> people(const std::string& called) const {
    std::vector<const Member*> all;
    for (std::size_t at = 0; at < called.size();) {
      std::size_t end = called.size();  // a name may hold a comma: the longest that fits
      std::vector<const Member*> one;
      for (; end != std::string::npos && end > at; end = called.rfind(", ", end - 1)) {
        one = person(called.substr(at, end - at));
        if (one.size() == 1) break;
      }
      if (one.size() != 1) return {};
      all.push_back(one.front());
      at = end + 2;
    }
    return all.size() > 1 ? all : std::vector<const Member*>{};
  }

  [[nodiscard]] std::vector<const Member*> group(const std::string& called) const {
    std::vector<const Member*> all;
    for (const Member& m : members_)
      if (!m.group.empty() && (m.group == called || may_be_called(m.group, called))) all.push_back(&m);
    const bool one =
        std::all_of(all.begin(), all.end(), [&](const Member* m) { return m->group == all.front()->group; });
    return one ? all : std::vector<const Member*>{};
  }

 private:
  const std::vector<Member>& members_;
};

class Enroller {
 public:
  Enroller(Places& found, const Roster& roster, bool anonymous)
      : found_(found), members_(roster.members()), anonymous_(anonymous) {}

  void run() {
    for (std::size_t i = 0; i < found_.places.size(); ++i) claim(i);
    share_in_groups();
    std::vector<Place> places;
    for (const Member& m : members_) places.push_back(place_of(m));
    for (const std::size_t i : strangers_) places.push_back(std::move(found_.places[i]));
    note_people();
    found_.places = std::move(places);
    make_unique();
  }

 private:
  void claim(std::size_t i) {
    const Place& place = found_.places[i];
    const Finder finder(members_);
    for (const std::string& called : {place.student, place.platform_name}) {
      if (called.empty()) continue;
      std::vector<const Member*> who = finder.person(called);
      if (who.size() > 1) {
        unclear_.push_back(place.student);
        return strangers_.push_back(i);
      }
      // The platform lists this person, who handed in nothing.
      if (who.size() == 1 && place.kind == Place::Kind::None && place.path.empty()) {
        listed_[who.front()] = i;
        return;
      }
      if (who.size() == 1) own_.insert({who.front(), i});
      if (who.empty()) who = finder.people(called);
      if (who.empty()) who = finder.group(called);
      for (const Member* m : who) handed_in_[m].push_back(i);
      if (!who.empty()) return;
    }
    unknown_.push_back(place.student);
    strangers_.push_back(i);
  }

  // Who handed in nothing has what one other of the group handed in.
  void share_in_groups() {
    std::map<std::string, std::set<std::size_t>> by_group;
    for (const auto& [member, places] : handed_in_)
      if (!member->group.empty()) by_group[member->group].insert(places.begin(), places.end());
    for (const auto& [group, places] : by_group)
      if (places.size() > 1) several_.push_back(group);
    for (const Member& m : members_) {
      if (handed_in_.contains(&m) || !by_group.contains(m.group)) continue;
      const auto& places = by_group.at(m.group);
      if (places.size() == 1) handed_in_[&m] = {*places.begin()};
    }
  }

  Place place_of(const Member& m) {
    const auto own = handed_in_.find(&m);
    const auto listed = listed_.find(&m);
    const std::string listed_as = listed == listed_.end() ? "" : found_.places[listed->second].student;
    Place place;
    if (own == handed_in_.end()) {
      if (listed != listed_.end()) place = found_.places[listed->second];
      place.kind = Place::Kind::None;
      place.student = listed_as.empty() ? safe_name(m.label()) : listed_as;
      place.problem = std::find(several_.begin(), several_.end(), m.group) != several_.end()
                          ? "the group handed in more than one submission, and none of them is this person's"
                          : "in the roster, and handed in nothing";
      missing_.push_back(shown(m));
    } else {
      const std::size_t first = own->second.front();
      place = found_.places[first];
      if (own->second.size() > 1) twice_.push_back(shown(m));
      if (own_.contains({&m, first})) {
        place.called.push_back(place.student);
        if (!place.platform_name.empty()) place.called.push_back(place.platform_name);
      } else {  // what another one of the group handed in
        const std::string other =
            std::exchange(place.student, listed_as.empty() ? safe_name(m.label()) : listed_as);
        place.feedback = !listed_as.empty() && place.feedback.starts_with(other)
                             ? listed_as + place.feedback.substr(other.size())
                             : "";
      }
    }
    for (const std::string& name : {listed_as, m.name, m.id})
      if (!name.empty()) place.called.push_back(name);
    place.seat = m.seat;
    place.extension = m.extension;
    if (anonymous_) hide(m, place);
    return place;
  }

  void hide(const Member& m, Place& place) {
    if (m.anonymous.empty())
      throw UsageError(
          msg("The roster has no anonymous id for {} (line {}). With --anonymous everybody needs one.",
              m.label(), m.line));
    place.student = safe_name(m.anonymous);
    place.anonymous = true;
  }

  [[nodiscard]] std::string shown(const Member& m) const { return anonymous_ ? m.anonymous : m.label(); }

  void note_people() {
    if (anonymous_ && !strangers_.empty())
      throw UsageError(
          msg("With --anonymous every submission has to be of a person in the roster; these are not: {}.",
              base::joined(names_of_strangers())));
    note(missing_, [](auto count, const auto& names) {
      return msg("{} of the roster handed in nothing: {}", count, names);
    });
    note(unknown_, [](auto count, const auto& names) {
      return msg("{} submissions are of people who are not in the roster: {}", count, names);
    });
    note(unclear_, [](auto count, const auto& names) {
      return msg("{} submissions may be of several people in the roster, and are graded by themselves: {}",
                 count, names);
    });
    note(several_, [](auto count, const auto& names) {
      return msg("{} groups handed in more than one submission; each counts for who handed it in: {}", count,
                 names);
    });
    note(twice_, [](auto count, const auto& names) {
      return msg("{} people have more than one submission, of which the first counts: {}", count, names);
    });
  }
  template <class Sentence>
  void note(const std::vector<std::string>& names, const Sentence& sentence) {
    if (!names.empty()) found_.notes.push_back(sentence(names.size(), base::joined(names)));
  }
  [[nodiscard]] std::vector<std::string> names_of_strangers() const {
    std::vector<std::string> names = unknown_;
    names.insert(names.end(), unclear_.begin(), unclear_.end());
    return names;
  }

  void make_unique() {
    std::set<std::string> taken;
    for (Place& place : found_.places) {
      const std::string wanted = place.student;
      for (int i = 2; !taken.insert(place.student).second; ++i)
        place.student = fmt::format("{} {}", wanted, i);
    }
    std::sort(found_.places.begin(), found_.places.end(),
              [](const Place& a, const Place& b) { return a.student < b.student; });
  }

  Places& found_;
  const std::vector<Member>& members_;
  bool anonymous_;
  std::map<const Member*, std::vector<std::size_t>> handed_in_;
  std::set<std::pair<const Member*, std::size_t>> own_;  // handed in under the person's own name
  std::map<const Member*, std::size_t> listed_;          // by the platform, without a submission
  std::vector<std::size_t> strangers_;
  std::vector<std::string> missing_, unknown_, unclear_, several_, twice_;
};

}  // namespace

void enrol(Places& found, const Roster& roster, bool anonymous) { Enroller(found, roster, anonymous).run(); }

}  // namespace lab::grade
