// Folders for temporary files. See temporary_folder.h.
#include "common/base/temporary_folder.h"

#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <string>
#include <system_error>

#include "common/base/errors.h"
#include "common/base/text/message.h"

namespace lab::base {

namespace fs = std::filesystem;
namespace {

struct Open {
  std::atomic<const char*> path{nullptr};
  std::atomic<pid_t> owner{0};  // a fork has its parent's list
};
std::array<Open, 64>
    open_folders;  // of more than that, those beyond stay behind when a signal ends the process

void note(const char* path) {
  for (Open& open : open_folders) {
    const char* none = nullptr;
    if (!open.path.compare_exchange_strong(none, path)) continue;
    open.owner = ::getpid();
    return;
  }
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (fs::temp_directory_path() / "transpose-lab-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr)
    throw EnvironmentError(msg("cannot make a folder in {}. Set TMPDIR to a folder of yours.",
                               fs::temp_directory_path().string()));
  path_ = pattern;
  note(path_.c_str());
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  for (Open& open : open_folders) {
    const char* path = path_.c_str();
    open.path.compare_exchange_strong(path, nullptr);
  }
}

void each_temporary_folder(void (*visit)(const char* path)) {
  for (const Open& open : open_folders)
    if (const char* const path = open.path; path != nullptr && open.owner == ::getpid()) visit(path);
}

}  // namespace lab::base
