// A graded class in the formats that other tools read.
//
// Enters: a ClassResult. Leaves: files in the output folder. Times stand in times.json alone: everything else
// is the same on every machine and for every -j.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/class/grade/grading.h"
#include "common/ui/counters_json.h"

namespace lab::grade {

// What --format may name.
[[nodiscard]] std::vector<std::string> format_names();

inline constexpr const char* kGradebookName = "gradebook.csv";  // of --gradebook

// What judging one kernel cost, as times.json and the reports of shards have it.
[[nodiscard]] report::Json cost_json(const UnitCost& cost);
// Throws Json::exception when a field is missing.
[[nodiscard]] UnitCost cost_from(const report::Json& json);

// All rows of one student.
struct StudentView {
  std::string student;
  std::vector<const Graded*> chapters;
  std::set<std::string> dropped;                                     // that do not count: the lowest
  [[nodiscard]] const Graded* of(const std::string& chapter) const;  // null: it has none
  [[nodiscard]] std::int64_t points() const;
  [[nodiscard]] std::int64_t points_possible() const;
};
[[nodiscard]] std::vector<StudentView> by_student(const ClassResult& result);
// Those that anybody has, in their order.
[[nodiscard]] std::vector<std::string> chapters_of(const ClassResult& result);

// Writes the formats named, and times.json. Returns the paths, relative to the folder, as a person would look
// for them. Throws EnvironmentError when a file cannot be written.
// A class that is not judged whole says so in each of them.
std::vector<std::string> write_formats(const ClassResult& result, const std::set<std::string>& formats,
                                       const OutputFolder& out);

// What the folder has under the names of reports.
[[nodiscard]] std::vector<std::string> existing_reports(const OutputFolder& out);

// Reports in the folder that this run did not write: of an earlier one, and no longer true.
[[nodiscard]] std::vector<std::string> stale_reports(const OutputFolder& out,
                                                     const std::vector<std::string>& written);

// The tables alone, for a run that is not over.
void write_tables(const ClassResult& result, const std::set<std::string>& formats, const OutputFolder& out);

// grades.csv and chapters.csv (RFC 4180). A cell that a spreadsheet would take for a formula gets a ' in
// front.
[[nodiscard]] std::string grades_csv(const ClassResult& result);
[[nodiscard]] std::string chapters_csv(const ClassResult& result);
// results.json: docs/json_class.md has the shape.
[[nodiscard]] report::Json class_json(const ClassResult& result);
// junit.xml: a suite for each submission and chapter.
[[nodiscard]] std::string junit_xml(const ClassResult& result);
// results.json as Gradescope's autograder documentation describes it, of one student.
[[nodiscard]] report::Json gradescope_json(const StudentView& student);
// classroom50/result/v1, of one student. `variable` looks up what the runner sets: CLASSROOM, ASSIGNMENT, ….
[[nodiscard]] report::Json classroom50_json(const StudentView& student,
                                            const std::function<std::string(const char*)>& variable);
// Workflow commands of GitHub Actions, one a line; and the job's summary in Markdown.
[[nodiscard]] std::string github_annotations(const ClassResult& result);
[[nodiscard]] std::string github_summary(const ClassResult& result);
// The class report: index.html, and a page per student, which shows the kernel texts that `source` finds.
[[nodiscard]] std::string class_page(const ClassResult& result);
[[nodiscard]] std::string student_page(const StudentView& student, const std::vector<Message>& problems,
                                       const std::function<std::string(const std::string& sha256)>& source,
                                       bool alone);  // alone: no way back to the class
// Where a student's page lies, as a link from index.html.
[[nodiscard]] std::string student_link(const std::string& student);

// The reasons of a case as lines, with the source line that is to blame.
[[nodiscard]] std::string reasons_text(const judge::CaseResult& result);

}  // namespace lab::grade
