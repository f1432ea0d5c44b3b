// The language of `lab`: chosen before the commands are set up, so that their help texts are in it too.
#pragma once

#include <string>
#include <vector>

#include "common/base/text/text.h"

namespace lab::cli {

// --lang, else the environment (text.h). With --json always English: programs read it.
[[nodiscard]] text::Language chosen_language(const std::vector<std::string>& words);

}  // namespace lab::cli
