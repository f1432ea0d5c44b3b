// What one asynchronous copy costs: sectors of global memory, wavefronts of shared memory.
//
// Enters: the addresses of 32 lanes on both sides. Leaves: counts. Pure, no state. Measured on an NVIDIA H200
// (driver 580.159, Nsight Compute 2025.3), tests/golden/async_copies.csv and bulk_copies.csv:
//
//   .ca   cp.async through the first-level cache. Sectors as a load. A group of lanes (32, 16 or 8, as for any
//         access) takes as many wavefronts as the busiest bank has *lanes*, on the side that is worse: a row of
//         the cache has banks too, and lanes that copy one word wait for each other.
//   .cg   Past it, sector by sector: eight lanes take one for each pair of 128-byte line in global memory and
//         sector in shared memory. No wavefronts, but for lanes that fill up with zeros: a store of these.
//   bulk  cp.async.bulk: the copy of a lane is cut at the 128-byte lines of shared memory, and each piece takes
//         the sectors of global memory that it touches. The hardware counts the words that it moves in shared
//         memory, and no wavefronts: bytes / 128 stand for them (assumption).
#pragma once

#include "common/sim/base/observer.h"
#include "common/sim/observe/access_analysis.h"

namespace lab::sim {

struct CopyCost {
  GlobalCost global;
  SharedCost shared;
  bool operator==(const CopyCost&) const = default;
};

[[nodiscard]] CopyCost copy_cost(const Copy& copy);

}  // namespace lab::sim
