// Reads the names that platforms give to files. See exports.h.
#include "common/grade/exports.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>

#include "common/base/characters.h"
#include "common/base/words.h"
#include "common/grade/chapter_names.h"
#include "common/grade/times.h"
#include "common/judge/checks.h"

namespace lab::grade {
namespace fs = std::filesystem;

namespace {

// Whose a file is, and what it is called inside of that person's submission.
struct Owner {
  std::string student, file;
  std::string time;      // as the platform writes it; "" when the name has none
  bool late = false;     // the platform says so, and not how late
  std::string feedback;  // what the platform calls a file for this person when it is uploaded
};

std::vector<std::string> path_parts(std::string_view path) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    if (end > at) parts.emplace_back(path.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

std::string joined_from(const std::vector<std::string>& parts, std::size_t first) {
  std::string path;
  for (std::size_t i = first; i < parts.size(); ++i) path += (path.empty() ? "" : "/") + parts[i];
  return path;
}

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), base::is_digit);
}

// Each reads the first part of a path, the one that a platform writes; what a student named lies behind it.

// "Ada Lovelace_4711_assignsubmission_file_" with files in it, or flat: "…_assignsubmission_file_05.cu". An
// online text in the same way.
std::optional<Owner> of_moodle(const std::string& first) {
  constexpr std::string_view kMark = "_assignsubmission_";
  const std::size_t mark = first.find(kMark);
  if (mark == std::string::npos || mark == 0) return std::nullopt;
  std::string_view rest = std::string_view(first).substr(mark + kMark.size());
  for (const std::string_view kind : {"file", "onlinetext"}) {
    if (!rest.starts_with(kind)) continue;
    rest.remove_prefix(kind.size());
    if (rest.starts_with('_')) rest.remove_prefix(1);
    const std::string person = first.substr(0, mark);
    return Owner{person, std::string(rest), "", false, person + "_assignfeedback_file_feedback.html"};
  }
  return std::nullopt;
}

// "submission_321"; the names stand in submission_metadata.yml.
std::optional<Owner> of_gradescope(const std::string& first) {
  constexpr std::string_view kBefore = "submission_";
  if (!first.starts_with(kBefore) || !is_number(std::string_view(first).substr(kBefore.size())))
    return std::nullopt;
  return Owner{first, "", "", false, ""};
}

// "05_padding-1.cu" was handed in a second time.
std::string without_count(const std::string& file) {
  const std::size_t dot = file.rfind('.'), dash = file.rfind('-', dot);
  if (dot == std::string::npos || dash == std::string::npos ||
      !is_number(file.substr(dash + 1, dot - dash - 1)))
    return file;
  return file.substr(0, dash) + file.substr(dot);
}

// "lovelaceada_LATE_123_456_05_padding-1.cu": the student, two numbers, the file.
std::optional<Owner> of_canvas(const std::string& first) {
  std::vector<std::string> words;
  std::string_view rest = first;
  while (words.size() < 4 && rest.find('_') != rest.npos) {
    words.emplace_back(rest.substr(0, rest.find('_')));
    rest.remove_prefix(rest.find('_') + 1);
    const std::size_t n = words.size();
    if (n < 3 || !is_number(words[n - 1]) || !is_number(words[n - 2])) continue;
    const bool late = n == 4 && words[1] == "LATE";
    if ((n == 4 && !late) || words[0].empty()) return std::nullopt;
    return Owner{words[0], without_count(std::string(rest)), "", late,
                 fmt::format("{}_{}_{}_feedback.html", words[0], words[n - 2], words[n - 1])};
  }
  return std::nullopt;
}

// "Homework 5_ada_attempt_2027-03-01-22-10-00_05_padding.cu"; the same with .txt behind the time is
// Blackboard's own.
std::optional<Owner> of_blackboard(const std::string& first) {
  constexpr std::string_view kMark = "_attempt_", kTime = "0000-00-00-00-00-00";
  const std::size_t mark = first.find(kMark);
  if (mark == std::string::npos || mark == 0) return std::nullopt;
  const std::size_t user = first.rfind('_', mark - 1);
  if (user == std::string::npos || user + 1 == mark) return std::nullopt;
  std::string time = first.substr(mark + kMark.size(), kTime.size());
  for (std::size_t i = 0; i < kTime.size(); ++i) {
    if (i >= time.size() || (kTime[i] == '-' ? time[i] != '-' : !base::is_digit(time[i])))
      return std::nullopt;
  }
  time[10] = 'T', time[13] = time[16] = ':';
  std::string file = first.substr(mark + kMark.size() + kTime.size());
  if (file.starts_with('_')) file.erase(0, 1);
  return Owner{first.substr(user + 1, mark - user - 1), file, time, false, ""};
}

// "Ada Lovelace - 05_padding.cu", as Google Drive has the files of a class.
std::optional<Owner> of_google(const std::string& first) {
  constexpr std::string_view kBetween = " - ";
  const std::size_t at = first.find(kBetween);
  if (at == std::string::npos || at == 0) return std::nullopt;
  const std::string rest = first.substr(at + kBetween.size());
  if (letters_of(rest).starts_with("copy")) return std::nullopt;  // "05_padding - Copy.cu"
  return Owner{first.substr(0, at), rest, "", false, ""};
}

// A class of no platform: a folder or an archive for each student.
std::optional<Owner> of_folders(const std::string& first) {
  const std::string student = archive_stem(first);
  static const Chapters chapters = judge::all_chapters();
  if (is_kernel_name(first) || ChapterNames(chapters).is_work(student)) return std::nullopt;
  return Owner{student, "", "", false, ""};
}

struct Platform {
  const char* name;
  std::optional<Owner> (*owner)(const std::string& first);
  std::size_t least;  // so many people make it one: names of some platforms are plain
  bool distinctive;   // no student names a file so by chance
};
constexpr std::array kPlatforms = {
    Platform{"Moodle", of_moodle, 1, true},
    Platform{"Gradescope", of_gradescope, 1, false},
    Platform{"Blackboard", of_blackboard, 1, true},
    Platform{"Canvas", of_canvas, 2, true},
    Platform{"Google Classroom", of_google, 2, false},
};
constexpr Platform kFolders{"a class", of_folders, 2, false};

std::vector<std::string> names_of(const Submission& submission) {
  std::vector<std::string> names = submission.others;
  for (const SourceFile& file : submission.files) names.push_back(file.path);
  for (const RefusedFile& file : submission.refused) names.push_back(file.path);
  return names;
}

// Folders around all of an export, which people and platforms put there: how many.
std::size_t wrappers_around(const std::vector<std::string>& names, const Platform& platform) {
  constexpr std::size_t kMost = 2;
  for (std::size_t depth = 0; depth < kMost; ++depth) {
    std::string around;
    for (const std::string& name : names) {
      const auto parts = path_parts(name);
      if (parts.size() < depth + 2 || (!around.empty() && parts[depth] != around)) return depth;
      around = parts[depth];
      if (platform.owner(around) && platform.owner != of_folders) return depth;
    }
  }
  return kMost;
}

std::optional<Owner> owner_of(const Platform& platform, const std::string& path, std::size_t wrappers) {
  const auto parts = path_parts(path);
  if (parts.size() <= wrappers) return std::nullopt;
  auto owner = platform.owner(parts[wrappers]);
  if (!owner) return std::nullopt;
  const std::string inside = joined_from(parts, wrappers + 1);
  if (owner->file.empty() || inside.empty()) {
    owner->file += inside;
  } else {
    owner->file += "/" + inside;
  }
  if (owner->file.empty()) owner->file = parts.back();
  return owner;
}

// The people of a platform's export; empty when it is none: each kernel and archive in it names a student.
std::set<std::string> owners_in(const Platform& platform, const std::vector<std::string>& names) {
  const std::size_t wrappers = wrappers_around(names, platform);
  std::set<std::string> owners;
  for (const std::string& name : names) {
    const auto owner = owner_of(platform, name, wrappers);
    if (owner) owners.insert(owner->student);
    if (!owner && (is_kernel_name(name) || is_archive_name(name))) return {};
  }
  return owners;
}

const Platform* platform_of(const std::vector<std::string>& names) {
  for (const Platform& platform : kPlatforms) {
    if (owners_in(platform, names).size() >= platform.least) return &platform;
  }
  return nullptr;
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

// One submitter of Gradescope's list.
struct Listed {
  std::vector<std::string> names;
  std::string time;
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
    if (line.starts_with(":name: ")) now->names.push_back(value(":name: "));
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

struct Person {
  Submission submission;
  std::string name, time, feedback;
  bool late = false;
};

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
    Person& person = people_[owner->student];
    person.late |= owner->late;
    if (person.feedback.empty()) person.feedback = owner->feedback;
    person.time = std::max(person.time, owner->time);
    to(person.submission, owner->file);
  }

  // Gradescope's folders have numbers; the list has the names.
  void name_people(ExportedClass& result) {
    const auto listed = read_metadata(whole_.metadata);
    std::map<std::string, std::size_t> wanted;
    for (auto& [key, person] : people_) {
      const auto found = listed.find(key);
      if (found != listed.end()) {
        person.name = base::joined(found->second.names);
        person.time = found->second.time;
      }
      if (person.name.empty()) person.name = key;
      ++wanted[person.name];
    }
    for (auto& [key, person] : people_)
      if (wanted[person.name] > 1) person.name += fmt::format(" ({})", key);
    for (const auto& [key, row] : listed) {
      if (!people_.contains(key))
        result.notes.push_back(msg("submission_metadata.yml lists {} ({}), and there is no such folder", key,
                                   base::joined(row.names)));
    }
  }

  Place place(const std::string& key, Person& person, const std::string& zone) {
    Place place;
    place.student = safe_name(person.name);
    place.platform_name = key;
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
    auto by_path = [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; };
    std::sort(person.submission.files.begin(), person.submission.files.end(), by_path);
    place.read = std::make_shared<const Submission>(std::move(person.submission));
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
    if (platform_of(names) == nullptr) return std::nullopt;
  }
  Place place;
  place.student =
      safe_name(path.filename().empty() ? path.parent_path().filename().string() : path.filename().string());
  place.path = path;
  place.kind = folder ? Place::Kind::Folder : Place::Kind::Archive;
  Submission whole = read_submission(place, kClassLimits);
  const std::vector<std::string> names = names_of(whole);
  const Platform* platform = platform_of(names);
  if (platform == nullptr && !folder && owners_in(kFolders, names).size() >= kFolders.least)
    platform = &kFolders;
  if (platform == nullptr) return std::nullopt;
  return Dealer(std::move(whole), *platform).deal(options.time_zone);
}

std::vector<std::string> several_people_in(const Submission& submission) {
  const std::vector<std::string> names = names_of(submission);
  for (const Platform& platform : kPlatforms) {
    if (!platform.distinctive) continue;
    std::set<std::string> owners;
    for (const std::string& name : names) {
      if (const auto owner = owner_of(platform, name, wrappers_around(names, platform)))
        owners.insert(owner->student);
    }
    if (owners.size() > 1) return {owners.begin(), owners.end()};
  }
  return {};
}

}  // namespace lab::grade
