// Where the rows of a warp lie: one register file of it each an Arena.
//
// Enters: a piece of what a block has laid out for all its warps at once, since small launches ask for many.
// Leaves: the same rows; a call that needs more moves them to rows of their own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "common/sim/program/program_data.h"

namespace lab::sim {

class Arena {
 public:
  void lay_out(std::span<std::byte> rows) { rows_ = rows; }
  [[nodiscard]] std::byte* data() const { return rows_.data(); }
  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  void grow(std::size_t bytes) {
    RowBytes more(bytes);
    std::copy(rows_.begin(), rows_.end(), more.begin());
    own_ = std::move(more);
    rows_ = own_;
  }
  void clear() { std::fill(rows_.begin(), rows_.end(), std::byte{0}); }

 private:
  std::span<std::byte> rows_;
  RowBytes own_;
};

// One number for all lanes of a row of 32 bits.
inline void fill_row(RowBytes& rows, std::size_t index, std::uint32_t value) {
  std::uint32_t* row = reinterpret_cast<std::uint32_t*>(rows.data()) + index * kWarpLanes;
  std::fill(row, row + kWarpLanes, value);
}

// Three rows that follow one another: x, y, z.
inline void fill_rows(RowBytes& rows, BlockRow first, const Dim3& value) {
  const auto index = static_cast<std::size_t>(first);
  fill_row(rows, index, value.x);
  fill_row(rows, index + 1, value.y);
  fill_row(rows, index + 2, value.z);
}

// Takes the first bytes of what is left; the next ones begin a cache line.
inline std::span<std::byte> take_rows(std::span<std::byte>& left, std::size_t bytes) {
  const std::span<std::byte> taken = left.first(bytes);
  left = left.subspan((bytes + kRowAlign - 1) / kRowAlign * kRowAlign);
  return taken;
}

// What a warp begins with: the special rows and the registers of the entry.
inline constexpr std::size_t kSpecialBytes = static_cast<std::size_t>(WarpRow::Count) * row_bytes(4);
inline std::size_t bytes_of_warp(const FunctionInfo& entry) {
  std::size_t bytes = kSpecialBytes;
  for (const std::uint32_t file : entry.frame_bytes) bytes += (file + kRowAlign - 1) / kRowAlign * kRowAlign;
  return bytes;
}

}  // namespace lab::sim
