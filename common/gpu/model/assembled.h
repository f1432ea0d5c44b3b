// What ptxas makes of branches and loops, where the assembler does not run.
//
// Enters: a decoded program, and what machine_code.h says of its instructions. Leaves: for each instruction whether
// it is guarded instead of jumped over, whether its loop is unrolled four times, whether it repeats until another
// thread has answered; sums for the simulator (Observer::weights). Measured with ptxas 13.0 for sm_90: a forward
// jump over at most 8 machine instructions becomes a guard, unless one loads from global memory, is atomic, jumps
// or waits (over at most 20 that load, the loads become guarded); a loop that counts by a constant and has at most
// 40 PTX instructions is unrolled four times.
#pragma once

#include <cstdint>
#include <vector>

#include "common/sim/base/observer.h"
#include "common/sim/ptx/opcodes.h"

namespace lab::sim {
struct ProgramData;
}

namespace lab::model {

// What the sums are of, in the order of Observer::Weights behind those of machine_code.h.
enum Sum : std::uint8_t {
  kGuarded =
      static_cast<std::uint8_t>(sim::ptx::Pipe::Divides),  // instructions that a warp passes when it comes to
                                                           // a guard; and those that it executes:
  kGuardedRun,                                             // the others it passes with no lane acting
  kGuardedAccesses,                                        // the same of accesses to memory
  kGuardedAccessesRun,
  kSums
};
static_assert(kSums == sim::Observer::kWeights);

// Until a value comes that another thread leaves there. Update: until no other was faster (a
// compare-and-swap, a lock); Poll: until it is there, by an atomic that changes nothing. (Volatile loads may
// find more than the block before has announced by then, as scans in one pass do.)
enum class Repeats : std::uint8_t { No, Update, Poll };

// Where a load stands. A region has no jump in it that stays a jump; ptxas moves no load to another one.
struct LoadPlace {
  std::uint32_t region = 0;
  bool written_out = false;  // its loop is unrolled
  bool used = false;         // before the region ends: the warp waits there
  bool is_loop = false;      // the region is a whole loop
};

struct Assembled {
  std::vector<sim::Observer::Weights> sums;  // one entry more than the program has
  std::vector<LoadPlace> loads;              // one an instruction
  std::vector<Repeats> repeats;
  std::vector<std::uint8_t> strong;  // a store that others may wait for
};
[[nodiscard]] Assembled assembled(const sim::ProgramData& program);

}  // namespace lab::model
