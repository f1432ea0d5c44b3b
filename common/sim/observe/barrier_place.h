// Where a barrier that is missing would stand, by the branches and loops of the program's text.
//
// Enters: two instructions that touch one place. Leaves: words for the place between them, and what decides
// whether a barrier can stand there at all.
#pragma once

#include <cstdint>

#include "common/sim/program/program.h"

namespace lab::sim {

// Where a barrier would stand: in words, and as lines.
struct BarrierPlace {
  Message words;
  int after = 0, before = 0;
  bool in_loop = false;
};

// Who meets at the barrier: only a block's must be reached by every thread of it.
enum class Meets : std::uint8_t { Warp, Block };

// "between line 21 and line 27": on the way that a thread can take from one to the other, whichever of them
// came first here. The order of the text decides when there are both ways.
[[nodiscard]] BarrierPlace barrier_place(const Program& program, std::uint32_t earlier_pc, std::uint32_t pc,
                                         Meets meets = Meets::Block);
// A barrier must be where every thread passes: not in code that a jump skips, unless all threads take the same
// branch.
[[nodiscard]] bool in_a_branch(const Program& program, std::uint32_t pc, std::uint32_t other);
// Two accesses in one loop: a barrier stands on the way from one to the other, and none on the way back.
[[nodiscard]] bool barriers_order_one_way(const Program& program, std::uint32_t pc, std::uint32_t other);
// Whether a loop that watches memory stands before it, with no barrier between: a lock was taken there, or a
// flag seen.
[[nodiscard]] bool behind_a_wait(const Program& program, std::uint32_t pc);
// The last line above that of `pc` that stores to shared memory, where no barrier stands between the two.
// Line 0: none.
[[nodiscard]] InstSource store_without_barrier(const Program& program, std::uint32_t pc, Meets meets);
// The one line that stores to shared memory. Line 0: there are several, or none.
[[nodiscard]] InstSource only_shared_store(const Program& program);
// Where a branch behind `pc` holds an arrival at an mbarrier, and `other` stands behind a wait: a lane
// arrives for its warp. Line 0: there is none.
[[nodiscard]] InstSource arrival_for(const Program& program, std::uint32_t pc, std::uint32_t other);

}  // namespace lab::sim
