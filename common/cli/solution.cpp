// `lab solution N`: the reference solution of a chapter, once you have passed it.
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "common/base/errors.h"
#include "common/base/project.h"
#include "common/cli/cli.h"
#include "common/course/progress.h"
#include "common/report/json.h"

namespace lab::cli {
namespace {

struct Options {
  std::string chapter;
  bool spoil = false, json = false;
};

int solution(const Session& session, const Options& options) {
  const judge::ChapterInfo& chapter = judge::chapter_named(options.chapter);
  if (!options.spoil && !course::Progress::load().of(chapter.name).passed) {
    throw base::LabError(
        base::ExitCode::NotYet,
        fmt::format(
            "You have not passed {} yet. ./lab hint {} helps; --spoil shows the solution all the same.",
            chapter.name, chapter.name));
  }
  const std::filesystem::path path = judge::solution_kernel(chapter);
  std::ifstream in(path);
  if (!in)
    throw base::EnvironmentError(
        fmt::format("{} is not there; restore it with git.", base::shown_path(path)));
  std::stringstream text;
  text << in.rdbuf();
  if (options.json) {
    fmt::print(
        "{}\n",
        report::dump({{"chapter", chapter.name}, {"file", base::shown_path(path)}, {"text", text.str()}}));
  } else {
    fmt::print("{}\n{}", session.style().paint(base::shown_path(path), report::Ink::Faint), text.str());
  }
  return 0;
}

}  // namespace

void add_solution(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand("solution",
                                         "The reference solution, once you have passed the "
                                         "chapter.\nExample: ./lab solution 5    ./lab solution 5 --spoil");
  auto options = std::make_shared<Options>();
  command->add_option("chapter", options->chapter, "Number or name of the chapter")->required();
  command->add_flag("--spoil", options->spoil, "Show it before a pass too");
  command->add_flag("--json", options->json, "One JSON object");
  command->callback(
      [&session, options] { session.action = [&session, options] { return solution(session, *options); }; });
}

}  // namespace lab::cli
