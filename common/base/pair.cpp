// Two numbers in one word. See pair.h.
#include "common/base/pair.h"

#include <fmt/core.h>

#include <charconv>

#include "common/base/errors.h"

namespace lab::base {

Pair parse_pair(const std::string& option, const std::string& text) {
  Pair pair;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, pair.first);
  if (first.ec == std::errc() && first.ptr != end && (*first.ptr == 'x' || *first.ptr == 'X')) {
    const auto second = std::from_chars(first.ptr + 1, end, pair.second);
    if (second.ec == std::errc() && second.ptr == end) return pair;
  }
  throw UsageError(
      msg("{} \"{}\": write two whole numbers with an x between them, such as 32x8.", option, text));
}

}  // namespace lab::base
