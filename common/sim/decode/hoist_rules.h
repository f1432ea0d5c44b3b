// Which instructions can be done with two numbers instead of 32, when their operands form ramps.
//
// Enters: an instruction. Leaves: what execute/hoisted.cpp does
// instead of its handler, or nothing.
#pragma once

#include <cstdint>
#include <optional>

#include "common/sim/program/hoisted_values.h"

namespace lab::sim {

// Integers modulo 2^n; only widening asks whether a ramp wraps.
struct HoistRule {
  HoistedAct act;
  std::uint8_t from_bytes, to_bytes;
  HoistedOp::Widens widens = HoistedOp::Widens::No;
};
// Nothing: the instruction's own handler, on rows.
[[nodiscard]] std::optional<HoistRule> hoist_rule(const ptx::Instruction& in);
// setp.lt.s32 and its like, without a second condition: what `op` must know to compare. False: it is none.
[[nodiscard]] bool read_comparison(const ptx::Instruction& in, HoistedOp& op);

}  // namespace lab::sim
