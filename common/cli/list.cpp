// `lab list`: the chapters, one line each.
#include <fmt/core.h>

#include <cstdio>

#include "common/cli/cli.h"
#include "common/judge/checks.h"
#include "common/report/json.h"
#include "common/report/table.h"

namespace lab::cli {
namespace {

int list(const Session& session, bool json) {
  if (json) {
    report::Json chapters = report::Json::array();
    for (const judge::ChapterInfo* chapter : judge::all_chapters()) {
      chapters.push_back({{"chapter", chapter->name}, {"idea", chapter->idea}});
    }
    fmt::print("{}\n", report::dump({{"chapters", chapters}}));
    return 0;
  }
  report::Table table;
  table.column("chapter", report::Align::Left)
      .column("idea", report::Align::Left)
      .column("lesson", report::Align::Left)
      .may_go();
  for (const judge::ChapterInfo* chapter : judge::all_chapters()) {
    table.row({{chapter->name, report::Ink::Strong},
               {retell(chapter->idea)},
               {lesson_of(chapter->name), report::Ink::Faint}});
  }
  fmt::print("{}", table.text(session.style()));
  return 0;
}

}  // namespace

Command list_command(const Session& session) {
  Command command{"list", "The chapters, one line each.\nExample: ./lab list"};
  static bool json = false;
  command.option("--json", json, "One JSON object");
  command.run = [&session] { return list(session, json); };
  return command;
}

}  // namespace lab::cli
