// Finds the people of a roster or worksheet among the submissions. See roster.h.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "common/base/errors.h"
#include "common/base/words.h"
#include "common/class/grade/finder.h"
#include "common/class/grade/roster.h"

namespace lab::grade {
namespace {

using base::UsageError;

class Enroller {
 public:
  Enroller(Places& found, const Roster& roster, bool anonymous)
      : found_(found),
        members_(roster.members()),
        listed_(roster.listed()),
        anonymous_(anonymous),
        finder_(members_, found.places) {}

  void run() {
    if (finder_.of_another_assignment())
      throw UsageError(
          "The numbers of the worksheet stand beside other names than those of the download: it is another "
          "assignment's. Download both from the same assignment.");
    for (std::size_t i = 0; i < found_.places.size(); ++i) claim(i);
    share_in_groups();
    count_names();
    std::vector<Place> places;
    for (std::size_t m = 0; m < members_.size(); ++m)
      if (members_[m].absent_counts || handed_in_.contains(m)) places.push_back(place_of(m));
    for (const std::size_t i : strangers_) places.push_back(std::move(found_.places[i]));
    note_people();
    found_.places = std::move(places);
    make_unique();
  }

 private:
  void claim(std::size_t i) {
    const Place& place = found_.places[i];
    const Owners owners = finder_.owners(place);
    if (owners.unclear || owners.who.empty()) {
      (owners.unclear ? unclear_ : unknown_).push_back(place.student);
      return strangers_.push_back(i);
    }
    const std::size_t first = owners.who.front();
    // The list of hand-ins has this person, who handed in nothing.
    if (!owners.team && place.kind == Place::Kind::None && place.path.empty()) {
      absent_[first] = i;
      return;
    }
    if (owners.team) teams_.insert(i);
    if (!owners.team) own_.insert({first, i});
    for (const std::size_t m : owners.who) handed_in_[m].push_back(i);
  }

  // A member without a submission gets that of the one other member of the group who has one.
  void share_in_groups() {
    std::map<std::string, std::set<std::size_t>> by_group;
    for (const auto& [m, places] : handed_in_)
      if (!members_[m].group.empty()) by_group[members_[m].group].insert(places.begin(), places.end());
    for (const auto& [group, places] : by_group)
      if (places.size() > 1) several_.push_back(group);
    for (std::size_t m = 0; m < members_.size(); ++m) {
      if (handed_in_.contains(m) || !by_group.contains(members_[m].group)) continue;
      const auto& places = by_group.at(members_[m].group);
      if (places.size() == 1) handed_in_[m] = {*places.begin()};
    }
  }

  void count_names() {
    for (const Member& m : members_) ++called_so_[plain_form(m.label())];
  }

  // What a person is called in tables: the name, with the id where another one has that name too. Without an id or
  // e-mail a person is known in this export alone, and called as it calls him.
  [[nodiscard]] std::string label_of(const Member& m, const Place* own) const {
    const Identity& who = m.who;
    const std::string key = !who.id.empty() ? who.id : who.email;
    if (!m.in_roster && key.empty()) {
      if (own != nullptr) return own->student;
      return safe_name(who.name.empty() ? "Participant_" + who.number : who.name + "_" + who.number);
    }
    if (called_so_.at(plain_form(m.label())) == 1 || key.empty()) return safe_name(m.label());
    return safe_name(fmt::format("{} ({})", m.label(), key));
  }

  Place place_of(std::size_t number) {
    const Member& m = members_[number];
    const auto handed_in = handed_in_.find(number);
    Place place;
    if (handed_in == handed_in_.end()) {
      place = absent_place(m, number);
    } else {
      const std::size_t first = handed_in->second.front();
      place = found_.places[first];
      place.called = {place.student, place.platform_name};
      if (handed_in->second.size() > 1) twice_.push_back(shown(m));
      const bool own = own_.contains({number, first});
      place.student = label_of(m, own ? &place : nullptr);
      // A team has one page, under the team's own number; a person's number is that person's alone.
      if (!own && !teams_.contains(first)) place.feedback = feedback_name(m);
      if (m.hand_in && place.hand_ins.empty()) place.hand_ins = {*m.hand_in};
      if (m.in_hand_ins && place.hand_ins.empty()) timeless_.push_back(shown(m));
    }
    for (const std::string& name : {m.who.name, m.who.id, m.who.email}) place.called.push_back(name);
    std::erase(place.called, "");
    place.who = m.who;
    place.seat = m.seat;
    place.extension = m.extension;
    if (anonymous_) hide(m, place);
    return place;
  }

  Place absent_place(const Member& m, std::size_t number) {
    Place place;
    if (const auto listed = absent_.find(number); listed != absent_.end()) {
      place = found_.places[listed->second];
    } else {
      place.feedback = feedback_name(m);
    }
    place.kind = Place::Kind::None;
    place.student = label_of(m, nullptr);
    if (std::find(several_.begin(), several_.end(), m.group) != several_.end()) {
      place.problem = "the group handed in more than one submission, and none of them is this person's";
    } else if (m.in_roster) {
      place.problem = "in the roster, and handed in nothing";
    } else if (!m.hand_in) {
      place.problem = "in the worksheet, and handed in nothing";
    } else {
      place.problem =
          "the worksheet says that something was handed in, and there is no submission of this person";
      lost_.push_back(shown(m));
    }
    missing_.push_back(shown(m));
    return place;
  }

  // As Moodle takes a file back, by the person's own number; "" where it has numbers of teams, or is not Moodle.
  [[nodiscard]] std::string feedback_name(const Member& m) const {
    if (!moodle_ || !teams_.empty() || m.who.number.empty()) return "";
    const std::string name = m.who.name.empty() ? "Participant" : m.who.name;
    return base::replaced_all(safe_name(name), "_", " ") + "_" + m.who.number + kMoodleFeedback;
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
    note(listed_ ? missing_ : std::vector<std::string>{}, [](auto count, const auto& names) {
      return msg("{} of the roster handed in nothing: {}", count, names);
    });
    note(lost_, [](auto count, const auto& names) {
      return msg("{} people of the worksheet handed something in that is not among the submissions: {}",
                 count, names);
    });
    note(timeless_, [](auto count, const auto& names) {
      return msg("The worksheet has no time for {} of the submissions, and nothing of theirs is late: {}",
                 count, names);
    });
    note(unknown_, [&](auto count, const auto& names) {
      return listed_ ? msg("{} submissions are of people who are not in the roster: {}", count, names)
                     : msg("{} submissions are of people who are not in the worksheet: {}", count, names);
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
  bool listed_, anonymous_;
  Finder finder_;
  bool moodle_ = std::any_of(found_.places.begin(), found_.places.end(),
                             [](const Place& place) { return place.feedback.ends_with(kMoodleFeedback); });
  std::map<std::size_t, Numbers> handed_in_;           // by member: places
  std::set<std::pair<std::size_t, std::size_t>> own_;  // member and place: under the person's own name
  std::map<std::size_t, std::size_t> absent_;          // in the list of hand-ins, without a submission
  std::set<std::size_t> teams_;                        // places of several people or of a group
  std::vector<std::size_t> strangers_;
  std::map<std::string, std::size_t> called_so_;  // how many have this name
  std::vector<std::string> missing_, lost_, timeless_, unknown_, unclear_, several_, twice_;
};

}  // namespace

void enrol(Places& found, const Roster& roster, bool anonymous) { Enroller(found, roster, anonymous).run(); }

}  // namespace lab::grade
