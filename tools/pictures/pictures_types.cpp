// Bytes that change places between registers (chapter 10).
//
// Enters: nothing. Leaves: one SVG; the words after each step come from permutes done here, with the lesson's
// selectors.
#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "tools/pictures/canvas.h"
#include "tools/pictures/pictures.h"

namespace lab::pictures {
namespace {

using Word = std::array<int, 4>;  // element numbers, 10 * row + column; byte 0 first
using Block = std::array<Word, 4>;

// __byte_perm: digit i of the selector names the byte that goes to place i.
Word permuted(const Word& a, const Word& b, std::uint32_t selector) {
  Word result{};
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t from = selector >> (4 * i) & 7u;
    result[i] = from < 4 ? a[from] : b[from - 4];
  }
  return result;
}

void panel(Canvas& canvas, double x, const Block& block, const std::string& title) {
  constexpr double kSide = 38;
  canvas.text(x, 66, title, 12, true);
  canvas.grid(x, 78, 4, 4, kSide, [&](int row, int col) {
    const int element = block[static_cast<std::size_t>(row)][static_cast<std::size_t>(col)];
    return Cell{kPalette[static_cast<std::size_t>(element % 10)], fmt::format("{:02}", element)};
  });
}

}  // namespace

std::string narrow_types() {
  Canvas canvas(
      640, 300, "Four words of four bytes, turned by eight permutes",
      "Each row is a word, each cell a byte: its row and column in the block. After the first step pairs of "
      "rows are mixed, after the second each word is a column.");
  Block in{};
  for (std::size_t k = 0; k < 16; ++k) in[k / 4][k % 4] = static_cast<int>(10 * (k / 4) + k % 4);
  const Block pairs = {permuted(in[0], in[1], 0x5140), permuted(in[0], in[1], 0x7362),
                       permuted(in[2], in[3], 0x5140), permuted(in[2], in[3], 0x7362)};
  const Block out = {permuted(pairs[0], pairs[2], 0x5410), permuted(pairs[0], pairs[2], 0x7632),
                     permuted(pairs[1], pairs[3], 0x5410), permuted(pairs[1], pairs[3], 0x7632)};
  panel(canvas, 24, in, "four rows");
  panel(canvas, 236, pairs, "0x5140, 0x7362");
  panel(canvas, 448, out, "0x5410, 0x7632");
  canvas.text(24, 258, "A row of cells is a register; a cell is a byte: row and column of the element.", 12);
  canvas.text(24, 280, "First rows 0 and 1, rows 2 and 3; then one word of each pair. A colour is a column.",
              12);
  return canvas.svg();
}

}  // namespace lab::pictures
