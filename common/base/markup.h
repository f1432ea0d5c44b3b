// Text as it must stand in XML, HTML and addresses.
//
// Enters: any text, untrusted too. Leaves: the same to a reader, nothing that opens a tag or ends an
// attribute, and no character that XML 1.0 forbids (those become U+FFFD).
#pragma once

#include <string>
#include <string_view>

namespace lab::base {

[[nodiscard]] std::string markup_escaped(std::string_view text);

// "%2F" for each byte of which `escapes` says so.
[[nodiscard]] std::string percent_escaped(std::string_view text, bool (*escapes)(char));

}  // namespace lab::base
