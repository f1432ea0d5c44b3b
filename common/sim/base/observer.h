// The one seam between the interpreter and everything that watches it.
//
// The interpreter reports what warps do; counters, race detection, uninitialised reads and recorders are
// observers. It never names them, and taking one away changes no result. Each host thread has its own copy
// of every observer (`clone`), so hooks need no locks; copies are merged after the launch (`merge`), and a
// merge must not depend on order.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/sim/base/access.h"
#include "common/sim/base/engine.h"
#include "common/sim/base/order.h"

namespace lab::sim {

class Program;  // common/sim/program/program.h
class Memory;   // common/sim/memory/memory.h

struct LaunchInfo {
  const Program* program = nullptr;
  Dim3 grid, block;
  std::uint32_t shared_bytes = 0;  // static + dynamic, and up to what is reserved
  std::uint32_t reserved_at = 0;   // offset of the hardware's own shared memory, which holds zeros; 0: none
  std::uint32_t smallest_shared_access_bytes = 4;  // over all shared accesses of the program: race granule
  std::uint32_t smallest_global_access_bytes = 4;  // the same for global memory; 0: nothing is written there
  bool together = false;                           // blocks may talk: they run in turns, on one host thread
  bool cooperative = false;                        // blocks may meet at a barrier of the grid
  // First bytes of the buffers that the program can write, by where its pointers come from; not known: any.
  bool knows_written = false;
  std::vector<std::uint64_t> may_write;
  const Memory* shared_memory = nullptr;  // of several GPUs; null: there is one
};

// Bytes of local memory, of each lane alike: of a function that was called, or of an argument that it got.
struct LocalFrame {
  std::uint32_t low = 0, bytes = 0;
  bool holds_arguments = false;
};

// Addresses at which an access may begin.
struct Beginnings {
  std::uint64_t low = 0, size = 0;
};
// Of accesses so wide, in an array of so many bytes.
inline constexpr Beginnings beginnings_in(std::uint64_t low, std::uint64_t bytes, std::uint32_t width_bytes) {
  return {low, bytes < width_bytes ? 0 : bytes - width_bytes + 1};
}
inline constexpr Beginnings kEverywhere{0, ~std::uint64_t{0}};

// Which an observer needs of the plain shared accesses of a block that does what an earlier one did: each;
// or, when the block goes another way after all, those since the last barrier, or all from its start.
enum class Repeats : std::uint8_t { Each, SinceBarrier, WholeBlock };

class Observer {
 public:
  virtual ~Observer() = default;
  [[nodiscard]] virtual std::unique_ptr<Observer> clone() const = 0;  // fresh, for one host thread
  virtual void merge(const Observer& /*other*/) {}
  virtual void launch_begin(const LaunchInfo&) {}
  // Asks for Access::value of every access, not only of shared stores. Asked once, before the launch runs.
  [[nodiscard]] virtual bool wants_values() const { return false; }
  // A slot is one resident block of this host thread; several are resident when blocks wait for each other.
  virtual void block_begin(std::uint32_t /*slot*/, const WarpPlace&) {}
  virtual void access(std::uint32_t /*slot*/, const Access&) {}
  // Where accesses of this instruction may begin that this observer does not need; `at` is one of them.
  [[nodiscard]] virtual Beginnings ignored_range(std::uint32_t /*pc*/, Space, std::uint32_t /*width_bytes*/,
                                                 std::uint64_t /*at*/) {
    return {};
  }
  [[nodiscard]] virtual Repeats repeats() const { return Repeats::Each; }
  // It has found nothing in the shared accesses of this block, nor did it need to look at what they wrote.
  [[nodiscard]] virtual bool found_nothing(std::uint32_t /*slot*/) const { return true; }
  // Through a texture or surface object: a texel of each lane; a read that mixes several reports each.
  virtual void texels(std::uint32_t /*slot*/, const Access&) {}
  virtual void copy(std::uint32_t /*slot*/, const Copy&) {}
  // A call: what lay there before is gone.
  virtual void frame(std::uint32_t /*slot*/, std::uint32_t /*warp*/, Mask, const LocalFrame&) {}
  virtual void bulk(std::uint32_t /*slot*/, const BulkCopy&) {}
  virtual void product(std::uint32_t /*slot*/, const ProductRead&) {}
  virtual void engine(std::uint32_t /*slot*/, const EngineEvent&) {}
  // Asks for the accesses of this bulk copy too, 16 bytes a piece.
  [[nodiscard]] virtual bool wants_pieces(std::uint32_t /*pc*/, const WarpPlace&) const { return false; }
  // What puts threads in order (order.h). A barrier of the whole block is complete:
  virtual void barrier(std::uint32_t /*slot*/) {}
  // lanes of a warp that are now in order:
  virtual void warp_sync(std::uint32_t /*slot*/, std::uint32_t /*warp*/, Mask) {}
  // `whole_warp`: these are all its lanes that live.
  virtual void fence(std::uint32_t /*slot*/, std::uint32_t /*warp*/, Mask, bool /*whole_warp*/, Scope) {}
  virtual void meet(std::uint32_t /*slot*/, const Meeting&, bool /*whole_warp*/) {}
  // cp.async.mbarrier.arrive: what the lanes' copies load next arrives at this object; no lane waits for it.
  virtual void copies_arrive(std::uint32_t /*slot*/, std::uint32_t /*warp*/, Mask, std::uint64_t /*object*/) {
  }
  // The lanes wait for copies of their own, which land next.
  virtual void copies_waited(std::uint32_t /*slot*/, std::uint32_t /*warp*/, Mask) {}
  // nanosleep: lanes that stand still, the longest of them for so long.
  virtual void sleep(std::uint32_t /*slot*/, std::uint32_t /*warp*/, Mask, std::uint64_t /*nanoseconds*/) {}
  // It handed work to the device runtime, the launch of this number (DeviceLaunch): no tail.
  virtual void launched(std::uint32_t /*slot*/, std::uint32_t /*warp*/, std::uint64_t /*number*/) {}
  // griddepcontrol.wait: what the kernels before wrote is seen by these lanes.
  virtual void wait_for_kernels(std::uint32_t /*slot*/, std::uint32_t /*warp*/) {}
  virtual void block_end(std::uint32_t /*slot*/, const WarpPlace&) {}
  // What the clock that a kernel of this block reads shows beyond its instructions.
  [[nodiscard]] virtual std::uint64_t clock_ticks(std::uint32_t /*slot*/) const { return 0; }
};

}  // namespace lab::sim
