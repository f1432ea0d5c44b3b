// The command line as words to complete, and the scripts that shells want.
//
// Enters: the commands as they describe themselves, so a new command or option is completed without a line
// being written here. Leaves: the text of a script for bash, zsh or fish.
#pragma once

#include <string>
#include <vector>

#include "common/ui/command.h"

namespace lab::cli {

// What may stand behind an option, or in a place of its own.
struct Values {
  bool files = false;  // paths; else `words`, which may be empty: anything
  std::vector<std::string> words;
};

struct OptionWords {
  std::string name;   // "--kernel"
  std::string about;  // one line
  bool takes_value = false;
  Values values;
};

struct CommandWords {
  std::string name, about;  // "check", "inspect banks"
  std::vector<OptionWords> options;
  std::vector<Values> places;  // positional arguments, in their order
};

// The first entry, without a name, is `lab` itself.
[[nodiscard]] std::vector<CommandWords> command_words(const Command& lab);

// Throws UsageError for another shell than bash, zsh, fish.
[[nodiscard]] std::string completion_script(const std::string& shell,
                                            const std::vector<CommandWords>& commands);

}  // namespace lab::cli
