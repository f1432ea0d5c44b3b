// An entry is one line with the fingerprint of the rest, one line of JSON, and the compiler's output. See
// compile_cache.h.
#include "common/compile/compile_cache.h"

#include <sys/stat.h>

#include <algorithm>
#include <string_view>
#include <system_error>

#include "common/base/files.h"
#include "common/base/json.h"
#include "common/base/sha256.h"

namespace lab::compile {
namespace fs = std::filesystem;
using base::Json;

namespace {

constexpr std::string_view kMagic = "transpose-lab cache 1 ";
constexpr std::size_t kHexDigits = 64;
constexpr std::size_t kEntriesPerShard = 32;  // of 256 shards: some 8,000 kernels

fs::path entry_path(const fs::path& folder, const std::string& key) {
  return folder / key.substr(0, 2) / key;
}

bool stat_file(const std::string& path, Dependency& dependency) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  dependency.path = path;
  dependency.size_bytes = static_cast<std::uint64_t>(status.st_size);
  dependency.modified_ns = std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
  return true;
}

bool unchanged(const Dependency& then) {
  Dependency now;
  if (!stat_file(then.path, now) || now.size_bytes != then.size_bytes) return false;
  if (now.modified_ns == then.modified_ns) return true;
  const std::optional<Dependency> content = describe_dependency(then.path);
  return content && content->sha256 == then.sha256;
}

std::string encode(const CacheEntry& entry) {
  Json dependencies = Json::array();
  for (const Dependency& d : entry.dependencies) {
    dependencies.push_back({d.path, d.size_bytes, d.modified_ns, d.sha256});
  }
  const Json head = {{"dependencies", dependencies}, {"log", entry.log}, {"seconds", entry.compiler_seconds}};
  // A log may hold bytes that are no UTF-8 (a compiler quotes the source): replaced, not thrown at.
  const std::string body = head.dump() + "\n" + entry.output;
  return std::string(kMagic) + base::sha256(body) + "\n" + body;
}

std::optional<CacheEntry> decode(std::string_view bytes) {
  const std::size_t head_bytes = kMagic.size() + kHexDigits + 1;
  if (bytes.size() < head_bytes || !bytes.starts_with(kMagic)) return std::nullopt;
  const std::string_view fingerprint = bytes.substr(kMagic.size(), kHexDigits);
  const std::string_view body = bytes.substr(head_bytes);
  const std::size_t line_end = body.find('\n');
  if (base::sha256(body) != fingerprint || line_end == std::string_view::npos) return std::nullopt;
  const std::optional<Json> head = Json::try_parse(body.substr(0, line_end));
  if (!head) return std::nullopt;
  CacheEntry entry;
  for (const Json& d : head->at("dependencies")) {
    entry.dependencies.push_back({d.at(0), d.at(1), d.at(2), d.at(3)});
  }
  entry.log = head->at("log");
  entry.compiler_seconds = head->at("seconds");
  entry.output = body.substr(line_end + 1);
  return entry;
}

// Keeps a shard small: every edit of a kernel leaves an entry, and no other code clears them away.
void remove_oldest_beyond(const fs::path& shard, std::size_t kept) {
  std::error_code error;
  std::vector<std::pair<fs::file_time_type, fs::path>> entries;
  for (const fs::directory_entry& entry : fs::directory_iterator(shard, error)) {
    entries.emplace_back(entry.last_write_time(error), entry.path());
  }
  if (entries.size() <= kept) return;
  std::sort(entries.begin(), entries.end());
  for (std::size_t i = 0; i < entries.size() - kept; ++i) fs::remove(entries[i].second, error);
}

}  // namespace

std::optional<Dependency> describe_dependency(const std::string& path) {
  Dependency dependency;
  if (!stat_file(path, dependency)) return std::nullopt;
  const std::optional<std::string> bytes = base::read_file(path);
  if (!bytes) return std::nullopt;
  dependency.sha256 = base::sha256(*bytes);
  return dependency;
}

std::optional<CacheEntry> load_entry(const fs::path& folder, const std::string& key) {
  const fs::path path = entry_path(folder, key);
  const std::optional<std::string> bytes = base::read_file(path);
  if (!bytes) return std::nullopt;
  std::optional<CacheEntry> entry = decode(*bytes);
  if (!entry) {
    std::error_code error;
    fs::remove(path, error);
    return std::nullopt;
  }
  for (const Dependency& dependency : entry->dependencies) {
    if (!unchanged(dependency)) return std::nullopt;
  }
  return entry;
}

void store_entry(const fs::path& folder, const std::string& key, const CacheEntry& entry) {
  const fs::path path = entry_path(folder, key);
  if (base::write_file_atomically(path, encode(entry)))
    remove_oldest_beyond(path.parent_path(), kEntriesPerShard);
}

}  // namespace lab::compile
