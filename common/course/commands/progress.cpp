// `lab progress`, and `lab` alone: where you are, what is next.
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "common/base/errors.h"
#include "common/base/files.h"
#include "common/base/project.h"
#include "common/course/commands/commands.h"
#include "common/course/judge/named_kernel.h"
#include "common/course/lessons/progress.h"
#include "common/course/report/json.h"
#include "common/ui/table.h"
#include "common/ui/wrap.h"

namespace lab::cli {

namespace {

const judge::ChapterInfo& first_open_chapter() {
  const std::vector<const judge::ChapterInfo*> chapters = judge::all_chapters();
  if (chapters.empty()) throw base::EnvironmentError("This build has no chapters; run ./lab setup again.");
  const course::Progress progress = course::Progress::load();
  for (const judge::ChapterInfo* chapter : chapters) {
    const course::ChapterProgress reached = progress.of(chapter->name);
    if (!reached.passed || reached.again) return *chapter;
  }
  return *chapters.back();
}

}  // namespace

const judge::ChapterInfo& current_chapter(const std::string& name) {
  if (!name.empty()) return judge::chapter_named(name);
  std::error_code gone;
  const std::filesystem::path here = std::filesystem::current_path(gone),
                              chapters =
                                  std::filesystem::weakly_canonical(base::project_root() / "chapters", gone);
  for (const judge::ChapterInfo* chapter : judge::all_chapters()) {
    const std::filesystem::path folder = chapters / chapter->name;
    if (std::mismatch(folder.begin(), folder.end(), here.begin(), here.end()).first == folder.end())
      return *chapter;
  }
  return first_open_chapter();
}

namespace {

// Lines of the start screen, their labels as wide as the widest.
void print_labelled(const std::vector<std::pair<std::string, std::string>>& lines) {
  std::size_t widest = 0;
  for (const auto& [label, what] : lines) widest = std::max(widest, report::width(label));
  for (const auto& [label, what] : lines)
    fmt::print("{}\n", report::fitted(report::pad_right(label, widest) + "   " + what, "  ",
                                      std::string(widest + 5, ' ')));
}

}  // namespace

int where_you_are(const Session& session) {
  const judge::ChapterInfo& chapter = current_chapter();
  const course::Progress progress = course::Progress::load();
  int passed = 0;
  for (const judge::ChapterInfo* c : judge::all_chapters()) passed += progress.of(c->name).passed;
  const report::Style style = session.style();
  fmt::print("{}   {}\n", style.paint("Transpose Lab", report::Ink::Strong),
             tr("{} of {} chapters passed", passed, judge::all_chapters().size()));
  if (passed == static_cast<int>(judge::all_chapters().size())) {
    print_labelled({{tr("here"), tr("the end of the course, for now")},
                    {tr("next"), "./lab bench     ./lab swizzle \"x ^ y\"     ./lab run program.cu"}});
    return 0;
  }
  print_labelled({{tr("here"), style.paint(chapter.name, report::Ink::Strong) + ": " +
                                   std::string(text::translated_form(chapter.idea))},
                  {tr("read"), lesson_of(chapter.name)},
                  {tr("edit"), fmt::format("chapters/{}/transpose.cu", chapter.name)},
                  {tr("next"), "./lab predict     ./lab check     ./lab hint"},
                  {tr("more"), "./lab tour     ./lab progress     ./lab --help"}});
  return 0;
}

namespace {

int points_possible(const judge::ChapterInfo& chapter) {
  return judge::not_evaluated(chapter, {}).points_possible();
}

int progress(const Session& session, bool json) {
  const course::Progress reached = course::Progress::load();
  if (json) {
    report::Json chapters = report::Json::array();
    for (const judge::ChapterInfo* c : judge::all_chapters()) {
      const course::ChapterProgress p = reached.of(c->name);
      chapters.push_back({{"chapter", c->name},
                          {"passed", p.passed},
                          {"points", p.points},
                          {"points_possible", points_possible(*c)},
                          {"hints", p.hints}});
    }
    print_json({{"current", first_open_chapter().name}, {"chapters", chapters}});
    return 0;
  }
  report::Table table;
  table.column("chapter", report::Align::Left)
      .column("", report::Align::Left)
      .column("points")
      .column("hints");
  int points = 0, possible = 0;
  for (const judge::ChapterInfo* c : judge::all_chapters()) {
    const course::ChapterProgress p = reached.of(c->name);
    table.row({{c->name, report::Ink::Strong},
               {p.passed ? tr("passed") : tr("not yet"), p.passed ? report::Ink::Good : report::Ink::Faint},
               {fmt::format("{} / {}", p.points, points_possible(*c))},
               {fmt::format("{}", p.hints)}});
    points += p.points, possible += points_possible(*c);
  }
  table.row({{""}, {""}, {fmt::format("{} / {}", points, possible)}, {""}});
  fmt::print("{}", table.text(session.style(), "  "));
  return 0;
}

void export_to(const std::string& path) {
  write_named(path, course::Progress::load().text());
  fmt::print(stderr, "lab: {}\n", tr("wrote {}", path));
}

// Chapters that this course does not have are none of its progress: a newer clone may know them.
void import_from(const std::string& path) {
  const std::optional<std::string> text = base::read_file(path);
  if (!text) throw base::UsageError(msg("There is no file {} that can be read.", path));
  const std::optional<course::Progress> theirs = course::Progress::parse(*text);
  if (!theirs) throw base::UsageError(msg("{} is not what `lab progress --export` writes.", path));
  course::Progress ours = course::Progress::load();
  ours.merge(*theirs);
  ours.save();
}

struct ProgressOptions {
  std::string to, from;
  bool json = false;
};

}  // namespace

int show_progress(const Session& session) { return progress(session, false); }

Command progress_command(const Session& session) {
  Command command{"progress",
                  "What you have reached.\nExample: ./lab progress    ./lab progress --export mine.json"};
  static ProgressOptions options;
  command.option("--export", options.to, "Write it to this file, to take to another machine");
  command.option("--import", options.from, "Add what such a file has reached; nothing reached here is lost");
  command.json(options.json);
  command.run = [&session] {
    if (!options.from.empty()) import_from(options.from);
    if (!options.to.empty()) export_to(options.to);
    return progress(session, options.json);
  };
  return command;
}

}  // namespace lab::cli
