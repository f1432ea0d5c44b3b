// Shared memory that asynchronous copies (cp.async) have yet to write, and which threads know that a copy has
// landed.
//
// Enters: copies as they start and land, objects that they arrive at, threads that meet there. Leaves: for an
// access that is too early, the copy. A copy whose thread waits for it is done where it lands. One that arrives
// at an mbarrier (cp.async.mbarrier.arrive) is done for threads that have seen the phase over, and for
// threads ordered behind them; a barrier of the block alone does not end it.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "common/sim/base/access.h"
#include "common/sim/base/order.h"
#include "common/sim/observe/block_clock.h"

namespace lab::sim {

class CopyTargets {
 public:
  struct Early {
    std::uint32_t lane = 0, copy_pc = 0;
    std::uint64_t offset = 0;
    bool arrives = false;         // at an mbarrier, which the toucher has not waited for
    std::uint32_t starter = 0;    // the thread that copies
    bool behind_barrier = false;  // the block has met since the copy started
  };

  void begin(std::uint32_t shared_bytes, std::uint32_t granule_bytes);
  [[nodiscard]] bool any() const { return on_their_way_ != 0; }
  void start(const Copy& copy);
  // Takes note of a landing; else says whether the access comes too early.
  [[nodiscard]] std::optional<Early> touch(const Access& access, const BlockClock& clock);
  // What the lanes' copies load next arrives at this object.
  void arrive(std::uint32_t warp, Mask lanes, std::uint64_t object);
  void waited(std::uint32_t warp, Mask lanes);
  void meet(const Meeting& meeting, BlockClock& clock);
  void barrier();

 private:
  struct Leavers {  // who saw the phase over, and under which number of the block's clock
    std::uint32_t warp = 0;
    Mask lanes = 0;
    Number number = 0;
  };
  struct HandedOver {  // copies that arrive in one phase of an object
    std::uint64_t object = 0;
    std::uint64_t marks = 0;
    bool over = false;
    std::vector<Leavers> seen;
    std::vector<Mask> known;  // by warp: lanes that know that it is over
  };
  struct Mark {
    std::uint32_t pc = 0;      // of the copy, + 1
    std::uint32_t handed = 0;  // where it arrives, + 1: index into `handed_`
    std::uint32_t thread = 0;  // that copies
    std::uint32_t met = 0;     // barriers before it started
  };
  void clear(Mark& mark);
  void land(const Access& access);
  template <class Done>
  void clear_handed(const Done& is_done);
  [[nodiscard]] static bool knows(HandedOver& handed, std::uint32_t thread, const BlockClock& clock);

  std::uint32_t shared_bytes_ = 0, granule_bytes_ = 4;
  std::vector<Mark> marks_;         // by granule
  std::uint64_t on_their_way_ = 0;  // granules
  std::uint32_t met_ = 0;           // barriers of the block so far
  std::vector<HandedOver> handed_;  // those that are over and that no mark names are used again
  std::unordered_map<std::uint32_t, std::uint32_t> arriving_;  // by thread: where its copies arrive, + 1
};

}  // namespace lab::sim
