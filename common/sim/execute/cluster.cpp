// The blocks of a cluster in turns. See cluster.h.
#include "common/sim/execute/cluster.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "common/sim/execute/exec_memory.h"
#include "common/sim/execute/launch_limits.h"
#include "common/sim/execute/mbarrier.h"

namespace lab::sim {
namespace {

constexpr std::uint64_t kTurn = 256;               // rounds of a block before its peers get theirs
constexpr std::uint64_t kMostIdleTurns = 1 << 20;  // in a row in which all blocks only watched memory

}  // namespace

ClusterRun::ClusterRun(const LaunchContext& launch, std::uint32_t slot,
                       const std::vector<Observer*>& observers)
    : launch_(launch), shape_(launch.cluster), done_(launch.cluster.count()) {
  for (std::uint32_t rank = 0; rank < done_.size(); ++rank)
    blocks_.emplace_back(launch, slot + rank, observers, *this, rank);
}

void ClusterRun::begin(std::uint64_t cluster) {
  const Dim3 grid = launch_.config.grid;
  const std::uint64_t wide = grid.x / shape_.x, high = grid.y / shape_.y;
  const std::uint64_t x = cluster % wide * shape_.x, y = cluster / wide % high * shape_.y,
                      z = cluster / wide / high * shape_.z;
  in_flight_.clear();
  last_id_ = 0;
  std::fill(done_.begin(), done_.end(), false);
  for (std::uint32_t rank = 0; rank < size(); ++rank) {
    const std::uint64_t bx = x + rank % shape_.x, by = y + rank / shape_.x % shape_.y,
                        bz = z + rank / shape_.x / shape_.y;
    blocks_[rank].begin((bz * grid.y + by) * grid.x + bx);
  }
}

void ClusterRun::end() {
  for (const InFlight& copy : in_flight_) land(copy);  // no thread waited for it
  in_flight_.clear();
  for (BlockRun& block : blocks_) block.end();
}

bool ClusterRun::run(std::uint64_t quantum) {
  waits_ = false;
  if (size() == 1) {
    const bool over = blocks_[0].run(quantum);
    waits_ = blocks_[0].waits();
    return over;
  }
  std::uint64_t idle = 0;
  for (std::uint64_t round = 0; round < quantum; ++round) {
    bool over = true, news = false, stalled = true;
    BlockRun* first = nullptr;
    for (std::uint32_t rank = 0; rank < size(); ++rank) {
      if (done_[rank]) continue;
      BlockRun& block = blocks_[rank];
      const std::uint64_t before = block.warp_instructions;
      done_[rank] = block.run(kTurn);
      news |= done_[rank] || !block.waits() || (block.stalled() && block.warp_instructions != before);
      if (done_[rank]) continue;
      over = false;
      stalled &= block.stalled();
      if (first == nullptr) first = &block;
    }
    if (over) return true;
    complete_barrier();
    news |= std::exchange(passed_barrier_, false);
    if (news) {
      idle = 0;
      continue;
    }
    if (stalled) first->report_stuck();
    if (quantum != BlockRun::kAlone) {
      waits_ = true;
      return false;
    }
    if (++idle > kMostIdleTurns) first->report_waiting();
  }
  return false;
}

bool ClusterRun::complete_barrier() {
  bool any = false;
  for (BlockRun& block : blocks_) {
    for (const Warp& warp : block.warps()) {
      if ((warp.live & ~warp.cluster_arrived) != 0) return false;
      any |= warp.cluster_arrived != 0;
    }
  }
  if (!any) return false;
  const bool orders =
      std::any_of(blocks_.begin(), blocks_.end(), [](const BlockRun& b) { return b.has_released(); });
  for (BlockRun& block : blocks_) block.pass_cluster_barrier(orders);
  passed_barrier_ = true;
  return true;
}

// Those that the present phase waits for: what else is under way to this barrier may come later.
bool ClusterRun::land(std::uint32_t block, std::uint32_t offset) {
  const auto phase = [&] {
    std::uint64_t bits = 0;
    std::memcpy(&bits, blocks_[block].shared.data() + offset, sizeof bits);
    const auto state = MbarrierState::decoded(bits);
    return state && state->odd;
  };
  const bool odd = phase();
  const auto waited = [&](const InFlight& copy) {
    return copy.barrier == offset && copy.barrier_block == block;
  };
  // A store of each thread may be a copy of its own: they go in one pass.
  bool is_over = false;
  return std::erase_if(in_flight_, [&](const InFlight& copy) {
           if (is_over || !waited(copy)) return false;
           land(copy);
           is_over = phase() != odd;
           return true;
         }) != 0;
}

void ClusterRun::land(const InFlight& copy) {
  constexpr std::uint32_t kChunk = 16;
  BlockRun& to = blocks_[copy.block];
  const auto bytes = static_cast<std::uint32_t>(copy.data.size());
  if (copy.reduces) {
    reduce_bytes(copy.reduction, Space::Shared, to.shared.data() + copy.to, copy.data.data(), bytes);
  } else if (copy.mode == Swizzle::None) {  // rows stand side by side
    std::copy(copy.data.begin(), copy.data.end(), to.shared.data() + copy.to);
  } else {
    std::uint32_t row_at = copy.to;
    for (std::uint32_t row = 0; row < bytes; row += copy.row_bytes, row_at += copy.pitch_bytes) {
      for (std::uint32_t at = 0; at < copy.row_bytes; at += kChunk)
        std::memcpy(to.shared.data() + swizzled(copy.mode, row_at + at), copy.data.data() + row + at, kChunk);
    }
  }
  to.report(EngineEvent{.act = EngineEvent::Act::Land, .id = copy.id, .pc = copy.pc, .place = &copy.place});
  if (copy.counts != 0) blocks_[copy.barrier_block].bytes_landed(copy);
}

}  // namespace lab::sim
