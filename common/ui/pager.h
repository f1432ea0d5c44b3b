// Long text for a person, through a pager where standard output is a terminal.
//
// Enters: the text. Leaves: it, on standard output: through $PAGER, else `less`, when it has more lines than
// the terminal; plainly everywhere else. PAGER=cat or an empty PAGER means none.
#pragma once

#include <cstddef>
#include <string>

namespace lab::cli {

void print_paged(const std::string& text);

// The terminal on standard output; 0: there is none.
[[nodiscard]] std::size_t terminal_rows();

}  // namespace lab::cli
