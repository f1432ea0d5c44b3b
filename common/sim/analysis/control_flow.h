// Where straight runs begin, and where diverged lanes meet again.
//
// Enters: for each instruction of one function, where control may go next. Leaves: the leaders, and for
// each instruction that branches its immediate post-dominator: the first place that every path must pass.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

namespace lab::sim {

struct FlowNode {
  bool ends_block = false;             // a branch, or anything that the scheduler must see
  bool falls_through = true;           // control may go to the next instruction
  std::vector<std::uint32_t> targets;  // indices in the function
};

struct ControlFlow {
  std::vector<bool> leader;               // one an instruction
  std::vector<std::uint32_t> reconverge;  // one an instruction that branches;
                                          // kNoMeeting: the paths never meet
};
inline constexpr std::uint32_t kNoMeeting = 0xffffffffu;

// The last node must be the function's one exit.
[[nodiscard]] ControlFlow analyse_flow(const std::vector<FlowNode>& nodes);

// Asks of jumps back whether control can come to them from a marked node without leaving their loop.
class LoopSearch {
 public:
  explicit LoopSearch(const std::vector<FlowNode>& nodes);  // must outlive it
  void mark(std::uint32_t node);
  // The jump at `back` leads back to `head`; the loop is what lies between them and reaches the jump.
  [[nodiscard]] bool has_marked(std::uint32_t head, std::uint32_t back) const;

 private:
  const std::vector<FlowNode>& nodes_;
  std::vector<std::vector<std::uint32_t>> jumps_;  // from where, one a node
  std::set<std::uint32_t> marked_;
};

}  // namespace lab::sim
