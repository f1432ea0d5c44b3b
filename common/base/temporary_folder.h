// A folder for temporary files, gone with all that is in it when its owner is.
#pragma once

#include <filesystem>

namespace lab::base {

class TemporaryFolder {
 public:
  // Under TMPDIR. Throws EnvironmentError when none can be made there.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// The folders that this process has open, as it would name them to another one. For handlers of signals: it
// takes no lock.
void each_temporary_folder(void (*visit)(const char* path));

}  // namespace lab::base
