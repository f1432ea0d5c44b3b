// Handlers of ldmatrix, stmatrix and movmatrix (exec_matrix.cpp). Inst::extra names the registers, one for
// eight rows; sign_extend says that the matrices are turned (.trans).
#pragma once

#include <cstddef>
#include <type_traits>

#include "common/sim/execute/exec.h"

namespace lab::sim {

inline constexpr std::size_t kMatrixSide = 8, kMatrixRowBytes = 16;

// Calls body(lane, in_register, in_rows, size) for each piece of register `index` of all lanes that lies
// together in the rows, one behind the other. Bytes are turned as products want them: a load gives four of a
// column, and a store takes the pairs of two lines of a result.
template <class Body>
void for_matrix_pieces(bool turned, std::size_t bits, bool loads, std::size_t index, const Body& body) {
  const auto each = [&](auto size, const auto& place) {
    for (std::size_t lane = 0; lane < kWarpLanes; ++lane)
      for (std::size_t at = 0; at < 4; at += size) body(lane, at, place(lane / 4, lane % 4, at), size);
  };
  const std::size_t first = kMatrixRowBytes * kMatrixSide * index;
  if (!turned) {
    each(std::integral_constant<std::size_t, 4>{}, [&](std::size_t line, std::size_t quarter, std::size_t) {
      return first + kMatrixRowBytes * line + 4 * quarter;
    });
  } else if (bits == 16) {
    each(std::integral_constant<std::size_t, 2>{},
         [&](std::size_t line, std::size_t quarter, std::size_t at) {
           return first + kMatrixRowBytes * (2 * quarter + at / 2) + 2 * line;
         });
  } else {
    const std::size_t pair = kMatrixRowBytes * 2 * kMatrixSide * (index / 2);
    each(std::integral_constant<std::size_t, 1>{},
         [&](std::size_t line, std::size_t quarter, std::size_t at) {
           return loads ? pair + kMatrixRowBytes * (4 * quarter + at) + 8 * (index % 2) + line
                        : first + kMatrixRowBytes * (2 * quarter + at % 2) + 8 * (at / 2) + line;
         });
  }
}

// Bits of an element in memory: 16, or 8, 6 or 4; the last two lie together at the start of a row, and become bytes.
[[nodiscard]] std::size_t cell_bits(const WarpContext& w, const Inst& inst);

void exec_load_matrix(WarpContext& w, const Inst& inst);
void exec_store_matrix(WarpContext& w, const Inst& inst);
// A fault unless all 32 lanes act.
void all_lanes_or_fault(WarpContext& w, const Inst& inst);
void exec_move_matrix(WarpContext& w, const Inst& inst);

}  // namespace lab::sim
