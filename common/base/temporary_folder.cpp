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
// Folders beyond so many stay behind when a signal ends the process.
std::array<Open, 64> open_folders;

void note(const char* path) {
  for (Open& open : open_folders) {
    const char* none = nullptr;
    if (!open.path.compare_exchange_strong(none, path)) continue;
    open.owner = ::getpid();
    return;
  }
}

// nvcc writes the folder's name into PTX as it stands, where a quotation mark ends it.
fs::path parent_folder() {
  fs::path chosen = fs::temp_directory_path();
  return chosen.string().find('"') == std::string::npos ? chosen : fs::path("/tmp");
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  const fs::path parent = parent_folder();
  std::string pattern = (parent / "transpose-lab-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr)
    throw EnvironmentError(
        msg("cannot make a folder in {}. Set TMPDIR to a folder of yours.", parent.string()));
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
