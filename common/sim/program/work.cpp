// The table of what costs more than an addition. See work.h.
#include "common/sim/program/work.h"

#include <map>
#include <string_view>

namespace lab::sim {
namespace {

// Measured as nanoseconds of an endless loop over those of an addition; tests/bench/bench_work.py repeats it.
const std::map<std::string_view, std::uint32_t>& table() {
  static const std::map<std::string_view, std::uint32_t> units{
      {"sin", 150},       {"cos", 150},  {"tanh", 220},    {"ex2", 150},      {"lg2", 150},
      {"sqrt", 20},       {"rsqrt", 20}, {"rcp", 10},      {"div", 12},       {"rem", 30},
      {"shfl", 130},      {"vote", 100}, {"match", 300},   {"redux", 130},    {"activemask", 4},
      {"elect", 100},     {"bar", 30},   {"barrier", 30},  {"atom", 100},     {"red", 100},
      {"membar", 4},      {"fence", 4},  {"mbarrier", 60}, {"ldmatrix", 150}, {"stmatrix", 150},
      {"movmatrix", 150}, {"call", 20},  {"ret", 10}};
  return units;
}

bool is_half(const ptx::Instruction& in) {
  for (const std::string& modifier : in.modifiers) {
    if (modifier.starts_with("f16") || modifier.starts_with("bf16")) return true;
  }
  return false;
}

bool is_wide_integer(const ptx::Instruction& in) {
  return !in.modifiers.empty() && (in.modifiers.back() == "u64" || in.modifiers.back() == "s64");
}

}  // namespace

std::uint32_t extra_work_of(const ptx::Instruction& in) {
  constexpr std::uint32_t kHalf = 300;  // rounded in software
  const bool moves = in.opcode == "mov" || in.opcode == "ld" || in.opcode == "st";
  if (!moves && is_half(in)) return kHalf;
  const auto found = table().find(in.opcode);
  if (found == table().end()) return 0;
  const bool divides = in.opcode == "div" || in.opcode == "rem";
  return divides && is_wide_integer(in) ? 2 * found->second : found->second;
}

}  // namespace lab::sim
