// What orders the accesses of threads, in the words of PTX's memory model: scopes, strong accesses, and the
// objects at which threads meet.
//
// Enters: the decoder says of each instruction what it promises; execution reports threads that meet. Leaves:
// plain data for the clock of the race check (observe/block_clock.h).
#pragma once

#include <cstdint>

namespace lab::sim {

using Mask = std::uint32_t;  // bit i: lane i

enum class Scope : std::uint8_t { None, Block, Device, System };

// What an access promises. A plain one is weak and promises nothing.
struct Ordering {
  Scope scope : 2 = Scope::None;  // of a strong access: relaxed, acquire, release, atomic, volatile
  bool acquire : 1 = false, release : 1 = false;
  bool is_volatile : 1 = false;
  [[nodiscard]] bool strong() const { return scope != Scope::None; }
};

// Threads meet at an object: a named barrier, an mbarrier, a barrier of a cluster, a group of copies. An
// arriving thread releases its accesses there; a thread that leaves after the phase acquires those of all.
struct Meeting {
  enum class Act : std::uint8_t { Arrive, Turn, Leave } act = Act::Arrive;
  // Named barriers: 0 to 15; warpgroups (wgmma): kWarpgroups + number; the barrier of the cluster, of which
  // the turn alone is reported; objects in shared memory: kInShared + offset.
  std::uint64_t object = 0;
  std::uint32_t warp = 0;
  Mask lanes = 0;
};
inline constexpr std::uint64_t kWarpgroups = 16, kClusterBarrier = 1ull << 16, kInShared = 1ull << 32;
inline bool of_warpgroup(const Meeting& meeting) {
  return meeting.object >= kWarpgroups && meeting.object < kClusterBarrier;
}

}  // namespace lab::sim
