// How often a warp waits for memory: loads that are on their way together count once.
//
// Enters: the loads, stores and barriers of each warp, as they run. Leaves: rounds by how far the slowest
// load of each went. A load opens a new round when its address is made of a value that this round loads, when
// the warp went back in the text (the next turn of a loop), behind a barrier, and behind a store to the same
// memory: `ptxas` moves loads of one round side by side, and keeps those apart.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "common/sim/base/access.h"

namespace lab::sim {
struct ProgramData;
}

namespace lab::model {

enum class Reach : std::uint8_t { Near, L2, Dram };  // shared memory or the first level; …
using Rounds = std::array<std::uint64_t, 3>;

// For each instruction the loads of the text (bits, modulo 64) that a load's address, or what a store or
// anything else reads, is made of; and a load's own bit.
struct LoadChain {
  std::uint64_t needs = 0, own = 0;
};
[[nodiscard]] std::vector<LoadChain> load_chains(const sim::ProgramData& program);

struct AtomicKind {
  // Of 32-bit integers, and its address is made of parameters and constants alone: ptxas has a warp add up
  // its lanes first, and one of them goes to memory.
  bool added_up_first = false;
  bool of_floats = false;
};
// One an instruction.
[[nodiscard]] std::vector<AtomicKind> atomic_kinds(const sim::ProgramData& program);

class WarpWaits {
 public:
  void load(const LoadChain& chain, std::uint32_t pc, bool global, Reach reach);
  void store(bool global) { (global ? behind_global_ : behind_shared_) = true; }
  void barrier() { behind_barrier_ = true; }
  [[nodiscard]] Rounds end();  // and begins anew

 private:
  Rounds rounds_{};
  std::uint64_t open_ = 0;  // loads of this round
  std::uint32_t last_pc_ = 0;
  Reach reach_ = Reach::Near;
  bool behind_global_ = false, behind_shared_ = false, behind_barrier_ = false;
};

}  // namespace lab::model
