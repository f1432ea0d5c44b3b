// `lab watch [N]`: checks again each time the kernel file is saved.
//
// Enters: a chapter; at a terminal, keys. Leaves: one card after another, until Ctrl-C or `q`. At a terminal
// the screen shows one thing: the card, a hint, a picture or the list, and below it how far the course has
// got and which keys there are. After a pass it waits for the student's word (`n`) to go on to the next
// chapter.
#include <fmt/core.h>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/base/errors.h"
#include "common/base/file_watch.h"
#include "common/base/project.h"
#include "common/course/commands/commands.h"
#include "common/course/judge/checks.h"
#include "common/course/judge/named_kernel.h"
#include "common/course/lessons/progress.h"
#include "common/ui/keys.h"
#include "common/ui/wrap.h"

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
template <class Work>
int tried(const Work& work) {
  int code = 0;
  try {
    code = work();
  } catch (const base::LabError& error) {
    if (error.exit_code() == base::ExitCode::Environment) throw;
    std::fflush(stdout);
    fmt::print(stderr, "lab: {}\n", text::translated(error));
    code = static_cast<int>(error.exit_code());
  }
  std::fflush(stdout);
  return code;
}

int check_once(const Session& session, const CheckOptions& options) {
  return tried([&] { return run_check(session, options); });
}

// "[######>--------------]  6 of 18 chapters passed"
std::string progress_bar(const report::Style& style) {
  constexpr std::size_t kLongest = 40, kWords = 32;
  const std::vector<const judge::ChapterInfo*> chapters = judge::all_chapters();
  const course::Progress progress = course::Progress::load();
  const auto passed = static_cast<std::size_t>(std::count_if(
      chapters.begin(), chapters.end(), [&](const auto* c) { return progress.of(c->name).passed; }));
  const std::size_t columns = report::terminal_columns();
  const std::size_t length = columns > kWords + 10 ? std::min(kLongest, columns - kWords) : 10;
  const std::size_t done = length * passed / chapters.size();
  std::string bar(done, '#');
  if (done < length) bar += '>' + std::string(length - done - 1, '-');
  return fmt::format("[{}]  {}", style.paint(bar, report::Ink::Good),
                     tr("{} of {} chapters passed", passed, chapters.size()));
}

// At a terminal: one screen, and keys.
class Desk {
 public:
  Desk(const Session& session, const WatchOptions& options, const judge::ChapterInfo& chapter)
      : session_(session), options_(options), check_(options.check), chapter_(&chapter) {}

  int run() {
    const Keys keys;
    go_to(*chapter_);
    for (;;) {
      check();
      while (!saved_->wait(checked_, STDIN_FILENO)) {
        const int key = Keys::pressed();
        if (key == 'q' || key < 0) return code_;
        if (obey(key)) break;
      }
    }
  }

 private:
  void go_to(const judge::ChapterInfo& chapter) {
    chapter_ = &chapter;
    check_.chapter = chapter.name;
    file_ = judge::kernel_of(chapter, check_.kernel);
    saved_ = std::make_unique<base::FileWatch>(file_, options_.only_poll);
  }

  // null: this is the last one, or the file is not a chapter's own.
  [[nodiscard]] const judge::ChapterInfo* next() const {
    const std::vector<const judge::ChapterInfo*> chapters = judge::all_chapters();
    const auto here = std::find(chapters.begin(), chapters.end(), chapter_);
    return !check_.kernel.empty() || here == chapters.end() || here + 1 == chapters.end() ? nullptr
                                                                                          : *(here + 1);
  }

  // What each key does; a line ends between two of them.
  [[nodiscard]] std::string keys_line() const {
    std::vector<std::string> keys{tr("h hint"), tr("s show"), tr("l list"), tr("Enter check again"),
                                  tr("q quit")};
    if (next() != nullptr) keys.insert(keys.begin(), tr("n next chapter"));
    const std::size_t room = report::terminal_columns();
    std::string text, line;
    for (const std::string& key : keys) {
      if (room != 0 && !line.empty() && report::width(line) + 3 + report::width(key) > room)
        text += std::exchange(line, "") + "\n";
      line += (line.empty() ? "" : "   ") + key;
    }
    return text + line + "\n";
  }

  template <class Work>
  int on_screen(const Work& work) {
    fmt::print("\x1b[H\x1b[2J\x1b[3J");
    std::fflush(stdout);
    const int code = tried(work);
    const report::Style style = session_.style();
    fmt::print("\n{}\n", progress_bar(style));
    if (code_ == 0 && next() != nullptr)
      fmt::print("{}\n", style.paint(tr("passed: n goes on to {}", next()->name), report::Ink::Strong));
    fmt::print("{}{}",
               style.paint(report::wrapped(tr("{}   watching {}", clock_time(), base::shown_path(file_)),
                                           report::terminal_columns()),
                           report::Ink::Faint),
               style.paint(keys_line(), report::Ink::Faint));
    std::fflush(stdout);
    return code;
  }

  void check() {
    checked_ = base::stamp_of(file_);  // before: an edit during the check is seen afterwards
    on_screen([&] { return code_ = check_once(session_, check_); });
  }

  // True: check again.
  bool obey(int key) {
    const auto look = [&](const auto& work) {
      on_screen(work);
      return false;
    };
    switch (key) {
      case 'h':
        return look([&] { return show_hint(session_, chapter_->name); });
      case 's':
        return look([&] { return show_picture(session_, chapter_->name); });
      case 'l':
        return look([&] { return show_progress(session_); });
      case 'n':
        if (next() != nullptr) go_to(*next());
        return true;
      case '\n':
        return true;
      default:
        return false;
    }
  }

  const Session& session_;
  const WatchOptions& options_;
  CheckOptions check_;
  const judge::ChapterInfo* chapter_;
  fs::path file_;
  base::FileStamp checked_;
  std::unique_ptr<base::FileWatch> saved_;
  int code_ = 1;
};

int watch(const Session& session, const WatchOptions& options) {
  const judge::ChapterInfo& chapter = current_chapter(options.check.chapter);
  if (Keys::are_there() && !options.check.json && options.times == 0)
    return Desk(session, options, chapter).run();
  CheckOptions check = options.check;
  check.chapter = chapter.name;  // fixed now: a pass must not move it
  const fs::path file = judge::kernel_of(chapter, check.kernel);
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
  Command command{"watch",
                  "Checks again each time you save; at a terminal with keys for hints and "
                  "pictures.\nExample: ./lab watch 5"};
  static WatchOptions options;
  command.option("chapter", options.check.chapter,
                 "Number or name (default: that of the folder, or the first one not passed)");
  command.option("--kernel", options.check.kernel, "Another kernel file than the chapter's own");
  command.option("--json", options.check.json, "One JSON object a check");
  command.option("--poll", options.only_poll,
                 "Look twice a second; for folders without notifications (WSL, network)");
  command.option("--times", options.times, "End after so many checks").between(0, Option::kNoMost);
  command.run = [&session] { return watch(session, options); };
  return command;
}

}  // namespace lab::cli
