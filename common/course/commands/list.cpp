// `lab list`: the chapters, one line each.
#include <fmt/core.h>

#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "common/course/commands/commands.h"
#include "common/course/judge/checks.h"
#include "common/course/report/json.h"
#include "common/ui/table.h"
#include "common/ui/wrap.h"

namespace lab::cli {
namespace {

std::vector<std::string> needs_of(const judge::ChapterInfo& chapter) {
  std::istringstream words(chapter.needs);
  return {std::istream_iterator<std::string>(words), {}};
}

// "03, 07"
std::string short_names(const std::vector<std::string>& chapters) {
  std::string text;
  for (const std::string& name : chapters) text += (text.empty() ? "" : ", ") + name.substr(0, 2);
  return text;
}

int list(const Session& session, bool json) {
  if (json) {
    report::Json chapters = report::Json::array();
    for (const judge::ChapterInfo* chapter : judge::all_chapters()) {
      chapters.push_back({{"chapter", chapter->name},
                          {"idea", chapter->idea},
                          {"needs", needs_of(*chapter)},
                          {"minutes", chapter->minutes},
                          {"hopper", chapter->hopper}});
    }
    print_json({{"chapters", chapters}});
    return 0;
  }
  report::Table table;
  table.column("chapter", report::Align::Left)
      .column("idea", report::Align::Left)
      .column("needs", report::Align::Left)
      .may_go()
      .column("minutes")
      .may_go()
      .column("lesson", report::Align::Left)
      .may_go();
  bool hopper = false;
  for (const judge::ChapterInfo* chapter : judge::all_chapters()) {
    table.row({{chapter->name, report::Ink::Strong},
               {text::translated_form(chapter->idea) + (chapter->hopper ? " ◆" : "")},
               {short_names(needs_of(*chapter))},
               {chapter->minutes == 0 ? "" : fmt::format("{}", chapter->minutes)},
               {lesson_of(chapter->name), report::Ink::Faint}});
    hopper |= chapter->hopper;
  }
  fmt::print("{}", table.text(session.style()));
  if (hopper)
    fmt::print(
        "{}\n",
        report::fitted(tr("◆ needs instructions of Hopper: NVRTC or nvcc compile them, clang does not.")));
  return 0;
}

}  // namespace

Command list_command(const Session& session) {
  Command command{"list", "The chapters, one line each.\nExample: ./lab list"};
  static bool json = false;
  command.json(json);
  command.run = [&session] { return list(session, json); };
  return command;
}

}  // namespace lab::cli
