// The table of what costs more than an addition. See work.h.
#include "common/sim/program/work.h"

#include <map>
#include <string_view>

namespace lab::sim {
namespace {

// Seconds of an endless loop over it, as multiples of an addition's (12 ns on a 2 GHz Xeon, November 2026).
const std::map<std::string_view, std::uint32_t>& table() {
  static const std::map<std::string_view, std::uint32_t> units{
      {"sin", 500},      {"cos", 500},      {"tanh", 750},      {"ex2", 500},   {"lg2", 500},
      {"sqrt", 40},      {"rsqrt", 40},     {"rcp", 20},        {"div", 40},    {"rem", 80},
      {"shfl", 450},     {"vote", 300},     {"match", 1200},    {"redux", 450}, {"elect", 300},
      {"bar", 100},      {"barrier", 100},  {"atom", 300},      {"red", 300},   {"mbarrier", 150},
      {"ldmatrix", 300}, {"stmatrix", 300}, {"movmatrix", 300}, {"call", 40},   {"tex", 150},
      {"tld4", 300},     {"suld", 70},      {"sust", 70}};
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
  constexpr std::uint32_t kHalf = 1000;  // rounded in software
  const bool moves = in.opcode == "mov" || in.opcode == "ld" || in.opcode == "st";
  if (!moves && is_half(in)) return kHalf;
  const auto found = table().find(in.opcode);
  if (found == table().end()) return 0;
  const bool divides = in.opcode == "div" || in.opcode == "rem";
  return divides && is_wide_integer(in) ? 2 * found->second : found->second;
}

}  // namespace lab::sim
