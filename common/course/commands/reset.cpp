// `lab reset N`: a chapter's kernel as it was on the first day. The student's own text stays beside it.
//
// Enters: a chapter. Leaves: chapters/NN/transpose.cu with the text of solutions/NN/skeleton.cu, the old text
// in transpose.cu.bak (transpose.cu.bak.2, … when there is one), and the chapter to be done again in the
// progress: what was passed stays passed.
#include <fmt/core.h>

#include "common/base/errors.h"
#include "common/base/files.h"
#include "common/base/project.h"
#include "common/base/text/text.h"
#include "common/course/commands/commands.h"
#include "common/course/judge/named_kernel.h"
#include "common/course/lessons/progress.h"
#include "common/course/lessons/student_file.h"
#include "common/course/report/json.h"

namespace lab::cli {
namespace {

namespace fs = std::filesystem;
using text::tr;

int reset(const Session& session, const std::string& name, bool json) {
  const judge::ChapterInfo& chapter = judge::chapter_named(name);
  const fs::path file = judge::chapter_kernel(chapter), skeleton = judge::skeleton_kernel(chapter);
  const std::optional<std::string> fresh = base::read_file(skeleton);
  if (!fresh)
    throw base::EnvironmentError(msg("{} is not there; restore it with git.", base::shown_path(skeleton)));
  const bool changed = base::read_file(file) != fresh;
  const fs::path copy = changed ? course::replace_keeping_copy(file, *fresh) : fs::path();
  course::Progress progress = course::Progress::load();
  // First guesses stay what they are: a new start does not make a second guess the first.
  const course::ChapterProgress before = progress.of(chapter.name);
  course::ChapterProgress fresh_start;
  fresh_start.passed = fresh_start.again = before.passed;
  fresh_start.points = before.points;
  fresh_start.first_guesses = before.first_guesses;
  fresh_start.first_findings = before.first_findings;
  progress[chapter.name] = fresh_start;
  progress.save();
  const std::string shown = base::shown_path(file), kept = copy.empty() ? "" : base::shown_path(copy);
  if (json) {
    print_json({{"chapter", chapter.name},
                {"file", shown},
                {"changed", changed},
                {"copy", kept.empty() ? report::Json() : report::Json(kept)}});
    return 0;
  }
  fmt::print("{}   {}\n", session.style().paint(chapter.name, report::Ink::Strong),
             changed ? tr("{} is the skeleton again", shown)
                     : tr("{} is the skeleton already; nothing to do", shown));
  if (!kept.empty()) fmt::print("  {}   {}\n", tr("kept"), tr("your text is in {}", kept));
  fmt::print("  {}   {}     ./lab check {}\n", tr("next"), lesson_of(chapter.name),
             judge::number_of(chapter));
  return 0;
}

}  // namespace

Command reset_command(const Session& session) {
  Command command{"reset",
                  "The skeleton of a chapter again; your text is kept in transpose.cu.bak.\n"
                  "Example: ./lab reset 5"};
  struct Options {
    std::string chapter;
    bool json = false;
  };
  static Options options;
  command.option("chapter", options.chapter, "Number or name of the chapter").required();
  command.json(options.json);
  command.run = [&session] { return reset(session, options.chapter, options.json); };
  return command;
}

}  // namespace lab::cli
