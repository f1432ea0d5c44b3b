// The text of a source file, whichever editor saved it.
//
// Enters: bytes: UTF-8 with a mark or without, UTF-16, line ends of Windows and old Macs. Leaves: UTF-8
// without a mark, lines that end in a line feed. All code that compiles, judges, compares or
// shows a kernel reads it here, so that lines are the same.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lab::base {

// UTF-16, with a mark or without, made UTF-8; a mark of UTF-8 taken off. All else stays as it is.
[[nodiscard]] std::string as_utf8(std::string bytes);
[[nodiscard]] std::string source_text(std::string bytes);
// None when it cannot be read.
[[nodiscard]] std::optional<std::string> read_source_text(const std::filesystem::path& path);

// Its lines, without their ends; none when it cannot be read.
[[nodiscard]] std::vector<std::string> read_source_lines(const std::filesystem::path& path);

}  // namespace lab::base
