// Commands that moved into a group keep their old spelling; no help speaks of it.
//
// Enters: the words of a command line. Leaves: the same in the words of today.
#pragma once

#include <string>
#include <vector>

#include "common/ui/command.h"

namespace lab::cli {

// The first word that is a command: no option, and no value of an option of `lab` itself. As many as `words`: none is.
[[nodiscard]] std::size_t command_place(const Command& lab, const std::vector<std::string>& words);

[[nodiscard]] std::vector<std::string> in_new_words(const Command& lab, std::vector<std::string> words);

// What may stand as a command though `lab --help` does not list it.
[[nodiscard]] std::vector<std::string> old_spellings();

}  // namespace lab::cli
