// ldmatrix, stmatrix, movmatrix: matrices whose rows of 16 bytes lie in shared memory, and whose elements the
// lanes of a warp hold, four bytes each of eight rows.
//
// Enters: an address a row, which the lanes name in order. Leaves: registers or memory. Lane t holds bytes
// 4(t % 4) to the next of row t / 4; turned (.trans), elements of column t / 4.
#include "common/sim/execute/exec_matrix.h"

#include <bit>
#include <cstring>

#include "common/sim/execute/block.h"
#include "common/sim/execute/exec_memory.h"

namespace lab::sim {
namespace {

constexpr std::size_t kRowBytes = kMatrixRowBytes, kSide = kMatrixSide;

// Each cell of 6 or 4 bits becomes a byte.
void unpack_cells(std::size_t bits, std::byte* row) {
  std::uint8_t packed[kRowBytes];
  std::memcpy(packed, row, kRowBytes);
  for (std::size_t at = 0; at < kRowBytes; ++at) {
    const std::size_t bit = bits * at;
    const unsigned pair = packed[bit / 8] | unsigned{packed[bit / 8 + 1]} << 8;
    row[at] = static_cast<std::byte>(pair >> bit % 8 & ((1u << bits) - 1));
  }
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

HostBase row_addresses(WarpContext& w, const Inst& inst, AddressRow& row, Direction direction) {
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
  return resolve(w, inst, Space::Shared, row, kRowBytes, direction).value();
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

std::size_t cell_bits(const WarpContext& w, const Inst& inst) {
  const auto& cells = w.block->launch().program->matrix_cells;
  const auto found = cells.empty() ? cells.end() : cells.find(inst.extra);
  return found == cells.end() ? 16 : found->second;
}

void exec_load_matrix(WarpContext& w, const Inst& inst) {
  const Mask all = w.mask;
  const auto& rows = w.block->launch().program->vectors[inst.extra];
  AddressRow at;
  const HostBase base = row_addresses(w, inst, at, Direction::Read);
  LaneBytes values;
  for (std::size_t k = 0; k < kSide * rows.size(); ++k)
    std::memcpy(values.at + k * kRowBytes, base.at(at.at[k]), kRowBytes);
  // Rows outside of what the block filled move along: their elements may stay where nothing uses them.
  UndefinedRead& undefined = w.block->undefined_read;
  undefined.lanes = 0;
  if (w.block->observed()) {
    w.undefined = &undefined;
    report_access(w, inst, Space::Shared, Path::SharedMatrixLoad, at, kRowBytes, values.at);
    w.undefined = nullptr;
  }
  w.mask = all;
  const std::size_t bits = cell_bits(w, inst);
  if (bits < 8)
    for (std::size_t k = 0; k < kSide * rows.size(); ++k) unpack_cells(bits, values.at + k * kRowBytes);
  for (std::size_t m = 0; m < rows.size(); ++m) {
    if (!is_set(rows[m])) continue;
    auto* to = reinterpret_cast<std::byte*>(w.row<std::uint32_t>(rows[m]));
    for_matrix_pieces(inst.sign_extend, bits, true, m,
                      [&](std::size_t lane, std::size_t at, std::size_t place, auto size) {
                        std::memcpy(to + 4 * lane + at, values.at + place, size);
                      });
  }
  if (undefined.lanes != 0) [[unlikely]]
    w.block->carry_undefined(w, inst);
}

void exec_store_matrix(WarpContext& w, const Inst& inst) {
  const Mask all = w.mask;
  const auto& rows = w.block->launch().program->vectors[inst.extra];
  AddressRow at;
  const HostBase base = row_addresses(w, inst, at, Direction::Write);
  LaneBytes values;
  for (std::size_t m = 0; m < rows.size(); ++m) {
    const auto* from = reinterpret_cast<const std::byte*>(w.row<std::uint32_t>(rows[m]));
    for_matrix_pieces(inst.sign_extend, cell_bits(w, inst), false, m,
                      [&](std::size_t lane, std::size_t at, std::size_t place, auto size) {
                        std::memcpy(values.at + place, from + 4 * lane + at, size);
                      });
  }
  if (w.block->observed())
    report_access(w, inst, Space::Shared, Path::SharedMatrixStore, at, kRowBytes, values.at);
  for (std::size_t k = 0; k < kSide * rows.size(); ++k)
    std::memcpy(base.at(at.at[k]), values.at + k * kRowBytes, kRowBytes);
  w.mask = all;
}

void exec_move_matrix(WarpContext& w, const Inst& inst) {
  all_lanes_or_fault(w, inst);
  std::byte lines[kSide * kRowBytes];
  std::memcpy(lines, w.row<std::uint32_t>(inst.a), sizeof lines);
  auto* to = reinterpret_cast<std::byte*>(w.row<std::uint32_t>(inst.dst));
  for_matrix_pieces(true, 16, true, 0, [&](std::size_t lane, std::size_t at, std::size_t place, auto size) {
    std::memcpy(to + 4 * lane + at, lines + place, size);
  });
}

}  // namespace lab::sim
