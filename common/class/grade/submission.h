// What a student handed in: where it lies, and the kernel files in it, as bytes.
//
// Enters: folders and archives that are not opened yet. Leaves: .cu files by their path inside of the
// submission, and a sentence for everything that was refused. Nothing is ever unpacked to disk, no link is
// followed, nothing of it is run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/text/message.h"
#include "common/class/grade/identity.h"
#include "common/class/grade/manifest.h"

namespace lab::grade {

struct Submission;

// One submission, before it is read.
struct Place {
  enum class Kind : std::uint8_t { Folder, Archive, File, Read, None };
  std::string student;  // unique, printable, fit for a file name
  std::filesystem::path path;
  Kind kind = Kind::Folder;
  Message problem;                // None: why nothing of it is read; else what an instructor should look at
  std::vector<HandIn> hand_ins;   // what the platform says about it
  std::string platform_name;      // what the platform calls it, where that is another name
  Identity who;                   // what is known of the person; of an export, as it stands there
  std::vector<Identity> several;  // who handed in together, where the platform says so
  std::shared_ptr<const Submission> read;  // Read: out of a class's export
  std::string feedback;  // the name under which its platform takes a file for this person back
  // Fields of a roster or worksheet:
  std::vector<std::string> called;        // what platform and roster call the person besides
  std::optional<int> seat;                // in an exam
  std::optional<std::int64_t> extension;  // more time until then, in seconds since 1970
  bool anonymous = false;                 // no name stands in what is written
};

struct Places {
  std::vector<Place> places;   // by student
  std::vector<Message> notes;  // entries that were passed over, and why
  bool listed = false;         // a list says when things were handed in
  std::string worksheet;       // where that list is a platform's table of people (worksheet.h): its text,
  std::string worksheet_name;  // and its name
};

struct PlaceOptions {
  bool one = false;                 // each argument is one submission, even if it looks like a class
  std::filesystem::path submitted;  // the list of hand-ins; "": submitted.csv in the class's folder, if any
  std::string time_zone;            // of times without an offset; "": they are mistakes
};
inline constexpr const char* kManifestName = "submitted.csv";
// Behind NAME_NUMBER: what Moodle calls a file with feedback for this person or team.
inline constexpr const char* kMoodleFeedback = "_assignfeedback_file_feedback.html";
inline constexpr const char* kMetadataName = "submission_metadata.yml";

// Never part of what a student wrote: __MACOSX, names that begin with a dot.
[[nodiscard]] bool is_passed_over(const std::string& name);
// Gradescope's list of submitters; Blackboard's text beside an attempt.
[[nodiscard]] bool is_metadata_name(std::string_view name);
[[nodiscard]] std::vector<std::filesystem::directory_entry> sorted_entries(
    const std::filesystem::path& folder, std::error_code& error);

// A folder with one entry per student, or submissions themselves (folders with `chapters/` or .cu files in
// them, archives, .cu files). Throws UsageError when there is nothing to grade.
[[nodiscard]] Places find_places(const std::vector<std::string>& arguments, const PlaceOptions& options);
// The first eight names.
[[nodiscard]] std::string first_of(std::vector<std::string> names);
// Throws UsageError with the first twenty mistakes of a list of hand-ins.
[[noreturn]] void refuse_hand_ins(const std::vector<Message>& mistakes);

struct SourceFile {
  std::string path;   // inside of the submission, with '/', printable
  std::string bytes;  // as handed in
};

// A kernel file that is there and cannot be judged.
struct RefusedFile {
  std::string path;
  Message why;
};

struct Submission {
  std::string student;
  std::vector<SourceFile> files;  // .cu only, by path
  std::vector<Message> problems;  // "refused ../x.cu: …", in the order met
  std::vector<RefusedFile> refused;
  std::vector<std::string> others;  // names of what else is there
  std::vector<HandIn> hand_ins;
  std::map<std::string, std::string> metadata;  // by path: a platform's own words about who handed in
};

struct ReadLimits {
  std::uint64_t file_bytes = 4ull << 20;    // of one kernel file
  std::uint64_t total_bytes = 64ull << 20;  // of all that is read or unpacked for one submission
  std::uint64_t entries = 20'000;
  int depth = 32;                // folders in folders
  int archives_in_archives = 0;  // so deep they are opened, and archives beside kernels too
};

// Never throws for what a student did: it becomes a problem.
[[nodiscard]] Submission read_submission(const Place& place, const ReadLimits& limits = {});

// Letters of any script, digits, blanks and the like stay; control characters, slashes, '%' and bytes that
// are no UTF-8 become %XX. Names that would be too long for a file are cut, with a fingerprint of the whole.
[[nodiscard]] std::string safe_name(std::string_view raw);
// The same for a path, whose slashes stay.
[[nodiscard]] std::string safe_path(std::string_view raw);
// What safe_name or safe_path got; the safe form where that holds control characters or is no UTF-8.
[[nodiscard]] std::string raw_name(std::string_view safe);

// ".zip", ".tar", ".tar.gz", ".tgz", … by name.
[[nodiscard]] bool is_archive_name(std::string_view name);
// "ada" of ada.zip and Ada.TAR.GZ; any other name as it is.
[[nodiscard]] std::string archive_stem(std::string name);
// Archives of kinds that are not read: ".rar", ".7z", …
[[nodiscard]] bool is_other_archive_name(std::string_view name);
[[nodiscard]] bool is_kernel_name(std::string_view name);  // ends in .cu
[[nodiscard]] std::string lower(std::string_view text);    // letters of English
// One form for names that a person takes for one: accents taken apart, letters of English in lower case.
[[nodiscard]] std::string alike_form(std::string_view name);
// Whether a platform may call this person so: "Ada Lovelace" is Ada Lovelace_4711 for Moodle and lovelaceada
// for Canvas.
[[nodiscard]] bool may_be_called(std::string_view person, std::string_view student);
// The name in small letters, without marks, blanks and a platform's number behind it; and with each of its words
// first: a person may be called `student` when `joined_name` of it is one of `forms_of_name`.
[[nodiscard]] std::string joined_name(std::string_view name);
[[nodiscard]] std::vector<std::string> forms_of_name(std::string_view name);

// Adds the kernel files of an archive. Throws EnvironmentError where the program was built without
// libarchive.
void read_archive(const std::filesystem::path& path, const std::string& prefix, const ReadLimits& limits,
                  Submission& submission);

}  // namespace lab::grade
