// What a character of a source or of a page is, in ASCII, whatever the machine's locale.
#pragma once

namespace lab::base {

[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace lab::base
