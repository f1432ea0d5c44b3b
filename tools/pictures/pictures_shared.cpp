// Lanes and banks: tiles in the colours of their banks. The small tiles are drawn with 8 banks, so that one
// can see them; what is said about 32 banks comes from the rules of common/sim.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include "common/kernel/swizzle.cuh"
#include "common/sim/observe/access_view.h"
#include "tools/pictures/canvas.h"
#include "tools/pictures/pictures.h"

namespace lab::pictures {
namespace {

constexpr int kSmall = 8;  // banks, rows and columns of the small tiles

using BankOf = std::function<int(int row, int col)>;

Cell bank_cell(int bank) { return {kPalette[static_cast<std::size_t>(bank)], std::to_string(bank)}; }

// Wavefronts of 8 lanes in 8 banks: the most words in one bank.
int wavefronts_of_8(const BankOf& bank, bool column) {
  std::array<int, kSmall> words{};
  int most = 0;
  for (int lane = 0; lane < kSmall; ++lane) {
    const int b = column ? bank(lane, 0) : bank(0, lane);
    most = std::max(most, ++words[static_cast<std::size_t>(b)]);
  }
  return most;
}

// The same in 32 banks, by the rules that were measured. `word`: where element (row, col) is kept.
unsigned wavefronts_of_32(const BankOf& word, bool column, bool load) {
  std::array<std::uint64_t, sim::kWarpLanes> address{};
  for (int lane = 0; lane < 32; ++lane) {
    address[static_cast<std::size_t>(lane)] =
        4 * static_cast<std::uint64_t>(column ? word(lane, 0) : word(0, lane));
  }
  return sim::view_shared(address.data(), 4, ~sim::Mask{0}, load).wavefronts;
}

Message wavefronts(unsigned n) { return n == 1 ? Message("1 wavefront") : msg("{} wavefronts", n); }

// One small tile of `cols` words per row, with row 0 and column 0 framed, and what both cost.
void small_tile(Canvas& canvas, double x, int cols, const BankOf& small_bank, const BankOf& word,
                const char* name) {
  constexpr double kSide = 28, kTop = 92;
  canvas.text(x, 62, name, 13, true);
  canvas.text(x, 80, "bank of each element, with 8 banks", 12);
  canvas.grid(x, kTop, kSmall, cols, kSide, [&](int row, int col) {
    Cell cell = bank_cell(small_bank(row, col));
    if (col >= kSmall) cell = {kEmpty, ""};
    return cell;
  });
  canvas.frame(x, kTop, kSide, 0, 0, 1, kSmall);
  canvas.frame(x, kTop, kSide, 0, 0, kSmall, 1);
  const double y = kTop + kSmall * kSide + 22;
  canvas.text(
      x, y,
      msg("a row: {} of 8 lanes", wavefronts(static_cast<unsigned>(wavefronts_of_8(small_bank, false)))), 12);
  canvas.text(x, y + 18,
              msg("a column: {}", wavefronts(static_cast<unsigned>(wavefronts_of_8(small_bank, true)))), 12);
  canvas.text(x, y + 42, "32 × 32 floats in 32 banks", 12, true);
  canvas.text(x, y + 60, msg("a row: {}", wavefronts(wavefronts_of_32(word, false, false))), 12);
  canvas.text(x, y + 78, msg("a column: {}", wavefronts(wavefronts_of_32(word, true, true))), 12);
}

int plain_bank(int, int col) { return col % kSmall; }
int plain_word(int row, int col) { return 32 * row + col; }

}  // namespace

std::string shared_tile() {
  Canvas canvas(620, 440, "A tile in the colours of its banks",
                "In a tile as wide as there are banks, a row lies in all banks and a column in one.");
  small_tile(canvas, 24, kSmall, plain_bank, plain_word, "tile[8][8]");
  canvas.text(310, 110, "bank = (address / 4) mod 32", 13, true);
  canvas.text(310, 138, "A row (framed) lies in all banks.", 13);
  canvas.text(310, 158, "A column lies in one bank.", 13);
  canvas.text(310, 190, "In one wavefront every bank", 13);
  canvas.text(310, 210, "serves one word. Lanes that ask", 13);
  canvas.text(310, 230, "one bank for different words", 13);
  canvas.text(310, 250, "wait for each other.", 13);
  return canvas.svg();
}

std::string padding() {
  Canvas canvas(620, 440, "One more column",
                "A padded row starts one bank further than the row above, so a column lies in all banks.");
  small_tile(canvas, 24, kSmall, plain_bank, plain_word, /* message */ "before: tile[8][8]");
  small_tile(
      canvas, 320, kSmall + 1, [](int row, int col) { return ((kSmall + 1) * row + col) % kSmall; },
      [](int row, int col) { return 33 * row + col; }, /* message */ "after: tile[8][9]");
  return canvas.svg();
}

std::string xor_swizzle() {
  Canvas canvas(620, 440, "Element (y, x) is kept in column x ^ y",
                "Each row is permuted in its own way, so a column lies in all banks, and no word is added.");
  small_tile(canvas, 24, kSmall, plain_bank, plain_word, /* message */ "before: column x");
  small_tile(
      canvas, 320, kSmall, [](int row, int col) { return col ^ row; },
      [](int row, int col) { return 32 * row + (col ^ row); }, /* message */ "after: column x ^ y");
  return canvas.svg();
}

std::string swizzle_formula() {
  constexpr double kSide = 22;
  Canvas canvas(790, 370, "Chunks of 16 bytes in rows of 64, 128 and 256 bytes",
                "The colour is the place of a chunk in the 128 bytes of all banks, the number is the column "
                "of the chunk that is kept there.");
  canvas.text(20, 54,
              "Colour: which 4 of the 32 banks. Number: the column of the chunk that is kept in this place.",
              12);
  double x = 20;
  for (const int row_bytes : {64, 128, 256}) {
    const int chunks = row_bytes / 16, rows = 10;
    canvas.text(x, 84, msg("each row has {} bytes", row_bytes), 13, true);
    canvas.grid(x, 94, rows, chunks, kSide, [&](int row, int place) {
      int holder = 0;
      for (int col = 0; col < chunks; ++col) {
        if (swizzle(row, col, row_bytes, 16, 16) == place) holder = col;
      }
      const int bank_place = (row * row_bytes + place * 16) % kBankLineBytes / 16;
      return Cell{kPalette[static_cast<std::size_t>(bank_place)], std::to_string(holder)};
    });
    std::set<int> places;  // of column 0 in 8 rows
    for (int row = 0; row < kSmall; ++row) {
      const int at = swizzle(row, 0, row_bytes, 16, 16);
      canvas.frame(x, 94, kSide, row, at, 1, 1);
      places.insert((row * row_bytes + at * 16) % kBankLineBytes / 16);
    }
    canvas.text(x, 94 + rows * kSide + 18, "column 0 of 8 rows:", 12);
    canvas.text(x, 94 + rows * kSide + 34, msg("{} colours", places.size()), 12);
    x += chunks * kSide + 60;
  }
  return canvas.svg();
}

namespace {

// One 16-byte store of a warp of chapter 08: lane x goes to row 4 x, all to the same pack; 64 floats a row.
void store_panel(Canvas& canvas, double x, const char* name,
                 const std::function<int(int row, int pack)>& place) {
  constexpr double kSide = 24, kTop = 96;
  constexpr int kRowBytes = 256;
  std::array<std::uint64_t, sim::kWarpLanes> address{};
  for (int lane = 0; lane < 32; ++lane) {
    const int row = 4 * (lane % 16), pack = lane / 16;  // 16 lanes along x, then the next pack
    address[static_cast<std::size_t>(lane)] =
        static_cast<std::uint64_t>(row) * kRowBytes + static_cast<std::uint64_t>(place(row, pack)) * 16;
  }
  const sim::SharedView view = sim::view_shared(address.data(), 16, ~sim::Mask{0}, false);
  canvas.text(x, 62, name, 13, true);
  canvas.text(x, 82, msg("the whole warp: {}", wavefronts(view.wavefronts)), 12);
  canvas.grid(x, kTop, kSmall, kSmall, kSide, [&](int lane, int column) {
    const auto at = static_cast<int>(address[static_cast<std::size_t>(lane)] % kBankLineBytes / 16);
    return at == column ? Cell{kPalette[static_cast<std::size_t>(at)], std::to_string(lane)} : Cell{};
  });
}

}  // namespace

std::string vectorized_swizzle() {
  Canvas canvas(740, 350, "Eight lanes store 16 bytes each at once, to rows 0, 4, … 28 of the tile",
                "Without a swizzle all go to the same 4 banks; swizzled by row they go to 8 of the 32; "
                "swizzled by row / 4 they go to all.");
  store_panel(canvas, 30, "no swizzle", [](int, int pack) { return pack; });
  store_panel(canvas, 270, "phase = row", [](int row, int pack) { return swizzle(row, pack, 256, 16, 16); });
  store_panel(canvas, 510, "phase = row / 4",
              [](int row, int pack) { return swizzle(row / 4, pack, 256, 16, 16); });
  canvas.text(30, 310,
              "A row here: one lane. A column: 4 of the 32 banks. Lanes in one column wait for each other.",
              12);
  canvas.text(30, 330, "A warp is 4 such groups of 8 lanes, which add up.", 12);
  return canvas.svg();
}

}  // namespace lab::pictures
