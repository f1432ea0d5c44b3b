// Where the elements of a tile lie in shared memory under some formula, and what accesses to it cost.
//
// Enters: the tile's size and a formula for the column. Leaves: a map of byte offsets, its name in CuTe if it
// has one, and the wavefronts of row and column accesses of every width, by the rules of the simulator.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "common/base/text/message.h"

namespace lab::explore {

struct TileShape {
  int rows = 32, cols = 32;
  int elem_bytes = 4;
  int pad_elems = 0;  // unused elements at the end of each row
  [[nodiscard]] int row_bytes() const { return (cols + pad_elems) * elem_bytes; }
  [[nodiscard]] std::uint64_t bytes() const {
    return static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(row_bytes());
  }
};

// CuTe's Swizzle<B, M, S>: bits M+S … M+S+B-1 of an offset are XORed into bits M … M+B-1.
struct CuteSwizzle {
  int bits = 0, base = 0, shift = 0;
  [[nodiscard]] std::uint64_t apply(std::uint64_t offset) const;
};

struct TileMap {
  TileShape shape;
  std::vector<std::uint32_t> offset;  // in bytes, by row * cols + col
  std::vector<std::uint8_t> bank;     // of the first byte
  Message clash;                      // "" when no two elements share a place, else a whole sentence
  [[nodiscard]] std::uint32_t at(int y, int x) const {
    return offset[static_cast<std::size_t>(y) * static_cast<std::size_t>(shape.cols) +
                  static_cast<std::size_t>(x)];
  }
};

// `column(y, x)` must stay within the row, padding included; otherwise FormulaError with the first element
// that does not.
[[nodiscard]] TileMap map_tile(const TileShape& shape,
                               const std::function<std::int64_t(std::int64_t, std::int64_t)>& column);

// The Swizzle whose offsets (in elements, of the tile without padding) are those of the map. <0,0,0>: rows as
// they come. None: the map is no XOR of address bits, or there is padding.
[[nodiscard]] std::optional<CuteSwizzle> cute_name(const TileMap& map);

// A warp that reads or writes the tile in pieces of `width_bytes`: along rows (lane i takes the i-th piece)
// or along columns (lane i takes row i of one column of pieces). The worst request of the tile.
struct AccessCost {
  int width_bytes = 4;
  bool possible = true;  // false: the map tears such a piece apart, or the row is shorter than one
  unsigned row_load = 0, row_store = 0, column_load = 0, column_store = 0;  // wavefronts per request
  unsigned ideal_row = 0, ideal_column = 0;
};
[[nodiscard]] std::vector<AccessCost> costs(const TileMap& map);

}  // namespace lab::explore
