// What another layout of the tile would have done to the very accesses that were recorded.
//
// Enters: a Recording. Leaves: per array in shared memory the layouts that one change of the source would
// give: rows of another length, or XOR in the second index. Every recorded place is moved to where the
// changed kernel would have it, then counted by the rules of the simulator. The length of a row is the
// declaration's. Where the source does not declare it, or a line counts on it without naming it, there is no
// layout, and a sentence says why: nothing is guessed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/text/message.h"
#include "common/course/explore/recording.h"
#include "common/course/judge/verdict.h"

namespace lab::explore {

enum class Move : std::uint8_t { None, Longer, Shorter, Xor };

struct Layout {
  Move move = Move::None;
  Message name;                 // "as it is", "rows 4 bytes longer", …
  Message words;                // one sentence for the student
  std::string change;           // what to write: "tile[32][33]"
  std::uint32_t bytes = 0;      // of the array in this layout
  std::uint32_t row_bytes = 0;  // in this layout
  std::uint32_t divisor = 1;    // of an XOR: column ^ row / divisor
};

struct TileView {
  SharedArray array;
  std::uint32_t unit_bytes = 0;  // what padding adds: the widest access, at least a bank
  std::uint32_t row_bytes = 0;   // 0: not known
  bool permuted = false;         // columns are not straight: the kernel swizzles
  bool undone = false;           // … by column ^ row: a second XOR makes them straight
  Message how;                   // where the length of a row comes from, or why it is not known
  std::vector<Layout> layouts;   // `as it is` first
  [[nodiscard]] std::uint64_t moved(std::uint64_t offset, const Layout& layout) const;
  [[nodiscard]] bool holds(const sim::RecordedAccess& access) const;
};

[[nodiscard]] std::vector<TileView> find_tiles(const Recording& recording);
// Without what the chapter does not offer, since it forbids it or the next one asks for it, and without what is not the
// best that is left. Of a tile that wastes nothing all that is offered stays: it shows what the tile does right.
void keep_offered(std::vector<TileView>& tiles, const Recording& recording,
                  const judge::ChapterInfo* chapter);
// The tile that a shared request goes to; null for none.
[[nodiscard]] const TileView* tile_of(const std::vector<TileView>& tiles, const sim::RecordedAccess& access);

// The same access in another layout.
[[nodiscard]] sim::RecordedAccess moved(const sim::RecordedAccess& access, const TileView& tile,
                                        const Layout& layout);
// Wavefronts of all recorded requests of a site in a layout, by the rules of the simulator.
struct WhatIfCost {
  std::uint64_t requests = 0, wavefronts = 0;
};
[[nodiscard]] WhatIfCost cost_in(const Site& site, const TileView& tile, const Layout& layout);

}  // namespace lab::explore
