// `lab solution N`: the reference solution of a chapter, once you have passed it.
#include <fmt/core.h>

#include <optional>

#include "common/base/errors.h"
#include "common/base/files.h"
#include "common/base/project.h"
#include "common/course/commands/commands.h"
#include "common/course/judge/named_kernel.h"
#include "common/course/lessons/progress.h"
#include "common/course/report/json.h"

namespace lab::cli {
namespace {

struct SolutionOptions {
  std::string chapter;
  bool spoil = false, json = false;
};

int solution(const Session& session, const SolutionOptions& options) {
  const judge::ChapterInfo& chapter = judge::chapter_named(options.chapter);
  if (!options.spoil && !course::Progress::load().of(chapter.name).passed) {
    throw base::LabError(
        base::ExitCode::NotYet,
        msg("You have not passed {} yet. ./lab hint {} helps; --spoil shows the solution all the same.",
            chapter.name, chapter.name));
  }
  const std::filesystem::path path = judge::solution_kernel(chapter);
  const std::optional<std::string> text = base::read_file(path);
  if (!text)
    throw base::EnvironmentError(msg("{} is not there; restore it with git.", base::shown_path(path)));
  if (options.json) {
    print_json({{"chapter", chapter.name}, {"file", base::shown_path(path)}, {"text", *text}});
  } else {
    fmt::print("{}\n{}", session.style().paint(base::shown_path(path), report::Ink::Faint), *text);
  }
  return 0;
}

}  // namespace

Command solution_command(const Session& session) {
  Command command{"solution",
                  "The reference solution, once you have passed the "
                  "chapter.\nExample: ./lab solution 5    ./lab solution 5 --spoil"};
  static SolutionOptions options;
  command.option("chapter", options.chapter, "Number or name of the chapter").required();
  command.option("--spoil", options.spoil, "Show it before a pass too");
  command.json(options.json);
  command.run = [&session] { return solution(session, options); };
  return command;
}

}  // namespace lab::cli
