// Reports when a file has been saved, however the editor does it.
#include "common/base/file_watch.h"

#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <thread>

namespace lab::base {
namespace {

constexpr int kLookEveryMs = 500;
// An editor that empties a file and writes it in pieces is done when nothing has happened for this long.
constexpr int kSettleMs = 30;

std::int64_t nanoseconds(const timespec& t) { return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec; }

}  // namespace

FileStamp stamp_of(const std::filesystem::path& file) {
  struct stat s {};
  if (stat(file.c_str(), &s) != 0) return {};
  return {true,
          s.st_dev,
          s.st_ino,
          static_cast<std::uint64_t>(s.st_size),
          nanoseconds(s.st_mtim),
          nanoseconds(s.st_ctim)};
}

FileWatch::FileWatch(std::filesystem::path file, bool only_poll) : file_(std::move(file)) {
  if (!only_poll) notifications_ = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  watch_folder();
}

FileWatch::~FileWatch() {
  if (notifications_ >= 0) close(notifications_);
}

// The folder, not the file: a file that is saved by renaming is another one each time.
void FileWatch::watch_folder() {
  if (notifications_ < 0) return;
  const std::filesystem::path folder = file_.has_parent_path() ? file_.parent_path() : ".";
  const FileStamp now = stamp_of(folder);
  if (folder_ >= 0 && now.inode == folder_inode_) return;
  if (folder_ >= 0) inotify_rm_watch(notifications_, folder_);
  folder_ = now.there
                ? inotify_add_watch(notifications_, folder.c_str(), IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE)
                : -1;
  folder_inode_ = now.inode;
}

bool FileWatch::sleep(int input) {
  watch_folder();
  pollfd both[] = {{notifications_, POLLIN, 0}, {input, POLLIN, 0}};  // poll ignores what is below 0
  (void)poll(both, 2, kLookEveryMs);
  char events[4096];
  while (notifications_ >= 0 && read(notifications_, events, sizeof events) > 0) {
  }
  return both[1].revents != 0;
}

bool FileWatch::wait(const FileStamp& known, int input) {
  for (;;) {
    FileStamp now = stamp_of(file_);
    if (now.there && now != known) {
      for (FileStamp before; before != now; now = stamp_of(file_)) {
        before = now;
        std::this_thread::sleep_for(std::chrono::milliseconds(kSettleMs));
      }
      if (now.there && now.size_bytes > 0 && now != known) return true;
    }
    if (sleep(input)) return false;
  }
}

}  // namespace lab::base
