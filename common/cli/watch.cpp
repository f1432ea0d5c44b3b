// `lab watch [N]`: checks again each time the kernel file is saved.
//
// Enters: a chapter. Leaves: one card after another, until Ctrl-C. It stays at its chapter after a pass:
// moving on is the student's decision. Changes are noticed by inotify, and by looking at the file twice a
// second, which also works where there are no notifications (WSL, network folders).
#include <fmt/format.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <thread>

#include "common/cli/cli.h"
#include "common/harness/errors.h"
#include "common/harness/project.h"

namespace lab::cli {
namespace {

namespace fs = std::filesystem;
constexpr int kLookEveryMs = 500;

struct Options {
  CheckOptions check;
  bool only_poll = false;
  int times = 0;  // stop after so many checks; 0: never
};

// What tells one version of a file from the next. A file that is gone for a moment (editors rename) has none.
struct Stamp {
  fs::file_time_type time{};
  std::uintmax_t size = 0;
  bool there = false;
  bool operator==(const Stamp&) const = default;
};

Stamp stamp_of(const fs::path& file) {
  std::error_code error;
  Stamp stamp;
  stamp.time = fs::last_write_time(file, error);
  if (error) return {};
  stamp.size = fs::file_size(file, error);
  stamp.there = !error;
  return stamp;
}

// Wakes when something happens in the file's folder, or after kLookEveryMs.
class Bell {
 public:
  Bell(const fs::path& file, bool only_poll) {
    if (only_poll) return;
    fd_ = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
    if (fd_ >= 0) inotify_add_watch(fd_, folder.c_str(), IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE);
  }
  ~Bell() {
    if (fd_ >= 0) close(fd_);
  }
  Bell(const Bell&) = delete;
  Bell& operator=(const Bell&) = delete;

  void wait() const {
    if (fd_ < 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(kLookEveryMs));
      return;
    }
    pollfd one{fd_, POLLIN, 0};
    (void)poll(&one, 1, kLookEveryMs);
    char events[4096];
    while (read(fd_, events, sizeof events) > 0) {
    }
  }

 private:
  int fd_ = -1;
};

std::string clock_time() {
  const std::time_t now = std::time(nullptr);
  char text[16];
  std::strftime(text, sizeof text, "%H:%M:%S", std::localtime(&now));
  return text;
}

// A file that is empty or gone while an editor saves it is no reason to stop watching.
int check_once(const Session& session, const CheckOptions& options) {
  int code = 0;
  try {
    code = run_check(session, options);
  } catch (const harness::UsageError& error) {
    fmt::print("lab: {}\n", error.what());
    code = static_cast<int>(error.exit_code());
  }
  std::fflush(stdout);
  return code;
}

int watch(const Session& session, const Options& options) {
  const harness::ChapterInfo& chapter =
      options.check.chapter.empty() ? current_chapter() : chapter_named(options.check.chapter);
  CheckOptions check = options.check;
  check.chapter = chapter.name;  // fixed now: a pass must not move it
  const fs::path file = check.kernel.empty() ? harness::chapter_kernel(chapter) : fs::path(check.kernel);
  const Bell bell(file, options.only_poll);
  int code = 0;
  for (int round = 1;; ++round) {
    const Stamp before = stamp_of(file);
    code = check_once(session, check);
    if (options.times != 0 && round >= options.times) return code;
    if (!check.json) {
      fmt::print("{}\n", session.style().paint(fmt::format("{}   watching {}; Ctrl-C ends", clock_time(),
                                                           harness::shown_path(file)),
                                               report::Ink::Faint));
      std::fflush(stdout);
    }
    for (Stamp now = stamp_of(file); now == before || !now.there; now = stamp_of(file)) bell.wait();
  }
}

}  // namespace

void add_watch(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand("watch", "Checks again each time you save.\nExample: ./lab watch 5");
  auto options = std::make_shared<Options>();
  command->add_option("chapter", options->check.chapter,
                      "Number or name (default: the first one not passed)");
  command->add_option("--kernel", options->check.kernel, "Another kernel file than the chapter's own");
  command->add_flag("--json", options->check.json, "One JSON object a check");
  command->add_flag("--poll", options->only_poll, "Look at the file, wait for no notification");
  command->add_option("--times", options->times, "End after so many checks")->check(CLI::NonNegativeNumber);
  command->callback(
      [&session, options] { session.action = [&session, options] { return watch(session, *options); }; });
}

}  // namespace lab::cli
