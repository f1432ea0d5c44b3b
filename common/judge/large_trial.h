// A matrix too large to be run as a whole: some of its blocks, which the key draws.
//
// Enters: a kernel, a problem. Leaves: whether what these blocks wrote is right, what they cost, and how many
// elements that was. The grid is the whole one, so a block cannot tell that most others do not run. Memory
// that nobody touches costs nothing: the first launch, on zeros, says which elements of `out` these blocks
// write; those of `in` that belong there are filled, and the second launch is judged.
#pragma once

#include "common/judge/subject.h"

namespace lab::judge {

// Elements whose blocks run: sixteen tiles of 32 × 32, and two blocks at least.
inline constexpr std::int64_t kElemsOfLarge = 16 * 1024;

[[nodiscard]] LargeRun run_some_blocks(device::Device& device, const device::Kernel& kernel,
                                       const LaunchShape& shape, const LargeProblem& large,
                                       const Target& target, const InputKey& key);

}  // namespace lab::judge
