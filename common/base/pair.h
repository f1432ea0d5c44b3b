// Two numbers in one word of the command line.
#pragma once

#include <string>

namespace lab::base {

// "32x8" → 32, 8. Throws UsageError.
struct Pair {
  int first = 0, second = 0;
};
[[nodiscard]] Pair parse_pair(const std::string& option, const std::string& text);

}  // namespace lab::base
