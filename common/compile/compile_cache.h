// What the compilers made, kept in files.
//
// Enters: a key (source, flags, compiler) and what came of it. Leaves: the same again, as long as no included
// file has changed and no byte of the entry has. One file an entry, written under another name and renamed,
// so that readers and writers of several programs never meet half an entry.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lab::compile {

// A file that the compiler read. Same size and time: unchanged. Another time (a fresh checkout): its content
// decides.
struct Dependency {
  std::string path;
  std::uint64_t size_bytes = 0;
  std::int64_t modified_ns = 0;
  std::string sha256;
};

struct CacheEntry {
  std::vector<Dependency> dependencies;
  std::string log;
  double compiler_seconds = 0;
  std::string output;
};

// The state of a file now; none when it cannot be read.
[[nodiscard]] std::optional<Dependency> describe_dependency(const std::string& path);

// None when there is no entry, when it is damaged (it is removed), or when a dependency has changed.
[[nodiscard]] std::optional<CacheEntry> load_entry(const std::filesystem::path& folder,
                                                   const std::string& key);

// A cache that cannot be written costs time, not correctness: failure is not reported.
void store_entry(const std::filesystem::path& folder, const std::string& key, const CacheEntry& entry);

}  // namespace lab::compile
