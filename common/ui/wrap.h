// Text that fits the terminal: lines broken between words, with what follows indented.
//
// Enters: text for people. Leaves: the same text with line ends. Without a terminal, lines stay
// whole, so that a search finds phrases.
#pragma once

#include <string>
#include <string_view>

namespace lab::report {

// Columns of the terminal that standard output (1) or standard error (2) goes to; 0: it is none.
[[nodiscard]] std::size_t terminal_columns(int descriptor = 1);

// How much of a line fits into so many columns: up to a blank or behind a Chinese character, or all of it
// when there is nothing to break at. A number stays with its unit and with the word in front of it. 0 columns:
// all of it.
[[nodiscard]] std::size_t fitting(std::string_view line, std::size_t columns);

// Every line of the text behind `indent`, broken at so many columns; what follows a break stands behind
// `hanging`.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t columns, std::string_view indent = "",
                                  std::string_view hanging = "");

// A sentence for standard output, broken where its terminal ends; no line end behind it.
[[nodiscard]] std::string fitted(std::string_view sentence, std::string_view indent = "",
                                 std::string_view hanging = "");

// Markdown of a lesson for a terminal: comments away, the lines of a paragraph joined and broken anew. Lists,
// tables and code keep their lines.
[[nodiscard]] std::string prose(std::string_view markdown, std::size_t columns);

// Help pages: what does not fit goes on below the text that it belongs to, not at the left edge.
[[nodiscard]] std::string wrapped_help(std::string_view help, std::size_t columns);

// A line of source or a path, cut behind so many columns with "…" in place of the rest.
[[nodiscard]] std::string cut(std::string_view text, std::size_t columns);
// The same around what begins at `begin`: what stands in front of it gives way first.
[[nodiscard]] std::string cut_around(std::string_view text, std::size_t begin, std::size_t columns);

}  // namespace lab::report
