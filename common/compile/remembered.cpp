// A note is the question, what distinguishes the file from others, the answer's fingerprint, and the answer.
#include "common/compile/remembered.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <optional>

#include "common/base/errors.h"
#include "common/base/files.h"
#include "common/base/project.h"
#include "common/base/sha256.h"

namespace lab::compile {
namespace fs = std::filesystem;

std::string remembered(const fs::path& program, const std::string& question,
                       const std::function<std::string()>& ask) {
  struct stat status {};
  if (::stat(program.c_str(), &status) != 0) return "";
  const std::string head =
      fmt::format("{} {} {} {}.{:09} {} {}\n", question, program.string(), status.st_size,
                  status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_dev, status.st_ino);
  fs::path note;
  try {
    note = base::cache_root() / "programs" / base::sha256(head).substr(0, 16);
  } catch (const base::EnvironmentError&) {
    return ask();
  }
  if (const std::optional<std::string> kept = base::read_file(note); kept && kept->starts_with(head)) {
    const std::string rest = kept->substr(head.size());
    const std::size_t line = rest.find('\n');
    if (line != std::string::npos && base::sha256(rest.substr(line + 1)) == rest.substr(0, line)) {
      return rest.substr(line + 1);
    }
  }
  const std::string answer = ask();
  if (!answer.empty()) base::write_file_atomically(note, head + base::sha256(answer) + "\n" + answer);
  return answer;
}

}  // namespace lab::compile
