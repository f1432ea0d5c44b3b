// What to say of a command line that cannot be understood, with the word that was probably meant; and the
// order of commands in the help.
//
// Enters: the parser and its error, or a word and the words that exist. Leaves: sentences.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace lab::cli {

// Two lines: what is wrong, and where help stands.
[[nodiscard]] std::string usage_words(const CLI::App& app, const CLI::ParseError& error);

// Commands stand in groups in the help, in the order in which a student meets them.
void group_commands(CLI::App& app);

}  // namespace lab::cli
