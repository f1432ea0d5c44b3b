// The time of day, as reports print it.
#pragma once

#include <string>

namespace lab::base {

// Now, in UTC, as strftime writes it: at most 63 characters.
[[nodiscard]] std::string utc_now(const char* form);

}  // namespace lab::base
