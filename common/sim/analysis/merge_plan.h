// Which neighbouring accesses `ptxas` makes into one: the second column of counters, "as ptxas makes it".
//
// Enters: a decoded kernel, and the text it came from. Leaves: for each instruction that touches memory the
// accesses that stand for it in the machine code: itself, none (another one moves its bytes), or wider and
// narrower ones. The rules were found by experiment and are written down in docs/hardware.md; the toolkit is
// the oracle of their tests and no part of this. Nothing is executed differently: only a second counter reads
// the plan, and only when it is asked for.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace lab::sim {

struct ProgramData;

// One access of the machine code: `bytes` wide, at the address of the instruction it is reported at plus
// `delta`.
struct MergedAccess {
  std::int32_t delta = 0;
  std::uint8_t bytes = 0;
  bool operator==(const MergedAccess&) const = default;
};

class MergePlan {
 public:
  // In a loop that is written out, what stands for an instruction depends on the turn, and that on the
  // lowest bits of its address.
  static constexpr std::uint64_t kPhases = 16;
  using Phases = std::array<std::vector<MergedAccess>, kPhases>;

  explicit MergePlan(std::size_t instructions) : entry_(instructions, kUnchanged) {}
  void set(std::uint32_t pc, Phases instead);

  // False: the instruction stands as it is in the text.
  [[nodiscard]] bool changes(std::uint32_t pc) const { return entry_[pc] != kUnchanged; }
  // What stands for it, at this address of any lane; only when it changes.
  [[nodiscard]] std::span<const MergedAccess> instead(std::uint32_t pc, std::uint64_t address) const {
    return entries_[entry_[pc]][address % kPhases];
  }

 private:
  static constexpr std::uint32_t kUnchanged = 0xffffffffu;
  std::vector<std::uint32_t> entry_;
  std::vector<Phases> entries_;
};

[[nodiscard]] MergePlan plan_merges(const ProgramData& program);

}  // namespace lab::sim
