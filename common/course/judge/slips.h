// What a line of a kernel may have been meant to be: the slips that beginners make, each undone.
//
// Enters: the text of a kernel file, the number of a line. Leaves: other texts of this line. Nothing here knows
// which of them is right, if any: tried_fix.h tries them.
#pragma once

#include <string>
#include <vector>

namespace lab::judge {

// What a line that compiles and does the wrong thing has: other axes and pitches, indices in the other order, whole
// guards, other steps, barriers' phases, numbers.
[[nodiscard]] std::vector<std::string> other_lines(const std::string& source, int line);
// What a line that the compiler refuses has: a `;`, an `&`, a cast.
[[nodiscard]] std::vector<std::string> completed_lines(const std::string& source, int line);

}  // namespace lab::judge
