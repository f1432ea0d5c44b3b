// What `ptxas` sees in an instruction when it looks for neighbours: the elements that an access moves, and
// what may stand between two of them.
//
// Enters: a parsed function. Leaves: facts about its instructions, one by one. Measured (docs/hardware.md).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/sim/ptx/ptx_module.h"

namespace lab::sim {

// Memories whose accesses are merged, each by itself.
inline constexpr std::size_t kMergedSpaces = 3;
enum class MergedSpace : std::uint8_t { Shared, Global, Generic };

// A load or store that may become part of another one.
struct TextAccess {
  bool is_load = false;
  MergedSpace space = MergedSpace::Shared;
  std::uint8_t bytes = 0;          // of the whole access
  std::uint8_t element_bytes = 0;  // of what is merged: 2, 4 or 8
  std::vector<std::uint8_t> live;  // offsets of the elements that are used
  const ptx::Operand* address = nullptr;
};

class MergeText {
 public:
  explicit MergeText(const ptx::Function& function);

  // False: it moves bytes as it stands, or none; whether it ends a row of neighbours is another question.
  [[nodiscard]] bool access(const ptx::Instruction& in, TextAccess& access) const;
  // Loads before and after it stay apart.
  [[nodiscard]] static bool parts_loads(const ptx::Instruction& in, MergedSpace space);
  // Stores before and after it stay apart; stores of the same space are the caller's question.
  [[nodiscard]] static bool parts_stores(const ptx::Instruction& in, MergedSpace space);

 private:
  [[nodiscard]] bool is_unused(const std::string& name) const;
  [[nodiscard]] bool keeps_half(const ptx::Operand& element) const;
  [[nodiscard]] bool is_wider_than_half(const std::string& name) const;

  const ptx::Function& function_;
  std::map<std::string, int, std::less<>> mentions_;
  std::set<std::string, std::less<>> half_used_whole_;  // 16-bit registers whose upper bits must be zero
};

}  // namespace lab::sim
