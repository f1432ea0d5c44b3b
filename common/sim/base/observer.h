// The interface between the interpreter and its observers.
//
// The interpreter reports what warps do; counters, race detection, uninitialised reads and recorders are
// observers. It names none but the one that its clock reads, and taking one away changes no result. Each host
// thread has its own copy of every observer (`clone`), so hooks need no locks; copies are merged after the
// launch (`merge`), and a merge must not depend on order. Everything below the first lines is an event; what
// may be left out of them stands in policy.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "common/sim/base/access.h"
#include "common/sim/base/engine.h"
#include "common/sim/base/order.h"
#include "common/sim/base/policy.h"

namespace lab::sim {

class Program;       // common/sim/program/program.h
struct WarpContext;  // common/sim/execute/exec.h
class Memory;        // common/sim/memory/memory.h

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

// An instruction of a warp, before it executes.
struct Stepped {
  std::uint32_t pc = 0;
  Mask live = 0;    // lanes that have not exited; of these
  Mask at = 0;      // lanes that stand there, and of these
  Mask acting = 0;  // lanes whose guard holds
  const WarpPlace* place = nullptr;
  const WarpContext* registers = nullptr;
};

class Observer {
 public:
  virtual ~Observer() = default;
  [[nodiscard]] virtual std::unique_ptr<Observer> clone() const = 0;  // fresh, for one host thread
  virtual void merge(const Observer& /*other*/) {}
  [[nodiscard]] virtual Policy& policy() { return every_event(); }
  virtual void launch_begin(const LaunchInfo&) {}
  // A slot is one resident block of this host thread; several are resident when blocks wait for each other.
  virtual void block_begin(std::uint32_t /*slot*/, const WarpPlace&) {}
  virtual void access(std::uint32_t /*slot*/, const Access&) {}
  // The same of warps that follow each other, the first of which has this access, but for its addresses, where it is
  // known that they meet no access of another thread of their block. False: each is to be reported.
  [[nodiscard]] virtual bool band(std::uint32_t /*slot*/, const Access& /*first*/, const WarpBand&,
                                  std::uint32_t /*warps*/) {
    return false;
  }
  // The last ramp that an observer which only counts has of an instruction. Null: each access is to be reported.
  [[nodiscard]] virtual RampPriced* priced(std::uint32_t /*pc*/) { return nullptr; }
  // Through a texture or surface object: a texel of each lane; a read that mixes several reports each.
  virtual void texels(std::uint32_t /*slot*/, const Access&) {}
  virtual void copy(std::uint32_t /*slot*/, const Copy&) {}
  // A call: its frame holds no values of earlier calls.
  virtual void frame(std::uint32_t /*slot*/, std::uint32_t /*warp*/, Mask, const LocalFrame&) {}
  virtual void bulk(std::uint32_t /*slot*/, const BulkCopy&) {}
  virtual void product(std::uint32_t /*slot*/, const ProductRead&) {}
  virtual void engine(std::uint32_t /*slot*/, const EngineEvent&) {}
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
  // printf, or malloc and free, of these lanes.
  virtual void system_call(std::uint32_t /*slot*/, std::uint32_t /*warp*/, Mask, bool /*allocates*/) {}
  // It handed work to the device runtime, the launch of this number (DeviceLaunch): no tail.
  virtual void launched(std::uint32_t /*slot*/, std::uint32_t /*warp*/, std::uint64_t /*number*/) {}
  // griddepcontrol.wait: these lanes see the writes of the preceding kernels.
  virtual void wait_for_kernels(std::uint32_t /*slot*/, std::uint32_t /*warp*/) {}
  // What each instruction of the program weighs, summed up from the first on (one entry more than the
  // program has), once the launch has begun; null: no matter. Then at the end of each block what its warps
  // executed.
  static constexpr std::size_t kWeights = 10;
  using Weights = std::array<std::uint32_t, kWeights>;
  using Weighed = std::array<std::uint64_t, kWeights>;
  [[nodiscard]] virtual const Weights* weights() const { return nullptr; }
  virtual void weighed(std::uint32_t /*slot*/, const Weighed& /*sum*/) {}
  // By instruction of the program, once the launch has begun, where branches are marked with the ways that
  // lanes took (kTaken, kNotTaken); null: no matter.
  static constexpr std::uint8_t kTaken = 1, kNotTaken = 2;
  [[nodiscard]] virtual std::uint8_t* ways() { return nullptr; }
  // Each instruction of every warp, for an observer that steps: a launch without one pays a test a run of
  // them. What shortcuts take out of the code (Shortcuts) is no instruction.
  [[nodiscard]] virtual bool steps() const { return false; }
  // It wants to know where values go that no instruction wrote (execute/undefined.h).
  [[nodiscard]] virtual bool follows_values() const { return false; }
  virtual void instruction(std::uint32_t /*slot*/, const Stepped&) {}
  // Asked of an observer that steps, before: another warp of the block that goes on in this one's place until
  // it waits. None, or one that cannot go on: this one does.
  [[nodiscard]] virtual std::optional<std::uint32_t> goes_first(std::uint32_t /*slot*/, const Stepped&) {
    return std::nullopt;
  }
  virtual void block_end(std::uint32_t /*slot*/, const WarpPlace&) {}
};

}  // namespace lab::sim
