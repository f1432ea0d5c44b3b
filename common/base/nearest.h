// The word that was probably meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lab::base {

// The word of the list that is nearest to `word`: at most a third of its letters differ. Empty: none is near.
[[nodiscard]] std::string nearest(std::string_view word, const std::vector<std::string>& words);

// " Did you mean \"check\"?", or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view word, const std::vector<std::string>& words);

}  // namespace lab::base
