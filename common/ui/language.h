// The language of `lab`: chosen before a command line is parsed, so that help texts are in it too.
#pragma once

#include <string>
#include <vector>

#include "common/base/text/text.h"
#include "common/ui/command.h"

namespace lab::cli {

// --lang, else the environment (text.h). With --json always English: programs read it.
[[nodiscard]] text::Language chosen_language(const Command& lab, const std::vector<std::string>& words);

}  // namespace lab::cli
