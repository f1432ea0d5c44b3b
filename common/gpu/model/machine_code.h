// How many instructions of the machine an instruction of PTX becomes, where the assembler does not run.
//
// Enters: a program's text. Leaves: a number for each of its instructions: those that ptxas 13.0 makes for
// sm_90, seen in a kernel that has the instruction thirty times over. Where it makes one instruction of two
// (a product and its sum, two operations on bits), the second is free; of a division or a root, what runs for
// ordinary numbers counts. Beside all of them stands how many go through which unit.
#pragma once

#include <cstdint>
#include <vector>

#include "common/sim/base/observer.h"
#include "common/sim/ptx/ptx_module.h"

namespace lab::sim {
struct ProgramData;
}

namespace lab::model {

// Instructions by pipe; Pipe::None: all of them. A product of whole numbers counts twice among the floats.
using MachineCount = sim::Observer::Weights;
static_assert(std::tuple_size_v<MachineCount> >= static_cast<std::size_t>(sim::ptx::Pipe::Divides));
template <class Counts>
[[nodiscard]] constexpr auto& of(Counts& counts, sim::ptx::Pipe pipe) {
  return counts[static_cast<std::size_t>(pipe)];
}
// Where its numbers are not ordinary, it calls a function: some divisions and roots.
[[nodiscard]] bool may_call(const sim::ptx::Instruction& in);
// Issues besides the first, for one instruction of PTX: of divisions, roots and functions, clocks, fences of
// proxies and accesses of devices. A function takes eight in its pipe.
[[nodiscard]] std::uint32_t more_issues(const sim::ptx::Instruction& in);
// The counts of each instruction of the body.
[[nodiscard]] std::vector<MachineCount> machine_counts(const sim::ptx::Function& text);
// Summed up over the code of the program from its first instruction on: one entry more than it has.
[[nodiscard]] std::vector<MachineCount> machine_sums(const sim::ProgramData& program);

}  // namespace lab::model
