// The one seam between the interpreter and everything that watches it.
//
// The interpreter reports what warps do; counters, race detection, uninitialised reads and recorders are
// observers. It never names them, and taking one away changes no result. Each host thread has its own copy
// of every observer (`clone`), so hooks need no locks; copies are merged after the launch (`merge`), and a
// merge must not depend on order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "common/sim/base/fault.h"
#include "common/sim/base/space.h"

namespace lab::sim {

inline constexpr int kWarpLanes = 32;
using Mask = std::uint32_t;  // bit i: lane i
inline constexpr Mask kFullMask = 0xffffffffu;

enum class AccessOp : std::uint8_t { Load, Store, Atomic, Reduction, AsyncCopy };

class Program;  // common/sim/program/program.h

// Which warp acts. Blocks are numbered x fastest.
struct WarpPlace {
  std::uint64_t block_index = 0;   // linear in the grid
  Dim3 block;                      // blockIdx
  std::uint32_t warp = 0;          // in the block
  std::uint32_t first_thread = 0;  // linear thread index of lane 0: 32 * warp
};

// One executed warp instruction that touches memory, with at least one active lane. `address[i]` of an
// inactive lane is unspecified. Shared and local addresses are byte offsets in their window; const and global
// ones device addresses. All lanes act in the same space: a generic access is reported once per space.
struct Access {
  std::uint32_t pc = 0;  // index into Program::instructions
  Space space = Space::Global;
  AccessOp op = AccessOp::Load;
  std::uint8_t width_bytes = 4;  // per lane, whole vector: 1, 2, 4, 8, 16
  Mask mask = 0;
  bool affine = false;            // full mask, or not: address[i] == address[first] + (i - first) * stride
  std::int64_t stride_bytes = 0;  // when affine; for active lanes only
  const std::uint64_t* address = nullptr;  // 32 entries
  const std::byte* value = nullptr;  // stores: 32 × width_bytes, lane by lane; null for loads and atomics
  const WarpPlace* place = nullptr;
};

// One executed cp.async, when it starts: what it costs depends on both sides. Its accesses are reported too,
// as AsyncCopy: the global side now, the shared side when it lands.
struct Copy {
  std::uint32_t pc = 0;
  std::uint8_t width_bytes = 4;         // per lane: 4, 8, 16
  bool bypass = false;                  // .cg: past the first-level cache
  Mask mask = 0;                        // lanes that copy; of these
  Mask reads = 0;                       // lanes that read anything,
  Mask whole = 0;                       // and lanes that read all their bytes: the rest is filled with zeros
  const std::uint64_t* from = nullptr;  // 32 entries: global memory
  const std::uint64_t* to = nullptr;    // 32 entries: shared memory
};

struct LaunchInfo {
  const Program* program = nullptr;
  Dim3 grid, block;
  std::uint32_t shared_bytes = 0;                  // static + dynamic
  std::uint32_t smallest_shared_access_bytes = 4;  // over all shared accesses of the program: race granule
};

class Observer {
 public:
  virtual ~Observer() = default;
  [[nodiscard]] virtual std::unique_ptr<Observer> clone() const = 0;  // fresh, for one host thread
  virtual void merge(const Observer& /*other*/) {}
  virtual void launch_begin(const LaunchInfo&) {}
  // A slot is one resident block of this host thread; several are resident when blocks wait for each other.
  virtual void block_begin(std::uint32_t /*slot*/, const WarpPlace&) {}
  virtual void access(std::uint32_t /*slot*/, const Access&) {}
  virtual void copy(std::uint32_t /*slot*/, const Copy&) {}
  virtual void barrier(std::uint32_t /*slot*/) {
  }  // complete: of the block, or of the warps that a count names
  virtual void warp_sync(std::uint32_t /*slot*/, std::uint32_t /*warp*/, Mask) {
  }  // lanes that are now in order
  virtual void block_end(std::uint32_t /*slot*/, const WarpPlace&) {}
};

}  // namespace lab::sim
