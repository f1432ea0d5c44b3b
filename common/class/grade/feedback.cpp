// Writes the pages that students read. See feedback.h.
#include "common/class/grade/feedback.h"

#include <algorithm>
#include <map>
#include <vector>

#include "common/base/files.h"
#include "common/class/grade/zip_writer.h"

namespace lab::grade {
namespace {

auto source_in(const OutputFolder& out) {
  return [&out](const std::string& sha256) { return base::read_file(out.source(sha256)).value_or(""); };
}

// The people of each file: several who handed in together. Where a platform names files, a person without a
// name of its kind has none: whom it would go to is not known.
std::map<std::string, std::vector<StudentView>> by_feedback_file(const ClassResult& result) {
  const bool platform = std::any_of(result.about.begin(), result.about.end(),
                                    [](const auto& about) { return !about.second.feedback.empty(); });
  std::map<std::string, std::vector<StudentView>> files;
  for (const StudentView& student : by_student(result)) {
    const auto about = result.about.find(student.student);
    if (about == result.about.end()) continue;  // of an earlier run alone
    const std::string& name = about->second.feedback;
    if (!name.empty() || !platform) files[name.empty() ? student.student + ".html" : name].push_back(student);
  }
  return files;
}

bool same_for_both(const Graded& a, const Graded& b) {
  return a.points == b.points && a.late_percent == b.late_percent && by_hand_json(a) == by_hand_json(b);
}

// The page that all of a team may read: of this run alone, and without what one of them alone has, such as
// more time or a decision by hand.
std::string page_of_team(const std::vector<StudentView>& team, const ClassResult& result,
                         const OutputFolder& out) {
  StudentView together;
  std::vector<Graded> chapters;
  bool differs = false;
  for (const Graded* g : team.front().chapters) {
    if (g->earlier) continue;
    chapters.push_back(*g);
    const bool same = std::all_of(team.begin(), team.end(), [&](const StudentView& member) {
      const Graded* own = member.of(g->record.chapter);
      return own != nullptr && same_for_both(*own, *g);
    });
    if (same) continue;
    differs = true;
    chapters.back().record.by_hand.reset();
    chapters.back().late_percent = 0;
    chapters.back().points = chapters.back().score.points();
  }
  for (const StudentView& member : team)
    together.student += (together.student.empty() ? "" : ", ") + member.student;
  for (const Graded& g : chapters) together.chapters.push_back(&g);
  std::vector<Message> words;
  if (const auto found = result.problems.find(team.front().student); found != result.problems.end())
    words = found->second;
  if (differs)
    words.emplace_back(
        "The points are those of the kernel. What each of you has for it may differ: see your own grade.");
  return student_page(together, words, source_in(out), true);
}

}  // namespace

std::string page_of(const StudentView& student, const ClassResult& result, const OutputFolder& out,
                    bool alone) {
  const auto problems = result.problems.find(student.student);
  return student_page(student, problems == result.problems.end() ? std::vector<Message>{} : problems->second,
                      source_in(out), alone);
}

// A page for each submission, under the name by which the platform knows whose it is.
void write_feedback_zip(const ClassResult& result, const OutputFolder& out) {
  ZipWriter zip(out.root / "feedback.zip");
  for (const auto& [name, people] : by_feedback_file(result))
    zip.add(
        name,
        people.size() == 1 ? page_of(people.front(), result, out, true) : page_of_team(people, result, out),
        false);
  (void)zip.finish();
}

}  // namespace lab::grade
