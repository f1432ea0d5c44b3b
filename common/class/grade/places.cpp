// Finds submissions: which entries of a folder are a student's, and which one counts. See submission.h.
#include <fmt/core.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <system_error>

#include "common/base/characters.h"
#include "common/base/errors.h"
#include "common/base/files.h"
#include "common/base/words.h"
#include "common/class/grade/chapter_names.h"
#include "common/class/grade/exports.h"
#include "common/class/grade/grading.h"
#include "common/class/grade/submission.h"
#include "common/class/grade/worksheet.h"
#include "common/course/judge/checks.h"

namespace lab::grade {
namespace fs = std::filesystem;
using base::UsageError;

namespace {

// Links are none of what they lead to.
fs::file_type type_of(const fs::directory_entry& entry) {
  std::error_code ignored;
  return entry.symlink_status(ignored).type();
}

// What makes a folder one submission: a kernel that lies in it, or what a clone has. "" for a class.
std::string sign_of_submission(const fs::path& folder) {
  std::error_code error;
  std::string sign;
  for (const fs::directory_entry& entry : sorted_entries(folder, error)) {
    const std::string name = entry.path().filename().string();
    const fs::file_type type = type_of(entry);
    const bool kernel = type == fs::file_type::regular && is_kernel_name(name);
    const bool clone = type == fs::file_type::directory && (name == "chapters" || name == ".git");
    if (sign.empty() && (kernel || clone)) sign = name;
  }
  return sign;
}

// Reports of a run, or folders in which nothing else lies: `--out class/week1/grades`.
bool holds_reports_alone(const fs::path& folder, int deepest = 3) {
  if (OutputFolder{folder}.was_graded_into()) return true;
  std::error_code error;
  const auto entries = sorted_entries(folder, error);
  return deepest > 0 && !entries.empty() &&
         std::all_of(entries.begin(), entries.end(), [&](const fs::directory_entry& entry) {
           return type_of(entry) == fs::file_type::directory &&
                  holds_reports_alone(entry.path(), deepest - 1);
         });
}

// Folders and archives in it that name no chapter, as a class has them.
std::size_t entries_like_submissions(const fs::path& folder) {
  std::error_code error;
  const auto entries = sorted_entries(folder, error);
  const Chapters chapters = judge::all_chapters();
  const ChapterNames names(chapters);
  return static_cast<std::size_t>(std::count_if(entries.begin(), entries.end(), [&](const auto& entry) {
    const fs::file_type type = type_of(entry);
    const std::string name = entry.path().filename().string();
    return !name.starts_with('.') && !names.is_work(name) &&
           (type == fs::file_type::directory || is_archive_name(name)) && !holds_reports_alone(entry.path());
  }));
}

std::string name_of(const fs::path& path) {
  return (path.filename().empty() ? path.parent_path() : path).filename().string();  // "alice/"
}

// Two entries may want one name: alice/ and alice.zip.
class Collector {
 public:
  void add(const fs::path& path, Place::Kind kind) {
    const std::string whole = name_of(path);
    std::string student = safe_name(kind == Place::Kind::Archive ? archive_stem(whole) : whole);
    if (kind == Place::Kind::File) student = safe_name(path.stem().string());
    Place place;
    place.student = student;
    place.path = path;
    place.kind = kind;
    add(std::move(place), safe_name(whole));
  }
  void add_none(const fs::path& path, const Message& why) {
    add(path, Place::Kind::None);
    result.places.back().problem = why;
  }

  void end_of_argument() { earlier_ = result.places.size(); }

  void add_export(ExportedClass exported) {
    result.listed |= std::any_of(exported.places.begin(), exported.places.end(),
                                 [](const Place& place) { return !place.hand_ins.empty(); });
    result.notes.insert(result.notes.end(), exported.notes.begin(), exported.notes.end());
    for (const Place& place : exported.places) add(place, place.student);
  }

  // What the platform says: which of two entries counts, who is missing, when all of it came.
  void settle(const Manifest* manifest) {
    report_alike_names();
    std::set<std::size_t> dropped;
    std::set<std::string> claimed;  // students of the list
    for (auto& [student, entries] : entries_) {
      const std::string& called = result.places[entries.front()].platform_name;
      std::string listed = manifest != nullptr ? listed_as(student, *manifest) : "";
      if (listed.empty() && manifest != nullptr && !called.empty()) listed = listed_as(called, *manifest);
      const std::vector<HandIn> rows =
          listed.empty() ? std::vector<HandIn>{} : manifest->students().at(listed);
      claimed.insert(listed);
      const std::size_t chosen = choose(entries, rows);
      for (const std::size_t i : entries) {
        Place& place = result.places[i];
        if (chosen != kNone && i != chosen) {
          result.notes.push_back(msg("passed over {}: {} has a newer hand-in in {}",
                                     safe_name(place.path.filename().string()), student, kManifestName));
          dropped.insert(i);
        } else if (chosen != kNone) {
          place.student = student;
        } else if (entries.size() > 1 && place.problem.empty()) {
          place.problem = doubt(student, entries);
        }
        if (!rows.empty() || place.kind != Place::Kind::Read) place.hand_ins = rows;
      }
    }
    std::vector<Place> kept;
    for (std::size_t i = 0; i < result.places.size(); ++i) {
      if (!dropped.contains(i)) kept.push_back(std::move(result.places[i]));
    }
    result.places = std::move(kept);
    if (manifest == nullptr) return;
    add_absent(*manifest, claimed);
    report_times(*manifest);
  }
  Places result;

 private:
  // `otherwise`: what it is called where another entry has its student's name.
  void add(Place place, const std::string& otherwise) {
    const std::string wanted = place.student;
    if (Place* earlier = of_earlier_argument(wanted)) return join(*earlier, place);
    if (!taken_.insert(wanted).second) place.student = unique(otherwise);
    entries_[wanted].push_back(result.places.size());
    result.places.push_back(std::move(place));
  }

  // Week 1 and week 2 are two arguments; what lies there under one name is one person's.
  Place* of_earlier_argument(const std::string& wanted) {
    const auto found = entries_.find(wanted);
    if (found == entries_.end() || found->second.front() >= earlier_) return nullptr;
    return &result.places[found->second.front()];
  }
  static void join(Place& earlier, const Place& later) {
    if (later.kind == Place::Kind::None) return;
    if (earlier.kind == Place::Kind::None) {
      const std::string student = earlier.student;
      earlier = later;
      earlier.student = student;
      return;
    }
    auto both = std::make_shared<Submission>(read_submission(earlier));
    Submission more = read_submission(later);
    const std::string week = safe_name(later.path.parent_path().filename().string());
    const auto add = [&](auto& to, auto& files) {
      std::set<std::string> there;
      for (const auto& file : to) there.insert(file.path);
      for (auto& file : files) {
        if (there.contains(file.path)) file.path = week + "/" + file.path;
        to.push_back(std::move(file));
      }
    };
    add(both->files, more.files);
    add(both->refused, more.refused);
    std::sort(both->files.begin(), both->files.end(),
              [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
    both->problems.insert(both->problems.end(), more.problems.begin(), more.problems.end());
    both->others.insert(both->others.end(), more.others.begin(), more.others.end());
    earlier.hand_ins.insert(earlier.hand_ins.end(), later.hand_ins.begin(), later.hand_ins.end());
    earlier.kind = Place::Kind::Read;
    earlier.read = std::move(both);
  }

  // Whose rows are an entry's. Another spelling counts where no entry is spelled so, and one entry wants it.
  [[nodiscard]] std::string listed_as(const std::string& entry, const Manifest& manifest) const {
    const std::string listed = manifest.student_of(entry);
    if (listed == entry || entries_.contains(listed)) return listed == entry ? listed : "";
    const auto wants = [&](const auto& other) { return manifest.student_of(other.first) == listed; };
    return std::count_if(entries_.begin(), entries_.end(), wants) == 1 ? listed : "";
  }

  // On other machines these are one file.
  void report_alike_names() {
    std::map<std::string, std::string> alike;
    for (const std::string& student : taken_) {
      std::string& names = alike[alike_form(student)];
      names += (names.empty() ? "" : ", ") + student;
    }
    for (const auto& [name, names] : alike)
      if (names.find(", ") != names.npos && !taken_.contains(names))
        result.notes.push_back(
            msg("names that differ in capital letters or the spelling of accents alone: {}. Are they one "
                "student? Each is judged by itself",
                names));
  }
  std::string unique(const std::string& wanted) {
    std::string name = wanted;
    for (int i = 2; !taken_.insert(name).second; ++i) name = fmt::format("{} {}", wanted, i);
    return name;
  }
  static constexpr std::size_t kNone = ~std::size_t{0};

  [[nodiscard]] std::string entry_name(std::size_t i) const { return name_of(result.places[i].path); }

  // The entry that was handed in last, where one student has several; kNone when nothing says so.
  [[nodiscard]] std::size_t choose(const std::vector<std::size_t>& entries,
                                   const std::vector<HandIn>& rows) const {
    std::size_t best = kNone;
    std::int64_t best_seconds = 0;
    if (entries.size() < 2) return kNone;
    for (const std::size_t i : entries) {
      const HandIn* row = newest(rows, entry_name(i));
      if (row == nullptr || row->time.empty() || (best != kNone && row->seconds <= best_seconds)) continue;
      best = i;
      best_seconds = row->seconds;
    }
    return best;
  }

  [[nodiscard]] Message doubt(const std::string& student, const std::vector<std::size_t>& entries) const {
    std::string names;
    for (const std::size_t i : entries) names += (names.empty() ? "" : ", ") + safe_name(entry_name(i));
    return msg("{} entries may be {}'s: {}. Each is judged by itself; keep one, or say in {} which counts",
               entries.size(), student, names, kManifestName);
  }

  void add_absent(const Manifest& manifest, const std::set<std::string>& claimed) {
    for (const auto& [student, rows] : manifest.students()) {
      if (claimed.contains(student) || !taken_.insert(student).second) continue;
      Place place;
      place.student = student;
      place.kind = Place::Kind::None;
      place.problem =
          msg("{} names {}, and there is no folder or archive of that name", kManifestName, student);
      place.hand_ins = rows;
      result.places.push_back(std::move(place));
    }
  }

  // What of the list decides nothing, or decides what was not meant.
  void report_times(const Manifest& manifest) {
    const auto now = std::int64_t{std::time(nullptr)};
    const auto some = [](const Place& place, const auto& of) {
      return std::any_of(place.hand_ins.begin(), place.hand_ins.end(), of);
    };
    const std::vector<std::string> unnamed = students([](const Place& p) { return p.hand_ins.empty(); });
    const std::vector<std::string> timeless = students([&](const Place& p) {
      return p.kind != Place::Kind::None && !p.hand_ins.empty() &&
             !some(p, [](const HandIn& row) { return !row.time.empty(); });
    });
    const std::vector<std::string> future = students(
        [&](const Place& p) { return some(p, [&](const HandIn& row) { return row.seconds > now; }); });
    if (!unnamed.empty())
      result.notes.push_back(msg("{} does not name {} of the submissions, and nothing of theirs is late: {}",
                                 kManifestName, unnamed.size(), first_of(unnamed)));
    if (!timeless.empty())
      result.notes.push_back(
          msg("{} has no time for {} of the submissions, and nothing of theirs is late: {}", kManifestName,
              timeless.size(), first_of(timeless)));
    if (!future.empty())
      result.notes.push_back(msg("{} has times that are still to come, for {} of the submissions: {}",
                                 kManifestName, future.size(), first_of(future)));
    if (manifest.empty_rows() != 0)
      result.notes.push_back(
          msg("{} has {} rows without a submission", kManifestName, manifest.empty_rows()));
  }

  [[nodiscard]] std::vector<std::string> students(const std::function<bool(const Place&)>& which) const {
    std::vector<std::string> names;
    for (const Place& place : result.places) {
      if (which(place)) names.push_back(place.student);
    }
    return names;
  }

  std::size_t earlier_ = 0;  // places of arguments before this one
  std::set<std::string> taken_;
  std::map<std::string, std::vector<std::size_t>> entries_;  // by the name that they want
};

// Through folders in which nothing else lies, to an archive as it was downloaded, or to a class.
fs::path innermost(const fs::path& folder, int deepest = 3) {
  std::error_code error;
  std::optional<fs::path> only;
  for (const fs::directory_entry& entry : sorted_entries(folder, error)) {
    const std::string name = entry.path().filename().string();
    const bool is_folder = type_of(entry) == fs::file_type::directory;
    if (is_passed_over(name) || name == kManifestName || (is_folder && holds_reports_alone(entry.path())))
      continue;
    if (only || (!is_archive_name(name) && !is_folder)) return folder;
    only = entry.path();
  }
  if (!only) return folder;
  return is_archive_name(only->filename().string()) || deepest == 0 ? *only : innermost(*only, deepest - 1);
}

void add_class(const fs::path& folder, const PlaceOptions& options, Collector& collector) {
  std::error_code error;
  const auto entries = sorted_entries(folder, error);
  if (const fs::path inner = innermost(folder); inner != folder) {
    const bool archive = is_archive_name(inner.filename().string());
    if (auto exported = archive ? read_export(inner, options) : std::nullopt)
      return collector.add_export(*std::move(exported));
    if (!archive && sign_of_submission(inner).empty() && entries_like_submissions(inner) > 1)
      return add_class(inner, options, collector);
  }
  if (error) throw UsageError(msg("Cannot read the folder {}: {}.", folder.string(), error.message()));
  for (const fs::directory_entry& entry : entries) {
    const std::string name = entry.path().filename().string();
    const fs::file_type type = type_of(entry);
    if (name.starts_with('.') && type == fs::file_type::directory && name != ".git")
      collector.result.notes.push_back(msg("passed over {}: its name begins with a dot", safe_name(name)));
    if (is_passed_over(name)) continue;
    if (type == fs::file_type::directory && holds_reports_alone(entry.path())) {
      collector.result.notes.push_back(msg("passed over {}: a grading run wrote it", safe_name(name)));
    } else if (type == fs::file_type::directory) {
      collector.add(entry.path(), Place::Kind::Folder);
    } else if (type == fs::file_type::regular && is_archive_name(name)) {
      collector.add(entry.path(), Place::Kind::Archive);
    } else if (type == fs::file_type::symlink) {
      collector.add_none(entry.path(),
                         "the submission is a link; links are not followed: put the folder itself there");
    } else if (type == fs::file_type::regular && is_other_archive_name(name)) {
      collector.add_none(entry.path(), "archives of this kind are not read: hand it in as a zip");
    } else if (type == fs::file_type::regular && is_kernel_name(name)) {
      collector.add_none(entry.path(),
                         "a kernel outside of any folder: put it into a folder named for its student");
    } else if (name != kManifestName) {
      collector.result.notes.push_back(
          msg("passed over {}: neither a folder nor an archive (zip, tar)", safe_name(name)));
    }
  }
}

// Read as one submission, whose points would they be?
void refuse_several_people(const fs::path& path, Place::Kind kind) {
  Place place;
  place.path = path;
  place.kind = kind;
  const std::vector<std::string> people = several_people_in(read_submission(place));
  if (!people.empty())
    throw UsageError(
        msg("{} is read as one submission, and holds files of {} people: {}. Put an export into a folder by "
            "itself, as its platform made it.",
            safe_path(path.string()), people.size(), base::joined(people)));
}

void add_argument(const std::string& argument, const PlaceOptions& options, Collector& collector) {
  const fs::path path(argument);
  std::error_code error;
  const fs::file_status status = fs::status(path, error);  // the instructor's own word: links are fine
  const bool readable = status.type() == fs::file_type::directory ||
                        (status.type() == fs::file_type::regular && is_archive_name(argument));
  if (!options.one && readable) {
    if (auto exported = read_export(path, options)) return collector.add_export(*std::move(exported));
  }
  if (status.type() == fs::file_type::directory) {
    const std::string sign = options.one ? "" : sign_of_submission(path);
    if (!options.one && sign.empty()) return add_class(path, options, collector);
    constexpr std::size_t kClass = 2;
    const bool course = fs::is_directory(path / "chapters", error);
    if (const std::size_t entries = entries_like_submissions(path);
        !sign.empty() && !course && entries >= kClass)
      collector.result.notes.push_back(
          msg("{} is read as one submission, since {} lies in it. Is it a class of {}? Then move that away",
              argument, safe_path(sign), entries));
    refuse_several_people(path, Place::Kind::Folder);
    return collector.add(path, Place::Kind::Folder);
  }
  if (status.type() != fs::file_type::regular)
    throw UsageError(
        msg("There is no file or folder {}. Name a folder with one entry per student.", argument));
  if (is_archive_name(argument)) {
    refuse_several_people(path, Place::Kind::Archive);
    return collector.add(path, Place::Kind::Archive);
  }
  if (is_kernel_name(argument)) return collector.add(path, Place::Kind::File);
  throw UsageError(msg("{} is no submission: give a folder, an archive (zip, tar) or a .cu file.", argument));
}

// The list of hand-ins: its name and its text.
std::optional<std::pair<std::string, std::string>> list_of(const std::vector<std::string>& arguments,
                                                           const PlaceOptions& options) {
  if (!options.submitted.empty()) {
    auto text = base::read_file(options.submitted);
    if (!text) throw UsageError(msg("Cannot read {}. Check the name.", options.submitted.string()));
    return std::pair(options.submitted.string(), *std::move(text));
  }
  for (const std::string& argument : arguments) {
    const fs::path file = fs::path(argument) / kManifestName;
    if (options.one || !sign_of_submission(argument).empty())
      continue;  // a student's own words decide nothing
    if (auto text = base::read_file(file)) return std::pair(file.string(), *std::move(text));
  }
  return std::nullopt;
}

}  // namespace

std::string first_of(std::vector<std::string> names) {
  constexpr std::size_t kMost = 8;
  if (names.size() > kMost) names.resize(kMost), names.emplace_back("…");
  return base::joined(names);
}

void refuse_hand_ins(const std::vector<Message>& mistakes) {
  constexpr std::size_t kMost = 20;
  Message message = "The list of what was submitted cannot be used; nothing was graded.";
  for (std::size_t i = 0; i < std::min(kMost, mistakes.size()); ++i) message.line(msg("  {}", mistakes[i]));
  if (mistakes.size() > kMost) message.line(msg("  … {}", mistakes.size() - kMost));
  throw base::UsageError(message);
}

Places find_places(const std::vector<std::string>& arguments, const PlaceOptions& options) {
  Collector collector;
  for (const std::string& argument : arguments) {
    add_argument(argument, options, collector);
    collector.end_of_argument();
  }
  const auto list = list_of(arguments, options);
  std::optional<Manifest> manifest;
  if (list && Worksheet::read(list->second, list->first)) {
    collector.result.worksheet_name = list->first;
    collector.result.worksheet = list->second;
  } else if (list) {
    manifest = Manifest::parse(list->second, list->first, options.time_zone);
  }
  collector.settle(manifest ? &*manifest : nullptr);
  collector.result.listed |= list.has_value();
  Places& found = collector.result;
  if (found.places.empty())
    throw UsageError(
        "There is no submission: the folder holds one folder, zip or git clone per student. See "
        "docs/grading.md.");
  std::sort(found.places.begin(), found.places.end(),
            [](const Place& a, const Place& b) { return a.student < b.student; });
  return std::move(found);
}

}  // namespace lab::grade
