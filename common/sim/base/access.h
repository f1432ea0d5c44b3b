// One access of a warp to memory, as execution reports it: what every observer and every report reads.
//
// Enters: the interpreter fills it, once. Leaves: plain data. What moves, on which path, is in path.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>

#include "common/sim/base/fault.h"
#include "common/sim/base/lane_ramps.h"
#include "common/sim/base/path.h"

namespace lab::sim {

// Which warp acts. Blocks are numbered x fastest.
struct WarpPlace {
  std::uint64_t block_index = 0;   // linear in the grid
  Dim3 block;                      // blockIdx
  std::uint32_t warp = 0;          // in the block
  std::uint32_t first_thread = 0;  // linear thread index of lane 0: 32 * warp
};

// Unwritten bytes of a load, as the check of uninitialised reads finds them; bytes of a store that
// come from such a load. Execution follows them through registers (execute/undefined.h).
struct UndefinedRead {
  static constexpr std::size_t kMostLaneBytes = 64;
  Mask lanes = 0;                                               // with such bytes; of these
  std::array<std::uint8_t, kWarpLanes * kMostLaneBytes> bytes;  // lane by lane, as wide as the access: not 0
  std::optional<Fault> fault;         // what to say of the first lane, when it matters
  const Fault* source = nullptr;      // of a store: the same of the read that its value comes from
  std::set<std::uint32_t> described;  // instructions of which that is known, in this block
};

// One executed warp instruction that touches memory, with at least one active lane. `address[i]` of an
// inactive lane is unspecified. Shared and local addresses are byte offsets in their window; const and global
// ones device addresses. All lanes act in the same space: a generic access is reported once per space.
// A bulk copy is reported in pieces of 16 bytes, under the lane that issued it, to observers that want pieces. An
// access to another block's memory (Space::Cluster) is reported in that block's slot, with offsets there.
struct Access : LaneRamps {
  std::uint32_t pc = 0;  // index into Program::instructions
  Space space = Space::Global;
  Path path = Path::GlobalLoad;
  std::uint8_t width_bytes = 4;  // per lane, whole vector: 1, 2, 4, 8, 16
  Mask mask = 0;
  const std::uint64_t* address = nullptr;  // 32 entries
  // The bytes that move, 32 × width_bytes, lane by lane: what a store writes, what a load reads, what an
  // atomic leaves in memory. Null unless an observer wants values (Policy::values), but for
  // stores to shared and global memory.
  const std::byte* value = nullptr;
  const std::byte* old_value = nullptr;  // atomics: what each lane found; null as above
  const WarpPlace* place = nullptr;
  // Plain loads and stores. Null: all that is written has a value, and what is read must have one.
  UndefinedRead* undefined = nullptr;
};

// What the cost of a ramp follows from, and how often it occurred: where only counters observe, equal ramps are
// counted here and not reported.
struct RampPriced {
  LaneRamps lanes;
  Mask mask = 0;
  std::uint8_t width_bytes = 0;
  std::uint8_t in_sector = 0;  // where its first lane begins; in shared memory: in a word
  Path path = Path::SharedLoad;
  std::uint64_t times = 0;
};

// One executed cp.async, when it starts: what it costs depends on both sides. Its accesses are
// reported too: of cp.async the global side now, the shared side when it lands.
struct Copy {
  std::uint32_t pc = 0;
  std::uint32_t width_bytes = 4;        // per lane: 4, 8, 16
  bool bypass = false;                  // .cg: past the first-level cache
  Mask mask = 0;                        // lanes that copy; of these
  Mask reads = 0;                       // lanes that read anything,
  Mask whole = 0;                       // and lanes that read all their bytes: the rest is filled with zeros
  const std::uint64_t* from = nullptr;  // 32 entries
  const std::uint64_t* to = nullptr;    // 32 entries
  std::uint32_t read_bytes = 0;         // of all lanes together
  const WarpPlace* place = nullptr;
};

// Bytes that lie side by side in global memory and in shared memory: a row of a box, or a whole
// one-dimensional copy. Of a tensor's edge only [first, last) lies inside; a load fills up the rest.
struct BulkPiece {
  std::uint64_t global = 0;  // of its first byte, inside or not
  std::uint32_t shared = 0;  // offset, before the swizzle
  std::uint32_t bytes = 0, first = 0, last = 0;
};

// One copy of the TMA unit, when it starts. Pieces are empty of copies from block to block.
struct BulkCopy {
  std::uint32_t pc = 0;
  std::uint32_t lane = 0;  // that asked for it
  const WarpPlace* place = nullptr;
  Path read = Path::GlobalBulkLoad, written = Path::SharedBulkStore;
  std::span<const BulkPiece> pieces;
  std::uint32_t shared_low = 0, shared_bytes = 0;  // in the shared memory of this slot's block
  std::uint32_t destinations = 1;                  // blocks that it is delivered to
  bool swizzled = false;                           // 16-byte chunks change places within 128-byte lines
};

// Matrices of one wgmma that come from shared memory, of one warp of its warpgroup: its own rows of A, and of
// the first warp those of B, which all four share. The accesses of all four are reported too.
struct ProductRead {
  std::uint32_t pc = 0;
  const WarpPlace* place = nullptr;
  std::uint32_t bytes = 0, wavefronts = 0;
};

}  // namespace lab::sim
