// What the TMA unit does in parallel with the threads of a block, for checks of their order.
//
// Enters: execution reports when a copy starts, when it has landed, and which lanes have seen that. Leaves:
// plain data. Offsets are those of the block whose slot is named.
#pragma once

#include <cstdint>

#include "common/sim/base/access.h"

namespace lab::sim {

struct EngineEvent {
  enum class Act : std::uint8_t {
    Start,   // copy `id` begins to read or write [low, low + bytes)
    Land,    // copy `id` is done
    Seen,    // `lanes` saw that a phase of the barrier at `low` is over
    Waited,  // `lanes` know that their own copies are done, but for the newest `groups`
    Read,    // the same of what these copies read alone
    Fence,   // `lanes` put what they wrote before what the unit does later
    Init,    // a lane initialised the barrier at `low`
    Ready,   // `lanes` put that initialisation before what the unit does later
    Use,  // a lane is about to arrive at the barrier at `low`, to make it expect bytes, or to ask whether it
          // is over
  } act = Act::Start;
  std::uint64_t id = 0;
  std::uint32_t pc = 0;
  Mask lanes = 0;
  const WarpPlace* place = nullptr;  // of the warp that acts; another block's when a peer does
  bool writes = false;               // Start: the unit writes there; else it reads
  bool from_peer = false;            // another block asked for it
  bool by_warpgroup = false;         // Start, Waited: wgmma reads there, and its whole warp waits
  bool by_thread = false;            // Start: a thread's store (st.async), which sees what threads see
  std::uint32_t low = 0, bytes = 0;
  std::uint32_t barrier = kNoBarrier;  // Start: which will show that it has landed
  std::uint32_t groups = 0;            // Start: groups that the lane has committed; Waited: see there
  static constexpr std::uint32_t kNoBarrier = 0xffffffffu;
};

}  // namespace lab::sim
