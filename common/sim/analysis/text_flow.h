// The basic blocks of a function's text: successors, dominators, loops.
//
// Enters: a parsed function. Leaves: blocks in reverse post-order. control_flow.h answers another question,
// where lanes meet again, and about decoded code.
#pragma once

#include <cstdint>
#include <vector>

#include "common/sim/ptx/ptx_module.h"

namespace lab::sim {

struct TextBlock {
  std::size_t begin = 0, end = 0;           // instructions of the body
  std::vector<std::uint32_t> before, next;  // places in TextFlow::blocks
  std::uint32_t dominator = 0;              // the immediate one; the first block: itself
  std::vector<std::uint32_t> loops;         // heads of the loops around it, sorted
  std::uint32_t rank = 0, behind = 0;       // it dominates the blocks whose ranks are in [rank, behind)
};

// Unreachable code is in no block.
struct TextFlow {
  std::vector<TextBlock> blocks;
  [[nodiscard]] bool dominates(std::uint32_t a, std::uint32_t b) const;
  // A thread can come from one instruction of the body to another, which stands further down.
  [[nodiscard]] bool leads(std::size_t from, std::size_t to) const;
  // Every loop around `a` is around `b` too: what runs in `a` has run as often when `b` is reached.
  [[nodiscard]] bool no_deeper(std::uint32_t a, std::uint32_t b) const;
};

[[nodiscard]] TextFlow text_flow(const ptx::Function& function);

}  // namespace lab::sim
