// Reads the names that platforms give to files. See layouts.h.
#include "common/class/grade/layouts.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "common/base/characters.h"
#include "common/class/grade/chapter_names.h"
#include "common/class/grade/submission.h"
#include "common/course/judge/checks.h"

namespace lab::grade {
namespace {

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
// online text in the same way. Without a team there is no number: "Default group_assignsubmission_file".
std::optional<Owner> of_moodle(const std::string& first) {
  constexpr std::string_view kMark = "_assignsubmission_";
  const std::size_t mark = first.find(kMark);
  if (mark == std::string::npos || mark == 0) return std::nullopt;
  std::string_view rest = std::string_view(first).substr(mark + kMark.size());
  for (const std::string_view kind : {"file", "onlinetext"}) {
    if (!rest.starts_with(kind)) continue;
    rest.remove_prefix(kind.size());
    if (rest.starts_with('_')) rest.remove_prefix(1);
    Owner owner;
    owner.key = owner.student = owner.name = first.substr(0, mark);
    owner.file = rest;
    const std::size_t bar = owner.key.rfind('_');
    if (bar == std::string::npos || !is_number(owner.key.substr(bar + 1))) return owner;
    owner.number = owner.key.substr(bar + 1);
    owner.name = owner.key.substr(0, bar);
    owner.feedback = owner.key + kMoodleFeedback;
    return owner;
  }
  return std::nullopt;
}

// "submission_321"; the names stand in submission_metadata.yml.
std::optional<Owner> of_gradescope(const std::string& first) {
  constexpr std::string_view kBefore = "submission_";
  if (!first.starts_with(kBefore) || !is_number(std::string_view(first).substr(kBefore.size())))
    return std::nullopt;
  Owner owner;
  owner.key = owner.student = first;
  return owner;
}

// "05_padding-1.cu" was handed in a second time.
std::string without_count(const std::string& file) {
  const std::size_t dot = file.rfind('.'), dash = file.rfind('-', dot);
  if (dot == std::string::npos || dash == std::string::npos ||
      !is_number(file.substr(dash + 1, dot - dash - 1)))
    return file;
  return file.substr(0, dash) + file.substr(dot);
}

// The part of `text` at `at` that ends before the next '_'; none at its end.
std::optional<std::string> word_at(const std::string& text, std::size_t at) {
  const std::size_t end = text.find('_', at);
  if (at > text.size() || end == std::string::npos) return std::nullopt;
  return text.substr(at, end - at);
}

// Behind the user's number: "456_05_padding.cu", "text.html", "link.html".
std::optional<std::string> canvas_file(const std::string& first, std::size_t at) {
  const std::string rest = first.substr(std::min(at, first.size()));
  if (rest == "text.html" || rest == "link.html") return rest;
  const auto attachment = word_at(first, at);
  if (!attachment || !is_number(*attachment)) return std::nullopt;
  return first.substr(at + attachment->size() + 1);
}

// "lovelaceada_LATE_123_456_05_padding-1.cu": the student, two numbers, the file; "LATE_anon_x1b2c_456_05.cu" where
// names are hidden. A name may hold a '_', and no number between two of them.
std::optional<Owner> of_canvas(const std::string& first) {
  for (std::size_t at = 0; at != std::string::npos;) {
    const auto word = word_at(first, at);
    if (!word) return std::nullopt;
    const bool hidden = *word == "anon";
    const std::size_t number_at = hidden ? at + word->size() + 1 : at;
    const auto number = word_at(first, number_at);
    const auto file = number ? canvas_file(first, number_at + number->size() + 1) : std::nullopt;
    if (file && (hidden ? number->size() >= 5 : at > 0 && is_number(*number))) {
      std::string before = first.substr(0, at);
      Owner owner;
      owner.late = before.ends_with("LATE_") && (before.size() == 5 || before[before.size() - 6] == '_');
      if (owner.late) before.resize(before.size() - 5);
      if (before.ends_with('_')) before.pop_back();
      if (before.empty() != hidden) return std::nullopt;
      owner.number = *number;
      owner.key = hidden ? "anon_" + *number : before + "_" + *number;
      owner.student = hidden ? owner.key : before;
      owner.name = hidden ? "" : before;
      owner.file = without_count(*file);
      const auto attachment = word_at(first, number_at + number->size() + 1);
      owner.feedback = fmt::format("{}_{}_feedback.html", owner.key, attachment.value_or("0"));
      return owner;
    }
    at = at + word->size() + 1;
  }
  return std::nullopt;
}

// "Homework 5_ada_attempt_2027-03-01-22-10-00_05_padding.cu"; the same with .txt behind the time is
// Blackboard's own, and says who "Homework 5_a_b" is.
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
  Owner owner;
  owner.file = first.substr(mark + kMark.size() + kTime.size());
  if (owner.file.starts_with('_')) owner.file.erase(0, 1);
  owner.key = first.substr(0, mark);
  owner.student = owner.id = first.substr(user + 1, mark - user - 1);
  owner.time = time;
  return owner;
}

// "Nov 20, 2026 810 PM", which has no colon, as read_time takes it; "" for another text.
std::string brightspace_time(const std::string& text) {
  for (std::size_t at = 0; at + 4 <= text.size(); ++at) {
    const bool year = text.compare(at, 2, "20") == 0 && is_number(text.substr(at, 4)) &&
                      (at == 0 || !base::is_digit(text[at - 1]));
    std::size_t clock = at + 4;
    while (year && clock < text.size() && !base::is_digit(text[clock])) ++clock;
    std::size_t end = clock;
    while (year && end < text.size() && base::is_digit(text[end])) ++end;
    if (year && end - clock >= 3 && end - clock <= 4)
      return text.substr(0, end - 2) + ":" + text.substr(end - 2);
  }
  return "";
}

// "81000-92000 - Ada Lovelace - Nov 20, 2026 810 PM - 05_padding.cu", or a folder of that name without the file.
std::optional<Owner> of_brightspace(const std::string& first) {
  constexpr std::string_view kBetween = " - ";
  const std::size_t dash = first.find('-'), begun = first.find(kBetween);
  if (begun == std::string::npos || dash >= begun || !is_number(first.substr(0, dash)) ||
      !is_number(first.substr(dash + 1, begun - dash - 1)))
    return std::nullopt;
  Owner owner;
  owner.number = first.substr(0, dash);
  std::size_t at = begun + kBetween.size();
  for (std::size_t end = first.find(kBetween, at); end != std::string::npos;) {  // a name may hold a dash
    const std::size_t from = end + kBetween.size(), to = std::min(first.find(kBetween, from), first.size());
    owner.time = brightspace_time(first.substr(from, to - from));
    if (!owner.time.empty()) {
      owner.student = owner.name = first.substr(at, end - at);
      owner.file = to == first.size() ? "" : first.substr(to + kBetween.size());
      owner.key = first.substr(0, begun);
      owner.feedback = first.substr(0, to) + (owner.file.empty() ? "/feedback.html" : " - feedback.html");
      return owner;
    }
    end = to == first.size() ? std::string::npos : to;
  }
  return std::nullopt;
}

// "Ada Lovelace - 05_padding.cu", as Google Drive has the files of a class.
std::optional<Owner> of_google(const std::string& first) {
  constexpr std::string_view kBetween = " - ";
  const std::size_t at = first.find(kBetween);
  if (at == std::string::npos || at == 0) return std::nullopt;
  const std::string rest = first.substr(at + kBetween.size());
  if (letters_of(rest).starts_with("copy")) return std::nullopt;  // "05_padding - Copy.cu"
  Owner owner;
  owner.key = owner.student = owner.name = first.substr(0, at);
  owner.file = rest;
  return owner;
}

// A class of no platform: a folder or an archive for each student. "Lovelace, Ada(ada)" is Sakai's.
std::optional<Owner> of_folders(const std::string& first) {
  Owner owner;
  owner.key = owner.student = owner.name = archive_stem(first);
  static const std::vector<const judge::ChapterInfo*> chapters = judge::all_chapters();
  if (is_kernel_name(first) || ChapterNames(chapters).is_work(owner.student)) return std::nullopt;
  const std::size_t open = owner.name.rfind('(');
  if (owner.name.ends_with(')') && open != std::string::npos && open > 0) {
    owner.id = owner.name.substr(open + 1, owner.name.size() - open - 2);
    owner.name.resize(open);
  }
  return owner;
}

const Platform kFolders{"a class", of_folders, 2, false, false};

// The people of a platform's export; empty when it is none: each kernel and archive in it names a student.
std::set<std::string> owners_in(const Platform& platform, const std::vector<std::string>& names) {
  const std::size_t wrappers = wrappers_around(names, platform);
  std::set<std::string> owners;
  for (const std::string& name : names) {
    const auto owner = owner_of(platform, name, wrappers);
    if (owner) owners.insert(owner->key);
    if (!owner && (is_kernel_name(name) || is_archive_name(name))) return {};
  }
  return owners;
}

}  // namespace

const std::vector<Platform>& platforms() {
  static const std::vector<Platform> all = {
      {"Moodle", of_moodle, 1, true, false},          {"Gradescope", of_gradescope, 1, false, false},
      {"Blackboard", of_blackboard, 1, true, true},   {"Canvas", of_canvas, 2, true, false},
      {"Brightspace", of_brightspace, 1, true, true}, {"Google Classroom", of_google, 2, false, false},
  };
  return all;
}

std::size_t wrappers_around(const std::vector<std::string>& names, const Platform& platform) {
  constexpr std::size_t kMost = 2;
  for (std::size_t depth = 0; depth < kMost; ++depth) {
    std::string around;
    for (const std::string& name : names) {
      const auto parts = path_parts(name);
      if (parts.size() < depth + 2 || (!around.empty() && parts[depth] != around)) return depth;
      if (around.empty() && platform.owner(parts[depth]) && platform.owner != of_folders) return depth;
      around = parts[depth];
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
  // A table beside the folders of a class belongs to no student: Sakai's grades.csv, ILIAS' list.
  if (platform.owner == of_folders && inside.empty() && !is_archive_name(parts[wrappers]))
    return std::nullopt;
  if (owner->file.empty() || inside.empty()) {
    owner->file += inside;
  } else {
    owner->file += "/" + inside;
  }
  if (owner->file.empty()) owner->file = parts.back();
  return owner;
}

const Platform* platform_of(const std::vector<std::string>& names, bool any) {
  for (const Platform& platform : platforms())
    if (owners_in(platform, names).size() >= platform.least) return &platform;
  return any && owners_in(kFolders, names).size() >= kFolders.least ? &kFolders : nullptr;
}

}  // namespace lab::grade
