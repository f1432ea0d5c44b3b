// The order of blocks (chapter 08): what the blocks that run together write, and in which pages of memory.
//
// Enters: the sizes of the lesson's table: 8192 × 8192 floats, tiles of 64 × 64, the 660 blocks that an H200
// holds at once. Leaves: one SVG; its numbers are counted from the places of these blocks.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "tools/pictures/canvas.h"
#include "tools/pictures/pictures.h"

namespace lab::pictures {
namespace {

constexpr int kSide = 8192, kTile = 64, kTiles = kSide / kTile, kBlocks = 132 * 5;
constexpr std::int64_t kPage = 4096, kRowBytes = kSide * 4, kTileBytes = kTile * 4;

// The tile of `out` that a block writes, in tiles: row, column. `in` is walked along its columns or its rows.
struct TileOfOut {
  int row, col;
};
TileOfOut tile_of(int block, bool walks_rows) {
  const int x = block % kTiles, y = block / kTiles;
  return walks_rows ? TileOfOut{y, x} : TileOfOut{x, y};
}

// Bytes that all these blocks write into each page of `out`.
struct Written {
  explicit Written(bool walks_rows) {
    for (int block = 0; block < kBlocks; ++block) {
      const TileOfOut tile = tile_of(block, walks_rows);
      for (int r = 0; r < kTile; ++r) {
        const std::int64_t at = (tile.row * kTile + r) * kRowBytes + tile.col * kTileBytes;
        bytes[static_cast<std::size_t>(at / kPage)] += kTileBytes;
        runs.insert(at);
      }
    }
  }
  [[nodiscard]] int pages() const {
    return static_cast<int>(std::count_if(bytes.begin(), bytes.end(), [](std::int64_t b) { return b > 0; }));
  }
  // Stretches of memory with no gap in them.
  [[nodiscard]] int pieces() const {
    return static_cast<int>(std::count_if(runs.begin(), runs.end(),
                                          [&](std::int64_t at) { return !runs.contains(at - kTileBytes); }));
  }
  std::vector<std::int64_t> bytes = std::vector<std::int64_t>(kSide * kRowBytes / kPage);
  std::set<std::int64_t> runs;  // where each row of a tile begins
};

void panel(Canvas& canvas, double x, bool walks_rows) {
  constexpr double kCell = 2.5, kMap = kTiles * kCell, kBar = 18;
  const Written written(walks_rows);
  canvas.text(x, 66, walks_rows ? ".block_x_walks = kRows" : ".block_x_walks = kCols", 13, true);
  canvas.rect(x, 78, kMap, kMap, kEmpty, kInk, 1);
  for (int block = 0; block < kBlocks; ++block) {  // neighbours in one row of tiles are one rectangle
    const TileOfOut tile = tile_of(block, walks_rows);
    if (walks_rows && tile.col > 0) continue;
    if (!walks_rows && block >= kTiles) continue;
    const int across = walks_rows ? std::min(kTiles, kBlocks - block) : (kBlocks - 1 - block) / kTiles + 1;
    canvas.rect(x, 78 + tile.row * kCell, across * kCell, kCell + 0.3, kUsed);
  }
  canvas.text(x, 96 + kMap, "The first 16 pages of `out`, and what is written of each:", 12);
  for (int page = 0; page < 16; ++page) {
    const double left = x + page * kMap / 16, width = kMap / 16 - 3;
    const double share = static_cast<double>(written.bytes[static_cast<std::size_t>(page)]) / kPage;
    canvas.rect(left, 104 + kMap, width, kBar, kEmpty);
    if (share > 0) canvas.rect(left, 104 + kMap, width * share, kBar, kUsed);
  }
  canvas.text(x, 142 + kMap, msg("{} pages, in {} pieces", written.pages(), written.pieces()), 13, true);
}

}  // namespace

std::string block_order() {
  Canvas canvas(
      740, 490, "What 660 blocks write that run together",
      "The matrix out of 8192 × 8192 floats, twice: the tiles that the first 660 blocks write are five "
      "columns of tiles with kCols, and five rows of tiles with kRows; below, the share of each page of "
      "memory.");
  panel(canvas, 20, false);
  panel(canvas, 380, true);
  canvas.text(20, 480,
              "`out`, 8192 × 8192 floats: tiles of 64 × 64; blue: blocks 0 to 659; a page: 4096 bytes", 12);
  return canvas.svg();
}

}  // namespace lab::pictures
