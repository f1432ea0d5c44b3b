// A matrix that is too large to be run whole: blocks of it that the key draws.
//
// Enters: a kernel, a problem, and how many of its blocks run. Leaves: a Run of these blocks alone, or
// nothing, when they do not stand for the launch. The grid is the whole one and `in` holds its words wherever
// a block looks (keyed_world.h), so a block cannot tell that most others do not run. Blocks stand for the
// launch when each has written the tile that lies at its own place, all of it, right, and as many bytes as
// that. Where they have not (blocks in another order, work from a counter, a wait for a block that does not
// run), more of them run: those around; then the same ones, which may have written whole tiles anywhere,
// right; and at last all (Subject::run). Blocks that draw work from a counter could count those that ran
// before them, so their launches run whole, the smaller ones first, until that becomes too dear: then some of
// their blocks stand for them all the same. The key picks one in four of these that run whole even so, and
// the first one of more than kMostWholeOfAll always does.
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
