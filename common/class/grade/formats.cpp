// Writes the reports of a class, and the small formats: CSV, JSON. See formats.h.
#include "common/class/grade/formats.h"
#include "common/base/project.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "common/base/errors.h"
#include "common/base/files.h"
#include "common/base/printable.h"
#include "common/class/grade/csv.h"
#include "common/class/grade/feedback.h"
#include "common/class/grade/summary.h"

namespace lab::grade {
using report::Json;

namespace {

void write(const OutputFolder& out, const std::string& name, const std::string& text,
           std::vector<std::string>* listed = nullptr) {
  if (!base::write_file_atomically(out.root / name, text)) {
    throw base::EnvironmentError(
        msg("Cannot write {}. Is there room on the disk?", (out.root / name).string()));
  }
  if (listed != nullptr) listed->push_back(name);
}

// Spreadsheets compute what begins so, in their wide forms too.
bool is_formula(std::string_view text) {
  constexpr std::array<std::string_view, 10> kSigns = {"=",  "+",  "-",  "@",  "\t",
                                                       "\r", "＝", "＋", "－", "＠"};
  return std::any_of(kSigns.begin(), kSigns.end(),
                     [&](std::string_view sign) { return text.starts_with(sign); });
}

// What a spreadsheet would compute gets a '.
std::string row(std::vector<std::string> cells) {
  for (std::string& cell : cells) {
    if (is_formula(cell)) cell.insert(0, 1, '\'');
    cell = base::printable(cell);
  }
  return csv_line(cells);
}

constexpr const char* kMark = "\xEF\xBB\xBF";  // Excel takes text without it for the machine's own code page

Json times_json(const ClassResult& result) {
  Json units = Json::array();
  for (const UnitCost& cost : result.costs) units.push_back(cost_json(cost));
  double compile = 0, simulate = 0, all = 0;
  for (const UnitCost& cost : result.costs) {
    compile += cost.parts.compile_seconds;
    simulate += cost.parts.simulate_seconds;
    all += cost.processor_seconds;
  }
  return {{"seconds", result.seconds},
          {"processor_seconds", all},
          {"compile_seconds", compile},
          {"simulate_seconds", simulate},
          {"judged", result.costs.size()},
          {"known", result.known},
          {"kernels", units}};
}

Json chapter_json(const Graded& g, bool dropped) {
  return {{"chapter", g.record.chapter},
          {"state", g.record.judgement.state},
          {"verdict", g.record.judgement.is_verdict()},
          {"passed", g.passed},
          {"points", g.has_points() ? points_json(g.points) : Json()},
          {"points_possible", points_json(g.points_possible)},
          {"diagnosis", g.diagnosis},
          {"message", g.message},
          {"file", g.record.file},
          {"submission", g.record.source},
          {"submitted", g.record.submitted},
          {"late_percent", g.late_percent},
          {"bonus", g.bonus},
          {"dropped", dropped},
          {"by_hand", by_hand_json(g)},
          {"earlier", g.earlier}};
}

void write_html(const ClassResult& result, const OutputFolder& out, std::vector<std::string>& written) {
  write(out, "index.html", class_page(result), &written);
  for (const StudentView& student : by_student(result))
    write(out, "students/" + student.student + ".html", page_of(student, result, out, false));
}

void write_feedback(const ClassResult& result, const OutputFolder& out, std::vector<std::string>& written) {
  write_feedback_zip(result, out);
  written.emplace_back("feedback.zip");
}

}  // namespace

Json cost_json(const UnitCost& cost) {
  return {{"chapter", cost.chapter},
          {"submission", cost.source},
          {"processor_seconds", cost.processor_seconds},
          {"compile_seconds", cost.parts.compile_seconds},
          {"simulate_seconds", cost.parts.simulate_seconds},
          {"wall_seconds", cost.wall_seconds},
          {"work", cost.parts.work},
          {"memory_bytes", cost.memory_bytes}};
}

UnitCost cost_from(const Json& json) {
  UnitCost cost;
  cost.chapter = json.at("chapter");
  cost.source = json.at("submission");
  cost.processor_seconds = json.at("processor_seconds");
  // Reports of earlier versions have none of these.
  cost.parts = {json.value("compile_seconds", 0.0), json.value("simulate_seconds", 0.0),
                json.value("work", std::uint64_t{0})};
  cost.wall_seconds = json.at("wall_seconds");
  cost.memory_bytes = json.at("memory_bytes");
  return cost;
}

std::int64_t StudentView::points() const {
  std::int64_t sum = 0;
  for (const Graded* g : chapters) sum += dropped.contains(g->record.chapter) ? 0 : g->points;
  return sum;
}

std::int64_t StudentView::points_possible() const {
  std::int64_t sum = 0;
  for (const Graded* g : chapters)
    sum += g->bonus || dropped.contains(g->record.chapter) ? 0 : g->points_possible;
  return sum;
}

namespace {

// Those of the chapters that count with the smallest part of their points; one stays. What has no verdict stays, too.
std::set<std::string> lowest(const StudentView& student, std::int64_t count) {
  std::vector<const Graded*> all;
  for (const Graded* g : student.chapters)
    if (!g->bonus && g->has_points() && g->points_possible > 0) all.push_back(g);
  std::stable_sort(all.begin(), all.end(), [](const Graded* a, const Graded* b) {
    return a->points * b->points_possible < b->points * a->points_possible;
  });
  std::set<std::string> names;
  for (std::size_t i = 0; i + 1 < all.size() && static_cast<std::int64_t>(i) < count; ++i)
    names.insert(all[i]->record.chapter);
  return names;
}

}  // namespace

std::vector<StudentView> by_student(const ClassResult& result) {
  std::vector<StudentView> students;
  for (const Graded& g : result.graded) {
    if (students.empty() || students.back().student != g.record.student)
      students.push_back({g.record.student, {}, {}});
    students.back().chapters.push_back(&g);
  }
  for (StudentView& student : students) student.dropped = lowest(student, result.drop_lowest);
  return students;
}

namespace {

std::string results_json(const ClassResult& result) { return class_json(result).dump(1) + "\n"; }
Json classroom50_of(const StudentView& student) {
  return classroom50_json(student, base::environment_variable);
}

// What may lie in the folder, in the order of --format.
struct Report {
  std::string_view format;  // "": of none
  const char* name;         // of a file, or of a folder with one for each student
  std::string (*of_class)(const ClassResult&) = nullptr;  // both null: not written by the table
  Json (*of_student)(const StudentView&) = nullptr;
};
constexpr Report kReports[] = {{"csv", "grades.csv", grades_csv},
                               {"csv", "chapters.csv", chapters_csv},
                               {"json", "results.json", results_json},
                               {"html", "index.html"},
                               {"junit", "junit.xml", junit_xml},
                               {"gradescope", "gradescope/", nullptr, gradescope_json},
                               {"classroom50", "classroom50/", nullptr, classroom50_of},
                               {"github", "github-annotations.txt", github_annotations},
                               {"github", "github-summary.md", github_summary},
                               {"feedback", "feedback.zip"},
                               {"", "times.json"},
                               {"", kGradebookName}};

void write_report(const Report& report, const ClassResult& result, const OutputFolder& out,
                  std::vector<std::string>& written) {
  if (report.of_class != nullptr) return write(out, report.name, report.of_class(result), &written);
  if (report.of_student == nullptr) return;
  for (const StudentView& student : by_student(result))
    write(out, report.name + student.student + ".json", report.of_student(student).dump(1) + "\n");
  written.emplace_back(report.name);
}

}  // namespace

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const Report& report : kReports)
    if (!report.format.empty() && (names.empty() || names.back() != report.format))
      names.emplace_back(report.format);
  return names;
}

void write_tables(const ClassResult& result, const std::set<std::string>& formats, const OutputFolder& out) {
  std::vector<std::string> written;
  for (const Report& report : kReports)
    if ((report.format == "csv" || report.format == "json") && formats.contains(std::string(report.format)))
      write_report(report, result, out, written);
}

std::vector<std::string> write_formats(const ClassResult& result, const std::set<std::string>& formats,
                                       const OutputFolder& out) {
  std::vector<std::string> written;
  if (formats.contains("html")) write_html(result, out, written);
  for (const Report& report : kReports)
    if (formats.contains(std::string(report.format))) write_report(report, result, out, written);
  if (formats.contains("feedback")) write_feedback(result, out, written);
  write(out, "times.json", times_json(result).dump(1) + "\n", &written);
  return written;
}

std::vector<std::string> chapters_of(const ClassResult& result) {
  std::set<std::string> chapters;
  for (const Graded& g : result.graded) chapters.insert(g.record.chapter);
  return {chapters.begin(), chapters.end()};
}

const Graded* StudentView::of(const std::string& chapter) const {
  const auto found = std::find_if(chapters.begin(), chapters.end(),
                                  [&](const Graded* g) { return g->record.chapter == chapter; });
  return found == chapters.end() ? nullptr : *found;
}

std::string grades_csv(const ClassResult& result) {
  const std::vector<std::string> chapters = chapters_of(result);
  std::vector<std::string> title = {"student", "points", "points_possible"};
  title.insert(title.end(), chapters.begin(), chapters.end());
  title.emplace_back("without_verdict");
  std::string text = kMark + row(title);
  for (const StudentView& student : by_student(result)) {
    std::vector<std::string> cells = {student.student, points_text(student.points()),
                                      points_text(student.points_possible())};
    std::size_t open = 0;  // a cell without a verdict is empty: it is no zero
    for (const std::string& chapter : chapters) {
      const Graded* g = student.of(chapter);
      const bool known = g != nullptr && g->has_points();
      cells.push_back(known ? points_text(g->points) : "");
      open += g != nullptr && !known;
    }
    cells.push_back(std::to_string(open));
    text += row(cells);
  }
  return text;
}

std::string chapters_csv(const ClassResult& result) {
  std::vector<std::string> titles = {"student",         "chapter",   "state",   "passed", "points",
                                     "points_possible", "diagnosis", "message", "file",   "submission"};
  const auto any = [&](const auto& of) {
    return std::any_of(result.graded.begin(), result.graded.end(), of);
  };
  const bool times = any([](const Graded& g) { return !g.record.submitted.empty(); });
  const bool decided = any([](const Graded& g) { return g.record.by_hand.has_value(); });
  const bool earlier = any([](const Graded& g) { return g.earlier; });
  if (times) titles.insert(titles.end(), {"submitted", "late_percent"});
  if (decided) titles.insert(titles.end(), {"judged_points", "comment"});
  if (earlier) titles.emplace_back("run");
  std::string text = kMark + row(titles);
  for (const Graded& g : result.graded) {
    const Record& r = g.record;
    std::vector<std::string> cells = {r.student,
                                      r.chapter,
                                      r.judgement.state,
                                      g.passed ? "yes" : "no",
                                      g.has_points() ? points_text(g.points) : "",
                                      points_text(g.points_possible),
                                      g.diagnosis,
                                      g.message,
                                      r.file,
                                      r.source};
    if (times) cells.insert(cells.end(), {r.submitted, std::to_string(g.late_percent)});
    if (decided)
      cells.insert(cells.end(),
                   {points_text(g.judged_points), r.by_hand ? r.by_hand->comment : std::string()});
    if (earlier) cells.emplace_back(g.earlier ? "earlier" : "this");
    text += row(cells);
  }
  return text;
}

Json class_json(const ClassResult& result) {
  Json students = Json::array();
  for (const StudentView& student : by_student(result)) {
    Json chapters = Json::array();
    for (const Graded* g : student.chapters)
      chapters.push_back(chapter_json(*g, student.dropped.contains(g->record.chapter)));
    const auto problems = result.problems.find(student.student);
    students.push_back(
        {{"student", student.student},
         {"points", points_json(student.points())},
         {"points_possible", points_json(student.points_possible())},
         {"problems", problems == result.problems.end() ? Json::array() : Json(english(problems->second))},
         {"chapters", chapters}});
  }
  Json tools = Json::object();
  if (!result.graded.empty()) {
    for (const auto& [key, value] : result.graded.front().record.tools.listed()) tools[key] = value;
  }
  return {{"format", "transpose-lab class 1"},
          {"complete", result.complete},
          {"hashes", tools},
          {"students", students}};
}

std::vector<std::string> existing_reports(const OutputFolder& out) {
  std::vector<std::string> there;
  std::error_code error;
  for (const Report& report : kReports)
    if (std::filesystem::exists(out.root / report.name, error)) there.emplace_back(report.name);
  return there;
}

std::vector<std::string> stale_reports(const OutputFolder& out, const std::vector<std::string>& written) {
  std::vector<std::string> stale = existing_reports(out);
  std::erase_if(stale, [&](const std::string& name) {
    return name == kGradebookName || std::find(written.begin(), written.end(), name) != written.end();
  });
  return stale;
}

std::string reasons_text(const judge::CaseResult& result) {
  std::string text;
  for (const judge::Reason& reason : result.reasons) {
    if (!text.empty()) text += "\n";
    if (reason.line != 0) text += fmt::format("{}:{}: ", reason.file, reason.line);
    text += reason.message.english();
    for (const judge::Figure& f : reason.figures)
      text += fmt::format("\n  {} {}   goal {}", f.name.english(), f.value, f.goal);
  }
  return text;
}

}  // namespace lab::grade
