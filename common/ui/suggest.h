// What to say of a command line that cannot be understood, with the word that was probably meant.
//
// Enters: how far the command line was understood. Leaves: sentences.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/ui/command.h"

namespace lab::cli {

// Two lines: what is wrong, and where help stands. `path`: `lab`, then the commands that were named.
// `unexpected`: the words that no option takes; where there are none, `problem` says what is wrong.
[[nodiscard]] std::string usage_words(const std::vector<const Command*>& path, std::string_view problem,
                                      const std::vector<std::string>& unexpected);

// The same for a group that was named alone.
[[nodiscard]] std::string wants_a_command(const Command& group);

}  // namespace lab::cli
