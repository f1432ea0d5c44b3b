// Finds the reads of a table that a compare-and-swap then decides about.
//
// Enters: a parsed function and where its pointers come from. Leaves: its plain loads that look for a place,
// where an atom.cas of the same buffers in the same loop takes it: the value is compared and nothing else, so
// that an old one costs a turn more. Compilers that turn the loop round leave the two no address in common
// (cas_reads.h).
#pragma once

#include <set>

#include "common/sim/analysis/pointer_roots.h"

namespace lab::sim {

[[nodiscard]] std::set<const ptx::Instruction*> probes_of_a_cas(const ptx::Function& function,
                                                                const RootsOfOperands& roots);

}  // namespace lab::sim
