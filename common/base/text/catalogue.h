// The catalogue as data, for the two files that search it.
#pragma once

#include <span>
#include <string_view>

namespace lab::text {

struct Entry {
  std::string_view english, translation;
};

// Sorted by `english`, byte by byte. Empty for English.
[[nodiscard]] std::span<const Entry> catalogue();

}  // namespace lab::text
