// See files.h.
#include "common/base/files.h"

#include <unistd.h>

#include <atomic>
#include <fstream>
#include <random>
#include <sstream>
#include <system_error>
#include <utility>

namespace lab::base {
namespace fs = std::filesystem;

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
  static const std::string here = std::to_string(std::random_device{}());  // machines that share the folder
  const fs::path draft = path.string() + "." + here + "." + std::to_string(::getpid()) + "." +
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

}  // namespace lab::base
