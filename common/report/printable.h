// Words of strangers, made harmless for a terminal.
//
// Enters: a name, a message of a compiler, what a kernel printed: any bytes. Leaves: valid UTF-8 in which
// nothing moves the cursor, colours text, or turns its direction; such characters stand as \x1b or \u202e.
// Line ends and tabs stay.
#pragma once

#include <string>
#include <string_view>

namespace lab::report {

[[nodiscard]] std::string printable(std::string_view text);
// The same for what must stay on one line.
[[nodiscard]] std::string printable_line(std::string_view text);

}  // namespace lab::report
