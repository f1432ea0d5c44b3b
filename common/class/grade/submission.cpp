// Reads the files of a submission from a folder. See submission.h; archives are read in archive.cpp.
#include "common/class/grade/submission.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>
#include <system_error>
#include <utility>

#include "common/base/source_text.h"

namespace lab::grade {
namespace fs = std::filesystem;

bool is_passed_over(const std::string& name) {
  return name.starts_with('.') || name == "__MACOSX" || name == "node_modules";
}

bool is_metadata_name(std::string_view name) {
  constexpr std::string_view kAttempt = "_attempt_", kTime = "0000-00-00-00-00-00";
  const std::size_t mark = name.rfind(kAttempt);
  return name.ends_with(kMetadataName) || (mark != name.npos && name.ends_with(".txt") &&
                                           name.size() == mark + kAttempt.size() + kTime.size() + 4);
}

std::vector<fs::directory_entry> sorted_entries(const fs::path& folder, std::error_code& error) {
  std::vector<fs::directory_entry> entries;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    entries.push_back(*at);
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.path() < b.path(); });
  return entries;
}

namespace {

// Opens without following a link and without waiting for a pipe. "" and a sentence when it cannot be had.
std::string read_plain_file(const fs::path& path, std::uint64_t most_bytes, Message& problem) {
  const int file = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (file < 0) {
    problem = msg("it cannot be read ({})", std::generic_category().message(errno));
    return {};
  }
  std::string bytes;
  struct stat status {};
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    problem = "it is no ordinary file";
  } else if (static_cast<std::uint64_t>(status.st_size) > most_bytes) {
    problem = msg("it is larger than {} MiB", most_bytes >> 20);
  } else {
    std::array<char, 65536> buffer{};
    for (ssize_t got; (got = read(file, buffer.data(), buffer.size())) > 0;) {
      bytes.append(buffer.data(), static_cast<std::size_t>(got));
      if (bytes.size() > most_bytes) break;  // it grows while it is read
    }
  }
  close(file);
  return bytes;
}

// Walks one folder of a submission.
class FolderReader {
 public:
  FolderReader(const ReadLimits& limits, Submission& submission) : limits_(limits), submission_(submission) {}

  void read(const fs::path& folder, const std::string& inside, int depth) {
    std::error_code error;
    const auto entries = sorted_entries(folder, error);
    if (error) return refuse(inside, "it cannot be read");
    for (const fs::directory_entry& entry : entries) {
      if (++entries_ > limits_.entries) {
        if (entries_ == limits_.entries + 1)
          refuse(inside, msg("there are more than {} files; the rest was ignored", limits_.entries));
        return;
      }
      visit(entry, inside, depth);
    }
  }

  std::vector<std::pair<fs::path, std::string>> archives;  // at the top, in a class's export everywhere

 private:
  void refuse(const std::string& inside, const Message& why) {
    submission_.problems.push_back(msg(
        "refused {}: {}", inside.empty() ? Message("the folder") : text::verbatim(safe_path(inside)), why));
  }

  void visit(const fs::directory_entry& entry, const std::string& inside, int depth) {
    const std::string name = entry.path().filename().string();
    const std::string path = inside.empty() ? name : inside + "/" + name;
    if (is_passed_over(name)) return;
    std::error_code error;
    switch (entry.symlink_status(error).type()) {
      case fs::file_type::directory:
        if (depth >= limits_.depth) return refuse(path, "folders are nested too deep");
        return read(entry.path(), path, depth + 1);
      case fs::file_type::regular:
        if (is_kernel_name(name)) return take(entry.path(), path);
        if (is_archive_name(name) && (depth == 0 || limits_.archives_in_archives > 0))
          archives.emplace_back(entry.path(), path);
        if (limits_.archives_in_archives > 0 && is_metadata_name(name)) take_metadata(entry.path(), path);
        submission_.others.push_back(safe_path(path));
        return;
      case fs::file_type::symlink:
        if (is_kernel_name(name) || leads_to_folder(entry))
          refuse(path, "it is a link; links are not followed");
        return;
      default:
        if (is_kernel_name(name)) refuse(path, "it is no ordinary file");
    }
  }

  static bool leads_to_folder(const fs::directory_entry& entry) {
    std::error_code error;
    return entry.is_directory(error);
  }

  void take_metadata(const fs::path& file, const std::string& path) {
    Message problem;
    submission_.metadata[safe_path(path)] = read_plain_file(file, limits_.file_bytes, problem);
    if (!problem.empty()) refuse(path, problem);
  }

  void take(const fs::path& file, const std::string& path) {
    Message problem;
    std::string bytes = read_plain_file(file, limits_.file_bytes, problem);
    total_bytes_ += bytes.size();
    if (problem.empty() && total_bytes_ > limits_.total_bytes)
      problem = msg("the submission holds more than {} MiB of kernels", limits_.total_bytes >> 20);
    if (!problem.empty()) {
      submission_.refused.push_back({safe_path(path), problem});
      return refuse(path, problem);
    }
    submission_.files.push_back({safe_path(path), base::as_utf8(std::move(bytes))});
  }

  const ReadLimits& limits_;
  Submission& submission_;
  std::uint64_t entries_ = 0, total_bytes_ = 0;
};

// Why a repository has no files; "" when it is no repository.
Message why_no_files(const fs::path& folder) {
  std::error_code error;
  const auto has = [&](const char* name) { return fs::exists(folder / name, error); };
  if (has("HEAD") && has("objects") && has("refs"))
    return "it is a bare git repository, which has no files: clone it, and grade the clone";
  if (has(".gitmodules"))
    return "its kernels may be in a git submodule that was not fetched: git submodule update --init";
  if (has(".git"))
    return "it is a git clone; its kernels may be on a branch that is not checked out: git branch -a lists "
           "them";
  return "";
}

// Everything that is there: files, refused ones too, and the folders and archives around them.
std::set<std::string, std::less<>> names_there(const Submission& submission) {
  std::set<std::string, std::less<>> names;
  const auto add = [&](std::string_view path) {
    while (names.emplace(path).second && path.find('/') != path.npos) path = path.substr(0, path.rfind('/'));
  };
  for (const SourceFile& file : submission.files) add(file.path);
  for (const RefusedFile& file : submission.refused) add(file.path);
  for (const std::string& path : submission.others) add(path);
  return names;
}

// A file that the platform lists and that is not found: misspelt, or lost on the way.
void report_listed_and_not_there(Submission& submission) {
  const auto names_a_file = [](const HandIn& row) { return !row.file.empty(); };
  if (std::none_of(submission.hand_ins.begin(), submission.hand_ins.end(), names_a_file)) return;
  const auto there = names_there(submission);
  std::set<std::string> reported;
  for (const HandIn& row : submission.hand_ins) {
    if (!row.file.empty() && !there.contains(row.file) && reported.insert(row.file).second)
      submission.problems.push_back(msg("{} lists {}, which is not there: its time decides nothing",
                                        kManifestName, safe_path(row.file)));
  }
}

}  // namespace

Submission read_submission(const Place& place, const ReadLimits& limits) {
  Submission submission;
  if (place.read) submission = *place.read;
  submission.student = place.student;
  submission.hand_ins = place.hand_ins;
  for (HandIn& row : submission.hand_ins) {  // a row about the whole entry
    if (row.file == place.path.filename().string()) row.file.clear();
  }
  if (!place.problem.empty()) submission.problems.push_back(place.problem);
  if (place.kind == Place::Kind::None) return submission;
  if (place.kind == Place::Kind::Read) return report_listed_and_not_there(submission), submission;
  if (place.kind == Place::Kind::Archive) {
    read_archive(place.path, "", limits, submission);
    const bool packed = std::any_of(submission.others.begin(), submission.others.end(), is_archive_name);
    if (packed && submission.files.empty() && submission.refused.empty() &&
        limits.archives_in_archives == 0) {
      ReadLimits inside = limits;  // an archive around what was packed
      inside.archives_in_archives = 1;
      submission.others.clear(), submission.problems.clear();
      read_archive(place.path, "", inside, submission);
    }
  } else if (place.kind == Place::Kind::File) {
    Message problem;
    std::string bytes = read_plain_file(fs::weakly_canonical(place.path), limits.file_bytes, problem);
    const std::string name = safe_path(place.path.filename().string());
    if (problem.empty()) {
      submission.files.push_back({name, base::as_utf8(std::move(bytes))});
    } else {
      submission.problems.push_back(msg("refused {}: {}", name, problem));
      submission.refused.push_back({name, problem});
    }
  } else {
    FolderReader reader(limits, submission);
    reader.read(place.path, "", 0);
    if (submission.files.empty() ||
        limits.archives_in_archives > 0) {  // a platform's folder around an upload
      for (const auto& [archive, inside] : reader.archives) {
        ReadLimits own;
        own.archives_in_archives = limits.archives_in_archives;
        read_archive(archive, inside + "/", limits.archives_in_archives > 0 ? own : limits, submission);
      }
    }
    if (submission.files.empty()) {
      const Message why = why_no_files(place.path);
      if (!why.empty()) submission.problems.push_back(why);
    }
  }
  std::sort(submission.files.begin(), submission.files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  report_listed_and_not_there(submission);
  return submission;
}

}  // namespace lab::grade
