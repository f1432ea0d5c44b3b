// `lab watch [N]`: checks again each time the kernel file is saved.
//
// Enters: a chapter. Leaves: one card after another, until Ctrl-C. It stays at its chapter after a pass:
// moving on is the student's decision.
#include <fmt/core.h>

#include <cstdio>
#include <ctime>

#include "common/base/errors.h"
#include "common/base/file_watch.h"
#include "common/base/project.h"
#include "common/cli/cli.h"
#include "common/judge/named_kernel.h"

namespace lab::cli {
namespace {

namespace fs = std::filesystem;

struct WatchOptions {
  CheckOptions check;
  bool only_poll = false;
  int times = 0;  // stop after so many checks; 0: never
};

std::string clock_time() {
  const std::time_t now = std::time(nullptr);
  char text[16];
  std::strftime(text, sizeof text, "%H:%M:%S", std::localtime(&now));
  return text;
}

// A file that is empty, gone, or keeps the compiler busy for too long is no reason to stop watching; a
// machine without a compiler is.
int check_once(const Session& session, const CheckOptions& options) {
  int code = 0;
  try {
    code = run_check(session, options);
  } catch (const base::LabError& error) {
    if (error.exit_code() == base::ExitCode::Environment) throw;
    std::fflush(stdout);
    fmt::print(stderr, "lab: {}\n", translated_message(error.what()));
    code = static_cast<int>(error.exit_code());
  }
  std::fflush(stdout);
  return code;
}

int watch(const Session& session, const WatchOptions& options) {
  const judge::ChapterInfo& chapter =
      options.check.chapter.empty() ? current_chapter() : judge::chapter_named(options.check.chapter);
  CheckOptions check = options.check;
  check.chapter = chapter.name;  // fixed now: a pass must not move it
  const fs::path file = check.kernel.empty() ? judge::chapter_kernel(chapter) : fs::path(check.kernel);
  base::FileWatch saved(file, options.only_poll);
  for (int round = 1;; ++round) {
    const base::FileStamp checked =
        base::stamp_of(file);  // before: an edit during the check is seen afterwards
    const int code = check_once(session, check);
    if (options.times != 0 && round >= options.times) return code;
    if (!check.json) {
      fmt::print("{}\n",
                 session.style().paint(fmt::format("{}   {}", clock_time(),
                                                   tr("watching {}; Ctrl-C ends", base::shown_path(file))),
                                       report::Ink::Faint));
      std::fflush(stdout);
    }
    saved.wait(checked);
  }
}

}  // namespace

Command watch_command(const Session& session) {
  Command command{"watch", "Checks again each time you save.\nExample: ./lab watch 5"};
  static WatchOptions options;
  command.option("chapter", options.check.chapter, "Number or name (default: the first one not passed)");
  command.option("--kernel", options.check.kernel, "Another kernel file than the chapter's own");
  command.option("--json", options.check.json, "One JSON object a check");
  command.option("--poll", options.only_poll,
                 "Look twice a second; for folders without notifications (WSL, network)");
  command.option("--times", options.times, "End after so many checks").between(0, Option::kNoMost);
  command.run = [&session] { return watch(session, options); };
  return command;
}

}  // namespace lab::cli
