// Handlers of ldmatrix, stmatrix and movmatrix (exec_matrix.cpp). Inst::extra names the registers, one a
// matrix; sign_extend says that the matrices are turned (.trans).
#pragma once

#include <cstddef>

#include "common/sim/execute/exec.h"

namespace lab::sim {

inline constexpr std::size_t kMatrixSide = 8, kMatrixRowBytes = 16;

// Where element `half` (0, 1) of a lane stands.
struct ElementPlace {
  std::size_t row, col;
};
inline ElementPlace place_of_element(std::size_t lane, std::size_t half, bool turned) {
  const std::size_t major = lane / 4, minor = 2 * (lane % 4) + half;
  return turned ? ElementPlace{minor, major} : ElementPlace{major, minor};
}

void exec_load_matrix(WarpContext& w, const Inst& inst);
void exec_store_matrix(WarpContext& w, const Inst& inst);
// A fault unless all 32 lanes act.
void all_lanes_or_fault(WarpContext& w, const Inst& inst);
void exec_move_matrix(WarpContext& w, const Inst& inst);

}  // namespace lab::sim
