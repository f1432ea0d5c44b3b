// What costs more than an addition: the column of the table of opcodes, and what types add. See work.h.
#include "common/sim/program/work.h"

#include <algorithm>
#include <string>

#include "common/sim/ptx/modifiers.h"
#include "common/sim/ptx/special_registers.h"

namespace lab::sim {
namespace {

// Rounded in software, or by another mode of the host's.
bool is_half(const ptx::Instruction& in) {
  return std::any_of(in.modifiers.begin(), in.modifiers.end(),
                     [](const std::string& m) { return m.starts_with("f16") || m.starts_with("bf16"); });
}
bool is_single_or_double(const ptx::Instruction& in) { return has(in, "f32") || has(in, "f64"); }
bool is_rounded_elsewhere(const ptx::Instruction& in) {
  return has(in, "rz") || has(in, "rm") || has(in, "rp");
}

bool reads_clock(const ptx::Instruction& in) {
  return std::any_of(in.operands.begin(), in.operands.end(), [](const ptx::Operand& operand) {
    const ptx::SpecialRegister* special = ptx::special_register(operand.name);
    return special != nullptr && special->kept == ptx::Kept::Clock;
  });
}

bool is_wide_integer(const ptx::Instruction& in) {
  return !in.modifiers.empty() && (in.modifiers.back() == "u64" || in.modifiers.back() == "s64");
}

}  // namespace

std::uint32_t extra_work_of(const ptx::Instruction& in) {
  constexpr std::uint32_t kHalf = 150, kConversion = 30, kRounding = 10, kCarry = 20, kSpecial = 10,
                          kWideProduct = 4, kProduct = 1000;
  using ptx::Computes;
  const ptx::OpcodeRow& row = *in.row;
  if (row.work >= kProduct || row.moves.unit == ptx::Unit::Fragment) return row.work;
  const bool moves = row.computes == Computes::Copy || row.moves.unit == ptx::Unit::Lanes;
  if (!moves && is_half(in)) return kHalf;
  if (row.computes == Computes::Convert) return is_single_or_double(in) ? kConversion : 0;
  if (has(in, "cc")) return kCarry;
  if (row.work != 0) {
    const bool divides = row.computes == Computes::Divide || row.computes == Computes::Remainder;
    return divides && is_wide_integer(in) ? 2u * row.work : row.work;
  }
  if (row.computes == Computes::Copy && reads_clock(in)) return kSpecial;
  const bool multiplies = row.computes == Computes::Multiply || row.computes == Computes::MultiplyAdd;
  if (multiplies && is_wide_integer(in)) return kWideProduct;
  return is_single_or_double(in) && is_rounded_elsewhere(in) ? kRounding : 0;
}

}  // namespace lab::sim
