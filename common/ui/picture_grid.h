// One request as grids of cells: what the terminal and the SVG file draw.
//
// Enters: a recorded request. Leaves: memory, one line of 32 banks per row (or one sector per row), and the
// wavefronts, one a row, with the lanes in the cells that they touch. Pure data; colours and characters come
// later.
#pragma once

#include <cstdint>
#include <vector>

#include "common/sim/observe/recorder.h"

namespace lab::report {

struct GridCell {
  std::uint32_t lanes = 0;  // bit i: lane i touches it
  unsigned bank = 0;        // of shared memory
};

struct GridRow {
  Message label;     // "byte 128", "wavefront 3", "sector 17"
  bool gap = false;  // rows were left out above this one
  std::vector<GridCell> cells;
};

struct Grid {
  std::vector<GridRow> rows;
  std::uint64_t left_out = 0;  // rows that are not shown at the end
};

// 32 banks a row, from the first touched line of memory to the last; long gaps are left out.
[[nodiscard]] Grid memory_of_shared(const sim::RecordedAccess& access);
// 32 banks a row, a wavefront each.
[[nodiscard]] Grid wavefronts_of(const sim::RecordedAccess& access);
// 8 words per row, a sector of 32 bytes each.
[[nodiscard]] Grid sectors_of(const sim::RecordedAccess& access);

// One character: "." none, 0-9 and a-v lanes 0 to 31, "+" several lanes (they share a word).
[[nodiscard]] char lane_character(std::uint32_t lanes);

}  // namespace lab::report
