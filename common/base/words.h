// Several words as one text: "a, b, c".
#pragma once

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

}  // namespace lab::base
