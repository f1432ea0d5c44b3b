// Bytes as text and back (RFC 4648), for JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lab::base {

[[nodiscard]] std::string to_base64(std::span<const std::byte> bytes);
// None when the text is not whole, padded base64.
[[nodiscard]] std::optional<std::vector<std::byte>> from_base64(std::string_view text);

}  // namespace lab::base
