// What one asynchronous copy costs: sectors of global memory, wavefronts of shared memory.
//
// Enters: the addresses of 32 lanes on both sides. Leaves: counts. Pure, no state. Measured on an NVIDIA H200
// (driver 580.159, Nsight Compute 2025.3), tests/golden/async_copies.csv and bulk_copies.csv:
//
//   .ca   cp.async through the first-level cache. Sectors as a load. A group of lanes (32, 16 or 8, as for
//         any access) takes as many wavefronts as the busiest bank has *lanes*, on the side that is worse: a
//         row of the cache has banks too, and lanes that copy one word wait for each other.
//   .cg   Past it, sector by sector: eight lanes take one for each pair of 128-byte line in global memory and
//         sector in shared memory. No wavefronts, but for lanes that fill up with zeros: a store of these.
//   bulk  cp.async.bulk: the copy of a lane, or each row of a tensor's box, is cut at the 128-byte
//         lines of shared memory, and each piece takes the sectors of global memory that it touches. The
//         hardware counts the words that it moves in shared memory, and no wavefronts: bytes / 128 stand for
//         them (assumption). Of a box that reaches past its tensor a load counts each such part that lies
//         outside as bytes / 32, a store counts what lies inside. A multicast counts once for each block that
//         it goes to.
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
[[nodiscard]] CopyCost bulk_cost(const BulkCopy& copy);
// ldmatrix, stmatrix: eight lanes name the rows of a matrix, 16 bytes each.
[[nodiscard]] SharedCost matrix_cost(const std::uint64_t* row, Mask lanes);
// Which of the four banks of lines a place in a peer's shared memory belongs to; an offset in its own
// variables.
[[nodiscard]] unsigned cluster_bank(std::uint64_t address);
// Loads, stores and atomics of a peer's shared memory: offsets in its own variables.
[[nodiscard]] SharedCost cluster_cost(const std::uint64_t* address, unsigned width_bytes, Mask lanes,
                                      bool atomic);

}  // namespace lab::sim
