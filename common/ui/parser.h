// The command line → the command that was chosen, its values in their places.
//
// Enters: the tree of commands and the words of the user. Leaves: a command to run, a text to print, or what
// is wrong.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/ui/command.h"

namespace lab::cli {

struct Parsed {
  const Command* command = nullptr;  // null: `lab` alone, or there is something to print
  std::string print;                 // help or version
  std::string wrong;                 // two lines: what is wrong, and where help stands
};

// Help and messages are in the chosen language.
[[nodiscard]] Parsed parse_command_line(const Command& lab, std::string_view version,
                                        const std::vector<std::string>& words);

}  // namespace lab::cli
