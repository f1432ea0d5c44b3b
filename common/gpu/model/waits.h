// How often a warp waits for memory: loads that are on their way together count once.
//
// Enters: the loads, stores and barriers of each warp, as they run. Leaves: rounds by how far the slowest
// load of each went. A load opens a new round when its address is made of a value that this round loads, when
// the warp went back in the text (the next turn of a loop), behind a barrier, and behind a store to the same
// memory: `ptxas` moves loads of one round side by side, and keeps those apart. Past a store that surely goes
// elsewhere (the same register and another offset, with no jump between) it moves a load too. A warp that uses a
// value before a jump waits there, before it comes to the loads behind.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "common/gpu/model/assembled.h"
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
  std::uint32_t stretch = 0;   // of the text, without a jump in it or to it
  bool passes_stores = false;  // a load that nothing stored before it in its stretch can have changed
  std::uint64_t guard = 0;     // what its guard is made of: whether it executes at all
};
[[nodiscard]] std::vector<LoadChain> load_chains(const sim::ProgramData& program);

struct AtomicKind {
  // A sum of 32-bit integers at an address of parameters and constants alone: ptxas has a warp add up
  // its lanes first, and one of them goes to memory.
  bool added_up_first = false;
  bool of_floats = false;
};
// One an instruction.
[[nodiscard]] std::vector<AtomicKind> atomic_kinds(const sim::ProgramData& program);

class WarpWaits {
 public:
  struct Both {
    Rounds as_text{}, written_out{};
  };
  // Of a loop that is written out ptxas has four turns side by side.
  void load(const LoadChain& chain, std::uint32_t pc, bool global, Reach reach, const LoadPlace& place = {});
  void store(bool global, std::uint32_t stretch = 0);
  void barrier() { behind_barrier_ = true; }
  [[nodiscard]] Both end();  // and begins anew

 private:
  struct Open {
    Rounds rounds{};
    std::uint64_t loads = 0;  // of this round
    Reach reach = Reach::Near;
    void load(const LoadChain& chain, bool apart, Reach far);
    [[nodiscard]] Rounds end() const;
  };
  Open as_text_, written_out_;
  struct Behind {
    bool any = false, of_others = false;  // stores; of other stretches than this
    std::uint32_t stretch = 0;
  };
  std::uint32_t last_pc_ = 0, turns_ = 0;
  LoadPlace last_;
  Behind global_, shared_;
  bool behind_barrier_ = false;
};

}  // namespace lab::model
