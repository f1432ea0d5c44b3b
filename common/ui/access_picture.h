// Pictures of one warp access in the terminal: wavefronts against banks, lanes against sectors.
//
// Enters: a view of common/sim/observe/access_view.h. Leaves: lines of text, readable without colour.
#pragma once

#include <string>

#include "common/sim/observe/access_view.h"
#include "common/ui/style.h"

namespace lab::report {

// Columns of a bank's cell in this terminal: a lane's number where there is room, else one character.
inline constexpr std::size_t kWideCell = 3;
[[nodiscard]] std::size_t bank_columns();
// A row per wavefront, a column per bank; a cell holds the lane that is served there, `+` when it shares its
// word.
[[nodiscard]] std::string bank_picture(const sim::SharedView& view, const Style& style);
// A row per sector: the lanes that touch it, and which of its 32 bytes they ask for.
[[nodiscard]] std::string sector_picture(const sim::GlobalView& view, const Style& style);
// "0-7, 12, 16-31".
[[nodiscard]] std::string lane_ranges(sim::Mask lanes);

}  // namespace lab::report
