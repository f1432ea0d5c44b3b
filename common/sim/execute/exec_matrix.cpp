// ldmatrix, stmatrix, movmatrix: matrices of 8 × 8 elements of 16 bits, whose rows lie in shared memory and
// whose elements the lanes of a warp hold, two each.
//
// Enters: an address a row: lane 8m + r names row r of matrix m. Leaves: registers or memory. Lane t holds
// the elements 2(t % 4) and the next one of row t / 4; turned (.trans), of column t / 4.
#include "common/sim/execute/exec_matrix.h"

#include <bit>
#include <cstring>

#include "common/sim/execute/block.h"
#include "common/sim/execute/exec_memory.h"

namespace lab::sim {
namespace {

constexpr std::size_t kRowBytes = kMatrixRowBytes, kSide = kMatrixSide;
using Matrix = std::uint16_t[kSide][kSide];

std::uint16_t& element(Matrix& matrix, std::size_t lane, std::size_t half, bool turned) {
  const ElementPlace at = place_of_element(lane, half, turned);
  return matrix[at.row][at.col];
}

void unused_rows_or_fault(const WarpContext& w, const Inst& inst, const AddressRow& row,
                          std::size_t matrices) {
  const std::size_t bytes = w.block->shared.size();
  for (int lane = static_cast<int>(kSide * matrices); lane < kWarpLanes; ++lane) {
    const std::uint64_t at = row.at[lane];
    if (at % kRowBytes == 0 && at < bytes && bytes - at >= kRowBytes) continue;
    w.block->fault(
        FaultKind::OutOfBounds, w, inst.pc, lane, at,
        msg("{} names no valid row of shared memory for ldmatrix. Its row is not loaded, but on GPUs "
            "below sm_80 every lane must name a valid one: repeat those of lanes 0 to {} (lane % {}).",
            w.block->thread_name(w, lane), kSide * matrices - 1, kSide * matrices));
  }
}

std::byte* row_addresses(WarpContext& w, const Inst& inst, AddressRow& row, Direction direction) {
  all_lanes_or_fault(w, inst);
  compute_addresses(w, inst, row);
  const std::size_t matrices = w.block->launch().program->vectors[inst.extra].size();
  w.mask = matrices == 4 ? kFullMask : (Mask{1} << (kSide * matrices)) - 1;
  if (inst.space == Space::Generic) {
    SpacePart parts[kMostParts];
    const int count = split_spaces(w, inst, row, parts);
    if (count != 1 || parts[0].space != Space::Shared) {
      const int lane = std::countr_zero(parts[0].space == Space::Shared ? parts[1].mask : parts[0].mask);
      w.block->fault(FaultKind::OutOfBounds, w, inst.pc, lane, row.at[lane],
                     msg("{} names a row of a matrix that does not lie in the block's shared memory.",
                         w.block->thread_name(w, lane)));
    }
  }
  if (inst.space == Space::Shared && direction == Direction::Read &&
      w.block->launch().program->all_lanes_name_rows)
    unused_rows_or_fault(w, inst, row, matrices);
  describe_row(row, w.mask);
  return resolve(w, inst, Space::Shared, row, kRowBytes, direction);
}

}  // namespace

void all_lanes_or_fault(WarpContext& w, const Inst& inst) {
  const Warp& warp = w.block->warp_of(w);
  if (w.mask == warp.live && w.mask == kFullMask) return;
  const int lane = std::countr_zero(w.mask);
  w.block->fault(FaultKind::WarpSync, w, inst.pc, lane, 0,
                 msg("{} executes a matrix instruction (.sync.aligned) without the other lanes of its warp. "
                     "All 32 lanes must execute it together.",
                     w.block->thread_name(w, lane)));
}

void exec_load_matrix(WarpContext& w, const Inst& inst) {
  const Mask all = w.mask;
  const auto& rows = w.block->launch().program->vectors[inst.extra];
  AddressRow at;
  const std::byte* base = row_addresses(w, inst, at, Direction::Read);
  LaneBytes values;
  for (std::size_t k = 0; k < kSide * rows.size(); ++k)
    std::memcpy(values.at + k * kRowBytes, base + at.at[k], kRowBytes);
  // Rows outside of what the block filled move along: their elements may stay where nothing uses them.
  UndefinedRead& undefined = w.block->undefined_read;
  undefined.lanes = 0;
  if (w.block->observed()) {
    w.undefined = &undefined;
    report_access(w, inst, Space::Shared, Path::SharedMatrixLoad, at, kRowBytes, values.at);
    w.undefined = nullptr;
  }
  w.mask = all;
  for (std::size_t m = 0; m < rows.size(); ++m) {
    if (!is_set(rows[m])) continue;
    Matrix matrix;
    std::memcpy(matrix, values.at + m * sizeof matrix, sizeof matrix);
    std::uint32_t* to = w.row<std::uint32_t>(rows[m]);
    for (std::size_t lane = 0; lane < kWarpLanes; ++lane)
      to[lane] = element(matrix, lane, 0, inst.sign_extend) |
                 static_cast<std::uint32_t>(element(matrix, lane, 1, inst.sign_extend)) << 16;
  }
  if (undefined.lanes != 0) [[unlikely]]
    w.block->carry_undefined(w, inst);
}

void exec_store_matrix(WarpContext& w, const Inst& inst) {
  const Mask all = w.mask;
  const auto& rows = w.block->launch().program->vectors[inst.extra];
  AddressRow at;
  std::byte* base = row_addresses(w, inst, at, Direction::Write);
  LaneBytes values;
  for (std::size_t m = 0; m < rows.size(); ++m) {
    Matrix matrix;
    const std::uint32_t* from = w.row<std::uint32_t>(rows[m]);
    for (std::size_t lane = 0; lane < kWarpLanes; ++lane) {
      element(matrix, lane, 0, inst.sign_extend) = static_cast<std::uint16_t>(from[lane]);
      element(matrix, lane, 1, inst.sign_extend) = static_cast<std::uint16_t>(from[lane] >> 16);
    }
    std::memcpy(values.at + m * sizeof matrix, matrix, sizeof matrix);
  }
  if (w.block->observed())
    report_access(w, inst, Space::Shared, Path::SharedMatrixStore, at, kRowBytes, values.at);
  for (std::size_t k = 0; k < kSide * rows.size(); ++k)
    std::memcpy(base + at.at[k], values.at + k * kRowBytes, kRowBytes);
  w.mask = all;
}

void exec_move_matrix(WarpContext& w, const Inst& inst) {
  all_lanes_or_fault(w, inst);
  Matrix matrix;
  const std::uint32_t* from = w.row<std::uint32_t>(inst.a);
  for (std::size_t lane = 0; lane < kWarpLanes; ++lane) {
    element(matrix, lane, 0, false) = static_cast<std::uint16_t>(from[lane]);
    element(matrix, lane, 1, false) = static_cast<std::uint16_t>(from[lane] >> 16);
  }
  std::uint32_t* to = w.row<std::uint32_t>(inst.dst);
  for (std::size_t lane = 0; lane < kWarpLanes; ++lane)
    to[lane] = element(matrix, lane, 0, true) | static_cast<std::uint32_t>(element(matrix, lane, 1, true))
                                                    << 16;
}

}  // namespace lab::sim
