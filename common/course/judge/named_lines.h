// Adds to a reason which lines of the kernel decide what went wrong.
//
// Enters: a Reason, a kernel file, lines that took part. Leaves: one more sentence in the Reason, with numbers of
// lines; none where more lines than a reader can check would be named.
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>

#include "common/course/judge/source_lines.h"
#include "common/course/judge/verdict.h"

namespace lab::judge {

inline constexpr std::size_t kMostNamed = 4;  // loops or guards: more say nothing

[[nodiscard]] Message line_list(const std::set<int>& lines);  // "line 7", "lines 7, 9"
// Lines of a file, comments left out, of which this holds.
[[nodiscard]] std::set<int> lines_with(const std::string& file,
                                       const std::function<bool(const std::string&)>& is);

// Threads that leave early come to no barrier: the line that says so is named where no other is.
void blame_return(Reason& reason, const EarlyReturn& early, const std::string& file);
// Adds where the constants that these lines name get their values.
void name_constants(Reason& reason, const std::string& file, const std::set<int>& lines);
// Adds where the array in shared memory gets its rows that this line uses by index.
void name_rows(Reason& reason, const std::string& file, int line);
// Adds where indices are computed from the block's number, or from the thread's as well.
void name_origins(Reason& reason, const std::string& file, bool of_blocks);
// Adds where the places in shared memory that these lines touch are computed, if in functions of the file.
void name_helpers(Reason& reason, const std::string& file, const std::set<int>& lines);
// Adds where the kernel asks for the shares of several GPUs.
void name_shares(Reason& reason, const std::string& file);
// Adds which guards decide what comes to these lines, where they are others than the reason's own; and where what
// they compare is computed.
void name_guards(Reason& reason, const std::string& file, const std::set<int>& lines,
                 bool what_they_compare = false);
// Adds where the functions that hold these lines are called from other lines.
void name_calls(Reason& reason, const std::string& file, const std::set<int>& lines);
// Adds which loops decide what a thread reaches of these lines; nothing where no loop holds them.
void name_loops(Reason& reason, const std::string& file, const std::set<int>& lines);

}  // namespace lab::judge
