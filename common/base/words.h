// Words in text: several as one, "a, b, c"; one in the place of another.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lab::base {

template <class Words>
[[nodiscard]] std::string joined(const Words& words, std::string_view between = ", ") {
  std::string text;
  for (auto at = words.begin(); at != words.end(); ++at) {
    if (at != words.begin()) text += between;
    text += *at;
  }
  return text;
}

// With `to` wherever `from` was; an empty one is nowhere.
[[nodiscard]] inline std::string replaced_all(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; !from.empty() && (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

}  // namespace lab::base
