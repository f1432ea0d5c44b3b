// Files, read whole and written whole: the one place for both.
//
// Enters: a path, bytes. Leaves: bytes, or a file that is either the old one or the new one, never half of
// it, also when several programs write it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace lab::base {

// Whole file as bytes; none when it cannot be read.
[[nodiscard]] std::optional<std::string> read_file(const std::filesystem::path& path);

// Writes beside the target and renames, in a folder that is made when it is missing; into what is no file (a
// pipe, /dev/null) as it stands. False when that fails.
bool write_file_atomically(const std::filesystem::path& path, const std::string& bytes);

// Removes, in all of a folder, what processes of this machine were writing with the above when they were
// killed. Drafts of processes that live, and of other machines, stay.
void remove_dead_drafts(const std::filesystem::path& folder);

}  // namespace lab::base
