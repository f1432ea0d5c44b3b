// A matrix that is too large to be run whole: blocks of it that the key draws.
//
// Enters: a kernel, a problem, and how many of its blocks run. Leaves: a Run of these blocks alone, or
// nothing, when they do not stand for the launch. The grid is the whole one and `in` holds its words wherever
// a block looks (keyed_world.h), so a block cannot tell that most others do not run. Blocks stand for the
// launch when each has written the tile that lies at its own place, all of it, right, and as many bytes as
// that. Where they have not (blocks in another order, work from a counter, a wait for a block that does not
// run), more of them run: those around, and at last all (Subject::run). Of a matrix whose whole launch would
// take seconds it is enough that they have written their share somewhere, all of it right.
#pragma once

#include <optional>

#include "common/judge/subject.h"

namespace lab::judge {

// Elements. Larger matrices are sampled; of larger ones still blocks may write anywhere; and the largest are
// never run whole.
inline constexpr std::int64_t kMostWhole = 1 << 20, kMostInOrder = 3'000'000, kMostEver = 20'000'000;

enum class Blocks : std::uint8_t {
  Drawn,       // a few places of the grid
  WithAround,  // one place, and the blocks around it, which may have a part of its tile
  Anywhere,    // a few, and what they write may lie anywhere
};

[[nodiscard]] std::optional<Run> run_some_blocks(device::Device& device, const device::Kernel& kernel,
                                                 const LaunchShape& shape, const Problem& problem,
                                                 Blocks which, const Target& target, const InputKey& key);

}  // namespace lab::judge
