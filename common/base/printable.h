// Untrusted text, made harmless for a terminal.
//
// Enters: a name, a message of a compiler, what a kernel printed: any bytes. Leaves: valid UTF-8 in which
// nothing moves the cursor, colours text, or turns its direction; such characters stand as \x1b or \u202e.
// Line ends and tabs stay.
#pragma once

#include <string>
#include <string_view>

namespace lab::base {

[[nodiscard]] std::string printable(std::string_view text);
// The same for what must stay on one line.
[[nodiscard]] std::string printable_line(std::string_view text);
// A word as a shell takes it, on one line: quoted where it must be.
[[nodiscard]] std::string shell_word(const std::string& text);
// The text that was shown so, as far as a name needs it: characters of up to four digits.
[[nodiscard]] std::string unprintable(std::string_view shown);

}  // namespace lab::base
