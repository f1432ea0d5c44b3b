// What Hopper's engines lay where: the three swizzles of the TMA unit and what 32 lanes may take of a tile
// (chapter 12), the lanes of a matrix (13), the tiles of a cluster (14).
//
// Enters: the simulator's rule of the hardware swizzle; the rule of matrix instructions. Leaves: one SVG
// each.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "common/base/text/text.h"
#include "common/sim/memory/tensor_map.h"
#include "tools/pictures/canvas.h"
#include "tools/pictures/pictures.h"

namespace lab::pictures {
namespace {

constexpr int kLines = 8, kPlaces = 8;
constexpr std::uint32_t kLine = 128, kChunk = 16;

void panel(Canvas& canvas, double x, sim::Swizzle mode) {
  constexpr double kSide = 30;
  const std::uint32_t span = sim::span_bytes(mode);
  canvas.text(x, 66, msg("kSwizzle{}: rows of {} bytes", span, span), 13, true);
  canvas.grid(x, 78, kLines, kPlaces, kSide, [&](int line, int place) {
    const auto at = static_cast<std::uint32_t>(line) * kLine + static_cast<std::uint32_t>(place) * kChunk;
    const std::uint32_t kept = sim::swizzled(mode, at);  // its own inverse
    const std::uint32_t chunk = kept % span / kChunk;
    return Cell{kPalette[chunk], fmt::format("{}", chunk)};
  });
  const int rows = static_cast<int>(kLine / span);
  for (int line = 0; line < kLines; ++line) {  // the rows that lie side by side in a line
    for (int row = 0; row < rows; ++row)
      canvas.frame(x, 78, kSide, line, row * kPlaces / rows, 1, kPlaces / rows);
  }
}

// Where the 32 floats that one warp takes lie in a tile of 32 × 32 floats in the mode of 128 bytes.
struct Element {
  int row, col;
};
using Lanes = std::function<Element(int lane)>;

void taken(Canvas& canvas, double x, const std::string& title, const Lanes& lanes) {
  constexpr int kSide = 32, kFloats = 4;
  constexpr double kTop = 78, kCell = 8;
  std::array<std::array<int, kSide>, kSide> colour{};  // by row and bank; 0: not taken
  std::array<int, kSide> in_bank{};
  for (int lane = 0; lane < kSide; ++lane) {
    const auto [row, col] = lanes(lane);
    const auto at =
        sim::swizzled(sim::Swizzle::Bytes128, static_cast<std::uint32_t>(row * kSide + col) * 4) / 4;
    const std::uint32_t bank = at % kSide;
    ++in_bank[bank];
    colour[static_cast<std::size_t>(row)][bank] = 1 + col / kFloats;
  }
  canvas.text(x, 66, title, 13, true);
  canvas.grid(x, kTop, kSide, kSide, kCell, [&](int row, int bank) {
    const int c = colour[static_cast<std::size_t>(row)][static_cast<std::size_t>(bank)];
    return c == 0 ? Cell{} : Cell{kPalette[static_cast<std::size_t>(c - 1)], ""};
  });
  for (int place = 0; place < kPlaces; ++place) {
    canvas.frame(x, kTop, kCell, 0, place * kFloats, kSide, kFloats);
    const auto* first = in_bank.begin() + place * kFloats;
    canvas.text(x + (place + 0.5) * kFloats * kCell, 352,
                fmt::format("{}", *std::max_element(first, first + kFloats)), 13, true, "middle");
  }
  canvas.text(x, 372, text::tr("wavefronts: {}", *std::max_element(in_bank.begin(), in_bank.end())), 13);
}

// Lane l takes float l % 4 of a chunk, in one of eight rows: the first four, and the four of `second`.
Lanes chunk_of_rows(int second) {
  return [=](int lane) { return Element{lane / 16 * 4 * second + lane / 4 % 4, lane % 4}; };
}

Lanes turned(const Lanes& lanes) {
  return [=](int lane) {
    const auto [row, col] = lanes(lane);
    return Element{col, row};
  };
}

}  // namespace

std::string which_elements() {
  Canvas canvas(
      828, 418, "Which 32 elements a warp takes out of a tile",
      "Three tiles of 32 × 32 floats, in the mode of 128 bytes, with the 32 floats of one warp: one "
      "column, eight rows of one chunk, and where these lie in the turned tile.");
  taken(canvas, 20, "one column", [](int lane) { return Element{lane, 0}; });
  taken(canvas, 286, "8 rows of one chunk", chunk_of_rows(1));
  taken(canvas, 552, "the same in the turned tile", turned(chunk_of_rows(1)));
  canvas.text(20, 396, "Across: the 32 banks, four to a frame. Down: 32 rows. Colours: the chunk of its row.",
              12);
  canvas.text(20, 412, "Below: how many of a warp's floats meet in one bank.", 12);
  return canvas.svg();
}

std::string pairs_of_groups() {
  Canvas canvas(562, 418, "Eight rows that are free of conflicts on both ways",
                "Two tiles of 32 × 32 floats with the 32 floats of one warp: rows 0 to 3 and 20 to 23 of one "
                "chunk, and where these lie in the turned tile.");
  taken(canvas, 20, "rows 0 to 3 and 20 to 23", chunk_of_rows(5));
  taken(canvas, 286, "the same in the turned tile", turned(chunk_of_rows(5)));
  canvas.text(20, 396, "Across: the 32 banks, four to a frame. Down: 32 rows.", 12);
  canvas.text(20, 412, "Below: how many of a warp's floats meet in one bank.", 12);
  return canvas.svg();
}

std::string hardware_swizzle() {
  Canvas canvas(
      820, 392, "The three swizzles of the TMA unit",
      "Eight lines of 128 bytes for each of the modes of 32, 64 and 128 bytes. Numbers are chunks of 16 "
      "bytes, counted in their row of the tile; frames are rows.");
  panel(canvas, 20, sim::Swizzle::Bytes32);
  panel(canvas, 290, sim::Swizzle::Bytes64);
  panel(canvas, 560, sim::Swizzle::Bytes128);
  canvas.text(20, 346,
              "Numbers and colours: which chunk of its row it is. One picture is one period of the pattern.",
              13);
  canvas.text(20, 370,
              "A frame is a row of the tile, in chunks of 16 bytes; eight of them make a line of 128 bytes.",
              13);
  return canvas.svg();
}

std::string matrix_lanes() {
  constexpr double kSide = 38;
  Canvas canvas(720, 452, "Which lane holds which element of a matrix",
                "Two grids of 8 × 8 elements of 16 bits. In the left one each row belongs to four lanes, in "
                "the right one, turned, each column does.");
  for (const bool turned : {false, true}) {
    const double x = turned ? 380 : 20;
    canvas.text(x, 66, turned ? "ldmatrix.trans" : "ldmatrix", 13, true);
    canvas.grid(x, 78, 8, 8, kSide, [&](int row, int col) {
      const int major = turned ? col : row, minor = turned ? row : col;
      return Cell{kPalette[static_cast<std::size_t>(major)], fmt::format("{}", 4 * major + minor / 2)};
    });
    // Lane 5: two elements, and all that are with it in one row or column.
    canvas.frame(x, 78, kSide, turned ? 2 : 1, turned ? 1 : 2, turned ? 2 : 1, turned ? 1 : 2);
  }
  canvas.text(
      20, 410,
      "Numbers: the lane. Colours: lanes of one group of four. The frame: the two elements of lane 5.", 13);
  canvas.text(20, 432, "Each row of the matrix is 16 bytes, at an address that another lane names.", 13);
  return canvas.svg();
}

std::string two_blocks() {
  constexpr double kTile = 120, kHalf = kTile / 2;
  Canvas canvas(720, 400, "A tile over two blocks of a cluster",
                "Two parts of in, one below the other, each cut into two halves of columns. The left halves "
                "go to the tile of block 0, the right halves to that of block 1.");
  canvas.text(20, 66, "read from `in`", 13, true);
  canvas.text(400, 66, "two tiles, rows of `out`", 13, true);
  for (int block = 0; block < 2; ++block) {
    const double y = 80 + block * (kTile + 20);
    for (int half = 0; half < 2; ++half) {
      const bool stays = half == block;
      canvas.rect(20 + half * kHalf, y, kHalf, kTile, kPalette[static_cast<std::size_t>(block)], kInk, 1);
      canvas.text(20 + half * kHalf + kHalf / 2, y + kTile / 2, fmt::format("{}.{}", block, half), 13, true,
                  "middle");
      // Its place: the tile of block `half`, 32 rows of 128; the part of block `block` is its half of each
      // row.
      const double to_x = 400 + block * kTile, to_y = 80 + half * (kTile + 20) + kHalf / 2;
      canvas.rect(to_x, to_y, kTile, kHalf, kPalette[static_cast<std::size_t>(block)], kInk, 1);
      canvas.text(to_x + kTile / 2, to_y + kHalf / 2 + 4, fmt::format("{}.{}", block, half), 13, true,
                  "middle");
      // From the right edge of what the block reads; what comes from block 1 arrives from below.
      if (block == 0)
        canvas.line(20 + kTile, y + 20 + half * 24, to_x, to_y + 14, stays ? 1.5 : 3);
      else
        canvas.line(20 + kTile, y + 20 + half * 90, to_x + kTile / 2, to_y + kHalf, stays ? 1.5 : 3);
    }
    canvas.text(20, y + kTile + 14, msg("block {}: 64 rows of 64 floats", block), 12);
    canvas.text(400, y + kTile + 14, msg("block {}: 32 rows of 128 floats", block), 12);
  }
  canvas.text(20, 386, "Thick lines cross from one multiprocessor to the other: half of all bytes.", 13);
  return canvas.svg();
}

}  // namespace lab::pictures
