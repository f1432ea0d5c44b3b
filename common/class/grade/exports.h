// A class as a learning platform exports it: whose file is whose.
//
// Enters: a folder or an archive, as it was downloaded: of Moodle (folders or flat, file and online text),
// Canvas, Gradescope, Blackboard, Google Classroom, or an archive with a folder or archive for each student.
// Leaves: one submission per student, read, with the student's name and what the platform says of the time.
// Everything that a platform's layout is stands in one table of exports.cpp.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/class/grade/submission.h"

namespace lab::grade {

struct ExportedClass {
  std::string platform;  // "Moodle", …
  std::vector<Place> places;
  std::vector<Message> notes;
};

// None when the names in it are of no platform.
[[nodiscard]] std::optional<ExportedClass> read_export(const std::filesystem::path& path,
                                                       const PlaceOptions& options);

// The people whose files lie in one submission, by the names that platforms give to files; empty for one
// person's.
[[nodiscard]] std::vector<std::string> several_people_in(const Submission& submission);

}  // namespace lab::grade
