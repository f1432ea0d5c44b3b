// The table of what costs more than an addition. See work.h.
#include "common/sim/program/work.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "common/sim/ptx/modifiers.h"

namespace lab::sim {
namespace {

// By opcode. What is not named here costs one unit, or less: sums, products, comparisons, copies.
const std::map<std::string_view, std::uint32_t>& table() {
  static const std::map<std::string_view, std::uint32_t> units{
      {"sin", 100},     {"cos", 100},     {"tanh", 150},     {"ex2", 100},  {"lg2", 100},
      {"sqrt", 40},     {"rsqrt", 40},    {"rcp", 40},       {"div", 40},   {"rem", 80},
      {"shfl", 100},    {"vote", 30},     {"match", 150},    {"redux", 60}, {"elect", 30},
      {"bar", 30},      {"barrier", 30},  {"atom", 150},     {"red", 150},  {"mbarrier", 150},
      {"ldmatrix", 60}, {"stmatrix", 60}, {"movmatrix", 60}, {"call", 40},  {"fence", 60},
      {"membar", 60},   {"fns", 300},     {"prmt", 30},      {"lop3", 10},  {"bfe", 12},
      {"bfi", 10},      {"brev", 12},     {"clz", 12},       {"popc", 10},  {"bfind", 12},
      {"shf", 10},      {"dp4a", 10},     {"dp2a", 10},      {"sad", 6},    {"activemask", 10},
      {"addc", 20},     {"subc", 20},     {"madc", 20},      {"min", 8},    {"max", 8},
      {"testp", 8},     {"copysign", 4},  {"tex", 150},      {"tld4", 300}, {"suld", 70},
      {"sust", 70}};
  return units;
}

constexpr std::uint32_t kProduct = 1000;  // of 16 × 8 × 16 numbers

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
    return operand.name.starts_with("%clock") || operand.name.starts_with("%globaltimer");
  });
}

bool is_wide_integer(const ptx::Instruction& in) {
  return !in.modifiers.empty() && (in.modifiers.back() == "u64" || in.modifiers.back() == "s64");
}

}  // namespace

std::uint32_t extra_work_of(const ptx::Instruction& in) {
  if (in.opcode == "mma") return kProduct;
  if (in.opcode == "wmma") return has(in, "mma") ? 2 * kProduct : 0;
  constexpr std::uint32_t kHalf = 150, kConversion = 30, kRounding = 10, kCarry = 20, kSpecial = 10,
                          kWideProduct = 4;
  const bool moves = in.opcode == "mov" || in.opcode == "ld" || in.opcode == "st";
  if (!moves && is_half(in)) return kHalf;
  if (in.opcode == "cvt") return is_single_or_double(in) ? kConversion : 0;
  if (has(in, "cc")) return kCarry;
  const auto found = table().find(in.opcode);
  if (found == table().end()) {
    if (in.opcode == "mov" && reads_clock(in)) return kSpecial;
    if ((in.opcode == "mul" || in.opcode == "mad") && is_wide_integer(in)) return kWideProduct;
    return is_single_or_double(in) && is_rounded_elsewhere(in) ? kRounding : 0;
  }
  const bool divides = in.opcode == "div" || in.opcode == "rem";
  return divides && is_wide_integer(in) ? 2 * found->second : found->second;
}

}  // namespace lab::sim
