// Folders for temporary files. See temporary_folder.h.
#include "common/base/temporary_folder.h"

#include <stdlib.h>

#include <string>
#include <system_error>

#include "common/base/errors.h"

namespace lab::base {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (fs::temp_directory_path() / "transpose-lab-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr)
    throw EnvironmentError("cannot make a folder in " + fs::temp_directory_path().string() +
                           ". Set TMPDIR to a folder of yours.");
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace lab::base
