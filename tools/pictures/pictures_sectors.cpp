// Where the shares of two blocks meet in rows of `out` (chapter 15): inside of a sector, or between two.
//
// Enters: rows of 1020 floats, tiles of 64. Leaves: one SVG; sectors, floats and who writes them follow from
// these two numbers.
#include <set>

#include "common/base/text/text.h"
#include "tools/pictures/canvas.h"
#include "tools/pictures/pictures.h"

namespace lab::pictures {
namespace {

constexpr int kRow = 1020, kTile = 64, kSector = 8;  // floats
constexpr int kFirst = 40, kShown = 48;              // around the border between blocks 0 and 1

// The block that writes element `col` of row `row` of `out`.
int block_of(int row, int col, bool whole) {
  const int late = whole ? (kSector - row * kRow % kSector) % kSector : 0;
  return col < late ? 0 : (col - late) / kTile;
}

// Sectors that more than one block writes, among the first columns of a row.
int shared_sectors(int row, bool whole) {
  int count = 0;
  for (int sector = row * kRow / kSector; sector * kSector < row * kRow + kFirst + kShown; ++sector) {
    std::set<int> blocks;
    for (int at = sector * kSector; at < (sector + 1) * kSector; ++at)
      if (at >= row * kRow) blocks.insert(block_of(row, at - row * kRow, whole));
    count += blocks.size() > 1;
  }
  return count;
}

void rows(Canvas& canvas, double y, bool whole) {
  constexpr double kCell = 13, kLeft = 70;
  canvas.text(20, y, whole ? "the share begins with a sector" : "the share begins with the tile", 13, true);
  for (int row = 0; row < 4; ++row) {
    const double top = y + 12 + row * 30;
    canvas.text(20, top + 15, text::tr("row {}", row), 12);
    for (int k = 0; k < kShown; ++k) {
      const int col = kFirst + k;
      canvas.rect(kLeft + k * kCell, top, kCell, 20,
                  block_of(row, col, whole) == 0 ? kPalette[1] : kPalette[0]);
      if ((row * kRow + col) % kSector == 0)
        canvas.line(kLeft + k * kCell, top - 2, kLeft + k * kCell, top + 22, 2);
    }
    if (shared_sectors(row, whole) != 0)
      canvas.text(kLeft + kShown * kCell + 8, top + 15, "one sector, two blocks", 12);
  }
}

}  // namespace

std::string whole_sectors() {
  Canvas canvas(860, 350, "Where two blocks meet in a row of out",
                "Four rows of a matrix whose rows are 1020 floats, around column 64, twice. Where shares "
                "begin with the tile, every second row has a sector that two blocks write; where shares "
                "begin with a sector, none has.");
  rows(canvas, 56, false);
  rows(canvas, 206, true);
  canvas.text(20, 342,
              "rows of 1020 floats, columns 40 to 87; a line: a sector of 32 bytes begins; blue: block 0, "
              "orange: block 1",
              12);
  return canvas.svg();
}

}  // namespace lab::pictures
