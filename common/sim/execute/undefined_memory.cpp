// Labels of undefined values on their way to memory and back: stores, loads, arguments, matrices. See undefined.h.
#include <algorithm>

#include "common/sim/base/lanes.h"
#include "common/sim/execute/block.h"
#include "common/sim/execute/exec_matrix.h"
#include "common/sim/execute/undefined.h"
#include "common/sim/ptx/modifiers.h"

namespace lab::sim {

// A struct may be copied with members that have no value. What tells one from an array, whose elements are
// stored one by one too: the same line stores members of several types, of which one has a value.
bool UndefinedValues::is_member(const WarpContext& w, const Inst& inst, int lane) {
  constexpr std::uint32_t kFar = 32;  // instructions
  const ProgramData& program = *w.block->launch().program;
  const ptx::Instruction& text = program.text(inst.pc);
  bool several_types = false, one_known = false;
  const auto end = std::min(inst.pc + kFar, static_cast<std::uint32_t>(program.code.size()));
  for (std::uint32_t pc = inst.pc - std::min(inst.pc, kFar); pc < end; ++pc) {
    const ptx::Instruction& other = program.text(pc);
    if (flows_[pc] != ValueFlow::Store || other.operands[0].name != text.operands[0].name) continue;
    if (other.source != text.source || other.inlined_at != text.inlined_at) continue;
    several_types |= last_type(other) != last_type(text);
    const std::vector<RowRef>& parts = program.vectors[program.code[pc].extra];
    one_known |=
        std::all_of(parts.begin(), parts.end(), [&](const RowRef& part) { return any(w, part, lane) == 0; });
  }
  return several_types && one_known;
}

// A lane whose whole value is undefined gives it away; a part of it goes along to memory as it is.
void UndefinedValues::store(WarpContext& w, const Inst& inst, Mask acting) {
  UndefinedRead& out = w.block->undefined_read;
  const std::size_t width = std::size_t{inst.elem_bytes} * inst.vector;
  out.lanes = 0;
  for (const int lane : lanes_of<int>(acting)) {
    std::uint8_t* const passed = inst.passes_argument ? argument(w, inst, lane) : nullptr;
    std::uint8_t* const bytes = out.bytes.data() + width * static_cast<std::size_t>(lane);
    std::size_t at = 0, undefined = 0;
    std::uint8_t label = 0;
    for (const RowRef& part : w.block->launch().program->vectors[inst.extra]) {
      const Lane piece = lane_of(w, part, lane);
      for (std::size_t k = 0; k < inst.elem_bytes; ++k, ++at) {
        bytes[at] = piece.at[k];
        if (passed != nullptr) passed[at] = piece.at[k];
        undefined += piece.at[k] != 0 ? 1 : 0;
        label = std::max(label, piece.at[k]);
      }
    }
    if (undefined == 0 || passed != nullptr) continue;
    const std::uint64_t base = inst.a.file == RowFile::Hoisted
                                   ? w.block->hoisted().lane(inst.a, w.place->warp, lane)
                                   : lane_value(w, inst.a, lane);
    const std::uint64_t address = base + static_cast<std::uint64_t>(inst.immediate);
    const bool windowed = address - kSharedWindow < kWindowBytes || in_local_window(address);
    const bool global = inst.space == Space::Global || (inst.space == Space::Generic && !windowed);
    if (global && undefined == width) {
      if (label != unset_ || !is_member(w, inst, lane))
        w.block->report_undefined(w, lane, label, inst.pc, kIsOutput);
      continue;
    }
    out.lanes |= Mask{1} << lane;
    out.source = &w.block->source_of(w, lane, label, inst.pc);
  }
  w.undefined = out.lanes != 0 ? &out : nullptr;
  inst.enter_masked(w, inst);
  w.undefined = nullptr;
  out.source = nullptr;
}

std::uint8_t* UndefinedValues::argument(const WarpContext& w, const Inst& inst, int lane) {
  const std::size_t at = w.local_base + static_cast<std::size_t>(inst.immediate);
  std::vector<std::uint8_t>& frame = frames_.at(static_cast<std::size_t>(lane));
  const std::size_t end = at + std::size_t{inst.elem_bytes} * inst.vector;
  if (frame.size() < end) frame.resize(end);
  return frame.data() + at;
}

void UndefinedValues::passed(Mask lanes, std::uint32_t from, std::uint32_t to, std::uint32_t bytes) {
  for (const int lane : lanes_of<int>(lanes)) {
    std::vector<std::uint8_t>& frame = frames_.at(static_cast<std::size_t>(lane));
    const std::size_t end = std::size_t{std::max(from, to)} + bytes;
    if (frame.size() < end) frame.resize(end);
    std::copy_n(frame.begin() + from, bytes, frame.begin() + to);
  }
}

// What it loads has values, until `loaded` says otherwise; an argument what it was passed with.
void UndefinedValues::load(WarpContext& w, const Inst& inst, Mask acting) {
  for (const int lane : lanes_of<int>(acting)) {
    const std::uint8_t* from = inst.passes_argument ? argument(w, inst, lane) : nullptr;
    for (const RowRef& row : w.block->launch().program->vectors[inst.extra]) {
      Lane piece;
      if (from != nullptr) std::copy_n(from, inst.elem_bytes, piece.at);
      if (from != nullptr) from += inst.elem_bytes;
      set(w, row, lane, piece);
    }
  }
  inst.enter_masked(w, inst);
}

void UndefinedValues::loaded(const WarpContext& w, const Inst& inst, const UndefinedRead& read,
                             std::uint8_t label) {
  begin_at(inst.pc);
  if (flows_[inst.pc] == ValueFlow::MatrixLoad) return load_matrices(w, inst, read, label);
  const std::size_t width = std::size_t{inst.elem_bytes} * inst.vector;
  for (const int lane : lanes_of<int>(read.lanes & w.mask)) {
    const std::uint8_t* from = read.bytes.data() + width * static_cast<std::size_t>(lane);
    for (const RowRef& row : w.block->launch().program->vectors[inst.extra]) {
      Lane piece;
      for (std::size_t k = 0; k < inst.elem_bytes; ++k) piece.at[k] = from[k] != 0 ? label : 0;
      for (std::size_t k = inst.elem_bytes; k < lane_bytes(row); ++k)
        piece.at[k] = inst.sign_extend ? piece.at[inst.elem_bytes - 1] : 0;
      set(w, row, lane, piece);
      from += inst.elem_bytes;
    }
  }
}

void UndefinedValues::load_matrices(const WarpContext& w, const Inst& inst, const UndefinedRead& read,
                                    std::uint8_t label) {
  const auto was_read = [&](std::size_t at) {
    return (read.lanes >> at / kMatrixRowBytes & 1u) != 0 && read.bytes[at] != 0;
  };
  const auto& rows = w.block->launch().program->vectors[inst.extra];
  const std::size_t cells = cell_bits(w, inst), bits = std::min<std::size_t>(cells, 8);
  for (std::size_t m = 0; m < rows.size(); ++m) {
    Lane pieces[kWarpLanes];
    for_matrix_pieces(inst.sign_extend, cells, true, m,
                      [&](std::size_t lane, std::size_t at, std::size_t place, auto size) {
                        for (std::size_t k = 0; k < size; ++k) {
                          const std::size_t byte = (place + k) % kMatrixRowBytes, row = place + k - byte;
                          const bool none =
                              was_read(row + bits * byte / 8) || was_read(row + (bits * byte + bits - 1) / 8);
                          pieces[lane].at[at + k] = none ? label : 0;
                        }
                      });
    for (int lane = 0; lane < kWarpLanes; ++lane) set(w, rows[m], lane, pieces[lane]);
  }
}

void UndefinedValues::store_matrices(WarpContext& w, const Inst& inst) {
  UndefinedRead& out = w.block->undefined_read;
  out.lanes = 0;
  const auto& rows = w.block->launch().program->vectors[inst.extra];
  for (std::size_t m = 0; m < rows.size(); ++m) {
    for_matrix_pieces(inst.sign_extend, cell_bits(w, inst), false, m,
                      [&](std::size_t lane, std::size_t at, std::size_t place, auto size) {
                        const Lane piece = lane_of(w, rows[m], static_cast<int>(lane));
                        for (std::size_t k = 0; k < size; ++k) {
                          const std::uint8_t label = piece.at[at + k];
                          out.bytes[place + k] = label;
                          if (label == 0) continue;
                          out.lanes |= Mask{1} << place / kMatrixRowBytes;
                          out.source = &w.block->source_of(w, static_cast<int>(lane), label, inst.pc);
                        }
                      });
  }
  w.undefined = out.lanes != 0 ? &out : nullptr;
  inst.enter_masked(w, inst);
  w.undefined = nullptr;
  out.source = nullptr;
}

void UndefinedValues::turn_matrix(WarpContext& w, const Inst& inst) {
  Lane lines[kWarpLanes], pieces[kWarpLanes];
  for (int lane = 0; lane < kWarpLanes; ++lane) lines[lane] = lane_of(w, inst.a, lane);
  for_matrix_pieces(true, 16, true, 0, [&](std::size_t lane, std::size_t at, std::size_t place, auto size) {
    for (std::size_t k = 0; k < size; ++k) pieces[lane].at[at + k] = lines[place / 4].at[(place + k) % 4];
  });
  inst.enter_masked(w, inst);
  for (int lane = 0; lane < kWarpLanes; ++lane) set(w, inst.dst, lane, pieces[lane]);
}

}  // namespace lab::sim
