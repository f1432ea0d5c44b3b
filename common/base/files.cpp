// See files.h.
#include "common/base/files.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

#include "common/base/random.h"

namespace lab::base {
namespace fs = std::filesystem;

namespace {
// What the drafts of this machine's processes have in their names; behind it stands the process' number.
const std::string& draft_mark() {
  static const std::string mark = [] {
    std::array<char, 256> host{};
    const bool known = ::gethostname(host.data(), host.size() - 1) == 0;
    return ".draft-" + std::string(known ? host.data() : "") + "-";
  }();
  return mark;
}

bool is_dead_draft(const std::string& name) {
  const std::size_t mark = name.rfind(draft_mark());
  if (mark == std::string::npos || !name.ends_with(".tmp")) return false;
  const int process = std::atoi(name.c_str() + mark + draft_mark().size());
  return process > 0 && ::kill(process, 0) != 0 && errno == ESRCH;
}
}  // namespace

std::optional<std::string> read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream bytes;
  if (!in || !(bytes << in.rdbuf())) {
    if (!in || in.peek() != std::ifstream::traits_type::eof()) return std::nullopt;
  }
  return std::move(bytes).str();
}

bool write_file_atomically(const fs::path& path, const std::string& bytes) {
  static std::atomic<unsigned> counter{0};
  std::error_code error;
  // /dev/null, /dev/stdout, a pipe: written to. To put a new file in its place would take it from everybody.
  if (const fs::file_status there = fs::status(path, error);
      fs::exists(there) && !fs::is_regular_file(there)) {
    std::ofstream out(path, std::ios::binary);
    return static_cast<bool>(out << bytes) && out.flush();
  }
  fs::create_directories(path.parent_path(), error);
  static const std::string here = std::to_string(random_number());  // machines of one name
  const fs::path draft = path.string() + draft_mark() + std::to_string(::getpid()) + "-" + here + "-" +
                         std::to_string(counter++) + ".tmp";
  {
    std::ofstream out(draft, std::ios::binary);
    if (!(out << bytes) || !out.flush()) {
      out.close();
      fs::remove(draft, error);
      return false;
    }
  }
  fs::rename(draft, path, error);
  if (error) fs::remove(draft, error);
  return !error;
}

void remove_dead_drafts(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> dead;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (is_dead_draft(entry->path().filename().string())) dead.push_back(entry->path());
  for (const fs::path& draft : dead) fs::remove(draft, error);
}

}  // namespace lab::base
