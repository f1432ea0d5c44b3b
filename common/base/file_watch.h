// Reports when a file has been saved, however the editor does it.
//
// Enters: a path. Leaves: from `wait`, once a new version of the file lies there, whole: written in place,
// put there by renaming another file, deleted and written again, its folder moved away and back. Changes are
// noticed by inotify, and by looking twice a second, which also works where there are no notifications (WSL,
// network folders).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>

namespace lab::base {

// What distinguishes one version of a file from the next.
struct FileStamp {
  bool there = false;
  std::uint64_t device = 0, inode = 0, size_bytes = 0;
  std::int64_t modified_ns = 0, changed_ns = 0;
  bool operator==(const FileStamp&) const = default;
};
[[nodiscard]] FileStamp stamp_of(const std::filesystem::path& file);

class FileWatch {
 public:
  FileWatch(std::filesystem::path file, bool only_poll);
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  // Until the file is there, is another one than `known`, and has stood still for a moment; false: before
  // that, `input` had something to read.
  bool wait(const FileStamp& known, int input = kNoInput);
  static constexpr int kNoInput = -1;

 private:
  bool sleep(
      int input);  // until something happens in the folder, or it is time to look; true: `input` is ready
  void watch_folder();  // again, when it is another one than before
  const std::filesystem::path file_;
  int notifications_ = -1;  // inotify; -1: none
  int folder_ = -1;         // what is watched; -1: nothing
  std::uint64_t folder_inode_ = 0;
};

}  // namespace lab::base
