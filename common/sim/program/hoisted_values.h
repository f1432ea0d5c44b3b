// Registers that hold the same in every round: values that follow from where the thread stands and from the
// parameters alone.
//
// Enters: decode/hoist.cpp finds them. Leaves: what execute/hoisted.cpp computes, once a block for all its
// warps, when a warp first comes there. A value whose lanes form a ramp is two numbers, and has a row of 32
// only where an instruction reads one.
#pragma once

#include <cstdint>
#include <vector>

#include "common/sim/base/access.h"
#include "common/sim/program/program.h"

namespace lab::sim {

enum class HoistedAct : std::uint8_t {
  Row,   // the instruction's own handler, on rows
  Leaf,  // a constant, a place, a size: the row that it stands in
  Copy,
  Add,
  Subtract,
  Multiply,
  MultiplyAdd,
  ShiftLeft,
  ExtendSigned,  // 32 → 64 bits
  ExtendUnsigned,
  Compare,  // integers of 32 bits
  Parameter
};

// One value. Operands are numbers of values; kNoPc: none.
struct HoistedOp {
  HoistedAct act = HoistedAct::Row;
  // Multiply and MultiplyAdd of 32 bits to 64: how the factors are extended.
  enum class Widens : std::uint8_t { No, Signed, Unsigned } widens = Widens::No;
  std::uint8_t bytes = 4;  // of one lane of the result
  bool needs_row = false;
  std::uint32_t pc = 0, value = 0, second = kNoPc;  // setp: its other predicate
  std::uint32_t a = kNoPc, b = kNoPc, c = kNoPc, d = kNoPc;
  RowRef row;                // Leaf
  std::uint64_t offset = 0;  // Parameter: bytes; `bytes_there` of them, extended
  std::uint8_t bytes_there = 0;
  bool is_signed = false;  // Parameter and Compare
  // Compare: what a - b must be.
  bool holds_below = false, holds_equal = false, holds_above = false;
};

struct HoistedOps {
  std::vector<HoistedOp> of_launch, of_block;  // the first are the same in all blocks
};
// What happens where a warp comes into a straight run.
struct HoistedGroup {
  HoistedOps ops;
  std::uint32_t parameter_loads = 0, parameter_bytes = 0;  // that its lanes read
};

struct HoistedValues {
  // A value's number times this is the offset of its row in RowFile::Hoisted.
  static constexpr std::uint32_t kSlotBytes = 8 * kWarpLanes;
  std::uint32_t with_rows = 0;  // the first numbers: registers that instructions read as rows
  std::uint32_t registers = 0;  // all that are hoisted; the leaves have the numbers behind them
  std::uint32_t values = 0;
  HoistedOps at_begin;  // leaves, and all of a kernel that has few
  std::vector<HoistedGroup> groups;
};

}  // namespace lab::sim
