// A cluster while it runs: its blocks, one most often, the barrier that they share, and the copies that are
// on their way to their shared memory.
//
// Enters: the number of a cluster. Leaves: nothing left to run. The grid hands out clusters (grid_run.cpp);
// blocks ask here for their peers.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "common/sim/execute/block.h"
#include "common/sim/memory/tensor_map.h"

namespace lab::sim {

// What the TMA unit will write into shared memory. It lands when a thread waits for it: the latest time
// that a GPU may choose, and the one that shows threads which did not wait.
struct InFlight {
  std::uint64_t id = 0;
  std::uint32_t pc = 0;
  WarpPlace place;          // who asked,
  int lane = 0;             // and which lane
  std::uint32_t block = 0;  // rank of the block that it goes to
  std::uint32_t to = 0;     // offset there
  Swizzle mode = Swizzle::None;
  std::uint32_t row_bytes = 0, pitch_bytes = 0;  // 0: one row
  std::vector<std::byte> data;
  std::uint32_t barrier = 0;        // offset of the barrier that counts its bytes,
  std::uint32_t barrier_block = 0;  // and the block that it lies in
  std::uint32_t counts = 0;         // bytes that the barrier counts
  bool by_thread = false;           // st.async: its thread stores, not the TMA unit
  bool reduces = false;
  AtomicInfo reduction;
};

// Where the shared memory of the block with this rank begins among the shared addresses of a cluster. A
// block's own begins at 0 too.
inline constexpr std::uint32_t kPeerShift = 24;
[[nodiscard]] constexpr std::uint64_t peer_base(std::uint32_t rank) {
  return std::uint64_t{rank + 1} << kPeerShift;
}

class ClusterRun {
 public:
  // `slot`: of its first block; the others follow.
  ClusterRun(const LaunchContext& launch, std::uint32_t slot, const std::vector<Observer*>& observers);

  void begin(std::uint64_t cluster);
  // Until all its blocks are done (true), or as BlockRun::run.
  bool run(std::uint64_t quantum);
  [[nodiscard]] bool waits() const { return waits_; }
  [[noreturn]] void report_waiting() const { blocks_.front().report_waiting(); }
  void end();
  [[nodiscard]] std::deque<BlockRun>& blocks() { return blocks_; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(blocks_.size()); }
  [[nodiscard]] BlockRun& block(std::uint32_t rank) { return blocks_[rank]; }

  // barrier.cluster: lanes that arrived wait for the phase in which they did.
  bool complete_barrier();

  [[nodiscard]] std::uint64_t next_id() { return ++last_id_; }
  void fly(InFlight copy) { in_flight_.push_back(std::move(copy)); }
  // Lands what the barrier at `offset` of that block waits for; false when that is nothing.
  bool land(std::uint32_t block, std::uint32_t offset);

 private:
  void land(const InFlight& copy);

  const LaunchContext& launch_;
  Dim3 shape_;
  std::deque<BlockRun> blocks_;
  std::vector<bool> done_;
  std::vector<InFlight> in_flight_;
  std::uint64_t last_id_ = 0;
  bool waits_ = false, passed_barrier_ = false;
};

// Reports to the checks that the copy begins, and lets it fly. A fault when no barrier is there to count its
// bytes.
[[nodiscard]] std::uint32_t touched_bytes(const BlockRun& block, std::uint32_t low, std::uint32_t bytes,
                                          Swizzle mode);
void start_flight(WarpContext& w, const Inst& inst, InFlight copy);

// exec_cluster.cpp. mapa, getctarank: Inst::a an address, b a rank; extra 1: generic addresses.
void exec_map_address(WarpContext& w, const Inst& inst);
void exec_rank_of_address(WarpContext& w, const Inst& inst);
inline constexpr std::int64_t kRelaxed = 1;  // inst.immediate of an arrival that orders nothing
void exec_cluster_arrive(WarpContext& w, const Inst& inst);
void exec_async_store(WarpContext& w, const Inst& inst);
// The peer and the offset that a shared address of the cluster means, or a fault.
struct PeerPlace {
  BlockRun* block = nullptr;
  std::uint32_t offset = 0;
};
[[nodiscard]] PeerPlace peer_place(WarpContext& w, const Inst& inst, int lane, std::uint64_t address,
                                   std::uint32_t bytes);

}  // namespace lab::sim
