// Which lines of a kernel file decide what happens on a given line, by the text alone.
//
// Enters: the text of a kernel file and numbers of lines. Leaves: numbers of other lines: loops and branches around
// them, guards before them, where names get their values, where a function is left.
#pragma once

#include <set>
#include <string>

namespace lab::judge {

// The text of a kernel file as the compiler named it; "" when it is none, or is gone.
[[nodiscard]] std::string kernel_text(const std::string& file);
// One line of a text, without its end; "" behind the last.
[[nodiscard]] std::string line_of(const std::string& source, int line);

// The source with another text in a line, counted from 1.
[[nodiscard]] std::string with_line(const std::string& source, int line, const std::string& text);

// The innermost loops that hold these lines: where each begins. Round one that lies on its line alone, the next, too.
[[nodiscard]] std::set<int> loops_around(const std::string& source, const std::set<int>& lines);

// The comparisons that decide whether these lines are reached: an `if` around one of them, or one that leaves
// the block above it.
[[nodiscard]] std::set<int> guards_of(const std::string& source, const std::set<int>& lines,
                                      bool equalities = false);

// Lines of this function that give a value to what this line names, and to what those name; no loops.
[[nodiscard]] std::set<int> definitions_of(const std::string& source, int line, int steps = 2);
// Lines that give a value to the constants that these lines name, and to those that they are made of.
[[nodiscard]] std::set<int> constants_of(const std::string& source, const std::set<int>& lines);
// The branches that hold this line; where a condition is a name, the line that declares it, too.
[[nodiscard]] std::set<int> branches_around(const std::string& source, int line);

// Lines that compute what small functions of the file give back which these lines call, or which those call.
[[nodiscard]] std::set<int> helpers_of(const std::string& source, std::set<int> lines);

// Lines that call the small functions of the file which hold some of these lines.
[[nodiscard]] std::set<int> calls_of(const std::string& source, const std::set<int>& lines);

// Where a function is left before its barrier, of the block or the cluster: who leaves there never comes to
// it. Lines; 0: nowhere.
struct EarlyReturn {
  int line = 0, barrier_line = 0;
};
// By the text alone: a `return` behind a comparison, as `if (row >= rows) return;`.
[[nodiscard]] EarlyReturn return_before_barrier(const std::string& source);
// The way out of threads that left while others waited at this barrier: the last `return` above it, or,
// round a loop, the first below it.
[[nodiscard]] EarlyReturn return_past_barrier(const std::string& source, int barrier_line);
// The only `return` of the function that has this line; 0: it has none, or several.
[[nodiscard]] int only_return_beside(const std::string& source, int line);

}  // namespace lab::judge
