// `lab hint [N]`: what fits the last check first, then the hints of the lesson, one more each time.
//
// Enters: a chapter, the progress. Leaves: one hint, or all. The texts are the folded parts of the lesson.
#include <fmt/core.h>

#include <algorithm>

#include "common/base/errors.h"
#include "common/base/files.h"
#include "common/base/project.h"
#include "common/course/commands/commands.h"
#include "common/course/judge/checks.h"
#include "common/course/judge/named_kernel.h"
#include "common/course/lessons/hints.h"
#include "common/course/lessons/progress.h"
#include "common/course/report/json.h"
#include "common/ui/explain.h"
#include "common/ui/wrap.h"

namespace lab::cli {
namespace {

using course::Hint;

// What fits the last check's first failure: in the words of this lesson where it has some, else in those of
// `lab explain`.
std::optional<Hint> fitting_hint(const std::string& lesson, const course::ChapterProgress& reached) {
  if (reached.diagnosis.empty()) return std::nullopt;
  const std::string title = reached.line == 0
                                ? tr("Your last check said {}", reached.diagnosis)
                                : tr("Your last check said {}, line {}", reached.diagnosis, reached.line);
  const std::vector<Hint> parts = course::folded_parts(lesson, tr("When the check says"));
  if (const Hint* hint = course::fitting(parts, {reached.diagnosis, reached.facts}))
    return Hint{title, hint->text, {}};
  const report::Explanation* e = report::find_explanation(reached.diagnosis);
  if (e == nullptr) return std::nullopt;
  const bool by_atomic =
      std::find(reached.facts.begin(), reached.facts.end(), "by-atomic") != reached.facts.end();
  const std::string remedy =
      by_atomic ? tr("No barrier helps here: do what the message says.") : text::translated_form(e->remedy);
  return Hint{title, fmt::format("{}\n{}", text::translated_form(e->meaning), remedy), {}};
}

struct HintOptions {
  std::string chapter;
  bool all = false, json = false;
};

// What to show now, and where the student stands afterwards.
struct Shown {
  std::optional<Hint> fitting;
  std::size_t from = 0, to = 0;
};
Shown next_hints(course::ChapterProgress& reached, std::optional<Hint> fitting,
                 const std::vector<Hint>& hints, bool all) {
  const std::size_t levels = hints.size();
  Shown shown;
  // A wrong prediction is no reason to hand out the kernel: only what a hint says of predictions comes next.
  const Hint* of_predictions = course::fitting(hints, {"prediction-wrong", {}});
  if (!all && fitting && reached.prediction && reached.diagnosis_hinted && of_predictions != nullptr) {
    shown.from = static_cast<std::size_t>(of_predictions - hints.data());
    shown.to = shown.from + 1;
    reached.diagnosis_hinted = false;  // by turns
    return shown;
  }
  if (fitting && (all || !reached.diagnosis_hinted || reached.prediction)) {
    shown.fitting = std::move(fitting);
    reached.diagnosis_hinted = true;
    if (!all) return shown;
  }
  shown.from = all ? 0 : std::min(static_cast<std::size_t>(reached.hints), levels - 1);
  shown.to = all ? levels : shown.from + 1;
  reached.hints = std::max(reached.hints, static_cast<int>(shown.to));
  return shown;
}

report::Json to_json(const judge::ChapterInfo& chapter, const std::vector<Hint>& hints, const Shown& shown) {
  report::Json list = report::Json::array();
  if (shown.fitting)
    list.push_back(
        {{"level", 0}, {"title", shown.fitting->title}, {"text", report::prose(shown.fitting->text, 0)}});
  for (std::size_t i = shown.from; i < shown.to; ++i)
    list.push_back({{"level", i + 1}, {"title", hints[i].title}, {"text", report::prose(hints[i].text, 0)}});
  return {{"chapter", chapter.name}, {"levels", hints.size()}, {"hints", list}};
}

int hint(const Session& session, const HintOptions& options) {
  const judge::ChapterInfo& chapter = current_chapter(options.chapter);
  const std::string lesson = lesson_text(chapter);
  const std::vector<Hint> hints = course::folded_parts(lesson, tr("Hint"));
  if (hints.empty()) throw base::UsageError(msg("The lesson of {} has no hints.", chapter.name));
  course::Progress progress = course::Progress::load();
  course::ChapterProgress& reached = progress[chapter.name];
  reached.asked = true;
  if (reached.done() && !options.all && !options.json) {
    fmt::print("{}\n", tr("You have passed {}; there is nothing to hint at.", chapter.name));
    fmt::print("  {}   ./lab solution {}     ./lab hint {} --all\n", tr("next"), judge::number_of(chapter),
               judge::number_of(chapter));
    return 0;
  }
  const Shown shown = next_hints(reached, fitting_hint(lesson, reached), hints, options.all);
  progress.save();
  if (options.json) {
    print_json(to_json(chapter, hints, shown));
    return 0;
  }
  const report::Style style = session.style();
  const std::size_t columns = report::terminal_columns();
  if (shown.fitting)
    fmt::print("{}\n{}\n\n", style.paint(shown.fitting->title, report::Ink::Strong),
               report::prose(shown.fitting->text, columns));
  for (std::size_t i = shown.from; i < shown.to; ++i) {
    fmt::print("{}   {}\n{}\n\n", style.paint(hints[i].title, report::Ink::Strong),
               tr("{} of {}", i + 1, hints.size()), report::prose(hints[i].text, columns));
  }
  const int number = judge::number_of(chapter);
  fmt::print("  {}   ./lab check {}{}\n", tr("next"), number,
             shown.to < hints.size() && !reached.prediction ? fmt::format("     ./lab hint {}", number) : "");
  return 0;
}

}  // namespace

int show_hint(const Session& session, const std::string& chapter) {
  HintOptions options;
  options.chapter = chapter;
  return hint(session, options);
}

Command hint_command(const Session& session) {
  Command command{"hint",
                  "The next hint of a chapter; one that fits your last check comes "
                  "first.\nExample: ./lab hint 5    ./lab hint 5 --all"};
  static HintOptions options;
  command.option("chapter", options.chapter,
                 "Number or name (default: that of the folder, or the first one not passed)");
  command.option("--all", options.all, "All hints");
  command.json(options.json);
  command.run = [&session] { return hint(session, options); };
  return command;
}

}  // namespace lab::cli
