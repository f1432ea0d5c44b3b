// The text between the quotes of a `.file` row, as compilers write it: octal for what is no printable ASCII.
//
// Enters: a row's text. Leaves: the name that was meant, and back. Names of files hold anything.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lab::sim {

[[nodiscard]] inline std::string decoded_file_name(std::string_view quoted) {
  const auto is_octal = [&](std::size_t at) {
    return at < quoted.size() && quoted[at] >= '0' && quoted[at] <= '7';
  };
  std::string name;
  for (std::size_t at = 0; at < quoted.size(); ++at) {
    if (quoted[at] != '\\' || at + 1 == quoted.size()) {
      name += quoted[at];
      continue;
    }
    unsigned byte = 0;
    std::size_t digits = 0;
    for (; digits < 3 && is_octal(at + 1 + digits); ++digits)
      byte = byte * 8 + static_cast<unsigned>(quoted[at + 1 + digits] - '0');
    name += digits == 0 ? quoted[at + 1] : static_cast<char>(byte);
    at += digits == 0 ? 1 : digits;
  }
  return name;
}

[[nodiscard]] inline std::string encoded_file_name(std::string_view name) {
  std::string quoted;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7F && c != '"' && c != '\\') {
      quoted += c;
      continue;
    }
    quoted += '\\';
    for (const unsigned shift : {6u, 3u, 0u}) quoted += static_cast<char>('0' + (byte >> shift & 7u));
  }
  return quoted;
}

}  // namespace lab::sim
