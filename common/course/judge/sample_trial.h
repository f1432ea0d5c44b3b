// A matrix that is too large to be run whole: the key draws some of its blocks.
//
// Enters: a kernel, a problem, how many of its blocks run. Leaves: a Run of these blocks, or nothing when they do
// not represent the launch. The grid is the whole one, and `in` has its words wherever a block reads
// (keyed_world.h), so a block cannot tell that others do not run.
// Blocks represent the launch when each wrote exactly the tile at its own place, correctly. If not, more blocks
// run: first those around, then the same ones with any whole tiles allowed, then all (Subject::run). Launches
// whose blocks take numbers from a counter run whole while that is affordable; one in four always does.
#pragma once

#include <optional>
#include <set>

#include "common/course/judge/subject.h"

namespace lab::judge {

// Elements. Larger matrices are sampled, long ones are tried whole up to the second, and none
// is larger than the third. Of those that are run whole although they are large the first ones are no more
// than the fourth in all, and those that the key picks of the others no more than the last.
inline constexpr std::int64_t kMostWhole = 1 << 16, kMostTriedWhole = 1 << 18, kMostEver = 20'000'000,
                              kMostWholeOfAll = 8'000'000, kMostPicked = 12'000'000;

enum class Blocks : std::uint8_t {
  Drawn,       // a few places of the grid
  WithAround,  // the same places, and the blocks around them, which may have a part of their tiles
  Anywhere,    // the same places, and what their blocks write may lie anywhere
  Counted,     // the same, and they may draw work from a counter
};

struct SomeBlocks {
  std::optional<Run> run;    // none: they do not stand for the launch
  bool out_of_work = false;  // one of them did not end within the budget: more of them will not either
};
[[nodiscard]] SomeBlocks run_some_blocks(device::Device& device, const device::Kernel& kernel,
                                         const LaunchShape& shape, const Problem& problem, Blocks which,
                                         const Target& target, const InputKey& key);
// These blocks, each at the tile of its own place: true where they stand for the launch.
[[nodiscard]] bool run_blocks_in(device::Device& device, const device::Kernel& kernel,
                                 const LaunchShape& shape, const Problem& problem,
                                 const std::set<std::uint64_t>& blocks, const Target& target,
                                 const InputKey& key);
// One block in so many of a matrix that has been right: true where these stand for the launch.
[[nodiscard]] bool run_one_block_in(device::Device& device, const device::Kernel& kernel,
                                    const LaunchShape& shape, const Problem& problem,
                                    const Subject::Every& blocks, const Target& target, const InputKey& key);

}  // namespace lab::judge
