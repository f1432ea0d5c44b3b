// Folders for temporary files. See temporary_folder.h.
#include "common/base/temporary_folder.h"

#include <stdlib.h>

#include <string>
#include <system_error>

#include "common/base/errors.h"
#include "common/base/text/message.h"

namespace lab::base {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (fs::temp_directory_path() / "transpose-lab-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr)
    throw EnvironmentError(msg("cannot make a folder in {}. Set TMPDIR to a folder of yours.",
                               fs::temp_directory_path().string()));
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace lab::base
