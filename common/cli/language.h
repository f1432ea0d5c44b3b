// The language of `lab`: chosen before the commands are set up, so that their help texts are in it too.
//
// Enters: the command line and the environment. Leaves: a language, and help texts retold in it.
#pragma once

#include <CLI/CLI.hpp>

#include "common/base/text/text.h"

namespace lab::cli {

// --lang, else the environment (text.h). With --json English, whoever asks: programs read it.
[[nodiscard]] text::Language chosen_language(int argc, char** argv);
void add_language(CLI::App& app);  // the option, for --help and for checking what it says
// Descriptions of all commands and options, and what CLI11 itself writes around them.
void retell_help(CLI::App& app);

}  // namespace lab::cli
