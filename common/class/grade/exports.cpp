// Deals the files of a platform's export out to people. See exports.h.
#include "common/class/grade/exports.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <memory>

#include "common/base/words.h"
#include "common/class/grade/layouts.h"
#include "common/class/grade/times.h"

namespace lab::grade {
namespace fs = std::filesystem;

namespace {

std::vector<std::string> names_of(const Submission& submission) {
  std::vector<std::string> names = submission.others;
  for (const SourceFile& file : submission.files) names.push_back(file.path);
  for (const RefusedFile& file : submission.refused) names.push_back(file.path);
  return names;
}

// Names of all files below a folder, none of them read.
void add_names_below(const fs::path& folder, const std::string& inside, int depth,
                     std::vector<std::string>& names) {
  constexpr int kDeepest = 8;
  constexpr std::size_t kMost = 1'000'000;
  std::error_code error;
  for (const fs::directory_entry& entry : sorted_entries(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (is_passed_over(name) || names.size() >= kMost) continue;
    std::error_code ignored;
    const fs::file_type type = entry.symlink_status(ignored).type();
    if (type == fs::file_type::regular) names.push_back(inside + name);
    if (type == fs::file_type::directory && depth < kDeepest)
      add_names_below(entry.path(), inside + name + "/", depth + 1, names);
  }
}

// One submission of Gradescope's list.
struct Listed {
  std::vector<Identity> people;
  std::string time;
  [[nodiscard]] std::string names() const {
    std::vector<std::string> names;
    for (const Identity& who : people) names.push_back(who.name);
    return base::joined(names);
  }
};

std::string yaml_text(std::string text) {
  while (text.ends_with(' ') || text.ends_with('\r')) text.pop_back();
  if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front())
    text = text.substr(1, text.size() - 2);
  return text;
}

// The few lines of submission_metadata.yml that say who and when.
std::map<std::string, Listed> read_metadata(const std::string& text) {
  std::map<std::string, Listed> listed;
  Listed* now = nullptr;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    at = end + 1;
    if (line.starts_with("submission_")) now = &listed[line.substr(0, line.find(':'))];
    const std::size_t first = line.find_first_not_of(" -");
    if (now == nullptr || first == std::string::npos) continue;
    line.erase(0, first);
    const auto value = [&](std::string_view key) {
      return yaml_text(line.substr(std::min(key.size(), line.size())));
    };
    if (line.starts_with(":name: ")) now->people.push_back({"", "", "", value(":name: ")});
    if (line.starts_with(":sid: ") && !now->people.empty()) now->people.back().id = value(":sid: ");
    if (line.starts_with(":email: ") && !now->people.empty()) now->people.back().email = value(":email: ");
    if (line.starts_with(":created_at: ") && now->time.empty()) now->time = value(":created_at: ");
  }
  return listed;
}

// A time of a platform as the list of hand-ins has it; none without an offset and a zone.
std::optional<HandIn> hand_in_at(const std::string& text, const std::string& zone) {
  const auto time = read_time(text);
  if (!time || (!time->offset && zone.empty())) return std::nullopt;
  const int offset = time->offset ? *time->offset : offset_in(zone, time->local);
  return HandIn{"", text_of_time(time->local, offset), time->local - offset};
}

// Whom Blackboard's text beside an attempt names: "Name: Ada Lovelace (ada)".
std::optional<Identity> blackboard_person(const std::string& text) {
  constexpr std::string_view kBefore = "Name: ";
  const std::string line = text.substr(0, text.find_first_of("\r\n"));
  const std::size_t open = line.rfind(" (");
  if (!line.starts_with(kBefore) || open == std::string::npos || !line.ends_with(')')) return std::nullopt;
  return Identity{"", line.substr(open + 2, line.size() - open - 3), "",
                  line.substr(kBefore.size(), open - kBefore.size())};
}

struct Person {
  std::map<std::string, Submission> attempts;  // by time
  std::string name, feedback;
  Identity who;
  std::vector<Identity> several;  // who handed in together
  std::string time;
  bool late = false;
};

// What `keys` begin with alike, up to an '_': Blackboard's name of the assignment.
std::size_t common_start(const std::map<std::string, Person>& people) {
  const std::string& first = people.begin()->first;
  const std::string& last = people.rbegin()->first;
  std::size_t same = 0;
  while (same < std::min(first.size(), last.size()) && first[same] == last[same]) ++same;
  const std::size_t bar = same == 0 ? std::string::npos : first.rfind('_', same - 1);
  return people.size() < 2 || bar == std::string::npos ? 0 : bar + 1;
}

// Deals out what was read.
class Dealer {
 public:
  Dealer(Submission whole, const Platform& platform)
      : whole_(std::move(whole)),
        platform_(platform),
        wrappers_(wrappers_around(names_of(whole_), platform)) {}

  ExportedClass deal(const std::string& zone) {
    for (SourceFile& file : whole_.files)
      give(file.path, [&](Submission& s, const std::string& name) {
        s.files.push_back({name, std::move(file.bytes)});
      });
    for (const RefusedFile& file : whole_.refused)
      give(file.path, [&](Submission& s, const std::string& name) {
        s.refused.push_back({name, file.why});
        s.problems.push_back(msg("refused {}: {}", name, file.why));
      });
    for (const std::string& path : whole_.others)
      give(path, [](Submission& s, const std::string& name) { s.others.push_back(name); });
    ExportedClass result{platform_.name, {}, whole_.problems};
    name_people(result);
    for (auto& [key, person] : people_) result.places.push_back(place(key, person, zone));
    if (!late_.empty())
      result.notes.push_back(
          msg("{} marks as late, and does not say how late: {}. A list of hand-ins does (--submitted)",
              platform_.name, base::joined(late_)));
    if (!timeless_.empty())
      result.notes.push_back(
          msg("{} has times without a zone, which decide nothing until the rubric names one (time_zone): {}",
              platform_.name, base::joined(timeless_)));
    return result;
  }

 private:
  template <class Give>
  void give(const std::string& path, const Give& to) {
    const auto owner = owner_of(platform_, path, wrappers_);
    if (!owner) return;  // the platform's own, such as its table
    Person& person = people_[owner->key];
    person.late |= owner->late;
    if (person.attempts.empty()) {
      // Paths are safe forms, and a name is compared as it was written.
      person.name = raw_name(owner->student);
      person.who = {owner->number, raw_name(owner->id), "", raw_name(owner->name)};
    }
    const std::string time = sortable(owner->time);
    if (person.attempts.empty() || time >= person.attempts.rbegin()->first) {
      person.feedback = owner->feedback;
      person.time = owner->time;
    }
    to(person.attempts[platform_.attempts ? time : ""], owner->file);
    if (const auto words = whole_.metadata.find(path); words != whole_.metadata.end())
      if (const auto who = blackboard_person(words->second)) {
        person.who.id = who->id;
        person.who.name = who->name;
        person.name = who->id;
      }
  }

  // Two attempts are compared on the platform's own clock, in whatever zone it is.
  static std::string sortable(const std::string& time) {
    const auto read = time.empty() ? std::nullopt : read_time(time);
    return read ? fmt::format("{:012}", read->local) : time;
  }

  // Gradescope's folders have numbers; the list has the names. Blackboard's names begin with the assignment's.
  void name_people(ExportedClass& result) {
    std::map<std::string, Listed> listed;
    for (const auto& [path, text] : whole_.metadata)
      if (path.ends_with(kMetadataName)) listed = read_metadata(text);
    const std::size_t start = std::string_view(platform_.name) == "Blackboard" ? common_start(people_) : 0;
    std::map<std::string, std::size_t> wanted;
    for (auto& [key, person] : people_) {
      const auto found = listed.find(key);
      if (found != listed.end()) {
        person.name = found->second.names();
        person.time = found->second.time;
        person.several = found->second.people;
        if (person.several.size() == 1) person.who = person.several.front();
      } else if (start > 0 && person.who.name.empty()) {
        person.name = person.who.id = key.substr(start);
      }
      if (person.name.empty()) person.name = key;
      ++wanted[person.name];
    }
    for (auto& [key, person] : people_)
      if (wanted[person.name] > 1)
        person.name += fmt::format(" ({})", person.who.number.empty() ? key : person.who.number);
    for (const auto& [key, row] : listed) {
      if (!people_.contains(key))
        result.notes.push_back(
            msg("submission_metadata.yml lists {} ({}), and there is no such folder", key, row.names()));
    }
  }

  Place place(const std::string& key, Person& person, const std::string& zone) {
    Place place;
    place.student = safe_name(person.name);
    place.platform_name = key;
    place.who = person.who;
    if (person.several.size() > 1) place.several = person.several;
    place.feedback = person.feedback;
    place.path = whole_.student;
    place.kind = Place::Kind::Read;
    if (!person.time.empty()) {
      if (auto hand_in = hand_in_at(person.time, zone)) {
        place.hand_ins = {*std::move(hand_in)};
      } else {
        timeless_.push_back(place.student);
      }
    }
    if (person.late) late_.push_back(place.student);
    Submission& newest = person.attempts.rbegin()->second;
    if (person.attempts.size() > 1)
      newest.problems.push_back(msg("{} attempts: the newest counts", person.attempts.size()));
    auto by_path = [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; };
    std::sort(newest.files.begin(), newest.files.end(), by_path);
    place.read = std::make_shared<const Submission>(std::move(newest));
    return place;
  }

  Submission whole_;
  const Platform& platform_;
  std::size_t wrappers_;
  std::map<std::string, Person> people_;
  std::vector<std::string> late_, timeless_;
};

constexpr ReadLimits kClassLimits{.total_bytes = 2ull << 30, .entries = 1'000'000, .archives_in_archives = 2};

}  // namespace

std::optional<ExportedClass> read_export(const fs::path& path, const PlaceOptions& options) {
  std::error_code error;
  const bool folder = fs::is_directory(path, error);
  if (folder) {  // one that is no export is read student by student
    std::vector<std::string> names;
    add_names_below(path, "", 0, names);
    if (platform_of(names, false) == nullptr) return std::nullopt;
  }
  Place place;
  place.student =
      safe_name(path.filename().empty() ? path.parent_path().filename().string() : path.filename().string());
  place.path = path;
  place.kind = folder ? Place::Kind::Folder : Place::Kind::Archive;
  Submission whole = read_submission(place, kClassLimits);
  const Platform* platform = platform_of(names_of(whole), !folder);
  if (platform == nullptr) return std::nullopt;
  return Dealer(std::move(whole), *platform).deal(options.time_zone);
}

std::vector<std::string> several_people_in(const Submission& submission) {
  const std::vector<std::string> names = names_of(submission);
  for (const Platform& platform : platforms()) {
    if (!platform.distinctive) continue;
    const std::size_t wrappers = wrappers_around(names, platform);
    std::map<std::string, std::string> owners;
    for (const std::string& name : names)
      if (const auto owner = owner_of(platform, name, wrappers)) owners.emplace(owner->key, owner->student);
    std::vector<std::string> people;
    for (const auto& [key, student] : owners) people.push_back(student);
    if (people.size() > 1) return people;
  }
  return {};
}

}  // namespace lab::grade
