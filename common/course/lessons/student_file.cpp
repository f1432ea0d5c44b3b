// Writing into a student's own file: never without a copy of what was there.
#include "common/course/lessons/student_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "common/base/errors.h"
#include "common/base/files.h"
#include "common/base/project.h"

namespace lab::course {
namespace {

namespace fs = std::filesystem;
using Essence = std::function<std::string(std::string)>;
constexpr int kMostCopies = 9999;

bool write_all(int to, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t n = write(to, text.data() + at, text.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += static_cast<std::size_t>(n);
  }
  return fsync(to) == 0;
}

// transpose.cu.bak, then transpose.cu.bak.2, …: the first that holds the text, or a name that no file has.
// O_EXCL: also when two commands ask at once.
fs::path copy_of(const fs::path& file, const std::string& text, const Essence& essence) {
  for (int number = 1; number <= kMostCopies; ++number) {
    const fs::path copy = file.string() + (number == 1 ? ".bak" : fmt::format(".bak.{}", number));
    const int to = open(copy.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (to < 0 && errno == EEXIST) {
      const std::optional<std::string> kept = base::read_file(copy);
      if (kept && essence(*kept) == essence(text)) return copy;
      continue;
    }
    const bool written = to >= 0 && write_all(to, text);
    const int reason = errno;
    if (to >= 0) close(to);
    if (written) return copy;
    if (to >= 0) unlink(copy.c_str());
    throw base::EnvironmentError(
        msg("{} cannot be written ({}), and nothing is overwritten without a copy. Make its folder writable.",
            base::shown_path(copy), std::string(std::strerror(reason))));
  }
  throw base::EnvironmentError(
      msg("There are {} copies of {} already; delete some of them.", kMostCopies, base::shown_path(file)));
}

}  // namespace

fs::path replace_keeping_copy(const fs::path& file, const std::string& text, const Essence& essence) {
  std::error_code error;
  // Through a symbolic link: the link stays one.
  const fs::path real = fs::exists(file, error) ? fs::canonical(file) : file;
  fs::path copy;
  if (fs::exists(real, error)) {
    const std::optional<std::string> old = base::read_file(real);
    if (!old)
      throw base::EnvironmentError(
          msg("{} cannot be read, so no copy can be kept; nothing was changed.", base::shown_path(file)));
    copy = copy_of(
        real, *old, essence ? essence : [](std::string all) { return all; });
  }
  if (!base::write_file_atomically(real, text))
    throw base::EnvironmentError(
        msg("{} cannot be written; make its folder writable.", base::shown_path(file)));
  return copy;
}

}  // namespace lab::course
